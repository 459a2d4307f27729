package web

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/domain"
)

const (
	// attentionAge is the maximum age of the counts in the navigation.
	attentionAge = 10 * time.Second
	// attentionUsers is the number of users with counts in memory.
	attentionUsers = 4096
)

// agedCounts are counts of a user and the time of their query.
type agedCounts struct {
	domain.AttentionCounts

	at time.Time
}

// attention caches the counts in the navigation of users.
type attention struct {
	count func(context.Context, domain.Call) (domain.AttentionCounts, error)
	users *lru.Cache[uuid.UUID, agedCounts]
}

func newAttention(count func(context.Context, domain.Call) (domain.AttentionCounts, error)) attention {
	users, err := lru.New[uuid.UUID, agedCounts](attentionUsers)
	if err != nil {
		panic(err) // The size is not positive.
	}
	return attention{count, users}
}

// read returns the counts of the caller, which may be attentionAge old.
func (a attention) read(ctx context.Context, call domain.Call, now time.Time) (domain.AttentionCounts, error) {
	if known, ok := a.users.Get(call.PrincipalID); ok && now.Sub(known.at) < attentionAge {
		return known.AttentionCounts, nil
	}
	counts, err := a.count(ctx, call)
	if err != nil {
		return counts, err
	}
	a.users.Add(call.PrincipalID, agedCounts{counts, now})
	return counts, nil
}

// addAttention adds the counts to the navigation of a page. A page without them is still of use.
func (s *Site) addAttention(visit *Visit) {
	if visit.Call.PrincipalID == uuid.Nil {
		return
	}
	ctx := visit.Context()
	counts, err := s.attention.read(ctx, visit.Call, s.o.Clock())
	if err != nil {
		s.o.Log.LogAttrs(ctx, slog.LevelWarn, "the counts of the navigation cannot be read", slog.Any("error", err))
		return
	}
	ui.ViewerOf(ctx).Attention = counts
}

// addUnread adds the number of unread notifications to the head of a page. A page without it is still of use.
func (s *Site) addUnread(visit *Visit) {
	if visit.Call.PrincipalID == uuid.Nil || visit.Partial() {
		return
	}
	ctx := visit.Context()
	unread, err := s.o.CountNotifications(ctx, visit.Call)
	if err != nil {
		s.o.Log.LogAttrs(ctx, slog.LevelWarn, "the notifications cannot be counted", slog.Any("error", err))
		return
	}
	ui.ViewerOf(ctx).Unread = unread
}
