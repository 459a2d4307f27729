package forms_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/form"
)

// wideForm returns a form of 200 fields and a table of 50 rows.
func wideForm() *memoryStore {
	var properties, values, rows []string
	for i := range 200 {
		properties = append(properties, fmt.Sprintf(`"F%03d":{"type":"string","title":"Field number %d","maxLength":100}`, i, i))
		values = append(values, fmt.Sprintf(`"F%03d":"The value of field %d"`, i, i))
	}
	for i := range 50 {
		rows = append(rows, fmt.Sprintf(`{"article":"Article %d","amount":%d,"price":1.50,"since":"2026-03-01","remark":"A remark"}`, i, i))
	}
	return &memoryStore{
		schema: json.RawMessage(`{"type":"object","properties":{` + strings.Join(properties, ",") + `,"rows":{"type":"array","items":{"type":"object","properties":{
			"article":{"type":"string"},"amount":{"type":"integer"},"price":{"type":"number"},"since":{"type":"string","format":"date"},"remark":{"type":"string"}}}}}}`),
		value: json.RawMessage(`{` + strings.Join(values, ",") + `,"rows":[` + strings.Join(rows, ",") + `]}`),
	}
}

// BenchmarkWideForm is the page of a form of 200 fields and a table of 50 rows, in the language of its definition and translated.
func BenchmarkWideForm(b *testing.B) {
	m, ctx := wideForm(), viewerContext(b, "en", "UTC")
	german := map[string]string{}
	for i := range 200 {
		german[fmt.Sprintf("F%03d.label", i)] = fmt.Sprintf("Feld Nummer %d", i)
	}
	source, err := json.Marshal(map[string]any{"default": "en", "de": german})
	require.NoError(b, err)
	for name, texts := range map[string]form.Texts{
		"source":     {},
		"translated": form.TextsOf(translation.New(translation.NewReader(language.English, language.German), translation.ParseCached(source))),
	} {
		b.Run(name, func(b *testing.B) {
			m.texts = texts
			for b.Loop() {
				m.renderForm(b, ctx)
			}
		})
	}
}

// The page of a long form is small enough to be loaded at once.
func TestWideFormIsSmall(t *testing.T) {
	t.Parallel()
	page := wideForm().renderForm(t, viewerContext(t, "en", "UTC"))
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := io.WriteString(w, page)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	t.Logf("%d bytes, %d compressed", len(page), packed.Len())
	require.Less(t, packed.Len(), 40_000)
}
