package administration

import (
	"context"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// RotateEncryptionKey creates a new version of a key on every call. Processes
// that start from now on use it; running ones continue with theirs, and all
// versions can still be read. It requires the same rights as applying the
// manifest of the key. Errors: NOT_FOUND, VALIDATION where several of the
// caller's tenants have the key.
func (s *Service) RotateEncryptionKey(
	ctx context.Context, call domain.Call, tenant, code string,
) (*domain.EncryptionKey, error) {
	var made sealedKey
	key := ResourceKey{Tenant: tenant, Kind: resource.KindEncryptionKey, Code: code}
	now := s.now()
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		found, err := tx.LockResource(ctx, persistence.AdministrationOf(call.Caller), key)
		if err != nil {
			return nil, err
		}
		use, err := tx.LockEncryptionKey(ctx, found.TenantID, code)
		if err != nil {
			return nil, err
		}
		made, err = newEncryptionKey(s.sealer, found.TenantID, code, use.Versions, call.PrincipalID, now)
		if err != nil {
			return nil, err
		}
		tx.InsertEncryptionKey(made.EncryptionKey, made.sealed)
		return domain.Events{domain.EncryptionKeyEvent(&made.EncryptionKey, found.ID, call.PrincipalID, now)}, nil
	})
	if err != nil {
		return nil, err
	}
	return &made.EncryptionKey, nil
}
