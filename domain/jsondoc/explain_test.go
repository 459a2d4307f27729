package jsondoc_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	violations := func(list []domain.ValueError) []string {
		var lines []string
		for _, v := range list {
			lines = append(lines, v.Type+" "+v.PropertyPath)
		}
		return lines
	}
	for name, test := range map[string]struct {
		schema, document string
		want             []string
	}{
		"the value of the discriminator": {
			`{"oneOf":[{"properties":{"kind":{"const":"a"},"x":{"type":"string"}},"required":["x"]},{"properties":{"kind":{"const":"b"},"y":{"type":"integer"}},"required":["y"]}]}`,
			`{"kind":"b"}`,
			[]string{"required /y"},
		},
		"no discriminator":      {`{"properties":{"v":{"oneOf":[{"properties":{"k":{"const":"a"}},"required":["k"]},{"properties":{"k":{"const":"b"}},"required":["k"]}]}}}`, `{"v":{}}`, []string{"required /v/k"}},
		"another discriminator": {`{"oneOf":[{"properties":{"k":{"const":"a"}}},{"properties":{"k":{"const":"b"}}}]}`, `{"k":"c"}`, []string{"enum /k"}},
		"nullable":              {`{"properties":{"v":{"anyOf":[{"type":"integer","minimum":5},{"type":"null"}]}}}`, `{"v":1}`, []string{"minimum /v"}},
		"types":                 {`{"properties":{"v":{"anyOf":[{"type":"string","maxLength":2},{"type":"object","required":["x"]}]}}}`, `{"v":"abc"}`, []string{"maxLength /v"}},
		"values":                {`{"properties":{"v":{"oneOf":[{"const":1},{"const":2}]}}}`, `{"v":3}`, []string{"enum /v"}},
		"members":               {`{"anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{}`, []string{"anyOf "}},
		"formats":               {`{"properties":{"v":{"anyOf":[{"type":"string","format":"date"},{"type":"string","format":"time"}]}}}`, `{"v":"x"}`, []string{"anyOf /v"}},
		"entries": {
			`{"items":{"oneOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"}]},"$defs":{"a":{"properties":{"t":{"const":1},"n":{"type":"integer"}}},"b":{"properties":{"t":{"const":2},"n":{"type":"string"}}}}}`,
			`[{"t":2,"n":5},{"t":1,"n":"x"}]`,
			[]string{"type /0/n", "type /1/n"},
		},
		"several that match": {`{"properties":{"v":{"oneOf":[{"type":"string","title":"A"},{"minLength":1}]}}}`, `{"v":"x"}`, []string{"oneOf /v"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOutline(t, test.schema, test.document, nil)
			all, best := o.Explain()
			require.Equal(t, test.want, violations(best))
			checked, err := mustCompile(t, test.schema).Validate(json.RawMessage(test.document))
			require.NoError(t, err)
			require.Equal(t, checked.Errors, all)
		})
	}
	all, best := newOutline(t, `{"type":"object"}`, `{}`, nil).Explain()
	require.Empty(t, all)
	require.Empty(t, best)
}
