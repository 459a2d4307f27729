package openapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api/openapi"
)

// supported are the keywords that mean the same to the validator of requests and to
// common generators of clients. anyOf is excluded: some generators make a union with
// an unknown type of it. So are keywords that differ between OpenAPI 3.0 and 3.1:
// nullable, example, exclusiveMinimum and exclusiveMaximum.
var supported = []string{
	"$ref", "additionalProperties", "allOf", "contentEncoding", "default", "deprecated", "description", "discriminator", "enum",
	"examples", "format", "items", "maxItems", "maxLength", "maxProperties", "maximum", "minItems", "minLength", "minProperties",
	"minimum", "oneOf", "pattern", "properties", "readOnly", "required", "type", "uniqueItems", "writeOnly",
}

type object = map[string]any

func TestContractUsesSupportedKeywords(t *testing.T) {
	t.Parallel()
	for _, name := range []string{openapi.ShapeA, openapi.ShapeB, openapi.Admin} {
		found := 0
		eachSchema(document(t, name), "#", func(place string, schema object) {
			found++
			for _, fault := range faults(schema) {
				t.Errorf("%s %s: %s", name, place, fault)
			}
			if strings.Contains(place, "/parameters/") {
				require.NotContains(t, schema, "x-go-type-skip-optional-pointer", "clients would send parameters that are not given: %s", place)
			}
			if kinds(schema) == 0 {
				require.Regexp(t, "^#/components/schemas/[^/]+/properties/[^/]+$", place, "Load lets only members be null")
			}
		})
		require.Greater(t, found, 100, name)
	}
}

func TestSchemasThatGeneratorsBreakOnAreFound(t *testing.T) {
	t.Parallel()
	for text, fault := range map[string]string{
		`{"type":"object","properties":{"a":{},"b":{}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`: "anyOf is not supported",
		`{"type":"string","nullable":true}`:                                                             "nullable is not supported",
		`{"type":["string","null"]}`:                                                                    "type is a list",
		`{"type":"integer","minimum":1,"exclusiveMinimum":true}`:                                        "exclusiveMinimum is not supported",
		`{"type":"string","example":"a"}`:                                                               "example is not supported",
		`{"$ref":"#/components/schemas/A","description":"a"}`:                                           "$ref has siblings",
		`{"type":"object"}`:                                                                             "an object without members",
		`{"oneOf":[{"type":"string"},{"type":"number"}]}`:                                               "oneOf without a discriminator of all its schemas",
		`{"oneOf":[{"$ref":"#/a"}],"discriminator":{"propertyName":"type","mapping":{"A":"#/b"}}}`:      "oneOf without a discriminator of all its schemas",
		`{"oneOf":[{"$ref":"#/a"}],"discriminator":{"propertyName":"type"},"type":"object"}`:            "more than one of $ref, allOf, oneOf and type",
		`{"type":"string","x-go-type":"Value"}`:                                                         "x-go-type Value, which clients do not have",
		`{"allOf":[{"$ref":"#/a"},{"required":["b"]}]}`:                                                 "a part of allOf without a type",
		`{"type":"object","properties":{"a":{},"b":{}},"x-at-least-one-of":["a","c"]}`:                  "x-at-least-one-of names c, which is no optional member",
		`{"type":"object","required":["a"],"properties":{"a":{},"b":{}},"x-at-least-one-of":["a","b"]}`: "x-at-least-one-of names a, which is no optional member",
	} {
		var schema object
		require.NoError(t, json.Unmarshal([]byte(text), &schema))
		require.Contains(t, faults(schema), fault, text)
	}
}

func document(t *testing.T, name string) object {
	t.Helper()
	text, err := openapi.JSON(name)
	require.NoError(t, err)
	var document object
	require.NoError(t, json.Unmarshal(text, &document))
	return document
}

// faults returns the constructs of a schema, without the schemas in it, that generators
// or the validator of requests do not support.
func faults(schema object) []string {
	var found []string
	add := func(applies bool, format string, args ...any) {
		if applies {
			found = append(found, fmt.Sprintf(format, args...))
		}
	}
	for keyword := range schema {
		add(!slices.Contains(supported, keyword) && !strings.HasPrefix(keyword, "x-"), "%s is not supported", keyword)
	}
	add(schema["$ref"] != nil && len(schema) > 1, "$ref has siblings")
	add(kinds(schema) > 1, "more than one of $ref, allOf, oneOf and type")
	_, list := schema["type"].([]any)
	add(list, "type is a list")
	add(schema["type"] == "object" && schema["properties"] == nil && schema["additionalProperties"] == nil, "an object without members")
	add(schema["oneOf"] != nil && !discriminates(schema), "oneOf without a discriminator of all its schemas")
	for _, part := range listOf(schema["allOf"]) {
		add(kinds(asObject(part)) == 0, "a part of allOf without a type")
	}
	goType, typed := schema["x-go-type"]
	add(typed && goType != "json.RawMessage" && goType != "string", "x-go-type %v, which clients do not have", goType)
	members, _ := schema["properties"].(object)
	for _, name := range listOf(schema["x-at-least-one-of"]) {
		_, member := members[fmt.Sprint(name)]
		add(!member || slices.Contains(listOf(schema["required"]), name), "x-at-least-one-of names %s, which is no optional member", name)
	}
	return found
}

// kinds counts the keywords that give a schema its type.
func kinds(schema object) int {
	count := 0
	for _, keyword := range []string{"$ref", "allOf", "oneOf", "type"} {
		if schema[keyword] != nil {
			count++
		}
	}
	return count
}

// discriminates reports whether the discriminator of a schema names each of its oneOf.
func discriminates(schema object) bool {
	discriminator, _ := schema["discriminator"].(object)
	mapping, _ := discriminator["mapping"].(object)
	named := slices.Collect(maps.Values(mapping))
	for _, one := range listOf(schema["oneOf"]) {
		if !slices.Contains(named, asObject(one)["$ref"]) {
			return false
		}
	}
	return true
}

func listOf(value any) []any {
	list, _ := value.([]any)
	return list
}

// eachSchema visits the schemas of a document, or of a part of it, with their places.
func eachSchema(value any, place string, visit func(place string, schema object)) {
	switch value := value.(type) {
	case []any:
		for i, element := range value {
			eachSchema(element, fmt.Sprintf("%s/%d", place, i), visit)
		}
	case object:
		for name, member := range value {
			at := place + "/" + name
			switch schema, isObject := member.(object); {
			case name == "schema" && isObject:
				visitSchema(schema, at, visit)
			case at == "#/components/schemas":
				for named, schema := range schema {
					visitSchema(asObject(schema), at+"/"+named, visit)
				}
			default:
				eachSchema(member, at, visit)
			}
		}
	}
}

// visitSchema visits a schema and the schemas in it.
func visitSchema(schema object, place string, visit func(place string, schema object)) {
	visit(place, schema)
	for _, keyword := range []string{"items", "additionalProperties"} {
		if inner, ok := schema[keyword].(object); ok {
			visitSchema(inner, place+"/"+keyword, visit)
		}
	}
	for _, keyword := range []string{"allOf", "oneOf"} {
		for i, part := range listOf(schema[keyword]) {
			visitSchema(asObject(part), fmt.Sprintf("%s/%s/%d", place, keyword, i), visit)
		}
	}
	members, _ := schema["properties"].(object)
	for name, member := range members {
		visitSchema(asObject(member), place+"/properties/"+name, visit)
	}
}

func asObject(value any) object {
	o, _ := value.(object)
	return o
}
