package admin

import (
	"context"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/domain"
)

// IssueSecret issues a secret and shows its value, this once.
func (s *Server) IssueSecret(
	ctx context.Context, request IssueSecretRequestObject,
) (IssueSecretResponseObject, error) {
	key := keyOf(request.Kind, request.Code, request.Params.Tenant)
	issued, err := s.administration.IssueSecret(ctx, s.call(ctx), key, administration.NewSecret{
		Name: request.Body.Name, ExpiresAt: request.Body.ExpiresAt,
	})
	if err != nil {
		return nil, err
	}
	return IssueSecret201JSONResponse{
		ID: issued.ID, Name: issued.Name, Value: issued.Value.Reveal(),
		CreatedAt: issued.CreatedAt.UTC(), ExpiresAt: inUTC(issued.ExpiresAt),
	}, nil
}

// FindSecrets lists the secrets of a resource, without their values.
func (s *Server) FindSecrets(
	ctx context.Context, request FindSecretsRequestObject,
) (FindSecretsResponseObject, error) {
	key := keyOf(request.Kind, request.Code, request.Params.Tenant)
	found, err := s.administration.FindSecrets(ctx, s.call(ctx), key)
	if err != nil {
		return nil, err
	}
	return FindSecrets200JSONResponse{Content: listOf(found, convertSecret)}, nil
}

// RevokeSecret revokes a secret.
func (s *Server) RevokeSecret(
	ctx context.Context, request RevokeSecretRequestObject,
) (RevokeSecretResponseObject, error) {
	key := keyOf(request.Kind, request.Code, request.Params.Tenant)
	if err := s.administration.RevokeSecret(ctx, s.call(ctx), key, request.ID); err != nil {
		return nil, err
	}
	return RevokeSecret204Response{}, nil
}

func convertSecret(s *domain.SecretInfo) oasadmin.Secret {
	return oasadmin.Secret{
		ID: s.ID, Name: s.Name, Declared: s.Declared, CreatedAt: s.CreatedAt.UTC(), ExpiresAt: inUTC(s.ExpiresAt),
	}
}
