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
	"github.com/procession-dev/procession/test/kit/apitest"
)

// lockProcesses locks all processes until the returned function is called.
func lockProcesses(s *apitest.Service) (release func()) {
	s.T.Helper()
	conn := s.Connect()
	_, err := conn.Exec(s.T.Context(), "BEGIN; SELECT 1 FROM processes FOR UPDATE")
	require.NoError(s.T, err)
	return func() { require.NoError(s.T, conn.Close(s.T.Context())) }
}

func TestStatementsThatTakeTooLongAreEnded(t *testing.T) {
	t.Parallel()
	s := apitest.NewServiceWithin(t, apitest.Bounds{Limits: persistence.Limits{RequestTime: 2 * time.Second}})
	p := s.Loan()
	release := lockProcesses(s)
	r := apitest.Request(t, demo.Alice(), http.MethodPost, apitest.ProcessPath(p.ID, "/~actions/complete"), "")
	got := s.Send(r)
	require.Equal(t, http.StatusServiceUnavailable, got.Status, got.Body)
	require.Contains(t, got.Body, domain.CodeUnavailable)
	require.Contains(t, got.Body, "take too long")
	require.NotEmpty(t, got.Header.Get("Retry-After"))
	require.EqualValues(t, "RUNNING", s.RetrieveProcess(p.ID).State, "a request that was ended changes nothing")
	release()
	s.Post(200, demo.Alice(), apitest.ProcessPath(p.ID, "/~actions/complete"), "")
}

func TestRequestFailsWithoutDatabaseConnection(t *testing.T) {
	t.Parallel()
	s := apitest.NewServiceWithin(t, apitest.Bounds{Limits: persistence.Limits{Requests: 2, RequestTime: 5 * time.Second}})
	p := s.Loan()
	s.RetrieveProcess(p.ID) // from here on the callers are known
	free := make(chan struct{})
	var busy sync.WaitGroup
	for range 2 {
		busy.Go(func() {
			_ = s.DB.Write(t.Context(), func(*persistence.Tx) error {
				<-free
				return nil
			})
		})
	}
	require.Eventually(t, func() bool { return s.DB.PoolState(persistence.PoolRequests).InUse == 2 }, time.Minute, time.Millisecond)
	got := s.Send(apitest.Request(t, demo.Alice(), http.MethodGet, apitest.ProcessPath(p.ID, ""), ""))
	require.Equal(t, http.StatusServiceUnavailable, got.Status, got.Body)
	require.Contains(t, got.Body, "busy")
	close(free)
	busy.Wait()
	s.RetrieveProcess(p.ID)
}
