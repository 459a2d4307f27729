package domain_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

func TestHeldEndpointsCatchUp(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 10, 30, 0, 0, time.UTC)
	before, after := now.Add(-time.Second), now.Add(time.Second)
	for name, c := range map[string]struct {
		endpoint domain.WebhookEndpoint
		noSecret bool
		waiting  int
		held     bool
		events   int
	}{
		"sound":                    {events: 500},
		"sound, with enough to do": {waiting: 50},
		"sound, with little to do": {waiting: 49, events: 500},
		"paused":                   {endpoint: domain.WebhookEndpoint{Paused: true}, held: true},
		"without a secret":         {noSecret: true, held: true},
		"failing for the first time": {
			endpoint: domain.WebhookEndpoint{FailingSince: &before, Failures: 1}, events: 50,
		},
		"pausing after failures": {
			endpoint: domain.WebhookEndpoint{FailingSince: &before, Failures: 4, HeldUntil: &after}, held: true,
		},
		"after the pause": {
			endpoint: domain.WebhookEndpoint{FailingSince: &before, Failures: 4, HeldUntil: &now}, held: true, events: 50,
		},
		"after the pause, with something to try": {
			endpoint: domain.WebhookEndpoint{FailingSince: &before, Failures: 4, HeldUntil: &before}, waiting: 1, held: true,
		},
		"disabled": {
			endpoint: domain.WebhookEndpoint{FailingSince: &before, Failures: 9, HeldUntil: &after, DisabledAt: &before}, held: true, waiting: 50,
			events: 500,
		},
	} {
		require.Equal(t, c.held, c.endpoint.Held(!c.noSecret), name)
		require.Equal(t, c.events, c.endpoint.CatchUp(!c.noSecret, c.waiting, now), name)
	}
}
