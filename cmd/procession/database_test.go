package main

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
)

// interruptDatabase stops PostgreSQL amid writes, first in an orderly way, then at
// once, and starts it again. Each write is answered with 201 and kept, or with 503.
func (s *testStack) interruptDatabase() {
	s.t.Helper()
	const clients = 4
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	var created, failures atomic.Int64
	ids, unexpected := make([][]uuid.UUID, clients), make(chan string, clients)
	var writers sync.WaitGroup
	for i := range clients {
		writers.Go(func() {
			for ctx.Err() == nil {
				id := uuid.New()
				status, body := s.call(demo.Alice(), http.MethodPost, "/processes",
					map[string]any{"id": id, "processDefinitionId": demo.Onboarding()})
				switch status {
				case http.StatusCreated:
					ids[i] = append(ids[i], id)
					created.Add(1)
				case http.StatusServiceUnavailable:
					failures.Add(1)
				default:
					unexpected <- fmt.Sprint(status, body)
					return
				}
			}
		})
	}
	more := func(what string, of *atomic.Int64) {
		s.t.Helper()
		before := of.Load()
		s.await(what, func() bool { return of.Load() > before+10 || len(unexpected) > 0 })
	}
	dir := filepath.Dir(s.store.LogFile())
	atOnce, end := context.WithCancel(ctx)
	end()
	for _, stopping := range []context.Context{ctx, atOnce} {
		more("writes before the outage", &created)
		if err := s.store.Stop(stopping); stopping == ctx {
			require.NoError(s.t, err)
		}
		more("writes during the outage", &failures)
		require.Equal(s.t, http.StatusOK, s.get("http://"+s.config.ListenHealth+"/readyz"), "a short outage is tolerated")
		s.startStore(dir)
	}
	more("writes after the outage", &created)
	cancel()
	writers.Wait()
	close(unexpected)
	require.Empty(s.t, unexpected)
	for _, created := range ids {
		var stored int
		s.query("SELECT count(*) FROM processes WHERE id = ANY($1)", &stored, created)
		require.Len(s.t, created, stored)
	}
	s.await("the service to be ready again", func() bool {
		return s.get("http://"+s.config.ListenHealth+"/readyz") == http.StatusOK
	})
}
