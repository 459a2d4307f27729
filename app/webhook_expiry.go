package app

import "context"

// ExpireDeliveries drops up to limit webhook deliveries that have waited for their
// first attempt for longer than domain.WebhookRetention, and deletes up to limit
// that finished longer ago. It returns how many of each.
func (s *Service) ExpireDeliveries(ctx context.Context, limit int) (dropped, deleted int, err error) {
	return s.db.ExpireDeliveries(ctx, s.now(), limit)
}
