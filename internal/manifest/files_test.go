package manifest_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/internal/manifest"
)

func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return root
}

func TestReadFilesFoldersAndStandardInput(t *testing.T) {
	t.Parallel()
	root := writeFiles(t, map[string]string{
		"b.yaml": "n: 2\n---\nn: 3\n", "a.yml": "n: 1\n", "c/d.json": `{"n": 4}`, "e.txt": "n: [", ".f.yaml": "n: [", ".g/h.yaml": "n: [",
		"c/.keep": "", "z.YAML": "n: [",
	})
	sources, err := manifest.Read([]string{root, "-", filepath.Join(root, "a.yml")}, strings.NewReader("n: 5\n"))
	require.NoError(t, err)
	require.Equal(t, []string{`{"n":1}`, `{"n":2}`, `{"n":3}`, `{"n":4}`, `{"n":5}`, `{"n":1}`}, jsonTexts(sources))
	require.Equal(t, filepath.Join(root, "c", "d.json"), sources[3].File)
	require.Equal(t, "-", sources[4].File)
	require.Equal(t, "-:1: n", manifest.Explain(sources, "/documents/4/n"))
}

func TestReadReportsAllErrors(t *testing.T) {
	t.Parallel()
	root := writeFiles(t, map[string]string{"a.yaml": "a: [\n", "b.yaml": "b: 1\nb: 2\n", "c.yaml": "c: 1\n"})
	empty := t.TempDir()
	sources, err := manifest.Read([]string{root, filepath.Join(root, "missing.yaml"), empty, "-"}, failingReader{})
	require.Nil(t, sources)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorIs(t, err, errFailing)
	require.Equal(t, []string{
		filepath.Join(root, "a.yaml") + ":1:5: is not YAML: a value, or the end of a [ or {, is missing", "    1 | a: [", "            ^",
		filepath.Join(root, "b.yaml") + ":2:1: b is given twice", "    2 | b: 2", "        ^",
		filepath.Join(root, "missing.yaml") + ": no such file or directory",
		empty + ": contains no document",
		"-: reading: broken",
	}, strings.Split(err.Error(), "\n"))
}

var errFailing = errors.New("reading: broken")

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errFailing }

func TestReadBoundsFiles(t *testing.T) {
	t.Parallel()
	_, err := manifest.Read([]string{"-"}, strings.NewReader(strings.Repeat("#", 16<<20+1)))
	require.ErrorContains(t, err, "-: has more than 16777216 bytes")
}
