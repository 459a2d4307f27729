package jsontext_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/jsontext"
)

// TestReaderAgreesWithTheStandardLibrary compares with encoding/json, except for duplicates, depth and encoding.
func TestReaderAgreesWithTheStandardLibrary(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		``, ` `, `{`, `}`, `[`, `[,]`, `[1,]`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `tru`, `nul`, `true1`, `01`, `-`, `-a`, `1.`, `.5`,
		`1e`, `1e+`, `+1`, `"`, `"\x"`, `"\u12g4"`, `"\u12`, `"\`, "\"\n\"", `{"a":1}{`, `[1 2]`, `{"a" 1}`, `{"a":1 "b":2}`, `[1}`, "\ufeff{}", `0`, `-0`,
		`1E22`, `1e-7`, `"\u0041"`, `"é"`, `"\ud800"`, `[[],{}]`, "\t{ \"a\" : [ 1 , 2 ] }\r\n", `123456789012345678901234567890123456789.5e400`,
		`"\"\\\/\b\f\n\r\t"`,
	} {
		strict, loose, value := jsontext.NewReader([]byte(text)), jsontext.NewLooseReader([]byte(text)), jsontext.NewReader([]byte(text))
		strict.Skip()
		loose.Skip()
		value.Value()
		for _, err := range []error{strict.End(), loose.End(), value.End()} {
			require.Equal(t, json.Valid([]byte(text)), err == nil, "%q: %v", text, err)
		}
	}
}

func TestReaderRefuses(t *testing.T) {
	t.Parallel()
	many := `{"z":{`
	for i := range 20 {
		many += `"` + strings.Repeat("n", i) + `":1,`
	}
	for _, c := range []struct {
		name, text, pointer string
		offset              int
		reason              error
	}{
		{"invalid UTF-8", "{\"a\":\"\xff\"}", "", 0, jsontext.ErrUTF8},
		{"a second value", `{} {}`, "", 3, jsontext.ErrTrailing},
		{"an open object", `{"a":[1,{"b":`, "/a/1/b", 13, jsontext.ErrMalformed},
		{"a name twice", `{"a":1,"b":[],"a":2}`, "/a", 14, jsontext.ErrDuplicate},
		{"a name twice in other words", `[{"a/b":1,"\u0061/b":2}]`, "/0/a~1b", 10, jsontext.ErrDuplicate},
		{"a name twice among many", many + `"nnnnn":2}}`, "/z/nnnnn", len(many), jsontext.ErrDuplicate},
		{"nesting", strings.Repeat("[", 129) + strings.Repeat("]", 129), strings.Repeat("/0", 128), 128, jsontext.ErrDepth},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := jsontext.NewReader([]byte(c.text))
			r.Skip()
			var fault *jsontext.Error
			require.ErrorAs(t, r.End(), &fault)
			require.ErrorIs(t, fault, c.reason)
			require.Equal(t, c.pointer, jsontext.JoinPointer(fault.Path...))
			require.Equal(t, c.offset, fault.Offset)
		})
	}
	t.Run("not what is just below", func(t *testing.T) {
		t.Parallel()
		r := jsontext.NewReader([]byte(strings.Repeat("[", 128) + strings.Repeat("]", 128)))
		r.Skip()
		require.NoError(t, r.End())
	})
	t.Run("not names twice in what is stored", func(t *testing.T) {
		t.Parallel()
		r := jsontext.NewLooseReader([]byte(`{"a":1,"a":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`))
		r.Skip()
		require.NoError(t, r.End())
	})
}

func TestReaderValue(t *testing.T) {
	t.Parallel()
	r := jsontext.NewReader([]byte(` {"a":[1.50,"\u00e9\n",true,false,null,{}],"\ud83d\ude00":[]} 1e9 "x"`))
	require.Equal(t, map[string]any{
		"a": []any{json.Number("1.50"), "é\n", true, false, nil, map[string]any{}}, "😀": []any{},
	}, r.Value())
	require.True(t, r.More())
	require.Equal(t, "1e9", string(r.Raw()))
	require.Equal(t, "x", r.Text())
	require.False(t, r.More())
	require.NoError(t, r.End())
}

// FuzzReader checks that a reader accepts the same texts as encoding/json and reads the same values.
func FuzzReader(f *testing.F) {
	for _, text := range []string{`{"a":[1e5,"\u0000",{"b":null}],"":true}`, `{"a":1,"\u0061":2}`, `[1,]`, "\"\xff\"", `"\ud800"`, `-0.0e+1 `} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		require.Equal(t, json.Valid(text) && utf8.Valid(text), jsontext.Valid(text))
		r := jsontext.NewReader(text)
		value := r.Value()
		if r.End() != nil {
			return
		}
		decoder := json.NewDecoder(strings.NewReader(string(text)))
		decoder.UseNumber()
		var want any
		require.NoError(t, decoder.Decode(&want))
		require.Equal(t, want, value)
	})
}

// FuzzPointer checks that splitting and joining a pointer preserves it.
func FuzzPointer(f *testing.F) {
	for _, pointer := range []string{"", "/", "//", "/a~1b/~01", "a", "/~", "/~2"} {
		f.Add(pointer)
	}
	f.Fuzz(func(t *testing.T, pointer string) {
		tokens, ok := jsontext.SplitPointer(pointer)
		if !ok {
			require.Nil(t, tokens)
			return
		}
		require.Equal(t, pointer, jsontext.JoinPointer(tokens...))
	})
}
