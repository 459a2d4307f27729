package resource_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/resource"
)

// A definition is the part of a JSON Schema that these tests read.
type definition struct {
	Schema               string                 `json:"$schema"`
	ID                   string                 `json:"$id"`
	Ref                  string                 `json:"$ref"`
	Title                string                 `json:"title"`
	Description          string                 `json:"description"`
	Type                 string                 `json:"type"`
	Const                string                 `json:"const"`
	Enum                 []string               `json:"enum"`
	Properties           map[string]*definition `json:"properties"`
	AdditionalProperties json.RawMessage        `json:"additionalProperties"`
	Required             []string               `json:"required"`
	Items                *definition            `json:"items"`
	Default              json.RawMessage        `json:"default"`
	Defs                 map[string]*definition `json:"$defs"`
}

func schemaOf(t *testing.T, kind resource.Kind) *definition {
	t.Helper()
	var root definition
	require.NoError(t, json.Unmarshal(resource.Schema(kind), &root))
	return &root
}

// An agreement walks over a type and a schema at the same time.
type agreement struct {
	t    *testing.T
	defs map[string]*definition
	used map[string]bool
	// members counts the compared members.
	members int
}

// resolve follows a reference. Its sibling members take precedence.
func (a *agreement) resolve(d *definition) definition {
	if d.Ref == "" {
		return *d
	}
	name := strings.TrimPrefix(d.Ref, "#/$defs/")
	target := a.defs[name]
	require.NotNil(a.t, target, d.Ref)
	a.used[name] = true
	resolved := *target
	if d.Description != "" {
		resolved.Description = d.Description
	}
	return resolved
}

func (a *agreement) check(of reflect.Type, d *definition, place string) {
	schema := a.resolve(d)
	switch {
	case of == reflect.TypeFor[json.RawMessage](), of.Kind() == reflect.Map:
		require.Equal(a.t, "object", schema.Type, place)
		require.Empty(a.t, schema.Properties, place)
		return
	case of == reflect.TypeFor[uuid.UUID](), of == reflect.TypeFor[time.Time]():
		require.Equal(a.t, "string", schema.Type, place)
		return
	}
	switch of.Kind() { //nolint:exhaustive // whatever else fails the test
	case reflect.Pointer:
		a.check(of.Elem(), &schema, place)
	case reflect.Slice:
		require.Equal(a.t, "array", schema.Type, place)
		a.check(of.Elem(), schema.Items, place+"[]")
	case reflect.Struct:
		a.checkStruct(of, &schema, place)
	case reflect.String:
		require.True(a.t, schema.Type == "string" || len(schema.Enum) > 0 || schema.Const != "", place)
	case reflect.Bool:
		require.Equal(a.t, "boolean", schema.Type, place)
	case reflect.Int:
		require.Equal(a.t, "integer", schema.Type, place)
	case reflect.Float64:
		require.Equal(a.t, "number", schema.Type, place)
	default:
		require.Fail(a.t, "a type that no schema describes", "%s %s", place, of)
	}
}

func (a *agreement) checkStruct(of reflect.Type, schema *definition, place string) {
	require.Equal(a.t, "object", schema.Type, place)
	require.JSONEq(a.t, "false", string(schema.AdditionalProperties), place)
	require.NotEmpty(a.t, schema.Title, place)
	var names, required []string
	for _, field := range reflect.VisibleFields(of) {
		if field.Anonymous {
			continue
		}
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		require.NotEmpty(a.t, name, "%s.%s", place, field.Name)
		names = append(names, name)
		if !strings.Contains(options, "omit") {
			required = append(required, name)
		}
		member := schema.Properties[name]
		require.NotNil(a.t, member, "%s.%s has no schema", place, name)
		resolved := a.resolve(member)
		require.NotEmpty(a.t, resolved.Description, "%s.%s", place, name)
		a.check(field.Type, member, place+"."+name)
		a.members++
	}
	require.Len(a.t, schema.Properties, len(names), place)
	slices.Sort(required)
	declared := slices.Sorted(slices.Values(schema.Required))
	require.Equal(a.t, required, declared, place)
}

