package jsondoc_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/jsondoc"
)

func TestWhatASchemaSaysOfDocuments(t *testing.T) {
	t.Parallel()
	schema, err := jsondoc.Compile(json.RawMessage(`{"properties":{
		"A":{"type":"string","format":"kuflow-file","accept":"image/*","maxSize":10},
		"B":{"$ref":"#/$defs/b"},
		"a/b ~":{"items":{"allOf":[{"accept":[".txt"]},{"maxSize":7},{"maxSize":5}]}},
		"C":{"type":"string"},"D":{"type":"array","items":{"$ref":"#/$defs/b"}},
		"E":{"anyOf":[{"type":"null"},{"type":"string","format":"kuflow-file"}]},
		"F":{"type":"string","format":"kuflow-principal"}},
		"$defs":{"b":{"$ref":"#/properties/A"}}}`))
	require.NoError(t, err)
	picture, text := jsondoc.Stored{Name: "a.png", Type: "image/png"}, jsondoc.Stored{Name: "a.TXT", Type: "text/plain"}
	for path, c := range map[string]struct {
		picture, text bool
		size          int64
	}{
		"#/properties/A": {true, false, 10}, "/properties/B": {true, false, 10}, "#/$defs/b": {true, false, 10},
		"#/properties/a~1b ~0/items": {false, true, 5}, "#/properties/C": {true, true, 0}, "#": {true, true, 0}, "": {true, true, 0},
	} {
		rule, ok := schema.DocumentAt(path)
		require.True(t, ok, path)
		require.Equal(t, c.picture, rule.Accepts(picture), path)
		require.Equal(t, c.text, rule.Accepts(text), path)
		size, bounded := rule.MaxSize()
		require.Equal(t, c.size, size, path)
		require.Equal(t, c.size > 0, bounded, path)
	}
	for path, isDocument := range map[string]bool{
		"#/properties/A": true, "#/properties/B": true, "#/properties/a~1b ~0": true, "#/properties/D": true, "#/properties/E": true,
		"#/properties/C": false, "#/properties/F": false, "#": false,
	} {
		rule, ok := schema.DocumentAt(path)
		require.True(t, ok, path)
		require.Equal(t, isDocument, rule.IsDocument(), path)
	}
	for _, path := range []string{"#/properties/G", "properties/A", "/properties/A/", "#/properties/A~"} {
		_, ok := schema.DocumentAt(path)
		require.False(t, ok, path)
	}
	var none *jsondoc.Schema
	rule, ok := none.DocumentAt("#/anything")
	require.True(t, ok)
	require.True(t, rule.IsDocument())
	require.True(t, rule.Accepts(text))
}
