package cli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cli"
	"github.com/procession-dev/procession/internal/codegen"
)

func TestGenerate(t *testing.T) {
	t.Parallel()
	w := newTerminal(t)
	loan := filepath.Join("..", "examples", "demo", "loan.yaml")
	for _, language := range codegen.Languages() {
		requireGolden(t, "generate-"+string(language)+".txt", w.succeeds("generate", string(language), "-f", loan, "--package", "loan"))
	}
	to := filepath.Join(t.TempDir(), "loan.gen.go")
	require.Empty(t, w.succeeds("generate", "go", "-f", loan, "--to", to))
	written, err := os.ReadFile(to)
	require.NoError(t, err)
	require.Contains(t, string(written), "package definitions\n")

	wrong := "apiVersion: procession/v1\nkind: ProcessDefinition\nmetadata: { code: LOAN, tenant: demo }\nspec: { nam: Loan }\n"
	require.Contains(t, w.withInput(wrong).fails(cli.ExitUsage, "generate", "go", "-f", "-", "--to", to), "-:4:9: ProcessDefinition/LOAN spec.nam: ")
	kept, err := os.ReadFile(to)
	require.NoError(t, err)
	require.Equal(t, written, kept)
	require.Contains(t, w.fails(cli.ExitUsage, "generate", "cobol", "-f", loan), `unknown language "cobol": must be one of go, typescript, python, java`)
	require.Contains(t, w.fails(cli.ExitUsage, "generate", "go"), "needs -f with a file")
}
