package blobstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

// locations returns an empty store of every kind, by its URL.
func locations(t *testing.T) map[string]string {
	t.Helper()
	_, s3 := newFakeS3(t, false)
	return map[string]string{"directory": "file://" + t.TempDir(), "memory": "mem://", "s3": s3}
}

func openStore(t *testing.T, location string) *Store {
	t.Helper()
	store, err := Open(t.Context(), location)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

func newKey() Key {
	return Key{Tenant: uuid.New(), Document: uuid.Must(uuid.NewV7())}
}

// requireEmpty checks that the store is empty.
func requireEmpty(t *testing.T, store *Store) {
	t.Helper()
	page, err := store.List(t.Context(), "", 10, time.Now().Add(time.Hour))
	require.NoError(t, err)
	require.Equal(t, Page{}, page)
}

func put(t *testing.T, store *Store, key Key, content string) {
	t.Helper()
	_, err := store.Put(t.Context(), key, strings.NewReader(content), 1<<20)
	require.NoError(t, err)
}

func get(t *testing.T, store *Store, key Key, offset, length int64) string {
	t.Helper()
	r, err := store.NewReader(t.Context(), key, offset, length)
	require.NoError(t, err)
	content, err := io.ReadAll(r)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	return string(content)
}

func TestPutKeepsWhatCame(t *testing.T) {
	t.Parallel()
	for kind, location := range locations(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			store := openStore(t, location)
			for _, size := range []int{0, 1, copyBuffer, copyBuffer + 1, 7 << 20} {
				key, content := newKey(), bytes.Repeat([]byte("0123456789abcdef\n"), size/17+1)[:size]

				stored, err := store.Put(t.Context(), key, bytes.NewReader(content), int64(size))

				require.NoError(t, err)
				require.Equal(t, Stored{Size: int64(size), SHA256: sha256.Sum256(content)}, stored)
				require.True(t, bytes.Equal(content, []byte(get(t, store, key, 0, -1))), "too long to be printed")
				kept, err := store.Size(t.Context(), key)
				require.NoError(t, err)
				require.EqualValues(t, size, kept)
			}
			require.NoError(t, store.Ready(t.Context()))
		})
	}
}

func TestPutRefusesTheFirstByteTooMany(t *testing.T) {
	t.Parallel()
	for kind, location := range locations(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			store := openStore(t, location)
			for _, limit := range []int64{0, 10, copyBuffer - 1, copyBuffer, 9 << 20} {
				source := newPattern(1 << 30)

				_, err := store.Put(t.Context(), newKey(), source, limit)

				var domainErr *domain.Error
				require.ErrorAs(t, err, &domainErr)
				require.Equal(t, domain.KindTooLarge, domainErr.Kind)
				require.Equal(t, domain.CodeDocumentTooLarge, domainErr.Code)
				require.Equal(t, limit+1, source.read, "no more is read than it takes to know")
				requireEmpty(t, store)
			}
		})
	}
}

func TestPutKeepsNothingOfAFailedUpload(t *testing.T) {
	t.Parallel()
	failure := errors.New("the client is gone")
	for kind, location := range locations(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			store := openStore(t, location)
			for _, size := range []int64{0, 10, 11 << 20} {
				source := io.MultiReader(newPattern(size), failing{failure})

				_, err := store.Put(t.Context(), newKey(), source, 1<<30)

				require.ErrorIs(t, err, failure)
				requireEmpty(t, store)
			}
		})
	}
}

func TestPutKeepsNothingOfACancelledUpload(t *testing.T) {
	t.Parallel()
	for kind, location := range locations(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			store := openStore(t, location)
			for _, size := range []int64{0, 10, 11 << 20} {
				ctx, abandon := newAbandonedContext(t)

				_, err := store.Put(ctx, newKey(), &callAfter{n: size, call: abandon}, 1<<30)

				require.ErrorIs(t, err, context.Canceled)
				requireEmpty(t, store)
			}
		})
	}
}

func TestPutRefusesAnIncompleteKey(t *testing.T) {
	t.Parallel()
	store := openStore(t, "mem://")
	for _, key := range []Key{{}, {Tenant: uuid.New()}, {Document: uuid.New()}} {
		_, err := store.Put(t.Context(), key, strings.NewReader("x"), 1)
		require.Error(t, err)
	}
	_, err := store.Put(t.Context(), newKey(), strings.NewReader(""), -1)
	require.Error(t, err)
	requireEmpty(t, store)
}

func TestPutNeverOverwrites(t *testing.T) {
	t.Parallel()
	for kind, location := range locations(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			store := openStore(t, location)
			key := newKey()
			put(t, store, key, "first")

			_, err := store.Put(t.Context(), key, strings.NewReader("second"), 100)

			require.ErrorIs(t, err, fs.ErrExist)
			require.Equal(t, "first", get(t, store, key, 0, -1))
		})
	}
}

