package ui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/console/assets"
)

// constantsOf returns the values of the constants in the folder of a package by the name of their type.
func constantsOf(t *testing.T, folder string) map[string][]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	values := map[string][]string{}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(file, func(node ast.Node) bool {
			spec, isSpec := node.(*ast.ValueSpec)
			if !isSpec || len(spec.Values) == 0 {
				return true
			}
			ident, isIdent := spec.Type.(*ast.Ident)
			literal, isLiteral := spec.Values[0].(*ast.BasicLit)
			if isIdent && isLiteral && literal.Kind == token.STRING {
				value, _ := strconv.Unquote(literal.Value)
				values[ident.Name] = append(values[ident.Name], value)
			}
			return true
		})
	}
	return values
}

func TestEveryKindHasABadge(t *testing.T) {
	t.Parallel()
	constants := map[string]map[string][]string{
		"github.com/procession-dev/procession/domain":          constantsOf(t, "../../domain"),
		"github.com/procession-dev/procession/domain/resource": constantsOf(t, "../../domain/resource"),
	}
	types := map[reflect.Type]bool{}
	for value := range badges {
		types[reflect.TypeOf(value)] = true
	}
	require.Len(t, types, 15)
	for of := range types {
		values := constants[of.PkgPath()][of.Name()]
		require.NotEmpty(t, values, of)
		for _, value := range values {
			b := badges[reflect.ValueOf(value).Convert(of).Interface()]
			require.NotEmpty(t, b.Text, "console/ui/badge.go: %s %s", of, value)
			require.Contains(t, assets.Icons(), b.Icon, "console/ui/badge.go: %s %s", of, value)
		}
	}
}
