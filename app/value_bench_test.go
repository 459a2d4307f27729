package app

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
)

// BenchmarkNewValue measures a new process's value without references, apart from its two reads by the decoders of the
// request.
func BenchmarkNewValue(b *testing.B) {
	schema, err := jsondoc.Compile(json.RawMessage(`{"properties":{"FIRST_NAME":{"type":"string"},"AMOUNT":{"type":"string"}}}`))
	require.NoError(b, err)
	text := json.RawMessage(`{"FIRST_NAME":"Carol","LAST_NAME":"Demo","CURRENCY":"EUR","AMOUNT":"2500","tags":["a","b",{"c":1.50}],` +
		`"nested":{"a":1,"b":[true,false,null],"text":"lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor"}}`)
	b.ReportAllocs()
	for b.Loop() {
		l, err := newTextLookUps(domain.Caller{}, time.Time{}, nil, text)
		if err != nil {
			b.Fatal(err)
		}
		if _, _, err := newValues(l).resolveValue(b.Context(), valueSite{}, validation{schema: schema, document: text}); err != nil {
			b.Fatal(err)
		}
	}
}
