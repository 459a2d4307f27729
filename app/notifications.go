package app

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/notifications"
)

// NotificationFilter narrows FindNotifications.
type NotificationFilter = notifications.Filter

// FindNotifications returns a page of the caller's notifications, the newest first, with the digests of the tasks that it may claim.
// Notifications about resources that are no longer visible to the caller are left out.
func (s *Service) FindNotifications(
	ctx context.Context, call domain.Call, filter NotificationFilter, page domain.PageRequest,
) (*domain.NotificationList, error) {
	return notifications.ListForPerson(ctx, s.store.Reader, call.Caller, filter, page, s.now())
}

// CountNotifications returns the number of the caller's unread notifications and digests, up to domain.NotificationBellLimit.
func (s *Service) CountNotifications(ctx context.Context, call domain.Call) (int, error) {
	return notifications.CountUnread(ctx, s.store.Reader, call.Caller, s.now())
}

// ReadNotifications marks notifications of the caller as read: those with the ids, or, without ids, all until a time with the digests
// of claimable tasks. A zero time is now. Unknown ids have no effect.
func (s *Service) ReadNotifications(ctx context.Context, call domain.Call, ids []uuid.UUID, until time.Time) error {
	now := s.now()
	if until.IsZero() {
		until = now
	}
	return s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		if len(ids) > 0 {
			notifications.MarkRead(tx, call.Caller, ids, now)
		} else {
			notifications.MarkAllRead(tx, call.Caller, until, now)
		}
		return domain.NoEvents(), nil
	})
}
