package persistence_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Statements that show names of principals read the tenant's names.
func TestStatementsReadTheNamesOfTheTenant(t *testing.T) {
	t.Parallel()
	// These show persons to themselves, and to operators.
	own := []string{"caller.go", "session.go", "operator.go"}
	alias := regexp.MustCompile(`\bprincipals ([a-z]+)\b`)
	require.NoError(t, filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || slices.Contains(own, path) {
			return err
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, found := range alias.FindAllStringSubmatch(string(text), -1) {
			if regexp.MustCompile(`\b` + found[1] + `\.name\b`).Match(text) {
				require.Contains(t, string(text), "person_names", "%s shows the name of a principal %s", path, found[1])
			}
		}
		return nil
	}))
}
