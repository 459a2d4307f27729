package admin

import (
	"context"

	"github.com/google/uuid"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/domain"
)

// FindEngineAccess lists the tokens and certificates that were issued.
func (s *Server) FindEngineAccess(
	ctx context.Context, request FindEngineAccessRequestObject,
) (FindEngineAccessResponseObject, error) {
	params := request.Params
	filter := administration.EngineAccessFilter{
		TenantIDs: params.TenantID, TenantCodes: params.Tenant, PrincipalIDs: params.PrincipalID,
		Kinds: httpio.ConvertStrings[domain.AuthenticationType](params.Kind), Active: params.Active,
	}
	page, sort := httpio.Listing(httpio.Deref(params.Size), httpio.Deref(params.Page), params.Sort)
	found, err := s.administration.FindEngineAccess(ctx, s.call(ctx), filter, page, sort)
	if err != nil {
		return nil, err
	}
	var answer FindEngineAccess200JSONResponse
	answer.Metadata, answer.Content = httpio.PageOf[oasadmin.PageMetadata](found, engineAccess)
	return answer, nil
}

// RevokeEngineAccess revokes tokens and certificates.
func (s *Server) RevokeEngineAccess(
	ctx context.Context, request RevokeEngineAccessRequestObject,
) (RevokeEngineAccessResponseObject, error) {
	revoked, err := s.administration.RevokeEngineAccess(ctx, s.call(ctx), administration.EngineAccessSelection{
		ID: request.Body.ID, TenantID: request.Body.TenantID, PrincipalID: request.Body.PrincipalID,
	})
	if err != nil {
		return nil, err
	}
	return RevokeEngineAccess200JSONResponse{Revoked: revoked}, nil
}

// IssueOperatorAccess issues credentials for an operator to read a namespace.
func (s *Server) IssueOperatorAccess(
	ctx context.Context, request IssueOperatorAccessRequestObject,
) (IssueOperatorAccessResponseObject, error) {
	issued, err := s.administration.IssueOperatorAccess(ctx, s.call(ctx), administration.NewOperatorAccess{
		Tenant: httpio.Deref(request.Body.Tenant), ExpiresAt: request.Body.ExpiresAt, CertificateRequest: request.Body.CertificateSigningRequest,
	})
	if err != nil {
		return nil, err
	}
	certificate := issued.Certificate.Certificate
	answer := IssueOperatorAccess201JSONResponse{
		Namespace: certificate.Namespace, ExpiresAt: issued.ExpiresAt.UTC(),
		TokenID: issued.Token.ID, Token: issued.Token.Token.Token.Reveal(), CertificateID: issued.Certificate.ID,
		TLS: oasadmin.OperatorAccessTLS{
			ServerRootCaCertificate: certificate.ServerRootCACertificate, ClientCertificate: certificate.ClientCertificate,
			ClientPrivateKey: certificate.ClientPrivateKey.Reveal(),
		},
	}
	if issued.Address != "" {
		answer.Address = &issued.Address
	}
	return answer, nil
}

func engineAccess(g *domain.EngineGrant) oasadmin.EngineAccess {
	access := oasadmin.EngineAccess{
		ID: g.ID, PrincipalID: g.PrincipalID, Kind: oasadmin.EngineAccessKind(g.Kind),
		Identifier: g.Identifier, ReadOnly: g.ReadOnly, IssuedAt: g.IssuedAt.UTC(), ExpiresAt: g.ExpiresAt.UTC(),
		RevokedAt: inUTC(g.RevokedAt), RevokedBy: g.RevokedBy,
	}
	if g.TenantID != uuid.Nil {
		access.TenantID = &g.TenantID
	}
	return access
}
