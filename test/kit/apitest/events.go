package apitest

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
)

// Patience is the longest wait of a test.
const Patience = 30 * time.Second

// Replica serves the API on a port, as one replica.
func (s *Service) Replica() *httptest.Server {
	s.T.Helper()
	server := httptest.NewServer(s.Handler)
	s.T.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server
}

// Message is an event of a stream. One without data only carries the cursor.
type Message struct {
	ID, Event, Data string
}

// Follower reads a stream.
type Follower struct {
	T        *testing.T
	Header   http.Header
	Messages chan Message
	Cancel   context.CancelFunc
}

// Follow opens a stream, from behind the id unless it is empty.
func Follow(t *testing.T, server *httptest.Server, as demo.Account, lastID, query string) *Follower {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+ShapeB+"/events"+query, http.NoBody)
	require.NoError(t, err)
	r.Header.Set("Authorization", Authorization(as))
	r.Header.Set("Accept-Encoding", "gzip")
	if lastID != "" {
		r.Header.Set("Last-Event-ID", lastID)
	}
	resp, err := (&http.Transport{}).RoundTrip(r) //nolint:bodyclose // the reader closes it
	require.NoError(t, err)
	if resp.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(resp.Body)
		require.FailNow(t, "no stream", "%d: %s", resp.StatusCode, body)
	}
	f := &Follower{T: t, Header: resp.Header, Messages: make(chan Message, 10_000), Cancel: cancel}
	go func() {
		defer close(f.Messages)
		defer func() { _ = resp.Body.Close() }()
		f.Read(resp.Body)
	}()
	t.Cleanup(cancel)
	return f
}

// Read reads messages until the stream ends. One that is cut off does not count.
func (f *Follower) Read(body io.Reader) {
	lines := bufio.NewScanner(body)
	var m Message
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "":
			if m != (Message{}) {
				f.Messages <- m
			}
			m = Message{}
		case "id":
			m.ID = value
		case "event":
			m.Event = value
		case "data":
			m.Data = value
		}
	}
}

// Next returns the next message, and whether there is one.
func (f *Follower) Next() (Message, bool) {
	f.T.Helper()
	select {
	case m, ok := <-f.Messages:
		return m, ok
	case <-time.After(Patience):
		require.FailNow(f.T, "nothing happens")
		return Message{}, false
	}
}
