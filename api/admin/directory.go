package admin

import (
	"context"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/domain"
)

// FindDirectoryTokens lists the tokens of the directories of a tenant, without their values.
func (s *Server) FindDirectoryTokens(
	ctx context.Context, request FindDirectoryTokensRequestObject,
) (FindDirectoryTokensResponseObject, error) {
	found, err := s.administration.FindDirectoryTokens(ctx, s.call(ctx), request.Params.Tenant)
	if err != nil {
		return nil, err
	}
	return FindDirectoryTokens200JSONResponse{Content: listOf(found, convertDirectoryToken)}, nil
}

// IssueDirectoryToken issues a token for a directory and shows its value, this once.
func (s *Server) IssueDirectoryToken(
	ctx context.Context, request IssueDirectoryTokenRequestObject,
) (IssueDirectoryTokenResponseObject, error) {
	issued, err := s.administration.IssueDirectoryToken(ctx, s.call(ctx), request.Params.Tenant, administration.NewSecret{
		Name: request.Body.Name, ExpiresAt: request.Body.ExpiresAt,
	})
	if err != nil {
		return nil, err
	}
	return IssueDirectoryToken201JSONResponse{
		ID: issued.ID, Name: issued.Name, Value: issued.Value.Reveal(),
		CreatedAt: issued.CreatedAt.UTC(), ExpiresAt: inUTC(issued.ExpiresAt),
	}, nil
}

// RevokeDirectoryToken revokes the token of a directory.
func (s *Server) RevokeDirectoryToken(
	ctx context.Context, request RevokeDirectoryTokenRequestObject,
) (RevokeDirectoryTokenResponseObject, error) {
	if err := s.administration.RevokeDirectoryToken(ctx, s.call(ctx), request.Params.Tenant, request.ID); err != nil {
		return nil, err
	}
	return RevokeDirectoryToken204Response{}, nil
}

func convertDirectoryToken(d *domain.DirectoryToken) oasadmin.DirectoryToken {
	return oasadmin.DirectoryToken{
		ID: d.ID, Name: d.Name, IssuedBy: d.IssuedBy, CreatedAt: d.CreatedAt.UTC(), ExpiresAt: inUTC(d.ExpiresAt), LastUsedAt: inUTC(d.LastUsedAt),
	}
}
