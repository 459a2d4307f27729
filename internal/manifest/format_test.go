package manifest_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/internal/manifest"
)

func TestFormat(t *testing.T) {
	t.Parallel()
	formatted, err := manifest.Format(json.RawMessage(`{
		"kind": "ProcessDefinition", "metadata": {"code": "LOAN", "labels": {}},
		"spec": {
			"name": "yes", "e-mail": "alice@demo.example", "url": "https://example.com/a?b=c", "number": 1E22, "text": "12",
			"when": "2030-01-31", "availability": "${ .process.state == \"RUNNING\" }", "note": "a: b", "flag": true, "none": null,
			"items": [
				{"code": "A", "candidates": [{"user": "alice"}, {"group": "REVIEWERS"}], "required": ["NAME", "a b", 1]},
				{"code": "B", "nested": [[1, 2], [{"x": []}]]}
			],
			"prompt": "First line.\n\n  Indented: line # with all.\nLast line.\n", "keep": "a\nb\n\n", "strip": "a\nb"
		}}`))
	require.NoError(t, err)
	require.Equal(t, `kind: ProcessDefinition
metadata:
  code: LOAN
  labels: {}
spec:
  name: "yes"
  e-mail: alice@demo.example
  url: https://example.com/a?b=c
  number: 1E22
  text: "12"
  when: "2030-01-31"
  availability: ${ .process.state == "RUNNING" }
  note: 'a: b'
  flag: true
  none: null
  items:
    - code: A
      candidates:
        - user: alice
        - group: REVIEWERS
      required: [NAME, a b, 1]
    - code: B
      nested:
        - [1, 2]
        - - x: []
  prompt: |
    First line.

      Indented: line # with all.
    Last line.
  keep: |+
    a
    b

  strip: |-
    a
    b
`, string(formatted))
}

func TestFormatRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{", `{"a":1,"a":2}`, "{} {}", "[" + strings.Repeat("[", 200)} {
		_, err := manifest.Format(json.RawMessage(text))
		require.ErrorContains(t, err, "formatting a document", text)
	}
}

// checkRoundTrip checks that Parse reads the document that Format wrote.
func checkRoundTrip(t *testing.T, document json.RawMessage) {
	t.Helper()
	formatted, err := manifest.Format(document)
	require.NoError(t, err)
	sources, err := manifest.Parse("f.yaml", formatted)
	require.NoError(t, err, "%s\n%s", document, formatted)
	require.Len(t, sources, 1, "%s\n%s", document, formatted)
	// Parse normalizes the JSON as well.
	want, err := manifest.Parse("f.json", document)
	require.NoError(t, err)
	require.Equal(t, string(want[0].JSON), string(sources[0].JSON), "%s", formatted)
}

func TestFormatRoundTripsTexts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "a", "-", "- a", "--- a", "---", "...", "... a", "? a", ": a", "a:", "a: b", "a #b", "#a", "a ", " a", "'a'", `"a"`, "|", ">", "%a", "@a",
		"`a`", "&a", "*a", "!a", "{a}", "[a]", "a,b", "a\nb", "a\n\nb\n", "\na\nb", "a\n b\n", " a\nb", "a\n\tb", "\ta\nb", "a \nb", "a\r\nb", "a\n \nb", "a\n\n\n", "\n", "\n\n",
		"a\nb\n\n\n", "true", "False", "null", "Null", "~", "yes", "NO", "on", "y", "=", "<<", "1", "-1", "1.5", "1e3", "1e9999999", "0x1F", "0o17", "010", "+1", ".5",
		".inf", "-.INF", ".nan", "1_000", "12:30:45", "2024-01-31", "2024-01-31T10:00:00Z", "\u0000", "\u0001", "\u007f", "\u0085", "\u00a0", "\u2028\u2029", "\ufeff", "\ufffe", "\U0001F600",
		"\U0010ffff", "a\u0085b\nc", "a\u2028b\nc", "\ufeffa\nb", strings.Repeat("word ", 60) + "end", strings.Repeat("x", 2000), "a\n---\nb", "a\n...\nb\n", "a\n# b\n", "${ a }", "(a)", "$a", "/a", ".a", "a: ", "é: ü", "<b> & c", "a\\nb", `\`, "!!str a",
	} {
		value, err := json.Marshal(text)
		require.NoError(t, err)
		for _, shape := range []string{`{"a":%s}`, `{"a":{"b":%s,"c":1}}`, `{"a":[%s,%[1]s]}`, `{"a":[{"b":%s},{"c":%[1]s}]}`, `{"a":[[[%s],%[1]s]]}`, `{"a":[{"b":[%s,{}]}]}`} {
			checkRoundTrip(t, fmt.Appendf(nil, shape, value))
		}
		checkRoundTrip(t, fmt.Appendf(nil, `{%s:1}`, value))
		checkRoundTrip(t, fmt.Appendf(nil, `{"x":[{%s:{%[1]s:[]}}]}`, value))
	}
}

func TestFormatRoundTripsRandomValues(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		document, err := json.Marshal(map[string]any{"a": randomValue(random, 0), "b": randomValue(random, 0)})
		require.NoError(t, err)
		checkRoundTrip(t, document)
	}
}

func randomValue(random *rand.Rand, depth int) any {
	switch kind := random.IntN(8); {
	case kind < 2 && depth < 5:
		object := map[string]any{}
		for range random.IntN(4) {
			object[randomText(random)] = randomValue(random, depth+1)
		}
		return object
	case kind < 4 && depth < 5:
		array := []any{}
		for range random.IntN(4) {
			array = append(array, randomValue(random, depth+1))
		}
		return array
	case kind == 4:
		return random.NormFloat64()
	case kind == 5:
		return []any{nil, true, false}[random.IntN(3)]
	}
	return randomText(random)
}

func randomText(random *rand.Rand) string {
	parts := []string{"a", "b", "Z", "0", "1", " ", " ", "\n", "\n", ":", "#", "-", "\"", "'", "\\", "{", "]", ",", "\t", "|", "&", "*", "!", "%", "é", "\u2028", "😀", ".", "e", "\r", "~", "="}
	var text strings.Builder
	for range random.IntN(12) {
		text.WriteString(parts[random.IntN(len(parts))])
	}
	return text.String()
}

// FuzzFormat checks that formatting and parsing a document preserves it.
func FuzzFormat(f *testing.F) {
	for _, text := range []string{`{}`, `{"a":1e3}`, `{"a":"x\ny","b":[{"c":null}]}`, `{"a":[["b: c"],"- d"]}`, `{"<<":{"a":"*b"}}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if sources, err := manifest.Parse("f.json", text); err == nil && len(sources) == 1 && text[0] == '{' {
			checkRoundTrip(t, text)
		}
	})
}

// FuzzParse checks that Parse returns valid JSON or an error, and positions within the file.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"a: 1\n---\nb: [x, {c: d}]\n", "a: &x [1]\nb: *x\n<<: {c: *x}", "a: |\n  b\nc: >-\n  d\n", `{"a": [1, "\ud83d"]}`, "? a\n: b\n", "a: !!str 1",
		"- a: 1\n- b: 2", "a: &x [*x]", "%YAML 1.2\n---\na: 'b'\n...\n",
	} {
		f.Add([]byte(text), "/a/0")
	}
	f.Fuzz(func(t *testing.T, text []byte, pointer string) {
		for _, name := range []string{"f.yaml", "f.json"} {
			sources, err := manifest.Parse(name, text)
			if err != nil {
				require.Nil(t, sources)
			}
			lines := strings.Count(string(text), "\n") + strings.Count(string(text), "\r") + 2
			for i := range sources {
				require.True(t, json.Valid(sources[i].JSON), "%s", sources[i].JSON)
				line, column := sources[i].Position(pointer)
				require.GreaterOrEqual(t, line, 1)
				require.LessOrEqual(t, line, lines)
				require.GreaterOrEqual(t, column, 1)
				manifest.Explain(sources, fmt.Sprintf("/documents/%d%s", i, pointer))
			}
		}
	})
}
