package admin

import (
	"context"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// FindEncryptionKeyVersions lists the versions of a key, without their key material.
func (s *Server) FindEncryptionKeyVersions(
	ctx context.Context, request FindEncryptionKeyVersionsRequestObject,
) (FindEncryptionKeyVersionsResponseObject, error) {
	key := keyOf(resource.KindEncryptionKey, request.Code, request.Params.Tenant)
	found, err := s.administration.FindEncryptionKeyVersions(ctx, s.call(ctx), key.Tenant, key.Code)
	if err != nil {
		return nil, err
	}
	return FindEncryptionKeyVersions200JSONResponse{
		Content: listOf(found, func(v *domain.EncryptionKeyVersion) oasadmin.EncryptionKeyVersion {
			return encryptionKeyVersion(&v.EncryptionKey, v.OpenRuns)
		}),
	}, nil
}

// RotateEncryptionKey creates another version of a key.
func (s *Server) RotateEncryptionKey(
	ctx context.Context, request RotateEncryptionKeyRequestObject,
) (RotateEncryptionKeyResponseObject, error) {
	key := keyOf(resource.KindEncryptionKey, request.Code, request.Params.Tenant)
	created, err := s.administration.RotateEncryptionKey(ctx, s.call(ctx), key.Tenant, key.Code)
	if err != nil {
		return nil, err
	}
	return RotateEncryptionKey201JSONResponse(encryptionKeyVersion(created, 0)), nil
}

func encryptionKeyVersion(k *domain.EncryptionKey, openRuns int64) oasadmin.EncryptionKeyVersion {
	return oasadmin.EncryptionKeyVersion{
		KeyID: k.KeyID, Version: k.Version, CreatedBy: k.CreatedBy, CreatedAt: k.CreatedAt.UTC(), OpenRuns: openRuns,
	}
}
