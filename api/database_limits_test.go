package api_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// lockProcesses locks all processes until the returned function is called.
func (s *service) lockProcesses() (release func()) {
	s.t.Helper()
	conn := s.connect()
	_, err := conn.Exec(s.t.Context(), "BEGIN; SELECT 1 FROM processes FOR UPDATE")
	require.NoError(s.t, err)
	return func() { require.NoError(s.t, conn.Close(s.t.Context())) }
}

func TestStatementsThatTakeTooLongAreEnded(t *testing.T) {
	t.Parallel()
	s := newServiceWithin(t, bounds{Limits: persistence.Limits{RequestTime: 300 * time.Millisecond}})
	p := s.loan()
	release := s.lockProcesses()
	r := request(t, demo.Alice(), http.MethodPost, processPath(p.ID, "/~actions/complete"), "")
	got := s.send(r)
	require.Equal(t, http.StatusServiceUnavailable, got.status, got.body)
	require.Contains(t, got.body, domain.CodeUnavailable)
	require.Contains(t, got.body, "take too long")
	require.NotEmpty(t, got.header.Get("Retry-After"))
	require.EqualValues(t, "RUNNING", s.retrieveProcess(p.ID).State, "a request that was ended changes nothing")
	release()
	s.post(200, demo.Alice(), processPath(p.ID, "/~actions/complete"), "")
}

func TestRequestFailsWithoutDatabaseConnection(t *testing.T) {
	t.Parallel()
	s := newServiceWithin(t, bounds{Limits: persistence.Limits{Requests: 2, RequestTime: 2 * time.Second}})
	p := s.loan()
	s.retrieveProcess(p.ID) // from here on the callers are known
	free := make(chan struct{})
	var busy sync.WaitGroup
	for range 2 {
		busy.Go(func() {
			_ = s.db.Write(t.Context(), func(*persistence.Tx) error {
				<-free
				return nil
			})
		})
	}
	require.Eventually(t, func() bool { return s.db.PoolState(persistence.PoolRequests).InUse == 2 }, time.Minute, time.Millisecond)
	got := s.send(request(t, demo.Alice(), http.MethodGet, processPath(p.ID, ""), ""))
	require.Equal(t, http.StatusServiceUnavailable, got.status, got.body)
	require.Contains(t, got.body, "busy")
	close(free)
	busy.Wait()
	s.retrieveProcess(p.ID)
}
