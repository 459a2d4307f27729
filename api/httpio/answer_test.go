package httpio_test

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api/httpio"
)

// A slow client that keeps reading gets the whole answer, and so does one that
// waits for the service.
func TestGuard(t *testing.T) {
	t.Parallel()
	const stall = 500 * time.Millisecond
	content := bytes.Repeat([]byte("0123456789abcdef"), 1<<20)
	answer := func(w http.ResponseWriter, pause time.Duration) {
		_, err := w.Write(content[:1])
		if err == nil {
			err = http.NewResponseController(w).Flush()
		}
		<-time.After(pause)
		if err == nil {
			_, err = w.Write(content[1:])
		}
		if err != nil {
			panic(http.ErrAbortHandler)
		}
	}
	for name, test := range map[string]struct{ pause, pace time.Duration }{
		"slow service": {pause: 2 * stall},
		"slow client":  {pace: stall / 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(httpio.Guard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				answer(w, test.pause)
			}), httpio.Deadlines{Stall: stall}))
			t.Cleanup(server.Close)
			conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
			require.NoError(t, err)
			t.Cleanup(func() { _ = conn.Close() })
			_, err = io.WriteString(conn, "GET / HTTP/1.0\r\n\r\n")
			require.NoError(t, err)
			var got bytes.Buffer
			for err == nil {
				if test.pace > 0 {
					<-time.After(test.pace)
				}
				_, err = io.CopyN(&got, conn, int64(len(content)/20))
			}
			require.ErrorIs(t, err, io.EOF)
			_, body, _ := bytes.Cut(got.Bytes(), []byte("\r\n\r\n"))
			require.True(t, bytes.Equal(content, body), "%d of %d bytes", len(body), len(content))
		})
	}
}
