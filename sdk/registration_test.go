package procession

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRegistrationFollowsTheWindow(t *testing.T) {
	t.Parallel()
	down := errors.New("service down")
	outcomes := []error{nil, down, down, down, nil}
	windows := []time.Duration{60 * time.Second, 0, 0, 0, 4 * time.Second}
	var pauses []time.Duration
	r := &registration{
		create: func(context.Context) (time.Duration, error) {
			outcome, window := outcomes[0], windows[0]
			outcomes, windows = outcomes[1:], windows[1:]
			return window, outcome
		},
		logger: slog.New(slog.DiscardHandler),
		wait: func(_ context.Context, d time.Duration, _ <-chan struct{}) error {
			pauses = append(pauses, d)
			if len(outcomes) == 0 {
				return context.Canceled
			}
			return nil
		},
	}
	require.NoError(t, r.registerOnce(t.Context()))
	require.NoError(t, r.keepRegistered(t.Context()))
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

func TestRefusalsInARowEndTheRegistration(t *testing.T) {
	t.Parallel()
	refused := &ResponseError{Status: 401}
	for name, test := range map[string]struct {
		outcomes []error
		want     error
	}{
		"revoked":       {[]error{nil, refused, refused, refused}, ErrAccessRevoked},
		"once":          {[]error{nil, refused, refused, nil, refused, refused, nil}, nil},
		"between falls": {[]error{nil, refused, refused, errors.New("down"), refused, refused, nil}, nil},
	} {
		outcomes := test.outcomes
		r := &registration{
			create: func(context.Context) (time.Duration, error) {
				outcome := outcomes[0]
				outcomes = outcomes[1:]
				return time.Minute, outcome
			},
			logger: slog.New(slog.DiscardHandler),
			wait: func(context.Context, time.Duration, <-chan struct{}) error {
				if len(outcomes) == 0 {
					return context.Canceled
				}
				return nil
			},
		}
		require.NoError(t, r.registerOnce(t.Context()))
		require.ErrorIs(t, r.keepRegistered(t.Context()), test.want, name)
	}
}
