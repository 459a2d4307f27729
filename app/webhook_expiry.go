package app

import (
	"context"

	"github.com/procession-dev/procession/persistence/webhooks"
)

// ExpireDeliveries drops up to limit webhook deliveries that have waited for their
// first attempt for longer than domain.WebhookRetention, likewise of what waits in
// backlogs, and deletes up to limit that finished longer ago.
func (s *Service) ExpireDeliveries(ctx context.Context, limit int) (webhooks.Expired, error) {
	return webhooks.ExpireDeliveries(ctx, s.store.DB, s.now(), limit)
}
