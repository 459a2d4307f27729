package forms_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const mapSchema = `{"type":"object","properties":{"labels":{"type":"object","additionalProperties":{"type":"string"},"propertyNames":{"pattern":"^[a-z]+$"}}}}`

// TestMap checks that members of an object without names in the schema are added, renamed and removed as rows.
func TestMap(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ input, text, want string }{
		"value":  {"v/labels/env", "test", `replace /labels/env "test"`},
		"rename": {"k/labels/env", "stage", `replace /labels {"stage":"prod","team":"blue"}`},
		"remove": {"do", "remove:/labels/team", `remove /labels/team `},
		"clear":  {"v/labels/team", "", `remove /labels/team `},
	} {
		m, values := openForm(t, mapSchema, `{"labels":{"env":"prod","team":"blue"}}`)
		patches, _ := enterText(t, m, values, test.input, test.text)
		require.Equal(t, test.want, patches, name)
	}
	m, values := openForm(t, mapSchema, `{}`)
	_, page := enterText(t, m, values, "do", "add:/labels")
	values = parseForm(t, page)
	require.Contains(t, values, "k/labels/new0")
	values.Set("k/labels/new0", "env")
	patches, page := enterText(t, m, values, "do", "save")
	require.Empty(t, patches, "a name without a value is kept in the page")
	values = parseForm(t, page)
	require.Equal(t, "env", values.Get("k/labels/new0"))
	patches, _ = enterText(t, m, values, "v/labels/new0", "prod")
	require.Equal(t, `add /labels {"env":"prod"}`, patches)
}

func TestMapRefusesNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"team", "ENV", ""} {
		m, values := openForm(t, mapSchema, `{"labels":{"env":"prod","team":"blue"}}`)
		patches, page := enterText(t, m, values, "k/labels/env", name)
		require.Empty(t, patches, name)
		require.Contains(t, page, "cannot be the name of this entry")
		require.Equal(t, name, parseForm(t, page).Get("k/labels/env"))
	}
}

func TestMapBesideFields(t *testing.T) {
	t.Parallel()
	m, values := openForm(t, `{"type":"object","properties":{"name":{"type":"string"}},"patternProperties":{"^x-":{"type":"integer"}},"additionalProperties":false}`,
		`{"name":"a","x-a":1}`)
	require.Equal(t, "1", values.Get("v/x-a"))
	require.NotContains(t, values, "k/name")
	patches, _ := enterText(t, m, values, "v/x-a", "2")
	require.Equal(t, `replace /x-a 2`, patches)
}

func TestTuple(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","properties":{"point":{"type":"array","prefixItems":[{"type":"number","title":"X"},{"type":"string"}],"minItems":2,"maxItems":2},
		"route":{"type":"array","items":{"type":"array","prefixItems":[{"type":"number"},{"type":"number"}],"minItems":2,"maxItems":2}},
		"grid":{"type":"array","items":{"type":"array","items":{"type":"number"}}},"nested":{"type":"array","items":{"type":"array","items":{"type":"string"}}}}}`
	const value = `{"point":[1,"a"],"route":[[1,2],[3,4]],"grid":[[1,2,3],[4,5,6]],"nested":[["a"],["b","c"]]}`
	for name, test := range map[string]struct{ input, text, want string }{
		"position": {"v/point/0", "2", `replace /point/0 2`}, "row": {"v/route/1/0", "7", `replace /route/1/0 7`},
		"cell": {"v/grid/1/2", "7", `replace /grid/1/2 7`}, "nested": {"v/nested/1", "b\nd", `replace /nested/1 ["b","d"]`},
	} {
		m, values := openForm(t, schema, value)
		patches, _ := enterText(t, m, values, test.input, test.text)
		require.Equal(t, test.want, patches, name)
	}
	m, values := openForm(t, schema, `{}`)
	patches, _ := enterText(t, m, values, "v/point/1", "b")
	require.Equal(t, `add /point [null,"b"]`, patches)
	m, values = openForm(t, schema, `{"grid":[[1,2]]}`)
	patches, page := enterText(t, m, values, "do", "column:/grid")
	require.Empty(t, patches)
	patches, _ = enterText(t, m, parseForm(t, page), "v/grid/0/2", "3")
	require.Equal(t, `replace /grid/0 [1,2,3]`, patches)
}

// TestReasonsOfRequirements checks that errors name the cause of a requirement and the members that suffice.
func TestReasonsOfRequirements(t *testing.T) {
	t.Parallel()
	m, _ := openForm(t, `{"type":"object","properties":{"pet":{"type":"string"},"age":{"type":"integer","examples":[3,7]},"mail":{"type":"string","deprecated":true},
		"phone":{"type":"string"}},"dependentRequired":{"pet":["age"]},"anyOf":[{"required":["mail"]},{"required":["phone"]}]}`, `{"pet":"Dog"}`)
	page := m.renderForm(t, viewerContext(t, "en", "UTC"))
	require.Contains(t, page, "Age is required because of Pet.")
	require.Contains(t, page, "Fill in one of these: Mail, Phone.")
	require.Contains(t, page, "For example: 3, 7.")
	require.Contains(t, page, "This field is deprecated.")
}

// TestValuesOfSeveralTypes checks that the type of a value is chosen where a schema allows several, or states none.
func TestValuesOfSeveralTypes(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","properties":{"v":{"type":["string","boolean","array"]},"any":{}}}`
	m, values := openForm(t, schema, `{"v":true,"any":{"a":1}}`)
	require.Equal(t, []string{"false", "true"}, values["v/v"])
	require.Equal(t, "1", values.Get("v/any/a"))
	values.Set("b/v~:/properties/v/type", "0")
	patches, _ := enterText(t, m, values, "do", "save")
	require.Equal(t, `replace /v "true"`, patches)
}
