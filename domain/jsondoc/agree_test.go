package jsondoc

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLibraryAndTreeAgree applies every pair of operations on these places by the library json-patch and by the tree.
func TestLibraryAndTreeAgree(t *testing.T) {
	t.Parallel()
	const document = `{"a":[1,[2],{"b":null}],"c":{"d":"e","f":{"g":[]}},"0":0}`
	places := []string{"/a", "/a/0", "/a/1", "/a/1/0", "/a/2/b", "/a/3", "/a/4", "/a/-", "/c", "/c/d", "/c/d/x", "/c/f/g", "/c/f/g/0", "/0", "/n", "/n/x"}
	var operations []Operation
	for i, path := range places {
		operations = append(
			operations, Operation{Op: "remove", Path: path},
			Operation{Op: "add", Path: path, Value: json.RawMessage(`{"x":[1.0]}`)},
			Operation{Op: "replace", Path: path, Value: json.RawMessage("null")},
		)
		for j := range places {
			from := places[(i+j)%len(places)]
			operations = append(operations, Operation{Op: []string{"move", "copy"}[j%2], Path: path, From: &from})
		}
	}
	compared, applied := 0, 0
	for i, first := range operations {
		for _, second := range operations[i%3*len(operations)/3 : (i%3+1)*len(operations)/3] {
			steps, err := parseSteps([]Operation{first, second})
			require.NoError(t, err)
			if !isConforming([]byte(document), steps) {
				continue
			}
			compared++
			byLibrary, libraryErr := applyLibrary([]byte(document), steps)
			byTree, treeErr := applySteps([]byte(document), steps)
			name := fmt.Sprintf("%v %v", first, second)
			require.Equal(t, string(byTree), string(byLibrary), name)
			require.Equal(t, treeErr == nil, libraryErr == nil, name)
			if treeErr == nil {
				applied++
			}
		}
	}
	require.Greater(t, compared, 10_000)
	require.Greater(t, applied, 1000)
}
