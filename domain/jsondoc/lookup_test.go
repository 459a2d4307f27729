package jsondoc_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/jsondoc"
)

func TestLookup(t *testing.T) {
	t.Parallel()
	document := json.RawMessage(` {"a": {"b": [ 1, {"c/d~e": "x"} ]}, "": 1.50, "n": null}`)
	for pointer, want := range map[string]string{
		"": `{"a":{"b":[1,{"c/d~e":"x"}]},"":1.50,"n":null}`, "/a/b": `[1,{"c/d~e":"x"}]`, "/a/b/0": "1",
		"/a/b/1/c~1d~0e": `"x"`, "/": "1.50", "/n": "null",
	} {
		found, ok := jsondoc.Lookup(document, pointer)
		require.True(t, ok, pointer)
		require.Equal(t, want, string(found), pointer)
	}
	for _, pointer := range []string{"a", "/x", "/a/b/2", "/a/b/00", "/a/b/-", "/n/x", "//x", "/a/~2"} {
		_, ok := jsondoc.Lookup(document, pointer)
		require.False(t, ok, pointer)
	}
	_, ok := jsondoc.Lookup(json.RawMessage(`{"a"`), "")
	require.False(t, ok)
	_, ok = jsondoc.Lookup(nil, "")
	require.False(t, ok)

	parent, ok := jsondoc.Parent("/a/b")
	require.True(t, ok)
	require.Equal(t, "/a", parent)
	_, ok = jsondoc.Parent("")
	require.False(t, ok)
}
