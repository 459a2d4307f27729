package scripts_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWording(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "plain.go", "// The caller waits.\n// http.NoBody is no word.\nvar user = \"nobody\" // wording: a user of the system\n")
	write(t, dir, "oas.gen.go", "// Nobody reads this.\n")          // wording: a word to find
	write(t, dir, "testdata/of-others.md", "Whoever wrote this.\n") // wording: a word to find
	code, out := script(t, nil, "wording", dir)
	require.Zero(t, code, out)
	write(t, dir, "docs/page.md", "Plain.\nThe log is told of it.\n") // wording: a word to find
	code, out = script(t, nil, "wording", dir)
	require.Equal(t, 1, code)
	require.Contains(t, out, "page.md:2:")
	require.NotContains(t, out, "plain.go")
	write(t, dir, "docs/page.md", "Claim a task (B26).\n")
	code, out = script(t, nil, "wording", dir)
	require.Equal(t, 1, code)
	require.Contains(t, out, "page.md:1:")
	code, out = script(t, nil, "wording")
	require.Zero(t, code, out)
}
