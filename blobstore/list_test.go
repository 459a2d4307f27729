package blobstore

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// listAll reads every page and returns all of them as one.
func listAll(t *testing.T, store *Store, limit int, before time.Time) Page {
	t.Helper()
	var all Page
	for cursor, more := "", true; more; cursor, more = all.Next, all.Next != "" {
		page, err := store.List(t.Context(), cursor, limit, before)
		require.NoError(t, err)
		require.LessOrEqual(t, len(page.Blobs)+len(page.Leftovers)+len(page.Foreign), limit)
		all.Blobs = append(all.Blobs, page.Blobs...)
		all.Leftovers = append(all.Leftovers, page.Leftovers...)
		all.Foreign = append(all.Foreign, page.Foreign...)
		all.Next = page.Next
	}
	return all
}

func TestListFindsEveryBlobOnce(t *testing.T) {
	t.Parallel()
	for kind, location := range locations(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			store := openStore(t, location)
			var expected, found []string
			for range 3 {
				tenant := uuid.New()
				for n := range 15 {
					key := Key{Tenant: tenant, Document: uuid.Must(uuid.NewV7())}
					put(t, store, key, strings.Repeat("x", n))
					expected = append(expected, fmt.Sprint(key, n))
				}
			}
			for _, limit := range []int{1, 2, 7, 44, 45, 46, 1000} {
				page := listAll(t, store, limit, time.Now().Add(time.Hour))
				require.Empty(t, page.Leftovers)
				require.Empty(t, page.Foreign)
				found = nil
				for _, blob := range page.Blobs {
					require.WithinDuration(t, time.Now(), blob.Modified, time.Minute)
					found = append(found, fmt.Sprint(blob.Key, blob.Size))
				}
				slices.Sort(expected)
				slices.Sort(found)
				require.Equal(t, expected, found)
			}
			require.Equal(t, Page{}, listAll(t, store, 10, time.Now().Add(-time.Hour)), "all of it is too young")
		})
	}
}

func TestListGoesOnWhileBlobsAreRemoved(t *testing.T) {
	t.Parallel()
	for kind, location := range locations(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			store := openStore(t, location)
			const blobs = 50
			for range blobs {
				put(t, store, newKey(), "x")
			}
			seen := 0
			for cursor, more := "", true; more; more = cursor != "" {
				page, err := store.List(t.Context(), cursor, 7, time.Now().Add(time.Hour))
				require.NoError(t, err)
				for _, blob := range page.Blobs {
					require.NoError(t, store.Delete(t.Context(), blob.Key))
					seen++
				}
				cursor = page.Next
			}
			require.Equal(t, blobs, seen)
			requireEmpty(t, store)
		})
	}
}

func TestListReportsWhatIsForeignAndLeavesIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store := openStore(t, "file://"+dir)
	key := newKey()
	put(t, store, key, "x")
	tenant, shard := key.Tenant.String(), key.blobName()[37:39]
	other := uuid.New().String()
	foreign := []string{
		"README", "lost+found", "incoming/notes", "incoming/" + other, tenant + "/" + other, tenant + "/zz",
		tenant + "/" + shard + "/" + key.Document.String() + ".attrs", tenant + "/" + shard + "/" + strings.ToUpper(key.Document.String()),
		strings.ToUpper(tenant), "bad-\xff-name", "bad-\xff-dir", key.Tenant.URN(), "zz\nnewline",
	}
	for _, name := range foreign {
		path := filepath.Join(dir, name)
		if strings.Contains(name, "lost") || strings.Contains(name, "dir") || strings.HasSuffix(name, "zz") {
			require.NoError(t, os.MkdirAll(filepath.Join(path, "inside"), 0o700))
			continue
		}
		require.NoError(t, os.WriteFile(path, nil, 0o600))
	}
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(dir, tenant, shard, uuid.Nil.String())))
	foreign = append(foreign, tenant+"/"+shard+"/"+uuid.Nil.String())
	slices.Sort(foreign)

	for _, limit := range []int{1, 2, 3, 100} {
		page := listAll(t, store, limit, time.Now().Add(time.Hour))
		require.Len(t, page.Blobs, 1)
		require.Equal(t, key, page.Blobs[0].Key)
		require.Empty(t, page.Leftovers)
		slices.Sort(page.Foreign)
		require.Equal(t, foreign, page.Foreign)
	}
}

func TestListRefusesABadCursor(t *testing.T) {
	t.Parallel()
	store := openStore(t, "mem://")
	_, err := store.List(t.Context(), "***", 10, time.Now())
	require.Error(t, err)
	_, err = store.List(t.Context(), "", 0, time.Now())
	require.Error(t, err)
}

func TestKeysAndNamesBelongTogether(t *testing.T) {
	t.Parallel()
	for range 1000 {
		key := newKey()
		parsed, ok := parseKey(key.blobName())
		require.True(t, ok)
		require.Equal(t, key, parsed)
		require.True(t, filepath.IsLocal(key.blobName()))
		require.True(t, isLeftover(leftoverName(key.Document.String())))
		require.False(t, isLeftover(key.blobName()))
	}
}
