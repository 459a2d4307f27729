package storage_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

func openStore(t *testing.T, location string) *blobstore.Store {
	t.Helper()
	store, err := blobstore.Open(t.Context(), location)
	require.NoError(t, err)
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// placed is a database with documents in a directory.
type placed struct {
	reader *persistence.Reader
	dir    string
	blobs  *blobstore.Store
	keys   []blobstore.Key
}

func placeDocuments(t *testing.T, count int) placed {
	t.Helper()
	db := pgtest.New(t)
	p := placed{reader: db.Reader(), dir: t.TempDir()}
	p.blobs = openStore(t, "file://"+p.dir+"?fsync=off")
	for i := range count {
		id, text := uuid.New(), strings.Repeat("x", i)
		key := blobstore.Key{Tenant: uuid.New(), Document: id}
		stored, err := p.blobs.Put(t.Context(), key, strings.NewReader(text), 1<<20)
		require.NoError(t, err)
		require.NoError(t, db.Write(t.Context(), func(tx *persistence.Tx) error {
			tx.InsertDocument(&domain.Document{
				ID: id, TenantID: key.Tenant, OwnerKind: domain.DocumentOfProcess, OwnerID: id, BlobID: id, Name: "a.txt",
				ContentType: "text/plain", Size: stored.Size, SHA256: stored.SHA256, CreatedBy: id, CreatedAt: time.Now(),
			})
			return nil
		}))
		p.keys = append(p.keys, key)
	}
	return p
}

func TestRequireMarker(t *testing.T) {
	t.Parallel()
	fresh := placeDocuments(t, 0)
	for range 2 {
		require.NoError(t, storage.RequireMarker(t.Context(), fresh.reader, fresh.blobs))
	}
	require.FileExists(t, filepath.Join(fresh.dir, blobstore.MarkerName))

	used := placeDocuments(t, 3)
	require.ErrorContains(t, storage.RequireMarker(t.Context(), used.reader, used.blobs), "procession documents adopt")
	require.NoFileExists(t, filepath.Join(used.dir, blobstore.MarkerName))
	// The place of a volume that is not mounted.
	empty := openStore(t, "file://"+t.TempDir())
	n, err := storage.Adopt(t.Context(), used.reader, empty, false)
	require.ErrorContains(t, err, "3 of 3 documents are missing or differ")
	require.Equal(t, 3, n)
	require.Error(t, storage.RequireMarker(t.Context(), used.reader, empty))

	_, err = storage.Adopt(t.Context(), used.reader, used.blobs, false)
	require.NoError(t, err)
	require.NoError(t, storage.RequireMarker(t.Context(), used.reader, used.blobs))
	require.NoError(t, used.blobs.Ready(t.Context()))
	require.NoError(t, os.Remove(filepath.Join(used.dir, blobstore.MarkerName)))
	require.Error(t, used.blobs.Ready(t.Context()))
	_, err = storage.Adopt(t.Context(), used.reader, empty, true)
	require.NoError(t, err)
}

func TestCopy(t *testing.T) {
	t.Parallel()
	p := placeDocuments(t, 5)
	for name, location := range map[string]string{"directory": "file://" + t.TempDir() + "?fsync=off", "bucket": "mem://"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to := openStore(t, location)
			// An interrupted copy left other bytes.
			_, err := to.Put(t.Context(), p.keys[2], strings.NewReader("zz"), 10)
			require.NoError(t, err)
			done, err := storage.Copy(t.Context(), p.reader, p.blobs, to)
			require.NoError(t, err)
			require.Equal(t, storage.Copied{Copied: 5}, done)
			done, err = storage.Copy(t.Context(), p.reader, p.blobs, to)
			require.NoError(t, err)
			require.Equal(t, storage.Copied{Present: 5}, done)
			require.NoError(t, storage.RequireMarker(t.Context(), p.reader, to))

			lossy := openStore(t, "mem://")
			done, err = storage.Copy(t.Context(), p.reader, lossy, openStore(t, "mem://"))
			require.NoError(t, err)
			require.Equal(t, storage.Copied{Lost: 5}, done)
			// Back again.
			back := openStore(t, "file://"+t.TempDir())
			done, err = storage.Copy(t.Context(), p.reader, to, back)
			require.NoError(t, err)
			require.Equal(t, storage.Copied{Copied: 5}, done)
			marked, err := back.Marked()
			require.NoError(t, err)
			require.True(t, marked)
		})
	}
}
