package blobstore

import (
	"crypto/sha256"
	"flag"
	"io"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// 1 GiB: go test ./blobstore -run Memory -v -args -document-size=1073741824.
var documentSize = flag.Int64("document-size", 64<<20, "bytes of the document that the memory tests move")

// heap is a writer that watches the heap while data goes through it.
type heap struct{ passed, checked, start, peak uint64 }

func newHeap() *heap {
	runtime.GC()
	h := new(heap)
	h.start = h.inUse()
	return h
}

func (h *heap) inUse() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	h.peak = max(h.peak, stats.HeapInuse)
	return stats.HeapInuse
}

func (h *heap) Write(p []byte) (int, error) {
	if h.passed += uint64(len(p)); h.passed-h.checked >= 1<<20 {
		h.checked = h.passed
		h.inUse()
	}
	return len(p), nil
}

// growth returns the most that was in use beyond the start, in bytes.
func (h *heap) growth() int64 {
	return int64(h.peak) - int64(h.start)
}

// These tests do not run in parallel: they measure the memory of the process.
//
//nolint:paralleltest // see above
func TestMemoryDoesNotGrowWithTheDocument(t *testing.T) {
	t.Run("directory", func(t *testing.T) {
		moveLargeDocument(t, openStore(t, "file://"+t.TempDir()), 32<<20, true)
	})
	t.Run("s3", func(t *testing.T) {
		_, location := newFakeS3(t, true)
		moveLargeDocument(t, openStore(t, location), 48<<20, false)
	})
}

// moveLargeDocument stores a document and reads it back, if the store really
// keeps it, and shows that both take no more memory than allowed, garbage and, for
// S3, the other end of the connection included.
func moveLargeDocument(t *testing.T, store *Store, allowed int64, readBack bool) {
	t.Helper()
	key, expected := newKey(), sha256.New()
	watch := newHeap()

	source := io.TeeReader(newPattern(*documentSize), io.MultiWriter(expected, watch))
	stored, err := store.Put(t.Context(), key, source, *documentSize)

	require.NoError(t, err)
	require.Equal(t, *documentSize, stored.Size)
	require.Equal(t, expected.Sum(nil), stored.SHA256[:])
	t.Logf("storing %d MiB: the heap grew by %d KiB", *documentSize>>20, watch.growth()>>10)
	require.Less(t, watch.growth(), allowed)
	if !readBack {
		return
	}

	r := store.ReadSeeker(t.Context(), key, stored.Size)
	actual, watch := sha256.New(), newHeap()
	_, err = io.Copy(io.MultiWriter(actual, watch), r)

	require.NoError(t, err)
	require.NoError(t, r.Close())
	require.Equal(t, stored.SHA256[:], actual.Sum(nil))
	t.Logf("reading %d MiB: the heap grew by %d KiB", *documentSize>>20, watch.growth()>>10)
	require.Less(t, watch.growth(), allowed)
}

// BenchmarkPut stores documents of 64 KiB in a directory, flushed and not.
func BenchmarkPut(b *testing.B) {
	for _, fsync := range []string{"on", "off"} {
		b.Run("fsync="+fsync, func(b *testing.B) {
			store, err := Open(b.Context(), "file://"+b.TempDir()+"?fsync="+fsync)
			require.NoError(b, err)
			for b.Loop() {
				_, err := store.Put(b.Context(), newKey(), newPattern(64<<10), 64<<10)
				require.NoError(b, err)
			}
			require.NoError(b, store.Close())
		})
	}
}
