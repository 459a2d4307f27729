package app

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// A request that ends while an expression is evaluated is no fault of the expression.
func TestRecordFaultOfARequestThatEnded(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a := newUserAction(&domain.UserAction{Availability: `${ .process.state == "RUNNING" }`})
	p := &persistence.ActionableProcess{Process: domain.Process{}}
	_, fault := a.isAvailable(ctx, p.Model(time.Now()))
	require.ErrorIs(t, fault, context.Canceled)
	require.ErrorIs(t, (&Service{}).recordFault(ctx, &availabilityFault{a, p, fault}), context.Canceled)
}
