package app

import "context"

// ExpireRegistrations deletes up to limit workers, and as many queues of others,
// that have not registered for a week. It returns how many of both it deleted; with
// limit of them there may be more.
func (s *Service) ExpireRegistrations(ctx context.Context, limit int) (int, error) {
	now := s.now()
	if _, err := s.store.DB.RemoveDataSourceRuns(ctx, now, limit); err != nil {
		return 0, err
	}
	return s.store.DB.ExpireRegistrations(ctx, now, limit)
}
