package main

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/procession-dev/procession/sdk"
	"github.com/procession-dev/procession/sdk/processiontest"
)

// journal is a system that remembers, refuses one thing for good, and fails the first time.
type journal struct {
	mu      sync.Mutex
	entries []string
	failing string
	failed  bool
}

func (j *journal) Book(_ context.Context, _ uuid.UUID, what string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if what == j.failing {
		return temporal.NewNonRetryableApplicationError("sold out", "SoldOut", nil)
	}
	if !j.failed {
		j.failed = true
		return errors.New("out of order")
	}
	j.entries = append(j.entries, what)
	return nil
}

func (j *journal) GiveBack(_ context.Context, _ uuid.UUID, what string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = append(j.entries, "no "+what)
	return nil
}

func TestTripIsBookedAsAWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	all := []string{"flight", "room", "car"}
	undone := []string{"flight", "room", "car", "no car", "no room", "no flight"}
	for name, test := range map[string]struct {
		failing string
		confirm func(*processiontest.Task)
		entries []string
		failure string
	}{
		"confirmed": {confirm: func(task *processiontest.Task) { task.Complete(map[string]bool{"ACCEPTED": true}) }, entries: all},
		"refused":   {confirm: func(task *processiontest.Task) { task.Complete(nil) }, entries: undone, failure: "not confirmed"},
		"cancelled": {
			confirm: func(task *processiontest.Task) { task.After(7*24*time.Hour, task.CancelProcess) },
			entries: undone, failure: "canceled",
		},
		"no room": {failing: "room", entries: []string{"flight", "no room", "no flight"}, failure: "sold out"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			system := &journal{failing: test.failing}
			s := processiontest.New(t, processiontest.Options{
				Register: func(w *procession.Worker) error { return registerWorkflow(w, system) }, Workflow: "TripWorkflow",
			})
			s.When("CONFIRM", test.confirm)
			_, err := s.Run()
			if test.failure == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, test.failure)
			}
			require.Equal(t, test.entries, system.entries)
		})
	}
}
