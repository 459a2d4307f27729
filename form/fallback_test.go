package form_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/form"
)

func TestListFallbacks(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string][]form.Fallback{
		`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["integer","null"]},"c":{"type":"array","items":{"type":"string"}}}}`: nil,
		`{"type":"object","properties":{"a":{"type":["string","object"]}}}`:                                                                     nil,
		`{"type":"object","properties":{"anyThing":{"type":"object","additionalProperties":false}}}`: {
			{"/properties/anyThing", "Any thing", form.ReasonMembers},
		},
		`{"type":"object","properties":{"few":{"type":["string","boolean"],"title":"Few"}}}`: nil,
		`{"type":"array","items":{"type":"string"}}`:                                         {{"", "Value", form.ReasonRoot}},
		`{"type":"string"}`: {{"", "Value", form.ReasonRoot}},
		`{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{"n":{"type":"object","additionalProperties":false}}}}}}`: {
			{"/properties/rows/items/properties/n", "N", form.ReasonMembers},
		},
		`{"type":"object","properties":{"list":{"type":"array","items":{"type":"object","additionalProperties":false}}}}`: {
			{"/properties/list", "List", form.ReasonElements},
		},
		`{"type":"object","properties":{"x":{"oneOf":[{"title":"A","type":"object","required":["a"],"properties":{"a":{"type":"string"}}},
			{"title":"B","type":"object","required":["b"],"properties":{"b":{"type":"object","additionalProperties":false}}}]}}}`: {
			{"/properties/x/oneOf/1/properties/b", "B", form.ReasonMembers},
		},
		// The value of a member selects the alternative, as the discriminator of OpenAPI does.
		`{"type":"object","properties":{"pet":{"oneOf":[{"$ref":"#/$defs/cat"},{"$ref":"#/$defs/dog"}],"discriminator":{"propertyName":"kind"}}},
			"$defs":{"cat":{"type":"object","required":["kind"],"properties":{"kind":{"const":"cat"},"meow":{"type":"string"}}},
			"dog":{"type":"object","required":["kind"],"properties":{"kind":{"enum":["dog"]},"bark":{"type":"object","additionalProperties":false}}}}}`: {
			{"/$defs/dog/properties/bark", "Bark", form.ReasonMembers},
		},
		`{"type":"object","oneOf":[{"properties":{"kind":{"const":"a"},"in":{"oneOf":[{"properties":{"by":{"const":1}},"required":["by"]},
			{"properties":{"by":{"const":2},"deep":{"type":"object","additionalProperties":false}},"required":["by"]}],"type":"object"}},"required":["kind"]},
			{"properties":{"kind":{"const":"b"}},"required":["kind"]}]}`: {
			{"/oneOf/0/properties/in/oneOf/1/properties/deep", "Deep", form.ReasonMembers},
		},
	} {
		found, err := form.ListFallbacks(t.Context(), form.Input{Schema: json.RawMessage(schema)}, 10)
		require.NoError(t, err)
		require.Equal(t, want, found, schema)
	}
	many := json.RawMessage(`{"type":"object","properties":{"a":{"type":"object","additionalProperties":false},"b":{"type":"object","additionalProperties":false},"c":{"type":"object","additionalProperties":false}}}`)
	found, err := form.ListFallbacks(t.Context(), form.Input{Schema: many}, 2)
	require.NoError(t, err)
	require.Len(t, found, 2)
	_, err = form.ListFallbacks(t.Context(), form.Input{Schema: json.RawMessage(`{`)}, 2)
	require.Error(t, err)
}
