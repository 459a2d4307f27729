package cli_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Applying exported manifests changes no resource, neither in the same service nor in
// another one that has applied them before.
func TestExportCanBeApplied(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	before := w.allResources()
	for _, format := range []string{"yaml", "json"} {
		exported := w.succeeds("export", "-o", format)
		requireAll(t, "unchanged", 12, w.withInput(exported).succeeds("apply", "-f", "-"))

		dir := t.TempDir()
		o := w.runs("export", "-o", format, "-d", filepath.Join(dir, "made"))
		require.NoError(t, o.err)
		require.Empty(t, o.stdout)
		require.Equal(t, "12 documents written to "+filepath.Join(dir, "made")+"\n", o.stderr)
		require.FileExists(t, filepath.Join(dir, "made", "north", "Group", "REVIEWERS."+format))
		requireAll(t, "unchanged", 12, w.succeeds("apply", "-f", dir))
		require.Equal(t, before, w.allResources())

		// Again, over the existing files.
		stale := filepath.Join(dir, "made", "north", "Group", "GONE."+format)
		require.NoError(t, os.WriteFile(stale, nil, 0o600))
		last := filepath.Join(dir, "made", "north", "DataSource", "LAST."+format)
		require.NoError(t, os.MkdirAll(filepath.Dir(last), 0o750))
		require.NoError(t, os.WriteFile(last, nil, 0o600))
		again := w.runs("export", "-o", format, "-d", filepath.Join(dir, "made"))
		require.NoError(t, again.err)
		require.Contains(t, again.stderr, "\nnot exported, but in the folder from before: north/DataSource/LAST."+format+", north/Group/GONE."+format+"\n")
		require.NoError(t, os.Remove(stale))
		require.NoError(t, os.Remove(last))
		other := newTerminal(t)
		requireAll(t, "created", 12, other.succeeds("apply", "-f", dir))
		require.Equal(t, exported, other.succeeds("export", "--tenant", "north", "-o", format))
	}
}

func requireAll(t *testing.T, action string, n int, printed string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(printed), "\n")
	require.Len(t, lines, n, printed)
	for _, line := range lines {
		require.True(t, strings.HasSuffix(line, " "+action), line)
	}
}

func TestExportOfSome(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	dir := t.TempDir()
	w.as(w.operator).succeeds("export", "users", "-d", dir)
	var files []string
	require.NoError(t, fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if !entry.IsDir() {
			files = append(files, path)
		}
		return err
	}))
	require.Equal(t, []string{
		"home/User/administrator.yaml", "north/User/administrator.yaml", "north/User/member.yaml", "north/User/owner.yaml",
	}, files)
	o := w.runs("export", "-l", "no=label")
	require.NoError(t, o.err)
	require.Empty(t, o.stdout)
	require.Equal(t, "no resources\n", o.stderr)
}
