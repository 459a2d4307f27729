package resource

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/procession-dev/procession/domain/jsondoc"
)

// checkRules reports where a manifest breaks the rules that its JSON Schema cannot express. The manifest may
// violate its JSON Schema: members that are absent or have the wrong type are ignored.
func checkRules(d *Document, r *report) {
	d.Spec.checkSpec(r)
	checkTaskQueues(d, r)
}

// checkSchema compiles a user's JSON Schema, which may be absent.
func checkSchema(schema json.RawMessage, pointer string, r *report) {
	if !isObject(schema) {
		return
	}
	compiled, err := jsondoc.Compile(schema)
	if err == nil {
		err = compiled.CheckSatisfiable()
	}
	var schemaErr *jsondoc.SchemaError
	switch {
	case errors.As(err, &schemaErr):
		r.add(pointer+schemaErr.Pointer, "%s", schemaErr.Message)
	case err != nil:
		r.add(pointer, "%s", err)
	}
}

func isObject(text json.RawMessage) bool { return len(text) > 0 && text[0] == '{' }

// checkUnique reports duplicate codes in a list.
func checkUnique(codes []string, pointer, member string, r *report) {
	first := map[string]int{}
	for i, code := range codes {
		before, twice := first[code]
		switch {
		case code == "":
		case twice:
			place := extendPointer(pointer, i)
			if member != "" {
				place = extendPointer(place, member)
			}
			r.add(place, "is the same as at index %d, and must be unique in the list", before)
		default:
			first[code] = i
		}
	}
}

// memberValues lists the values of one member in all elements of a list.
func memberValues[T any](list []T, member func(*T) string) []string {
	found := make([]string, len(list))
	for i := range list {
		found[i] = member(&list[i])
	}
	return found
}

// checkGrantees reports duplicate grantees and roles other than the ones of the list.
func checkGrantees(grantees []Grantee, pointer string, roles []string, r *report) {
	first := map[Grantee]int{}
	for i, g := range grantees {
		if before, twice := first[g]; twice {
			r.add(extendPointer(pointer, i), "names the same as the element at index %d", before)
			continue
		}
		first[g] = i
		if g.Role == "" || slices.Contains(roles, g.Role) {
			continue
		}
		switch g.Role {
		case RoleProcessInitiator:
			r.add(extendPointer(pointer, i, "role"), "only means something for the candidates and viewers of items: name a user, an application or a group")
		case RoleEveryone:
			r.add(extendPointer(pointer, i, "role"), "cannot be EVERYONE here: name a user, an application or a group")
		}
	}
}

// A use is a member that only some types of an element have.
type use struct {
	member  string
	present bool
	// types are the types that have the member, required reports whether they need it.
	types    []string
	required bool
}

// checkUses reports members that the type of an element does not have, and missing ones. An element without a
// type is reported elsewhere.
func checkUses(uses []use, elementType, pointer string, r *report) {
	if elementType == "" {
		return
	}
	for _, u := range uses {
		fits := false
		for _, t := range u.types {
			fits = fits || t == elementType
		}
		switch {
		case u.present && !fits:
			r.add(extendPointer(pointer, u.member), "is only for %s", joinChoices(u.types))
		case !u.present && fits && u.required:
			r.add(extendPointer(pointer, u.member), "is required for %s", elementType)
		}
	}
}

// checkIndexes reports indexes on fields that the schema does not describe, or with values that the index would omit:
// type NUMBER requires numbers, other types strings.
func checkIndexes(indexes []IndexSpec, schema json.RawMessage, schemaName, pointer string, r *report) {
	checkUnique(memberValues(indexes, func(i *IndexSpec) string { return i.Field }), pointer, "field", r)
	properties := propertiesOf(schema)
	for i := range indexes {
		property, ok := properties[indexes[i].Field]
		if !ok && indexes[i].Field != "" {
			r.add(extendPointer(pointer, i, "field"), "is not one of the properties at the top of %s", schemaName)
		}
		kinds := typesOf(property)
		number := slices.Contains(kinds, "number") || slices.Contains(kinds, "integer")
		if len(kinds) > 0 && (indexes[i].Type == IndexNumber && !number || indexes[i].Type != IndexNumber && !slices.Contains(kinds, "string")) {
			r.add(extendPointer(pointer, i, "type"), "is %s, but %s is of type %s: it would index nothing",
				indexes[i].Type, indexes[i].Field, strings.Join(kinds, " or "))
		}
	}
}

// typesOf lists the types that a schema allows, none where it does not say.
func typesOf(schema json.RawMessage) []string {
	var one struct {
		Type string `json:"type"`
	}
	var several struct {
		Type []string `json:"type"`
	}
	if json.Unmarshal(schema, &one) == nil && one.Type != "" {
		return []string{one.Type}
	}
	if json.Unmarshal(schema, &several) == nil {
		return several.Type
	}
	return nil
}

// propertiesOf lists the properties that a schema of an object describes.
func propertiesOf(schema json.RawMessage) map[string]json.RawMessage {
	var described struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if !isObject(schema) || json.Unmarshal(schema, &described) != nil {
		return nil
	}
	return described.Properties
}

// plainPath matches the path between the braces of a template.
var plainPath = regexp.MustCompile(`^[\p{L}\p{N}_-]+(\.[\p{L}\p{N}_-]+)*$`)

// checkTemplate reports placeholders that are not plain paths.
func checkTemplate(template, pointer string, r *report) {
	for rest := template; ; {
		_, after, found := strings.Cut(rest, "{{")
		if !found {
			return
		}
		inside, next, closed := strings.Cut(after, "}}")
		if !closed {
			r.add(pointer, "has {{ without }}")
			return
		}
		if !plainPath.MatchString(strings.TrimSpace(inside)) {
			r.add(pointer, "has {{%s}}, which is not a plain path such as {{ data.AMOUNT }}", inside)
			return
		}
		rest = next
	}
}
