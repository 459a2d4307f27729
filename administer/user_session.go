package administer

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// FindUserSessions returns the browsers that a User which the caller administers is signed in with, the one
// that was used last first. Errors: NOT_FOUND.
func (s *Administration) FindUserSessions(ctx context.Context, caller domain.Caller, key ResourceKey) ([]domain.Session, error) {
	user, err := s.sessionUser(ctx, caller, key)
	if err != nil {
		return nil, err
	}
	return s.store.Reader.ListSessions(ctx, user.ID, s.now(), persistence.SessionLimits{Idle: s.sessionIdle})
}

// EndUserSessions ends the session of a User with an id, or all of them for the zero id. They may be accepted
// for a few more seconds. It requires the ADMINISTRATOR role in the tenant of the user, and for an owner the
// OWNER role. Errors: NOT_FOUND, ACCESS_DENIED.
func (s *Administration) EndUserSessions(ctx context.Context, caller domain.Caller, key ResourceKey, id uuid.UUID) error {
	user, err := s.sessionUser(ctx, caller, key)
	if err != nil {
		return err
	}
	if isOwner(&user.Document) && !caller.Administration(user.TenantID).Owns() {
		return domain.Denied("the OWNER role is required to end sessions of an owner of the tenant: " + display(user.Key()))
	}
	_, err = s.store.DB.EndSessions(ctx, domain.SessionEnd{
		PrincipalID: user.ID, ID: id, By: caller.PrincipalID, Reason: domain.SessionAdministrator,
	}, s.now())
	return err
}

func (s *Administration) sessionUser(ctx context.Context, caller domain.Caller, key ResourceKey) (*resource.Stored, error) {
	if key.Kind != resource.KindUser {
		return nil, domain.NotFound("resource")
	}
	return s.RetrieveResource(ctx, caller, key)
}