func TestOneOfManyPutsOfAKeyWins(t *testing.T) {
	t.Parallel()
	for kind, location := range locations(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			store := openStore(t, location)
			for range 20 {
				key := newKey()
				var winners []string
				var mu sync.Mutex
				var wait sync.WaitGroup
				for _, content := range []string{"a", "bb", "ccc", "dddd"} {
					wait.Go(func() {
						_, err := store.Put(t.Context(), key, strings.NewReader(content), 100)
						if err == nil {
							mu.Lock()
							defer mu.Unlock()
							winners = append(winners, content)
						} else if !errors.Is(err, fs.ErrExist) {
							t.Errorf("putting %s: %v", content, err)
						}
					})
				}
				wait.Wait()

				require.Len(t, winners, 1)
				require.Equal(t, winners[0], get(t, store, key, 0, -1))
			}
		})
	}
}

func TestManyUseAStoreAtOnce(t *testing.T) {
	t.Parallel()
	for kind, location := range locations(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			store := openStore(t, location)
			tenant := uuid.New()
			var wait sync.WaitGroup
			for range 8 {
				wait.Go(func() {
					for range 20 {
						key := Key{Tenant: tenant, Document: uuid.New()}
						_, err := store.Put(t.Context(), key, strings.NewReader(key.String()), 100)
						if err != nil {
							t.Errorf("putting: %v", err)
							return
						}
						r := store.ReadSeeker(t.Context(), key, int64(len(key.String())))
						content, err := io.ReadAll(r)
						if err != nil || string(content) != key.String() {
							t.Errorf("read %q, %v", content, err)
						}
						if err := errors.Join(r.Close(), store.Delete(t.Context(), key)); err != nil {
							t.Errorf("removing: %v", err)
						}
					}
				})
			}
			wait.Wait()
			requireEmpty(t, store)
		})
	}
}

func TestNewReaderReadsRanges(t *testing.T) {
	t.Parallel()
	for kind, location := range locations(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			store := openStore(t, location)
			key := newKey()
			put(t, store, key, "0123456789")

			require.Equal(t, "0123456789", get(t, store, key, 0, -1))
			require.Equal(t, "789", get(t, store, key, 7, -1))
			require.Equal(t, "34", get(t, store, key, 3, 2))
			require.Empty(t, get(t, store, key, 3, 0))
			_, err := store.NewReader(t.Context(), key, -1, 2)
			require.Error(t, err)
		})
	}
}

func TestAMissingBlobIsNotExist(t *testing.T) {
	t.Parallel()
	for kind, location := range locations(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			store := openStore(t, location)
			key := newKey()
			_, err := store.NewReader(t.Context(), key, 0, -1)
			require.ErrorIs(t, err, fs.ErrNotExist)
			_, err = store.Size(t.Context(), key)
			require.ErrorIs(t, err, fs.ErrNotExist)
			_, err = store.ReadSeeker(t.Context(), key, 5).Read(make([]byte, 5))
			require.ErrorIs(t, err, fs.ErrNotExist)
		})
	}
}

func TestDeleteCanBeRepeated(t *testing.T) {
	t.Parallel()
	for kind, location := range locations(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			store := openStore(t, location)
			key := newKey()
			put(t, store, key, "x")
			for range 2 {
				require.NoError(t, store.Delete(t.Context(), key))
				requireEmpty(t, store)
			}
			put(t, store, key, "again")
			require.Equal(t, "again", get(t, store, key, 0, -1))
		})
	}
}

func TestOpenRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, location := range []string{
		"", "documents", "ftp://host/x", "file://elsewhere/x", "file:relative", "file:///x?fsync=maybe", "file://" + t.TempDir() + "?sync=on",
		"file://" + file, "s3://", "s3://bucket?unknown=1", "mem://x", "mem://?x=1", "s3://user:secret@bucket", "s3://user:sec ret@bucket\x00",
	} {
		_, err := Open(t.Context(), location)
		require.Error(t, err, location)
		require.NotContains(t, err.Error(), "sec")
	}
}

// pattern delivers size bytes that are not all alike.
type pattern struct{ size, read int64 }

func newPattern(size int64) *pattern { return &pattern{size: size} }

func (p *pattern) Read(b []byte) (int, error) {
	if p.read == p.size {
		return 0, io.EOF
	}
	b = b[:min(int64(len(b)), p.size-p.read)]
	for i := range b {
		b[i] = byte(p.read >> 10)
		p.read++
	}
	return len(b), nil
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// callAfter never ends; it makes a call once n bytes were read.
type callAfter struct {
	n    int64
	call func()
}

func (c *callAfter) Read(p []byte) (int, error) {
	if c.n -= int64(len(p)); c.n <= 0 {
		c.call()
	}
	return len(p), nil
}

func newAbandonedContext(t *testing.T) (context.Context, func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	return ctx, cancel
}
