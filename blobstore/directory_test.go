package blobstore

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// childDirectory names the variable that makes the test binary an upload into
// that directory, which is killed.
const childDirectory = "DOCUMENT_TEST_DIRECTORY"

func TestMain(m *testing.M) {
	dir := os.Getenv(childDirectory)
	if dir == "" {
		os.Exit(m.Run())
	}
	store, err := Open(context.Background(), "file://"+dir)
	if err == nil {
		_, err = store.Put(context.Background(), newKey(), os.Stdin, 1<<30)
	}
	fmt.Fprintln(os.Stderr, "the upload ended:", err)
	os.Exit(1)
}

func TestAKilledUploadLeavesOnlyALeftover(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childDirectory+"="+dir)
	stderr := new(bytes.Buffer)
	child.Stderr = stderr
	input, err := child.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	// A pipe holds 64 KiB: once this is written the child has received nearly all of it.
	_, err = input.Write(make([]byte, 4<<20))
	require.NoError(t, err, stderr)
	require.NoError(t, child.Process.Kill())
	require.Error(t, child.Wait())
	require.Empty(t, stderr.String())

	store := openStore(t, "file://"+dir)
	page, err := store.List(t.Context(), "", 10, time.Now().Add(time.Hour))
	require.NoError(t, err)
	require.Empty(t, page.Blobs)
	require.Empty(t, page.Foreign)
	require.Len(t, page.Leftovers, 1)
	require.Greater(t, page.Leftovers[0].Size, int64(3<<20))

	young, err := store.List(t.Context(), "", 10, page.Leftovers[0].Modified)
	require.NoError(t, err)
	require.Empty(t, young.Leftovers, "one that is being written now is not for the sweeper")

	for range 2 {
		require.NoError(t, store.RemoveLeftover(t.Context(), page.Leftovers[0].Name))
		requireEmpty(t, store)
	}
}

func TestAnUploadIsListedAsALeftoverAndFailsWhenThatIsRemoved(t *testing.T) {
	t.Parallel()
	store := openStore(t, "file://"+t.TempDir())
	remove := func() {
		page, err := store.List(t.Context(), "", 10, time.Now().Add(time.Hour))
		require.NoError(t, err)
		require.Len(t, page.Leftovers, 1)
		require.NoError(t, store.RemoveLeftover(t.Context(), page.Leftovers[0].Name))
	}

	_, err := store.Put(t.Context(), newKey(), &endAfter{call: remove}, 1<<20)

	require.ErrorIs(t, err, fs.ErrNotExist)
	requireEmpty(t, store)
}

// endAfter delivers some bytes, makes a call and ends.
type endAfter struct {
	call func()
	done bool
}

func (e *endAfter) Read(p []byte) (int, error) {
	if e.done {
		e.call()
		return 0, io.EOF
	}
	e.done = true
	return len(p), nil
}

func TestRemoveLeftoverTakesNothingElse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store := openStore(t, "file://"+dir)
	key := newKey()
	put(t, store, key, "x")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "incoming", "notes"), nil, 0o600))
	for _, name := range []string{
		"", key.blobName(), "incoming", "incoming/notes", "incoming/../" + key.blobName(), "../x", "/etc/passwd",
		leftoverName("x"), leftoverName(uuid.NewString()) + "/", leftoverName(uuid.NewString())[len("incoming/"):],
	} {
		require.Error(t, store.RemoveLeftover(t.Context(), name), name)
	}
	require.Equal(t, "x", get(t, store, key, 0, -1))
	require.FileExists(t, filepath.Join(dir, "incoming", "notes"))
}

func TestTheDirectoryIsPrivateAndHasNoOtherFiles(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a")
	store := openStore(t, "file://"+dir)
	key := newKey()
	put(t, store, key, "x")

	var files []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := entry.Info()
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, path)
		if !entry.IsDir() {
			files = append(files, path)
		}
		return nil
	}))
	require.Equal(t, []string{filepath.Join(dir, filepath.FromSlash(key.blobName()))}, files)
}

func TestTheDirectoryIsFoundAgain(t *testing.T) {
	t.Parallel()
	for _, parameters := range []string{"", "?fsync=on", "?fsync=off"} {
		dir := t.TempDir()
		key := newKey()
		store, err := Open(t.Context(), "file://"+dir+parameters)
		require.NoError(t, err)
		put(t, store, key, "kept")
		require.NoError(t, store.Close())

		require.Equal(t, "kept", get(t, openStore(t, "file://"+dir), key, 0, -1))
	}
}

func TestADirectoryThatSomeoneClearedIsMadeAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store := openStore(t, "file://"+dir)
	key := newKey()
	put(t, store, key, "x")
	require.NoError(t, os.RemoveAll(filepath.Join(dir, key.Tenant.String())))
	put(t, store, key, "y")
	require.Equal(t, "y", get(t, store, key, 0, -1))
}

func TestASymbolicLinkLeadsNowhere(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	store := openStore(t, "file://"+dir)
	key := newKey()
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, key.Tenant.String())))

	_, err := store.Put(t.Context(), key, strings.NewReader("x"), 1)

	require.Error(t, err)
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestTheParentOfTheDirectoryIsNotCreated(t *testing.T) {
	t.Parallel()
	parent := filepath.Join(t.TempDir(), "volume")
	_, err := Open(t.Context(), "file://"+filepath.Join(parent, "documents"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoDirExists(t, parent)
}

func TestTheMarkerIsNoDocument(t *testing.T) {
	t.Parallel()
	store := openStore(t, "file://"+t.TempDir())
	marked, err := store.Marked()
	require.NoError(t, err)
	require.False(t, marked)
	for range 2 {
		require.NoError(t, store.Mark())
	}
	marked, err = store.Marked()
	require.NoError(t, err)
	require.True(t, marked)
	requireEmpty(t, store)
	free, known, err := store.FreeBytes()
	require.NoError(t, err)
	require.True(t, known)
	require.Positive(t, free)
}
