package server

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cmd/procession/config"
)

// lines contains the lines of a log. It is safe for concurrent use.
type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, string(p))
	return len(p), nil
}

// failures returns the messages with a level of WARN or more that contain the text.
func (l *lines) failures(text string) (found []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.all {
		var record struct{ Level, Msg string }
		if json.Unmarshal([]byte(line), &record) == nil && record.Level != "INFO" && record.Level != "DEBUG" && strings.Contains(line, text) {
			found = append(found, record.Msg)
		}
	}
	return found
}

// All requests of an outage of PostgreSQL are answered with 503 and Retry-After, and the log has a message for its beginning and one for
// its end.
func TestOutageOfTheDatabase(t *testing.T) {
	t.Parallel()
	d := newDetour(t)
	d.open(t)
	var logged lines
	s := wiredService(t, slog.New(slog.NewJSONHandler(&logged, nil)), 0, func(c *config.Config) { c.DatabaseURL = d.url })
	opened, err := s.OpenListeners(t.Context())
	require.NoError(t, err)
	s.config.DrainDelay = 0
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, opened) }()
	request := func() (int, http.Header) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.config.Listen+"/v2024-06-14/processes", nil)
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer unknown")
		answer, err := new(http.Client).Do(r)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		return answer.StatusCode, answer.Header
	}
	require.Eventually(t, func() bool { status, _ := request(); return status == http.StatusUnauthorized }, 10*time.Second, 10*time.Millisecond)

	d.close()
	begin, requests := time.Now(), 0
	require.Eventually(t, func() bool {
		requests++
		status, header := request()
		require.Equal(t, http.StatusServiceUnavailable, status)
		require.NotEmpty(t, header.Get("Retry-After"))
		return requests > 100 && time.Since(begin) > 4*time.Second
	}, 30*time.Second, 10*time.Millisecond)
	d.open(t)
	require.Eventually(t, func() bool { status, _ := request(); return status == http.StatusUnauthorized }, 10*time.Second, 10*time.Millisecond)
	require.Eventually(t, func() bool { return len(logged.failures("PostgreSQL is available again")) > 0 }, 10*time.Second, 10*time.Millisecond)
	stop()
	require.NoError(t, <-ended)

	var unexpected []string
	for _, message := range logged.failures("") {
		if message != "request" && message != "sign-in refused" && !strings.Contains(message, "Temporal") {
			unexpected = append(unexpected, message)
		}
	}
	require.Equal(t, []string{"PostgreSQL is unavailable", "PostgreSQL is available again"}, unexpected, "of an outage with %d requests", requests)
}
