package main

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// eventStream is the live feed as Alice follows it.
type eventStream struct {
	lines chan string
	last  string
}

// follow opens the feed behind the last event that was seen.
func (s *testStack) follow(last string) *eventStream {
	s.t.Helper()
	request, err := http.NewRequestWithContext(context.WithoutCancel(s.t.Context()), http.MethodGet, s.url()+"/v2024-06-14/events", http.NoBody)
	require.NoError(s.t, err)
	request.Header.Set("Authorization", "Bearer "+demo.Alice().Secret)
	request.Header.Set("Last-Event-ID", last)
	// The client of the stack has a timeout.
	answer, err := http.DefaultTransport.RoundTrip(request) //nolint:bodyclose // the reader closes it
	require.NoError(s.t, err)
	require.Equal(s.t, http.StatusOK, answer.StatusCode)
	e := &eventStream{lines: make(chan string, 1000), last: last}
	go func() {
		defer close(e.lines)
		defer func() { _ = answer.Body.Close() }()
		for scanner := bufio.NewScanner(answer.Body); scanner.Scan(); {
			e.lines <- scanner.Text()
		}
	}()
	return e
}

// next returns the data of the next event, empty when the stream has ended.
func (e *eventStream) next(t *testing.T) string {
	t.Helper()
	late := time.After(30 * time.Second)
	for {
		select {
		case line, ok := <-e.lines:
			if id, found := strings.CutPrefix(line, "id: "); found {
				e.last = id
			}
			if data, found := strings.CutPrefix(line, "data: "); found || !ok {
				return data
			}
		case <-late:
			require.FailNow(t, "nothing happens")
		}
	}
}

// The feed ends with the service and goes on with the next, whichever way the
// service ended; so it does where the service does not own its database.
func TestTheFeedGoesOnAfterTheService(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	start := func() uuid.UUID {
		id := uuid.New()
		status, body := s.call(demo.Alice(), http.MethodPost, "/processes",
			map[string]any{"id": id, "processDefinitionId": demo.Onboarding()})
		require.Equal(t, http.StatusCreated, status, body)
		return id
	}
	stream := s.follow("")
	require.NotEmpty(t, <-stream.lines)
	process := start()
	for _, end := range []func(){
		s.stopService, s.killService, s.stopService,
	} {
		require.Contains(t, stream.next(t), process.String())
		require.Contains(t, stream.next(t), process.String())
		end()
		require.Empty(t, stream.next(t))
		s.config.DatabaseURL, s.config.Migrate = pgtest.AsService(t, s.config.DatabaseURL), config.MigrateCheck
		s.startService()
		process = start()
		stream = s.follow(stream.last)
	}
}