// specOf returns the type of the specs of a kind.
func specOf(t *testing.T, kind resource.Kind) reflect.Type {
	t.Helper()
	definition, ok := kind.Definition()
	require.True(t, ok, kind)
	return reflect.TypeOf(definition.New()).Elem()
}

func TestSchemasAgreeWithTypes(t *testing.T) {
	t.Parallel()
	for _, kind := range resource.Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			root := schemaOf(t, kind)
			require.Equal(t, "https://json-schema.org/draft/2020-12/schema", root.Schema)
			require.Equal(t, "/schemas/procession/v1/"+string(kind)+".json", root.ID)
			require.Equal(t, resource.APIVersion, root.Properties["apiVersion"].Const)
			require.Equal(t, string(kind), root.Properties["kind"].Const)
			require.ElementsMatch(t, []string{"apiVersion", "kind", "metadata", "spec"}, root.Required)
			if kind == resource.KindRobot {
				// Exports include the status.
				require.Equal(t, "object", root.Properties["status"].Type)
				delete(root.Properties, "status")
			}
			require.Len(t, root.Properties, 4)
			require.JSONEq(t, "false", string(root.AdditionalProperties))
			a := &agreement{t: t, defs: root.Defs, used: map[string]bool{}}
			a.check(specOf(t, kind), root.Properties["spec"], "spec")
			require.NotZero(t, a.members)
			metadata := a.resolve(root.Properties["metadata"])
			if kind == resource.KindTenant {
				// A tenant belongs to no tenant.
				require.NotContains(t, metadata.Properties, "tenant")
				metadata.Properties["tenant"] = &definition{Type: "string", Description: "absent"}
			} else {
				require.Contains(t, metadata.Required, "tenant")
				metadata.Required = slices.DeleteFunc(metadata.Required, func(name string) bool { return name == "tenant" })
			}
			a.check(reflect.TypeFor[resource.Metadata](), &metadata, "metadata")
			for name := range root.Defs {
				require.True(t, a.used[name], "nothing uses the definition %s", name)
			}
		})
	}
}

// The schemas of the kinds share the text of equal definitions.
func TestSchemasShareDefinitions(t *testing.T) {
	t.Parallel()
	first := map[string]json.RawMessage{}
	for _, kind := range resource.Kinds() {
		var root struct {
			Defs map[string]json.RawMessage `json:"$defs"`
		}
		require.NoError(t, json.Unmarshal(resource.Schema(kind), &root))
		for name, text := range root.Defs {
			if before, ok := first[name]; ok {
				require.Equal(t, string(before), string(text), "%s in %s", name, kind)
			}
			first[name] = text
		}
	}
}

func TestSchemaOfWhatDoesNotExist(t *testing.T) {
	t.Parallel()
	require.Nil(t, resource.Schema("Nothing"))
	require.Nil(t, resource.Schema("../schema"))
}

