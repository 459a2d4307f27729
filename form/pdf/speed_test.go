package pdf_test

import (
	"encoding/json"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/form"
	"github.com/procession-dev/procession/form/pdf"
)

// wide returns a form of 200 fields and an array of 50 rows.
func wide(tb testing.TB) form.Input {
	tb.Helper()
	properties, value := map[string]any{}, map[string]any{}
	for i := range 200 {
		name := fmt.Sprintf("FIELD_%03d", i)
		properties[name] = map[string]any{"type": "string", "title": fmt.Sprintf("Field number %d", i)}
		value[name] = fmt.Sprintf("The value of field %d, Ünïcödé, Ελληνικά и кириллица", i)
	}
	columns := map[string]any{}
	for _, name := range []string{"article", "amount", "price", "since", "remark"} {
		columns[name] = map[string]any{"type": "string"}
	}
	properties["rows"] = map[string]any{"type": "array", "items": map[string]any{"type": "object", "properties": columns}}
	rows := make([]map[string]any, 50)
	for i := range rows {
		rows[i] = map[string]any{
			"article": fmt.Sprintf("Article %d", i), "amount": i, "price": 1.5 * float64(i),
			"since": "2026-03-01", "remark": "A remark that takes more than one line in its cell, as remarks do",
		}
	}
	value["rows"] = rows
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties})
	require.NoError(tb, err)
	text, err := json.Marshal(value)
	require.NoError(tb, err)
	return form.Input{Title: "A long form", Schema: schema, Value: text}
}

// BenchmarkWideForm should take 100 ms or less.
func BenchmarkWideForm(b *testing.B) {
	r, in := newRenderer(b, pdf.DefaultLimits()), wide(b)
	for b.Loop() {
		require.NoError(b, r.RenderInput(b.Context(), io.Discard, in, pdf.Options{Created: created()}))
	}
}

// A busy machine is less than ten times slower.
func TestWideFormIsFast(t *testing.T) {
	t.Parallel()
	r, in := newRenderer(t, pdf.DefaultLimits()), wide(t)
	best := time.Hour
	for range 3 {
		begun := time.Now()
		require.NoError(t, r.RenderInput(t.Context(), io.Discard, in, pdf.Options{Created: created()}))
		best = min(best, time.Since(begun))
	}
	require.Less(t, best, time.Second)
}
