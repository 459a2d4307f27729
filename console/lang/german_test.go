package lang

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"
)

// shownTexts returns the texts in the code of a folder that are translated: the literals given to
// T and Text.
func shownTexts(t *testing.T, folder string) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(folder, func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok {
				return true
			}
			if literal := translatedLiteral(call); literal != "" {
				found[literal] = files.Position(call.Pos()).String()
			}
			return true
		})
		return nil
	}))
	return found
}

func translatedLiteral(call *ast.CallExpr) string {
	var name string
	switch f := call.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	at := map[string]int{"T": 1, "Text": 0}
	if i, ok := at[name]; ok && len(call.Args) > i {
		if literal, ok := call.Args[i].(*ast.BasicLit); ok && literal.Kind == token.STRING {
			text, _ := strconv.Unquote(literal.Value)
			return text
		}
	}
	return ""
}

func TestGermanIsComplete(t *testing.T) {
	t.Parallel()
	count, translated := 0, catalogueTexts()[language.German]
	var missing []string
	for _, folder := range []string{"..", "../../cmd/procession"} {
		for text, place := range shownTexts(t, folder) {
			count++
			if _, ok := translated[text]; !ok {
				missing = append(missing, place+": "+strconv.Quote(text))
			}
		}
	}
	require.Empty(t, missing, "texts that the catalogues of console/lang lack")
	require.Greater(t, count, 100)
}