// TestSchemaOfAnyLeadsToThatOfTheKind checks that the published schema of any kind is equivalent to the schema of the
// kind.
func TestSchemaOfAnyLeadsToThatOfTheKind(t *testing.T) {
	t.Parallel()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat = true
	compiler.LoadURL = func(url string) (io.ReadCloser, error) {
		kind := strings.TrimSuffix(path.Base(url), ".json")
		require.Equal(t, "https://procession.example/schemas/procession/v1/"+kind+".json", url)
		return io.NopCloser(bytes.NewReader(resource.Schema(resource.Kind(kind)))), nil
	}
	const address = "https://procession.example/schemas/procession/v1/resource.json"
	require.NoError(t, compiler.AddResource(address, bytes.NewReader(resource.SchemaOfAny())))
	schema, err := compiler.Compile(address)
	require.NoError(t, err)
	for _, kind := range resource.Kinds() {
		document := map[string]any{
			"apiVersion": resource.APIVersion, "kind": string(kind), "metadata": map[string]any{"code": "x", "tenant": "demo"},
			"spec": map[string]any{
				"name": "N", "email": "a@demo.example", "schema": map[string]any{}, "url": "https://example.com/",
				"taskQueue": "Q", "runner": "worker", "type": "EMAIL", "timeZone": "UTC",
				"hours": []any{map[string]any{"days": []any{"MONDAY"}, "from": "09:00", "to": "17:00"}},
				"user":  "alice", "substitute": "bob", "from": "2027-05-03T00:00:00Z", "until": "2027-05-10T00:00:00Z",
			},
		}
		spec, ok := document["spec"].(map[string]any)
		require.True(t, ok)
		definitions := schemaOf(t, kind).Properties["spec"].Properties
		for name := range spec {
			if definitions[name] == nil {
				delete(spec, name)
			}
		}
		if kind == resource.KindTenant {
			document["metadata"] = map[string]any{"code": "x"}
		}
		require.NoError(t, schema.Validate(document), kind)
		spec["unknown"] = true
		require.Error(t, schema.Validate(document), kind)
	}
	require.Error(t, schema.Validate(map[string]any{
		"apiVersion": resource.APIVersion, "kind": "Nothing", "metadata": map[string]any{}, "spec": map[string]any{},
	}))
}

// TestSchemasHaveTheDefaults compares the defaults in the schemas with the defaults of Decode.
func TestSchemasHaveTheDefaults(t *testing.T) {
	t.Parallel()
	minimal := map[resource.Kind]string{
		resource.KindTenant:               `{"name":"N"}`,
		resource.KindUser:                 `{"name":"N","email":"a@demo.example"}`,
		resource.KindApplication:          `{"name":"N"}`,
		resource.KindWebhookSubscription:  `{"name":"N","url":"https://example.com/"}`,
		resource.KindRobot:                `{"name":"N"}`,
		resource.KindCalendar:             `{"name":"N","timeZone":"UTC","hours":[{"days":["MONDAY"],"from":"09:00","to":"17:00"}]}`,
		resource.KindNotificationReceiver: `{"name":"N","type":"EMAIL","addresses":["a@demo.example"]}`,
		resource.KindProcessDefinition: `{"name":"N","permissions":{"initiators":[{"user":"a"}]},
			"engine":{"workflowType":"W","taskQueue":"Q","runner":"r"},"elements":[{"code":"E","name":"E","type":"FIELD"}],
			"items":[{"code":"T","type":"TASK","name":"T","assistance":{"prompt":"?"}}]}`,
	}
	filled := 0
	for kind, spec := range minimal {
		document := decodeOne(t, kind, spec)
		stored, err := document.SpecJSON()
		require.NoError(t, err)
		var value any
		require.NoError(t, json.Unmarshal(stored, &value))
		root := schemaOf(t, kind)
		filled += compareDefaults(t, root.Defs, root.Properties["spec"], value, string(kind))
	}
	require.Equal(t, 10, filled)
}

// compareDefaults counts the members of a value that equal the default in the schema, which members that are not
// given must.
func compareDefaults(t *testing.T, defs map[string]*definition, schema *definition, value any, place string) int {
	t.Helper()
	if schema == nil {
		return 0
	}
	found := 0
	if text, ok := value.(string); ok && schema.Default != nil {
		require.Equal(t, string(schema.Default), fmt.Sprintf("%q", text), place)
		found++
	}
	if schema.Ref != "" {
		found += compareDefaults(t, defs, defs[strings.TrimPrefix(schema.Ref, "#/$defs/")], value, place)
	}
	switch v := value.(type) {
	case []any:
		for _, element := range v {
			found += compareDefaults(t, defs, schema.Items, element, place+"[]")
		}
	case map[string]any:
		for name, member := range v {
			found += compareDefaults(t, defs, schema.Properties[name], member, place+"."+name)
		}
	}
	return found
}
