package administration

import (
	"context"
	"fmt"
	"slices"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// FindSecrets returns the secrets of an Application, a User or a WebhookSubscription that the caller administers, the
// oldest first, including declared ones. Tokens of a user for all its tenants are visible to operators only. Errors:
// VALIDATION, NOT_FOUND.
func (s *Service) FindSecrets(ctx context.Context, call domain.Call, key ResourceKey) ([]domain.SecretInfo, error) {
	if err := checkSecretOwner(key.Kind); err != nil {
		return nil, err
	}
	owner, err := s.store.Reader.GetSecretOwner(ctx, persistence.AdministrationOf(call.Caller), key)
	if err != nil {
		return nil, err
	}
	return owner.Secrets, nil
}

// checkSecretOwner refuses resources of kinds that have no secrets.
func checkSecretOwner(kind resource.Kind) error {
	if slices.Contains(resource.SecretOwners(), kind) {
		return nil
	}
	return domain.Invalid(domain.LocationPath, "kind", "must be User, Application or WebhookSubscription: others have no secrets")
}

// configuredOf names a resource in events.
func configuredOf(r *resource.Stored) domain.Configured {
	return domain.Configured{ID: r.ID, TenantID: r.TenantID, Kind: string(r.Kind), Code: r.Metadata.Code}
}

// lockSecretOwner locks a resource with secrets that the caller may change.
func lockSecretOwner(
	ctx context.Context, tx *persistence.Tx, caller domain.Caller, key ResourceKey,
) (*persistence.SecretOwner, error) {
	owner, err := tx.LockSecretOwner(ctx, persistence.AdministrationOf(caller), key)
	if err != nil {
		return nil, err
	}
	if isOwner(&owner.Document) && !caller.Administration(owner.TenantID).Owns() {
		return nil, domain.Denied(fmt.Sprintf(
			"the OWNER role is required for the secrets of who owns the tenant: %s", displayKey(owner.Key())))
	}
	return owner, nil
}
