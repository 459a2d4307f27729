package administration

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// FindOwnTokens returns the personal access tokens of the caller that have not expired, the newest first. It covers the
// tenants that the caller's credentials are valid for, and for operators all tenants.
func (s *Service) FindOwnTokens(ctx context.Context, call domain.Call) ([]domain.PersonalToken, error) {
	return s.store.Reader.ListPersonalTokens(ctx, call.Caller, s.now())
}

// RevokeOwnToken ends a personal access token of the caller. A bearer that used it within the last seconds may be
// accepted for a few more. Errors: NOT_FOUND, CONFLICT for a token that the manifest of the caller declares.
func (s *Service) RevokeOwnToken(ctx context.Context, call domain.Call, id uuid.UUID) error {
	now := s.now()
	return s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		token, err := tx.LockPersonalToken(ctx, call.Caller, id)
		if err != nil {
			return nil, err
		}
		if token.Declared {
			return nil, domain.Conflict(domain.CodeConflict,
				"an administrator declared the token in the manifest of your user, and has to remove it there")
		}
		tx.DeleteCredential(id)
		owner := domain.Configured{ID: call.PrincipalID, Kind: string(resource.KindUser), Code: token.HolderCode}
		if token.TenantID != nil {
			owner.TenantID = *token.TenantID
		}
		return domain.Events{
			domain.SecretEvent(domain.EventSecretRevoked, token.SecretInfo, owner, call.PrincipalID, now),
		}, nil
	})
}

// ConfirmOwnTokens records that the caller knows of the tokens that others issued for it.
func (s *Service) ConfirmOwnTokens(ctx context.Context, call domain.Call) error {
	return s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		tx.ConfirmPersonalTokens(call.Caller, s.now())
		return domain.NoEvents(), nil
	})
}
