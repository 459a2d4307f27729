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
