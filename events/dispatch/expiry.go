package dispatch

import (
	"context"

	"github.com/procession-dev/procession/persistence/webhooks"
)

// ExpireDeliveries drops up to limit webhook deliveries and backlogged events that have
// waited for their first attempt for longer than domain.WebhookRetention.
func (a *Attempts) ExpireDeliveries(ctx context.Context, limit int) (webhooks.Expired, error) {
	return webhooks.ExpireDeliveries(ctx, a.o.DB, a.o.Clock(), limit)
}
