package httpio

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"
)

func FuzzReadJSON(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[]`, `null`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"ID":"x","id":"y"}`, `[1e9999999,-0,1E22]`, `"\ud800"`,
		`{"a":{"b":[{"c":"d\n"}]}}`, `01`, `1.`, `[1,]`, "\xff", `{"id":"a\u0000"}`, ` {"value":{"x":[true,false,null]}} `, `{"a":1}x`,
	} {
		f.Add([]byte(seed))
	}
	schema := openapi3.NewObjectSchema().WithProperty("id", openapi3.NewStringSchema())
	f.Fuzz(func(t *testing.T, data []byte) {
		original := bytes.Clone(data)
		body, err := readJSON(data, schema)
		if err != nil {
			return
		}
		require.True(t, json.Valid(original), "accepted %q", original)
		require.Len(t, data, len(original))
		var object map[string]json.RawMessage
		if json.Unmarshal(data, &object) != nil || object == nil {
			return
		}
		// A decoder binds exactly the validated members.
		var bound struct {
			ID json.RawMessage `json:"id"`
		}
		require.NoError(t, json.Unmarshal(data, &bound))
		validated, _ := body.value.(map[string]any)
		if _, ok := object["id"]; !ok {
			require.Nil(t, bound.ID)
			require.NotContains(t, validated, "id")
			return
		}
		require.Contains(t, validated, "id")
	})
}
