package domain_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

func TestEveryEventTypeIsListed(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "event_type.go", nil, 0)
	require.NoError(t, err)
	var declared []domain.EventType
	for _, declaration := range file.Decls {
		constants, ok := declaration.(*ast.GenDecl)
		if !ok || constants.Tok != token.CONST {
			continue
		}
		for _, spec := range constants.Specs {
			constant, ok := spec.(*ast.ValueSpec)
			require.True(t, ok)
			literal, ok := constant.Values[0].(*ast.BasicLit)
			require.True(t, ok)
			text, err := strconv.Unquote(literal.Value)
			require.NoError(t, err)
			declared = append(declared, domain.EventType(text))
		}
	}
	require.NotEmpty(t, declared)
	require.ElementsMatch(t, declared, domain.EventTypes())
}
