package app

import (
	"context"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/events"
)

// RetrieveHome returns the start page of the caller: the first entries of each list, and the newest recent events.
func (s *Service) RetrieveHome(ctx context.Context, call domain.Call, entries, recent int) (*domain.Home, error) {
	var newest []domain.TimelineEvent
	home, err := s.store.Reader.GetHome(ctx, call.Caller, call.AdministeredTenants(), entries, s.now(), events.Recent(call.Caller, recent, &newest))
	if err != nil {
		return nil, err
	}
	home.Recent = newest
	return home, nil
}
