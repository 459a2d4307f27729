package administration

import (
	"context"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// FindEncryptionKeyVersions returns the versions of a key that the caller
// administers, the newest first, or NOT_FOUND.
func (s *Service) FindEncryptionKeyVersions(
	ctx context.Context, call domain.Call, tenant, code string,
) ([]domain.EncryptionKeyVersion, error) {
	found, err := s.RetrieveResource(ctx, call, ResourceKey{Tenant: tenant, Kind: resource.KindEncryptionKey, Code: code})
	if err != nil {
		return nil, err
	}
	return s.store.Reader.ListEncryptionKeyVersions(ctx, found.TenantID, code)
}
