package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/examples/loan/restapi"
)

func TestRegistrationFollowsTheWindow(t *testing.T) {
	t.Parallel()
	down := errors.New("service down")
	outcomes := []error{nil, down, down, down, nil}
	windows := []time.Duration{60 * time.Second, 0, 0, 0, 4 * time.Second}
	var pauses []time.Duration
	r := &registration{
		create: func(_ context.Context, params restapi.WorkerCreateParams) (time.Duration, error) {
			require.Equal(t, "worker-1", params.Identity)
			outcome, window := outcomes[0], windows[0]
			outcomes, windows = outcomes[1:], windows[1:]
			return window, outcome
		},
		params: restapi.WorkerCreateParams{Identity: "worker-1"},
		logger: slog.New(slog.DiscardHandler),
		wait: func(_ context.Context, d time.Duration) error {
			pauses = append(pauses, d)
			if len(outcomes) == 0 {
				return context.Canceled
			}
			return nil
		},
	}
	require.NoError(t, r.once(t.Context()))
	r.keep(t.Context())
	require.Equal(t, []time.Duration{
		60 * time.Second, time.Second, 2500 * time.Millisecond, 6250 * time.Millisecond, 4 * time.Second,
	}, pauses)
}

func TestHostAddressFitsTheContract(t *testing.T) {
	t.Parallel()
	address := hostAddress()
	require.NotNil(t, net.ParseIP(address))
	require.GreaterOrEqual(t, len(address), 7)
	require.LessOrEqual(t, len(address), 40)
}
