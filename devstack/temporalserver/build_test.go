package temporalserver_test

import (
	"bytes"
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/temporalserver"
)

// tinyServer replaces the sources of Temporal, which take minutes to build.
const tinyServer = `package main

import (
	"fmt"
	"os"
	"strings"
	"time"
)

func main() {
	switch {
	case strings.Contains(strings.Join(os.Args, " "), "--store broken"):
		fmt.Fprintln(os.Stderr, "the store is broken")
		os.Exit(3)
	case strings.Contains(strings.Join(os.Args, " "), "--store silent"):
		<-time.After(time.Hour)
	}
	fmt.Println(strings.Join(os.Args[1:], " "))
	fmt.Println("url " + os.Getenv("PROCESSION_TEMPORAL_DATABASE_URL"))
	fmt.Println("temporal-server ready address=127.0.0.1:4711")
	<-time.After(time.Hour)
}
`

// writeSource creates a module that builds in seconds, and is new to Go's own
// build cache.
func writeSource(t *testing.T, program string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.test/tiny\n\ngo 1.26.0\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(program+"\n// "+rand.Text()+"\n"), 0o600))
	return dir
}

// lines is a writer that may be read while it is written to.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func TestBuildReusesAnUnchangedBinary(t *testing.T) {
	t.Parallel()
	source, cache := writeSource(t, tinyServer), t.TempDir()
	build := func() (string, string) {
		var progress lines
		binary, err := temporalserver.Build(t.Context(), temporalserver.BuildOptions{
			Source: source, CacheDir: cache, Progress: &progress, ProgressEvery: time.Millisecond,
		})
		require.NoError(t, err)
		return binary, progress.String()
	}

	first, progress := build()
	require.Contains(t, progress, "the first build takes 5 to 8 minutes")
	require.Regexp(t, `temporal-server: \d+s, 0 modules downloaded, \d+ packages compiled\n`, progress)
	require.Regexp(t, `temporal-server: built; \d+s, 0 modules downloaded, [1-9]\d* packages compiled\n$`, progress)

	require.NoError(t, os.WriteFile(filepath.Join(source, "main_test.go"), []byte("package main\n"), 0o600))
	again, progress := build()
	require.Equal(t, first, again)
	require.Empty(t, progress)

	require.NoError(t, os.WriteFile(filepath.Join(source, "main.go"), []byte(tinyServer+"\n// changed\n"), 0o600))
	changed, _ := build()
	require.NotEqual(t, first, changed)
}

func TestBuildHappensOnceForAllWhoWait(t *testing.T) {
	t.Parallel()
	source, cache := writeSource(t, tinyServer), t.TempDir()
	var (
		wg       sync.WaitGroup
		progress lines
		errs     = make([]error, 4)
		binaries = make([]string, 4)
	)
	for i := range binaries {
		wg.Go(func() {
			binaries[i], errs[i] = temporalserver.Build(t.Context(), temporalserver.BuildOptions{
				Source: source, CacheDir: cache, Progress: &progress,
			})
		})
	}
	wg.Wait()
	for i := range binaries {
		require.NoError(t, errs[i])
		require.Equal(t, binaries[0], binaries[i])
	}
	require.Equal(t, 1, strings.Count(progress.String(), "temporal-server: built;"))
}

func TestBuildKeepsFewOldBinaries(t *testing.T) {
	t.Parallel()
	source, cache := writeSource(t, "package main\n\nfunc main() {}\n"), t.TempDir()
	for i := range 6 {
		text := "package main\n\nfunc main() { println(" + strings.Repeat("1", i+1) + ") }\n"
		require.NoError(t, os.WriteFile(filepath.Join(source, "main.go"), []byte(text), 0o600))
		binary, err := temporalserver.Build(t.Context(), temporalserver.BuildOptions{Source: source, CacheDir: cache})
		require.NoError(t, err)
		require.FileExists(t, binary)
	}
	kept, err := filepath.Glob(filepath.Join(cache, "*", "temporal-server"))
	require.NoError(t, err)
	require.Len(t, kept, 4)
}

func TestBuildShowsWhatTheCompilerSaid(t *testing.T) {
	t.Parallel()
	source := writeSource(t, "package main\n\nfunc main() { missing() }\n")
	_, err := temporalserver.Build(t.Context(), temporalserver.BuildOptions{Source: source, CacheDir: t.TempDir()})
	require.ErrorContains(t, err, "undefined: missing")
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
}

func TestFindSourceLooksUpwards(t *testing.T) {
	t.Parallel()
	source, err := temporalserver.FindSource()
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(source, "go.mod"))
	require.Equal(t, "temporal-server", filepath.Base(source))
}
