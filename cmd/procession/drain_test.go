package main

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
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
					// Refused after the listener is closed: the request was not accepted.
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

func TestReadyzSaysNoWhileDraining(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	s.stopService()
	s.config.DrainDelay = 2 * time.Second
	s.startService()
	require.NoError(t, s.service.Signal(syscall.SIGTERM))
	s.await("/readyz to say no", func() bool {
		return s.get("http://"+s.config.ListenHealth+"/readyz") == http.StatusServiceUnavailable
	})
	status, _ := s.call(demo.Alice(), http.MethodGet, "/processes", nil)
	require.Equal(t, http.StatusOK, status, "requests are still answered")
	s.stopService()
	s.startService()
}
