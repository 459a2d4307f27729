package main

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/localstack/demo"
)

func TestSigtermFailsNoRequest(t *testing.T) {
	t.Parallel()
	const clients = 8
	s := newStack(t, false)
	var answered atomic.Int64
	enough := make(chan struct{})
	unexpected := make(chan string, clients)
	var group sync.WaitGroup
	for range clients {
		group.Go(func() {
			for {
				status, body := s.call(demo.Alice(), http.MethodPost, "/processes",
					map[string]any{"id": uuid.New(), "processDefinitionId": demo.Onboarding()})
				switch status {
				case http.StatusCreated:
					if answered.Add(1) == 200 {
						close(enough)
					}
				case 0:
					// Refused once the listener is closed: nothing was accepted.
					return
				default:
					unexpected <- fmt.Sprint(status, body)
					return
				}
			}
		})
	}
	<-enough
	s.stopProcess(s.service, syscall.SIGTERM)
	group.Wait()
	close(unexpected)
	require.Empty(t, unexpected)
	var stored int64
	s.query("SELECT count(*) FROM processes", &stored)
	require.Equal(t, answered.Load(), stored, "what was stored was answered, and the other way round")
	s.startService()
}
