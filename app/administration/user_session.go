package administration

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// FindUserSessions returns the browsers that a User which the caller administers is signed in with, the one
// that was used last first. Errors: NOT_FOUND.
func (s *Service) FindUserSessions(ctx context.Context, call domain.Call, key ResourceKey) ([]domain.Session, error) {
	if key.Kind != resource.KindUser {
		return nil, domain.NotFound("resource")
	}
	user, err := s.RetrieveResource(ctx, call, key)
	if err != nil {
		return nil, err
	}
	return s.store.Reader.ListSessions(ctx, user.ID, s.now(), persistence.SessionLimits{Idle: s.sessionIdle})
}

// EndUserSessions ends the session of a User with an id, or all of them for the zero id. They may be accepted
// for a few more seconds. It requires the ADMINISTRATOR role in the tenant of the user, and for an owner the
// OWNER role. Errors: NOT_FOUND, ACCESS_DENIED.
func (s *Service) EndUserSessions(ctx context.Context, call domain.Call, key ResourceKey, id uuid.UUID) error {
	if key.Kind != resource.KindUser {
		return domain.NotFound("resource")
	}
	now := s.now()
	return s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		user, err := tx.LockSecretOwner(ctx, persistence.AdministrationOf(call.Caller), key)
		if err != nil {
			return nil, err
		}
		if isOwner(&user.Document) && !call.Administration(user.TenantID).Owns() {
			return nil, domain.Denied("the OWNER role is required to end sessions of an owner of the tenant: " + displayKey(user.Key()))
		}
		_, events, err := tx.EndSessions(ctx, domain.SessionEnd{
			PrincipalID: user.ID, ID: id, By: call.PrincipalID, Reason: domain.SessionAdministrator,
		}, now)
		return events, err
	})
}
