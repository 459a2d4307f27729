package form_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/form"
)

const machineSchema = `{"type":"object","properties":{"kind":{"type":"string"},"machine":{"type":"object","required":["name","mode"],
	"unevaluatedProperties":false,"patternProperties":{"^x-":{"type":"string"}},"properties":{
		"note":{"type":"string","description":"Free text"},
		"name":{"type":"string","title":"Name"},
		"mode":{"enum":["fast","slow",3,null]},
		"on":{"type":"boolean"},
		"speed":{"type":["integer","null"],"default":7,"examples":[9]},
		"parts":{"type":"array","items":{"type":"object","required":["id"],"properties":{"id":{"const":"p\"1"},"size":{"$ref":"#/$defs/size"}}}}}}},
	"$defs":{"size":{"type":"object","required":["w"],"properties":{"w":{"type":"number"},"h":{"type":"number"}}}}}`

// The cursor is at the sign "|".
func TestCompleteJSON(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{|}`:                               `"name" "mode" "note" "on" "speed" "parts"`,
		`{"name": "x", |}`:                  `"mode" "note" "on" "speed" "parts"`,
		`{"name": "x" |}`:                   `, "mode" "note" "on" "speed" "parts"`,
		`{"na|": "x"}`:                      `"name" "mode" "note" "on" "speed" "parts"`,
		`{"na|`:                             `"name" "mode" "note" "on" "speed" "parts"`,
		`{na|`:                              `"name" "mode" "note" "on" "speed" "parts"`,
		`{"mode": |}`:                       `"fast" "slow" 3 null`,
		`{"mode": "f|"`:                     `"fast" "slow" 3 null`,
		"{\"mode\": \"f|\n, \"name\": 1}":   `"fast" "slow" 3 null`,
		`{"on":|`:                           `true false`,
		`{"on": t|, "name": "x"}`:           `true false`,
		`{"speed": |}`:                      `7 9 null`,
		`{"name": |}`:                       `""`,
		`{"parts": |}`:                      `[]`,
		`{"parts": [|]}`:                    `{"id":"p\"1"} {}`,
		`{"parts": [{}, |]}`:                `{"id":"p\"1"} {}`,
		`{"parts": [{} |]}`:                 `, {"id":"p\"1"} {}`,
		`{"parts": [{"id": 1}, {|`:          `"id" "size"`,
		`{"parts": [{"id": |}]}`:            `"p\"1"`,
		`{"parts": [{"size": {|}}]}`:        `"w" "h"`,
		`{"parts": [{"size": {"w": 1,|}}]}`: `"h"`,
		`{"parts": [{"size": |}]}`:          `{"w":null} {}`,
		`|`:                                 `{"name":"","mode":"fast"} {}`,
		`{"x-a": |}`:                        `""`,
		`{"name": "x"|}`:                    `""`,
		`{"name"|: "x"}`:                    `"name" "mode" "note" "on" "speed" "parts"`,
		`{ |"name": "x"}`:                   ``,
		`{"other": [|]}`:                    ``,
		`{"name": "x"} |`:                   ``,
		`]}:,[|`:                            ``,
		`{"name": }}]],:"|`:                 ``,
	} {
		editor, err := form.NewEditor(t.Context(), form.Input{
			Schema: json.RawMessage(machineSchema), Value: json.RawMessage(`{"machine":{}}`),
		}, form.EditorLimits(), false)
		require.NoError(t, err)
		n := editor.Find("/machine")
		cursor := strings.IndexByte(text, '|')
		found, err := editor.CompleteJSON(n, strings.Replace(text, "|", "", 1), cursor)
		require.NoError(t, err, text)
		var words []string
		if found.Comma && len(found.List) > 0 {
			words = append(words, ",")
		}
		for _, completion := range found.List {
			words = append(words, completion.Text)
		}
		require.Equal(t, want, strings.Join(words, " "), text)
	}
}

func TestCompleteJSONDescribesMembers(t *testing.T) {
	t.Parallel()
	editor, err := form.NewEditor(t.Context(), form.Input{Schema: json.RawMessage(machineSchema), Value: json.RawMessage(`{"machine":{}}`)}, form.EditorLimits(), false)
	require.NoError(t, err)
	found, err := editor.CompleteJSON(editor.Find("/machine"), `{"n`, 3)
	require.NoError(t, err)
	require.Equal(t, 1, found.From)
	require.Equal(t, 3, found.To)
	require.Equal(t, form.Completion{Text: `"name"`, Title: "Name", Types: found.List[0].Types, IsName: true, Required: true}, found.List[0])
	require.Equal(t, "Free text", found.List[2].Help)
}

func TestLocateJSON(t *testing.T) {
	t.Parallel()
	const text = ` {"a": [1, {"b/c": "x"}], "d": true}`
	for pointer, want := range map[string]string{
		"": text[1:], "/a": `[1, {"b/c": "x"}]`, "/a/1": `{"b/c": "x"}`, "/a/1/b~1c": `"x"`, "/d": "true", "/missing": text[1:], "/a/1/missing": `{"b/c": "x"}`,
	} {
		from, to := form.LocateJSON(text, pointer)
		require.Equal(t, want, text[from:to], pointer)
	}
}

func FuzzCompleteJSON(f *testing.F) {
	f.Add(`{"parts": [{"size": {`, 10)
	f.Add(`{"a": "\`, 8)
	editor, err := form.NewEditor(f.Context(), form.Input{Schema: json.RawMessage(machineSchema), Value: json.RawMessage(`{"machine":{}}`)}, form.EditorLimits(), false)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text string, cursor int) {
		found, err := editor.CompleteJSON(editor.Find("/machine"), text, cursor)
		if err == nil && len(found.List) > 0 {
			require.LessOrEqual(t, found.From, found.To)
			require.LessOrEqual(t, found.To, len(text))
		}
	})
}
