package jsondoc_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
)

// A document with references in odd places, and white space that must stay.
const referring = ` { "a" : "kuflow-process:id=` + someID + `" ,
	"kuflow-process:id=` + otherID + `" : [ null , {"":"` + someFile + `"} , "x", 1.50 ] ,
	"m~n/o" : { "\u0061" : "\u006buflow-group:id=` + someID + `;name=\"\u00e9\/;" } , "b":"kuflow-group:name=x" , "z" : -0 } `

func TestFindReferences(t *testing.T) {
	t.Parallel()
	found, err := jsondoc.FindReferences(json.RawMessage(referring))
	require.NoError(t, err)
	var lines []string
	for _, o := range found {
		lines = append(lines, o.Pointer+" "+o.Reference.String())
	}
	require.Equal(t, []string{
		"/a kuflow-process:id=" + someID + ";",
		"/kuflow-process:id=" + otherID + "/1/ " + someFile,
		"/m~0n~1o/a kuflow-group:id=" + someID + ";type=;name=%22%C3%A9/;",
	}, lines)
	for _, document := range []string{`{}`, `[]`, `""`, ` null `, `{"a":[{},[],"x"]}`, `[[[]]]`} {
		found, err := jsondoc.FindReferences(json.RawMessage(document))
		require.NoError(t, err)
		require.Empty(t, found, document)
	}
	whole, err := jsondoc.FindReferences(json.RawMessage(quoted(t, someFile)))
	require.NoError(t, err)
	require.Len(t, whole, 1)
	require.Empty(t, whole[0].Pointer)
	_, err = jsondoc.FindReferences(json.RawMessage(`{"a":`))
	require.Error(t, err)
}

func TestFindReferencesIsBounded(t *testing.T) {
	t.Parallel()
	element := quoted(t, "kuflow-process:id="+someID)
	list := func(n int) string { return "[" + element + strings.Repeat(","+element, n-1) + "]" }
	found, err := jsondoc.FindReferences(json.RawMessage(list(20_000)))
	require.NoError(t, err)
	require.Len(t, found, 20_000)
	require.Equal(t, "/19999", found[19_999].Pointer)
	_, err = jsondoc.FindReferences(json.RawMessage(`{"` + strings.Repeat("x", 1<<20) + `":` + list(40) + `}`))
	require.True(t, domain.HasCode(err, domain.CodeValidation))
	deep := strings.Repeat(`[`, 9000) + element + strings.Repeat(`]`, 9000)
	found, err = jsondoc.FindReferences(json.RawMessage(deep))
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("/0", 9000), found[0].Pointer)
}

func TestReplaceStrings(t *testing.T) {
	t.Parallel()
	found, err := jsondoc.FindReferences(json.RawMessage(referring))
	require.NoError(t, err)
	texts := map[string]string{}
	for i, o := range found {
		texts[o.Pointer] = "<" + strconv.Itoa(i) + ">\"\n"
	}
	got, err := jsondoc.ReplaceStrings(json.RawMessage(referring), texts)
	require.NoError(t, err)
	want := strings.NewReplacer(
		`"kuflow-process:id=`+someID+`"`, `"<0>\"\n"`, quoted(t, someFile), `"<1>\"\n"`,
		`"\u006buflow-group:id=`+someID+`;name=\"\u00e9\/;"`, `"<2>\"\n"`,
	).Replace(referring)
	require.Equal(t, want, string(got))

	for _, c := range []struct {
		document string
		texts    map[string]string
		want     string
	}{
		{referring, nil, referring},
		{` "x" `, map[string]string{"": "y"}, ` "y" `},
		{`{"a":"x","b":"x"}`, map[string]string{"/b": "y"}, `{"a":"x","b":"y"}`},
		{`{"a":["x","x","x"]}`, map[string]string{"/a/0": "", "/a/2": "long enough to grow"}, `{"a":["","x","long enough to grow"]}`},
		{`{"":"x"," ":{"":["x"]}}`, map[string]string{"/": "y", "/ //0": "z"}, `{"":"y"," ":{"":["z"]}}`},
		{`{"a/b":"x","m~n":"x","\u00e9":"x","\ud800":"x"}`, map[string]string{"/a~1b": "1", "/m~0n": "2", "/é": "3"}, `{"a/b":"1","m~n":"2","\u00e9":"3","\ud800":"x"}`},
		{`{"a":"x"}`, map[string]string{"/a": "\x00\u2028<é😀>"}, "{\"a\":\"\\u0000\\u2028<é😀>\"}"},
		{`["x",["x",["x"]]]`, map[string]string{"/1/1/0": "y"}, `["x",["x",["y"]]]`},
	} {
		document := json.RawMessage(c.document)
		got, err := jsondoc.ReplaceStrings(document, c.texts)
		require.NoError(t, err, c.document)
		require.Equal(t, c.want, string(got))
		require.Equal(t, c.document, string(document), "the document given was altered")
	}

	for _, c := range []struct{ document, pointer, why string }{
		{`{"a":"x"}`, "/b", `there is no string at "/b"`},
		{`{"a":1}`, "/a", "no string"},
		{`{"a":{"b":"x"}}`, "/a", "no string"},
		{`{"a":{"b":"x"}}`, "", "no string"},
		{`{"a":"x"}`, "/a/b", "no string"},
		{`["x"]`, "/00", "no string"},
		{`["x"]`, "/-", "no string"},
		{`["x"]`, "/1", "no string"},
		{`["x"]`, "0", "not a JSON Pointer"},
		{`["x"`, "/0", "not well-formed JSON"},
	} {
		got, err := jsondoc.ReplaceStrings(json.RawMessage(c.document), map[string]string{c.pointer: "y"})
		require.ErrorContains(t, err, c.why, c.document)
		require.Nil(t, got)
	}
	_, err = jsondoc.ReplaceStrings(json.RawMessage(`{"a":"x"}`), map[string]string{"/a": "1", "/a/b": "2"})
	require.ErrorContains(t, err, `no string at "/a/b"`)
}

// FuzzReplaceStrings checks that ReplaceStrings accepts the pointers from FindReferences, and that only the
// references change.
func FuzzReplaceStrings(f *testing.F) {
	f.Add(referring, "x")
	f.Add(`["kuflow-process:id=`+someID+`",{"a":["kuflow-process:id=`+someID+`"]}]`, "\"\\<\u2028\x00")
	f.Add(`{"\ud800":"kuflow-process:id=`+someID+`","\ud801":"\ud800"}`, someFile)
	f.Fuzz(func(t *testing.T, document, text string) {
		found, err := jsondoc.FindReferences(json.RawMessage(document))
		if err != nil {
			return
		}
		texts := map[string]string{}
		for _, o := range found {
			texts[o.Pointer] = text
		}
		replaced, err := jsondoc.ReplaceStrings(json.RawMessage(document), texts)
		require.NoError(t, err)
		require.True(t, json.Valid(replaced))
		for pointer := range texts {
			texts[pointer] = "-"
		}
		short, err := jsondoc.ReplaceStrings(json.RawMessage(document), texts)
		require.NoError(t, err)
		again, err := jsondoc.ReplaceStrings(replaced, texts)
		require.NoError(t, err)
		require.Equal(t, string(short), string(again))
		if len(found) == 0 {
			require.Equal(t, document, string(replaced))
		}
		left, err := jsondoc.FindReferences(short)
		require.NoError(t, err)
		require.Empty(t, left)
	})
}
