package jsondoc

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsontext"
)

// maxViolations limits how many violations of one document are reported.
const maxViolations = 1000

// listViolations lists the leaves of a tree of violations: they name the place and the keyword, the nodes above them
// only lead there. A missing or superfluous property is reported at its own place.
func (r *run) listViolations(invalid *jsonschema.ValidationError, document any) []domain.ValueError {
	var found []domain.ValueError
	r.collectLeaves(invalid, document, &found)
	return firstViolations(found)
}

// firstViolations returns the first ones of the violations by path and keyword, each once.
func firstViolations(found []domain.ValueError) []domain.ValueError {
	slices.SortFunc(found, func(a, b domain.ValueError) int {
		return cmp.Or(strings.Compare(a.PropertyPath, b.PropertyPath), strings.Compare(a.Type, b.Type))
	})
	found = slices.Compact(found)
	return found[:min(len(found), maxViolations)]
}

func (r *run) collectLeaves(e *jsonschema.ValidationError, document any, found *[]domain.ValueError) {
	r.meter.spend(unitsPerViolation + r.meter.failure)
	if len(*found) > 8*maxViolations {
		*found = firstViolations(*found)
	}
	if r.followAdvice(e, document, found) {
		return
	}
	keyword, rest := splitKeyword(e.KeywordLocation)
	// A contains that no element satisfies is one violation, not one for each element.
	if len(e.Causes) > 0 && keyword != "minContains" {
		for _, cause := range e.Causes {
			r.collectLeaves(cause, document, found)
		}
		return
	}
	// The library escapes names as in a URL fragment.
	at, err := url.PathUnescape(e.InstanceLocation)
	if err != nil {
		at = e.InstanceLocation
	}
	location, _ := strings.CutSuffix(e.AbsoluteKeywordLocation, "/"+strings.Join(append([]string{keyword}, rest...), "/"))
	schema, exists := r.schema.nodes[location]
	if !exists {
		*found = append(*found, domain.ValueError{PropertyPath: at, Type: keyword})
		return
	}
	if keyword == "minContains" && schema.MinContains == 1 {
		keyword = "contains"
	}
	properties := r.failingProperties(schema, keyword, rest, objectAt(document, at))
	r.meter.spend(len(properties) * (unitsPerMember + len(at)/bytesPerUnit))
	for _, property := range properties {
		*found = append(*found, domain.ValueError{PropertyPath: at + "/" + jsontext.EscapeToken(property), Type: keyword})
	}
	if len(properties) == 0 {
		*found = append(*found, domain.ValueError{PropertyPath: at, Type: keyword})
	}
}

// splitKeyword returns the last keyword of a location within a schema and the rest after it: the name of a property,
// an index.
func splitKeyword(location string) (string, []string) {
	parts := strings.Split(location, "/")[1:]
	if location == "" || len(parts) == 0 {
		return "false", nil // The schema is the boolean false.
	}
	keyword := 0
	for i := 0; i < len(parts); {
		keyword = i
		i++
		switch parts[keyword] {
		case "properties", "patternProperties", "dependentSchemas", "dependencies", "dependentRequired", "$defs", "definitions":
			i++
		}
		// No keyword is a number.
		if i < len(parts) {
			if _, ok := jsontext.Index(parts[i]); ok {
				i++
			}
		}
	}
	return parts[keyword], parts[keyword+1:]
}

// failingProperties lists the properties that make a keyword fail for an object.
func (r *run) failingProperties(schema *jsonschema.Schema, keyword string, rest []string, object map[string]any) []string {
	var found []string
	switch keyword {
	case "required":
		r.meter.spend(unitsPerMember * len(schema.Required))
		for _, property := range schema.Required {
			if _, ok := object[property]; !ok {
				found = append(found, property)
			}
		}
	case keywordRequiredOnUpdate:
		found = rulesOf(schema).missingProperties(object)
	case "additionalProperties":
		for property := range object {
			r.meter.spend(unitsPerMember * (1 + len(schema.PatternProperties)))
			for expression := range schema.PatternProperties {
				r.meter.spend(len(property) * r.schema.patterns[expression] / instructionsPerUnit)
			}
			if !isDeclared(schema, property) {
				found = append(found, property)
			}
		}
	case "dependentRequired", "dependencies":
		if len(rest) != 2 {
			return nil
		}
		name, err := url.PathUnescape(rest[0])
		names, ok := jsontext.SplitPointer("/" + name)
		i, isIndex := jsontext.Index(rest[1])
		if err != nil || !ok || !isIndex {
			return nil
		}
		needed := schema.DependentRequired[names[0]]
		if keyword == "dependencies" {
			needed, _ = schema.Dependencies[names[0]].([]string)
		}
		if i < len(needed) {
			found = append(found, needed[i])
		}
	}
	return found
}

func isDeclared(schema *jsonschema.Schema, property string) bool {
	if _, ok := schema.Properties[property]; ok {
		return true
	}
	for pattern := range schema.PatternProperties {
		if pattern.MatchString(property) {
			return true
		}
	}
	return false
}

// objectAt returns the object at a JSON Pointer, nil when there is none.
func objectAt(document any, pointer string) map[string]any {
	path, _ := jsontext.SplitPointer(pointer)
	for _, key := range path {
		switch container := document.(type) {
		case map[string]any:
			document = container[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(container) {
				return nil
			}
			document = container[i]
		}
	}
	object, ok := document.(map[string]any)
	if !ok {
		return nil
	}
	return object
}
