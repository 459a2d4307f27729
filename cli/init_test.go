package cli_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cli"
	"github.com/procession-dev/procession/internal/codegen"
)

func TestInitWorker(t *testing.T) {
	t.Parallel()
	w := newTerminal(t)
	claim := filepath.Join("..", "examples", "claims", "claim.yaml")
	root := t.TempDir()
	for _, language := range codegen.Languages() {
		folder := filepath.Join(root, string(language))
		w.succeeds("init", "worker", folder, "-f", claim, "--language", string(language))
		var files []string
		require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				files = append(files, strings.TrimPrefix(path, folder+"/"))
			}
			return err
		}))
		requireGolden(t, "init-worker-"+string(language)+".txt", strings.Join(files, "\n"))
	}
	readme, err := os.ReadFile(filepath.Join(root, "go", "README.md"))
	require.NoError(t, err)
	require.Contains(t, string(readme), "procession secrets issue Application loan-worker --name claim\n")
	require.Contains(t, string(readme), "/examples/claims/claim.yaml --to definition.gen.go --package main\n")

	changed := filepath.Join(root, "go", "workflow.go")
	require.NoError(t, os.WriteFile(changed, []byte("mine"), 0o600))
	require.NoError(t, os.Remove(filepath.Join(root, "go", "main.go")))
	unsupported := w.fails(cli.ExitUsage, "init", "worker", filepath.Join(root, "go"), "-f", claim)
	require.Contains(t, unsupported, "has README.md, Dockerfile, go.mod, workflow.go, workflow_test.go, definition.gen.go already; no file was written")
	require.NoFileExists(t, filepath.Join(root, "go", "main.go"))
	mine, err := os.ReadFile(changed)
	require.NoError(t, err)
	require.Equal(t, "mine", string(mine))

	group := "apiVersion: procession/v1\nkind: Group\nmetadata: { code: G, tenant: demo }\nspec: { name: G }\n"
	require.Contains(t, w.withInput(group).fails(cli.ExitUsage, "init", "worker", filepath.Join(root, "none"), "-f", "-"),
		"the documents describe no process definition")
	require.NoDirExists(t, filepath.Join(root, "none"))
}
