package queuereport_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/queuereport"
)

func TestIsCurrent(t *testing.T) {
	t.Parallel()
	now, limits := time.Now(), domain.DefaultTaskQueueTimeouts()
	recent := now.Add(-limits.Observation)
	for name, c := range map[string]struct {
		seen    *domain.TaskQueueObservation
		current bool
	}{
		"not observed yet": {nil, false},
		"never observed":   {&domain.TaskQueueObservation{}, false},
		"recent":           {&domain.TaskQueueObservation{ObservedAt: recent}, true},
		"old":              {&domain.TaskQueueObservation{ObservedAt: recent.Add(-time.Second)}, false},
		"failed":           {&domain.TaskQueueObservation{ObservedAt: recent, FailedAt: now, Failure: "not available"}, false},
	} {
		require.Equal(t, c.current, queuereport.IsCurrent(c.seen, now, limits), name)
	}
}
