package jsondoc_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/jsondoc"
)

// BenchmarkValidate validates values of usual size.
func BenchmarkValidate(b *testing.B) {
	for _, c := range []struct{ name, schema, document string }{
		{
			"flat", `{"properties":{"FIRST_NAME":{"type":"string"},"AMOUNT":{"type":"string"}}}`,
			`{"FIRST_NAME":"Carol","LAST_NAME":"Demo","CURRENCY":"EUR","AMOUNT":"2500"}`,
		},
		{
			"form", `{"type":"object","properties":{"NAME":{"type":"string","maxLength":100},"CODE":{"type":"string","pattern":"^[A-Z]{3}-[0-9]+$"},` +
				`"BORN":{"type":"string","format":"date"},"STATE":{"enum":["NEW","OPEN","CLOSED"]},"AMOUNT":{"type":"number","minimum":0},` +
				`"ROWS":{"type":"array","items":{"$ref":"#/$defs/row"}}},"required":["NAME","CODE"],` +
				`"$defs":{"row":{"type":"object","properties":{"ARTICLE":{"type":"string"},"COUNT":{"type":"integer"}},"additionalProperties":false}}}`,
			`{"NAME":"Carol","CODE":"ABC-12","BORN":"1990-02-28","STATE":"OPEN","AMOUNT":12.50,"ROWS":[{"ARTICLE":"a","COUNT":1},{"ARTICLE":"b","COUNT":2}]}`,
		},
	} {
		b.Run(c.name, func(b *testing.B) {
			schema, err := jsondoc.Compile(json.RawMessage(c.schema))
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				if result, err := schema.Validate(json.RawMessage(c.document)); err != nil || !result.Valid {
					b.Fatal(result, err)
				}
			}
		})
	}
}
