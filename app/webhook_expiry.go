package app

import (
	"context"

	"github.com/procession-dev/procession/persistence/webhooks"
)

// ExpireDeliveries drops up to limit webhook deliveries that have waited for their
// first attempt for longer than domain.WebhookRetention, and deletes up to limit
// that finished longer ago. It returns how many of each.
func (s *Service) ExpireDeliveries(ctx context.Context, limit int) (dropped, deleted int, err error) {
	return webhooks.ExpireDeliveries(ctx, s.store.DB, s.now(), limit)
}
