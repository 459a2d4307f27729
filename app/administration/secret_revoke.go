package administration

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/webhooks"
)

// RevokeSecret ends a secret that IssueSecret issued. A bearer that used it
// within the last seconds may be accepted for a few more. It requires the same
// rights as issuing. Errors: VALIDATION, NOT_FOUND, ACCESS_DENIED, CONFLICT for
// a secret that the manifest of the resource declares.
func (s *Service) RevokeSecret(ctx context.Context, call domain.Call, key ResourceKey, id uuid.UUID) error {
	if err := checkSecretOwner(key.Kind); err != nil {
		return err
	}
	now := s.now()
	return s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		owner, err := lockSecretOwner(ctx, tx, call.Caller, key)
		if err != nil {
			return nil, err
		}
		if err := owner.Secrets.Revoke(id); err != nil {
			return nil, err
		}
		secret := owner.Secrets[slices.IndexFunc(owner.Secrets, func(s domain.SecretInfo) bool { return s.ID == id })]
		if owner.Kind == resource.KindWebhookSubscription {
			webhooks.DeleteSecret(tx, id)
		} else {
			tx.DeleteCredential(id)
		}
		return domain.Events{
			domain.SecretEvent(domain.EventSecretRevoked, secret, configuredOf(&owner.Stored), call.PrincipalID, now),
		}, nil
	})
}
