package blobstore

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestReadSeekerReadsLikeAFile(t *testing.T) {
	t.Parallel()
	for kind, location := range locations(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			store := openStore(t, location)
			key, content := newKey(), strings.Repeat("0123456789", 20)
			put(t, store, key, content)
			r := store.ReadSeeker(t.Context(), key, int64(len(content)))

			require.NoError(t, iotest.TestReader(r, []byte(content)))

			for _, whence := range []int{-1, 3} {
				_, err := r.Seek(0, whence)
				require.Error(t, err)
			}
			_, err := r.Seek(-1, io.SeekStart)
			require.Error(t, err)
			require.NoError(t, r.Close())
			require.NoError(t, r.Close())
			_, err = r.Read(make([]byte, 1))
			require.Error(t, err)
		})
	}
}

func TestReadSeekerServesRanges(t *testing.T) {
	t.Parallel()
	for kind, location := range locations(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			store := openStore(t, location)
			key := newKey()
			put(t, store, key, "0123456789")
			serve := func(ranges string) (int, string) {
				r := store.ReadSeeker(t.Context(), key, 10)
				defer func() { require.NoError(t, r.Close()) }()
				request := httptest.NewRequest(http.MethodGet, "/", nil)
				if ranges != "" {
					request.Header.Set("Range", ranges)
				}
				w := httptest.NewRecorder()
				w.Header().Set("Content-Type", "text/plain")
				http.ServeContent(w, request, "", time.Time{}, r)
				return w.Code, w.Body.String()
			}

			code, body := serve("")
			require.Equal(t, 200, code)
			require.Equal(t, "0123456789", body)
			code, body = serve("bytes=2-4")
			require.Equal(t, 206, code)
			require.Equal(t, "234", body)
			code, body = serve("bytes=-3")
			require.Equal(t, 206, code)
			require.Equal(t, "789", body)
			code, body = serve("bytes=0-1,8-9")
			require.Equal(t, 206, code)
			require.Contains(t, body, "\r\n01\r\n")
			require.Contains(t, body, "\r\n89\r\n")
			code, _ = serve("bytes=10-")
			require.Equal(t, 416, code)
		})
	}
}

func TestReadSeekerReportsABlobThatIsTooShort(t *testing.T) {
	t.Parallel()
	for kind, location := range locations(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			store := openStore(t, location)
			key := newKey()
			put(t, store, key, "short")
			r := store.ReadSeeker(t.Context(), key, 6)

			content, err := io.ReadAll(r)

			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			require.Equal(t, "short", string(content))
			require.NoError(t, r.Close())
		})
	}
}

func TestReadSeekerOpensNothingBeforeItReads(t *testing.T) {
	t.Parallel()
	store := openStore(t, "mem://")
	r := store.ReadSeeker(t.Context(), newKey(), 5)

	end, err := r.Seek(0, io.SeekEnd)
	require.NoError(t, err)
	require.EqualValues(t, 5, end)
	_, err = r.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
	_, err = r.Seek(0, io.SeekStart)
	require.NoError(t, err)
	require.NoError(t, r.Close())
}
