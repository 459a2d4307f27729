package contracttest

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/api/openapi"
)

// change is one way to break a decoded body: it replaces, or with remove set
// removes, the value at path.
type change struct {
	name     string
	location string // JSON Pointer the answer must name
	paths    []string
	value    any
	remove   bool
}

// changesOf lists the ways to break the value at path against its schema.
func changesOf(path string, value any, schema *openapi3.Schema) []change {
	switch value := value.(type) {
	case []any:
		if schema.Type.Is(openapi3.TypeArray) && len(value) > 0 {
			return changesOf(path+"/0", value[0], schema.Items.Value)
		}
		return nil
	case map[string]any:
		return objectChanges(path, value, alternativeSchema(value, schema))
	default:
		return nil
	}
}

// alternativeSchema returns the schema that an object chooses by its discriminator.
func alternativeSchema(value map[string]any, schema *openapi3.Schema) *openapi3.Schema {
	if schema.Discriminator == nil {
		return schema
	}
	name, _ := value[schema.Discriminator.PropertyName].(string)
	for _, branch := range schema.OneOf {
		if branch.Ref == schema.Discriminator.Mapping[name].Ref {
			return branch.Value
		}
	}
	return schema
}

func objectChanges(path string, value map[string]any, schema *openapi3.Schema) []change {
	var changes []change
	for _, name := range schema.Required {
		at := path + "/" + name
		changes = append(changes, change{name: "without " + at, location: at, paths: []string{at}, remove: true})
	}
	if names := openapi.AtLeastOneOf(schema); len(names) > 0 {
		without := change{name: "without any alternative of " + path, remove: true}
		for _, name := range names {
			without.paths = append(without.paths, path+"/"+name)
		}
		without.location = without.paths[0]
		changes = append(changes, without)
	}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		property := schema.Properties[name].Value
		if property.ReadOnly {
			continue
		}
		at := path + "/" + name
		for label, broken := range brokenValues(property) {
			if label == "null" && !slices.Contains(schema.Required, name) {
				continue // see RunNulls
			}
			changes = append(changes, change{
				name: label + " at " + at, location: at + broken.beneath, paths: []string{at}, value: broken.value,
			})
		}
		if nested, ok := value[name]; ok {
			changes = append(changes, changesOf(at, nested, property)...)
		}
	}
	return changes
}

type brokenValue struct {
	value   any
	beneath string
}

// brokenValues lists values that break the schema of a property, by
// fault.
func brokenValues(schema *openapi3.Schema) map[string]brokenValue {
	broken := map[string]brokenValue{}
	if schema.Type == nil {
		return broken
	}
	if !schema.Nullable {
		broken["null"] = brokenValue{value: nil}
	}
	switch {
	case schema.Type.Is(openapi3.TypeArray):
		broken["text"] = brokenValue{value: badWord}
		for label, item := range brokenValues(schema.Items.Value) {
			broken["element "+label] = brokenValue{value: []any{item.value}, beneath: "/0" + item.beneath}
		}
	case schema.Type.Is(openapi3.TypeString):
		broken["number"] = brokenValue{value: 5}
		broken["U+0000"] = brokenValue{value: "a\x00b"}
		if schema.VisitJSON(badWord, httpio.StringFormats()) != nil {
			broken["bad word"] = brokenValue{value: badWord}
		}
		if schema.MinLength > 0 {
			broken["empty text"] = brokenValue{value: ""}
		}
		if schema.MaxLength != nil {
			broken["long text"] = brokenValue{value: strings.Repeat("x", 1+longestText(schema))}
		}
	default:
		broken["text"] = brokenValue{value: badWord}
	}
	return broken
}

// applyTo returns a changed copy of a decoded body.
func (c change) applyTo(body any) any {
	for _, path := range c.paths {
		body = c.applyAt(body, strings.Split(path, "/")[1:])
	}
	return body
}

func (c change) applyAt(value any, path []string) any {
	switch value := value.(type) {
	case []any:
		index, err := strconv.Atoi(path[0])
		if err != nil || index >= len(value) {
			return value
		}
		list := slices.Clone(value)
		list[index] = c.applyAt(list[index], path[1:])
		return list
	case map[string]any:
		object := maps.Clone(value)
		switch {
		case len(path) > 1:
			object[path[0]] = c.applyAt(object[path[0]], path[1:])
		case c.remove:
			delete(object, path[0])
		default:
			object[path[0]] = c.value
		}
		return object
	default:
		return value
	}
}

// longestText returns the length in characters that a text may have.
func longestText(schema *openapi3.Schema) int {
	return int(min(*schema.MaxLength, math.MaxInt32))
}
