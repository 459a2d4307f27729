package pdfworker_test

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/form"
	"github.com/procession-dev/procession/form/pdfworker"
	"github.com/procession-dev/procession/test/kit/formtest"
)

// TestValuesAreNoMarkup checks that code and markup of Typst and PDF are printed as they are.
func TestValuesAreNoMarkup(t *testing.T) {
	t.Parallel()
	values := map[string]string{
		"import": `#import "/etc/passwd": *`, "read": `#read("/etc/passwd")`, "markup": "= Heading *bold* _x_ `raw` $x^2$ @ref <label>",
		"loop": `#while true {}`, "operators": `)(\ Tj ET {nb} %PDF <<>> endobj`, "escape": `\u{1F} \" "#{`,
		"comment": "// line /* block", "json": `"],"x":["`,
	}
	j := valueJob(t, values)
	j.Title, j.Subject = "#panic(1) {page}", `*#import*`
	text := normalizeText(textOf(t, render(t, j, nil)))
	for _, value := range values {
		require.Contains(t, text, normalizeText(value))
	}
	require.Contains(t, text, "#panic(1){page}")
}

// syntax contains the parts of Typst's syntax, words of its functions, and characters between them.
var syntax = strings.Fields("# [ ] { } ( ) $ * _ ` ``` = == - -- --- ... + / // /* */ \\ \\u{41} < > @ ~ \" ' & % ; : , . " +
	"#{ #[ let import show set eval read sys data json while panic page 1pt 0x1 a é Ж 中")

// TestSyntaxIsNoMarkup prints random texts of the syntax as titles, values, names of choices, cells, and names of files.
func TestSyntaxIsNoMarkup(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	var printed []string
	text := func(parts int) string {
		text := "z"
		for range parts {
			text += syntax[random.IntN(len(syntax))] + strings.Repeat(" ", random.IntN(2))
		}
		text += "z"
		printed = append(printed, text)
		return text
	}
	properties, value := map[string]any{}, map[string]any{}
	for i := range 150 {
		name := strconv.Itoa(i)
		properties[name], value[name] = map[string]any{"title": text(2)}, text(5)+"\n"+text(5)
	}
	properties["choice"] = map[string]any{"oneOf": []any{map[string]any{"const": "c", "title": text(5)}}}
	value["choice"] = "c"
	properties["file"] = map[string]any{"type": "string", "format": "kuflow-file"}
	value["file"] = kuflowref.File{URI: "ku:x/1", Type: "text/plain", Size: 5, Name: text(3)}.String()
	var rows []any
	for range 50 {
		rows = append(rows, map[string]any{"a": text(3), "b": text(3)})
	}
	value["rows"] = rows
	cell := map[string]any{"type": "string"}
	properties["rows"] = map[string]any{"type": "array", "items": map[string]any{"type": "object", "properties": map[string]any{"a": cell, "b": cell}}}
	schema, err := json.Marshal(map[string]any{"properties": properties})
	require.NoError(t, err)
	j := valueJob(t, value)
	j.Schema, j.Title, j.Subject = schema, text(5), text(5)
	layout := normalizeText(textOf(t, render(t, j, nil)))
	for _, want := range printed {
		require.Contains(t, layout, normalizeText(want))
	}
}

func TestHostileText(t *testing.T) {
	t.Parallel()
	j := valueJob(t, map[string]any{
		"control":    "a\x00b\x1bc\td\r\ne\vf",
		"override":   "x\u202eabc\u202cy",
		"decomposed": "e\u0301o\u0308",
		"missing":    "\U0010FFFF\ue000\U0001e9ff",
		"long":       strings.Repeat("W", 500),
		"spaces":     strings.Repeat(" ", 500) + "end",
	})
	j.Title, j.Subject = "T\xff\xfe\nA\x00", strings.Repeat("subject ", 60)
	text := normalizeText(textOf(t, render(t, j, nil)))
	for _, want := range []string{"AU+0000", "aU+0000bU+001Bcdef", "xabcy", "éö", "U+10FFFFU+E000U+1E9FF", "end"} {
		require.Contains(t, text, want)
	}
	require.Contains(t, text, "5characters(U+0000U+001BU+E000U+1E9FFU+10FFFF)arenotavailableintheinstalledfonts.")
	require.GreaterOrEqual(t, strings.Count(text, "W"), 500)
}

// TestMissingCharactersAreReported checks the callback for the log and the metric.
func TestMissingCharactersAreReported(t *testing.T) {
	t.Parallel()
	formtest.RequirePool(t)
	typesetter, err := pdfworker.FindTypesetter(t.Context(), "", nil)
	require.NoError(t, err)
	var missing []rune
	p := pdfworker.New(typesetter, func(r []rune) { missing = append(missing, r...) })
	_, err = p.Render(t.Context(), valueJob(t, map[string]any{"a": "\ue000\ue000 \U0010fffd"}), nil)
	require.NoError(t, err)
	require.Equal(t, []rune{0xe000, 0x10fffd}, missing)
}

// TestAnyCharacters renders random characters of every block: each is printed or marked.
func TestAnyCharacters(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	var values []string
	for range 200 {
		var text strings.Builder
		for range 40 {
			r := rune(random.IntN(0x20000))
			if random.IntN(4) == 0 {
				r = rune(random.IntN(0x600))
			}
			if unicode.IsGraphic(r) || random.IntN(3) == 0 {
				text.WriteRune(r)
			}
		}
		values = append(values, text.String())
	}
	render(t, valueJob(t, map[string]any{"a": values}), nil)
}

func TestLimits(t *testing.T) {
	t.Parallel()
	p := formtest.RequirePool(t)
	for name, test := range map[string]struct {
		value any
		want  form.LimitError
	}{
		"lines": {strings.Repeat("line\n", 100_000), form.LimitError{What: "lines", Max: 60_000}},
		"pages": {strings.Repeat("line\n", 40_000), form.LimitError{What: "pages", Max: 500}},
	} {
		_, err := p.Render(t.Context(), valueJob(t, map[string]any{"a": test.value}), nil)
		var limit *form.LimitError
		require.ErrorAs(t, err, &limit, name)
		require.Equal(t, test.want, *limit, name)
	}
}
