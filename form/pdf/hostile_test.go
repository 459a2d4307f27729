package pdf_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/form"
	"github.com/procession-dev/procession/form/pdf"
)

func valueInput(tb testing.TB, value any) form.Input {
	tb.Helper()
	text, err := json.Marshal(value)
	require.NoError(tb, err)
	return form.Input{Title: "T", Value: text}
}

func TestHostileText(t *testing.T) {
	t.Parallel()
	in := valueInput(t, map[string]any{
		"control":    "a\x00b\x1bc\td\r\ne\vf",
		"invisible":  "x\u200b\u202e\ufeff\u00ad\ufe0fy",
		"decomposed": "e\u0301o\u0308",
		"operators":  `)(\ Tj ET {nb} %PDF <<>> endobj`,
		"astral":     "\U0001F600\U0010FFFF\uFFFF",
		"hebrew":     "שלום",
		"long":       strings.Repeat("W", 500),
		"spaces":     strings.Repeat(" ", 500) + "end",
		"breaks":     "https://example.test/a/very/long/address?with=parameters&and=more-of-them-than-fit-on-a-line/and/more",
	})
	in.Title, in.Subject = "T\xff\xfe\nA\x00", strings.Repeat("subject ", 60)
	text := strings.Join(strings.Fields(textOf(t, render(t, in, nil))), " ")
	for _, want := range []string{
		"T□□ A□", "a□b□c d e f", "xy", "éö", `)(\ Tj ET {nb} %PDF <<>> endobj`, "□□□", "□□□□", "end", strings.Repeat("W", 30),
	} {
		require.Contains(t, text, want)
	}
	require.Equal(t, 500, strings.Count(text, "W"))
}

func TestEmptyForms(t *testing.T) {
	t.Parallel()
	for _, value := range []string{``, `null`, `{}`, `[]`, `""`, `{"":{"":{"":[]}}}`, `[{}]`, `[[]]`, `{"a":[{},{}]}`} {
		text := textOf(t, render(t, form.Input{Value: json.RawMessage(value)}, nil))
		require.Contains(t, text, "Page 1 of 1", value)
	}
}

func TestTooManyPages(t *testing.T) {
	t.Parallel()
	limits := pdf.DefaultLimits()
	limits.Pages = 2
	var out bytes.Buffer
	in := valueInput(t, map[string]any{"a": strings.Repeat("line\n", 5000)})
	err := newRenderer(t, limits).RenderInput(t.Context(), &out, in, pdf.Options{Created: created()})
	var limit *form.LimitError
	require.ErrorAs(t, err, &limit)
	require.Equal(t, form.LimitError{What: "pages", Max: 2}, *limit)
	require.Empty(t, out.Bytes())
}

// TestLongTextsContinueOnNextPage checks long texts and rows higher than a page, and that the head of a table is
// repeated.
func TestLongTextsContinueOnNextPage(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 200 {
		lines = append(lines, fmt.Sprintf("line%d.", i))
	}
	long := strings.Join(lines, "\n")
	text := textOf(t, render(t, valueInput(t, map[string]any{
		"story": long,
		"rows":  []any{map[string]any{"column": long, "other": "x"}, map[string]any{"column": "last"}},
	}), nil))
	for _, line := range lines {
		require.Equal(t, 2, strings.Count(text, line), line)
	}
	require.Greater(t, strings.Count(text, "Column"), 2)
	require.Contains(t, text, "last")
}

// TestWideTables checks that records which do not fit in a table follow one another.
func TestWideTables(t *testing.T) {
	t.Parallel()
	row := map[string]any{}
	for i := range 11 {
		row[fmt.Sprintf("column%02d", i)] = fmt.Sprintf("unbreakable-%d-%s", i, strings.Repeat("w", 20))
	}
	text := textOf(t, render(t, valueInput(t, map[string]any{"rows": []any{row, row}}), nil))
	require.Contains(t, text, "1 of 2")
	require.Contains(t, text, "2 of 2")
	require.Equal(t, 2, strings.Count(text, "unbreakable-10-"))
}

func TestRenderStopsWithItsContext(t *testing.T) {
	t.Parallel()
	r := newRenderer(t, pdf.DefaultLimits())
	m, err := form.NewModel(t.Context(), wide(t), form.DefaultLimits())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, r.Render(ctx, io.Discard, m, pdf.Options{Created: created()}), context.Canceled)
}

func TestUnknownContentFails(t *testing.T) {
	t.Parallel()
	r := newRenderer(t, pdf.DefaultLimits())
	require.Error(t, r.Render(t.Context(), io.Discard, &form.Model{Fields: []form.Field{{Label: "x"}}}, pdf.Options{}))
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("the client is gone") }

func TestFailingWriter(t *testing.T) {
	t.Parallel()
	r := newRenderer(t, pdf.DefaultLimits())
	in := []form.Input{{Title: "a"}, {Title: "b"}}
	require.ErrorContains(t, r.RenderInput(t.Context(), failing{}, in[0], pdf.Options{}), "the client is gone")
	require.Error(t, r.RenderAll(t.Context(), failing{}, in, pdf.Options{}))
}

// FuzzRender checks that every JSON becomes a PDF or exceeds a limit.
func FuzzRender(f *testing.F) {
	seed := inspection(f)
	f.Add(string(seed.Schema), string(seed.UISchema), string(seed.Value), "Title")
	f.Add(`{"items":[{"$ref":"#/items/0"}]}`, `{"type":"Group","elements":[{}]}`, `[[1e9],{"a":[{"b":{}}]}]`, "\xff")
	f.Add(`{"properties":{"a":{"type":["x",[]],"oneOf":[1,{"const":[]}]}}}`, `{"type":"Control","scope":"#/properties/a"}`, `{"a":[]}`, "")
	f.Add(``, ``, `{"a":"data:image/png;base64,iVBORw0KGgo=","b":"kuflow-file:uri=x;type=image/png;size=1;name=a;"}`, "")
	limits := pdf.Limits{Limits: form.Limits{Depth: 6, Fields: 500, Rows: 50}, Pages: 20, Images: 2, ImageBytes: 1 << 16, ImagePixels: 1 << 12}
	r := newRenderer(f, limits)
	f.Fuzz(func(t *testing.T, schema, layout, value, title string) {
		in := form.Input{
			Title: title, Schema: json.RawMessage(schema), UISchema: json.RawMessage(layout), Value: json.RawMessage(value),
		}
		open := func(context.Context, kuflowref.File) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(title)), nil
		}
		var out bytes.Buffer
		err := r.RenderInput(t.Context(), &out, in, pdf.Options{Created: created(), Open: open})
		var limit *form.LimitError
		switch {
		case err == nil:
			require.True(t, bytes.HasPrefix(out.Bytes(), []byte("%PDF-")))
			for _, pointer := range []string{"", "/a", "/a/0"} {
				forms, _, err := form.Select(t.Context(), in, pointer, 500)
				if err == nil {
					require.NotEmpty(t, forms)
				}
			}
		case errors.As(err, &limit):
		default:
			require.False(t, isUsable(schema) && isUsable(layout) && isUsable(value), "%v", err)
		}
	})
}

func isUsable(text string) bool { return strings.TrimSpace(text) == "" || json.Valid([]byte(text)) }
