package scripts_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUpdatesFailsOnDependenciesThatAreNotHeld(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	updates := func(found string) (int, string) {
		write(t, dir, "found", found)
		return script(t, nil, "updates", "--from", filepath.Join(dir, "found"))
	}
	code, out := updates("go go.mod a.example/a v1.0.0 v1.0.0\n" +
		"npm compat/package.json typescript 5.9.3 7.0.2\n" +
		"go temporal-server/go.mod go.temporal.io/sdk v1.44.0 v1.51.0\n")
	require.Zero(t, code, out)
	require.Contains(t, out, "compat/package.json: typescript 5.9.3 -> 7.0.2 (held: ")
	require.Contains(t, out, "temporal-server/go.mod: go.temporal.io/sdk v1.44.0 -> v1.51.0 (held: ")
	require.NotContains(t, out, "a.example/a")

	// Another version, another file and another ecosystem than the ones held.
	code, out = updates("go go.mod a.example/a v1.0.0 v1.1.0\n" +
		"go go.mod go.temporal.io/sdk v1.44.0 v1.51.0\n" +
		"pypi requirements.txt typescript 5.9.3 7.0.2\n")
	require.Equal(t, 1, code, out)
	require.NotContains(t, out, "held: ")
	require.Contains(t, out, "3 dependencies are behind")
}
