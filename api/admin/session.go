package admin

import (
	"context"

	"github.com/google/uuid"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// FindUserSessions lists the browsers that a user is signed in with.
func (s *Server) FindUserSessions(
	ctx context.Context, request FindUserSessionsRequestObject,
) (FindUserSessionsResponseObject, error) {
	key := keyOf(resource.KindUser, request.Code, request.Params.Tenant)
	found, err := s.administration.FindUserSessions(ctx, s.call(ctx), key)
	if err != nil {
		return nil, err
	}
	return FindUserSessions200JSONResponse{Content: listOf(found, convertSession)}, nil
}

// EndUserSessions signs a user out of browsers.
func (s *Server) EndUserSessions(
	ctx context.Context, request EndUserSessionsRequestObject,
) (EndUserSessionsResponseObject, error) {
	var id uuid.UUID
	if request.Params.ID != nil {
		id = *request.Params.ID
	}
	key := keyOf(resource.KindUser, request.Code, request.Params.Tenant)
	if err := s.administration.EndUserSessions(ctx, s.call(ctx), key, id); err != nil {
		return nil, err
	}
	return EndUserSessions204Response{}, nil
}

func convertSession(s *domain.Session) oasadmin.Session {
	answer := oasadmin.Session{
		ID: s.ID, UserAgent: s.UserAgent, CreatedAt: s.CreatedAt.UTC(), AuthenticatedAt: s.AuthenticatedAt.UTC(),
		LastUsedAt: s.LastUsedAt.UTC(), ExpiresAt: s.ExpiresAt.UTC(),
	}
	if s.Issuer != "" {
		answer.Issuer = &s.Issuer
	}
	return answer
}
