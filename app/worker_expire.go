package app

import "context"

// ExpireRegistrations deletes up to limit workers, and as many queues of others,
// that have not registered for a week. It returns how many of both it deleted; with
// limit of them there may be more.
func (s *Service) ExpireRegistrations(ctx context.Context, limit int) (int, error) {
	return s.db.ExpireRegistrations(ctx, s.now(), limit)
}
