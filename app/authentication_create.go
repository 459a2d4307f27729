package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

// NewAuthentication says which access to the engine is asked for. The tenant may
// be left out by a caller that belongs to one only and did not come by OAuth 2.0
// (specification section 5, rule 3).
type NewAuthentication struct {
	Type     domain.AuthenticationType
	TenantID *uuid.UUID
}

// CreateAuthentication (A38, B51) gives the caller access to the engine, in the
// namespace of the tenant: a token for the task queues that its workers may
// serve, or a certificate to connect with. Nothing of it is kept.
//
// Every principal may ask. A token for a caller without queues permits nothing.
// Errors: VALIDATION for a tenant that is missing or not the caller's, and for
// an unknown type.
func (s *Service) CreateAuthentication(
	ctx context.Context, caller domain.Caller, in NewAuthentication,
) (*domain.Authentication, error) {
	if caller.OAuth && in.TenantID == nil {
		return nil, domain.InvalidBody("/tenantId", "is required with OAuth 2.0")
	}
	tenant, err := caller.Tenant(in.TenantID)
	if err != nil {
		return nil, err
	}
	now := s.now()
	authentication := &domain.Authentication{
		ID: newID(), Type: in.Type, TenantID: tenant.TenantID, Audit: domain.NewAudit(caller.PrincipalID, now),
	}
	switch in.Type {
	case domain.AuthenticationEngineToken:
		queues, err := s.reader.ListServableQueues(ctx, caller, tenant.TenantID)
		if err != nil {
			return nil, err
		}
		token, err := s.issuer.EngineToken(caller.PrincipalID, tenant.Namespace, queues, now)
		if err != nil {
			return nil, err
		}
		authentication.Token = &token
	case domain.AuthenticationEngineCertificate:
		certificate, err := s.issuer.EngineCertificate(caller.PrincipalID, tenant.Namespace, now)
		if err != nil {
			return nil, err
		}
		authentication.Certificate = &certificate
	default:
		return nil, domain.InvalidBody("/type", "is not a type of authentication")
	}
	return authentication, nil
}
