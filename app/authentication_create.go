package app

import (
	"cmp"
	"context"
	"crypto"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// NewAuthentication is a request for access to the engine. The tenant is
// optional for a caller that belongs to one only and did not authenticate by
// OAuth 2.0 (specification section 5, rule 3).
type NewAuthentication struct {
	// ID is chosen by the service where it is nil.
	ID       *uuid.UUID
	Type     domain.AuthenticationType
	TenantID *uuid.UUID
	// CertificateRequest is a certificate signing request (PKCS #10) in PEM: the
	// certificate is for the key of the request. It requires the type ENGINE_CERTIFICATE.
	CertificateRequest *string
}

// CreateAuthentication (A38, B51) gives the caller access to the engine, in the
// namespace of the tenant: a token for the task queues that its workers may
// serve, or a certificate to connect with. Only a grant is stored, by which the
// access can be revoked.
//
// Only applications that a manifest makes workers may ask. A token for one
// without queues permits no calls. Errors: VALIDATION for a tenant that is
// missing or not the caller's, for an unknown type, and for a certificate signing
// request that ParseCertificateRequest refuses; ACCESS_DENIED;
// UNAUTHENTICATED for a caller that has just been disabled or removed from the
// tenant; CONFLICT for queues that do not fit into a token, and for an id that
// is in use: the access issued under it is not stored and cannot be returned
// again.
func (s *Service) CreateAuthentication(
	ctx context.Context, call domain.Call, in NewAuthentication,
) (*domain.Authentication, error) {
	if call.OAuth && in.TenantID == nil {
		return nil, domain.InvalidField(domain.FieldTenant, "is required with OAuth 2.0")
	}
	tenant, err := call.Tenant(in.TenantID)
	if err != nil {
		return nil, err
	}
	if in.Type != domain.AuthenticationEngineToken && in.Type != domain.AuthenticationEngineCertificate {
		return nil, domain.InvalidField(domain.FieldAuthenticationType, "is not a type of authentication")
	}
	if call.Type != domain.PrincipalApplication {
		return nil, notWorker()
	}
	public, err := in.publicKey()
	if err != nil {
		return nil, err
	}
	now := s.now()
	authentication := &domain.Authentication{
		ID: idOr(in.ID), Type: in.Type, TenantID: tenant.TenantID, Audit: domain.NewAudit(call.PrincipalID, now),
	}
	err = s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		grantee, err := tx.LockGrantee(ctx, call.PrincipalID, tenant.TenantID, authentication.ID)
		if domain.HasCode(err, domain.CodeNotFound) {
			return nil, domain.Unauthenticated()
		}
		if err != nil {
			return nil, err
		}
		if !grantee.Access.Worker {
			return nil, notWorker()
		}
		if grantee.Taken {
			return nil, idTaken(nil)
		}
		grant, err := s.issue(authentication, tenant.Namespace, grantee, public, now)
		if err != nil {
			return nil, err
		}
		tx.InsertEngineGrant(grant)
		return domain.Events{domain.AuthenticationEvent(authentication, call.PrincipalID, now)}, nil
	})
	if err != nil {
		return nil, err
	}
	return authentication, nil
}

// publicKey returns the key of the certificate signing request, nil without a request.
func (n NewAuthentication) publicKey() (crypto.PublicKey, error) {
	if n.CertificateRequest == nil {
		return nil, nil //nolint:nilnil // no request is no key
	}
	if n.Type != domain.AuthenticationEngineCertificate {
		return nil, domain.InvalidField(domain.FieldCertificateRequest, "is allowed with the type ENGINE_CERTIFICATE only")
	}
	public, err := authn.ParseCertificateRequest(*n.CertificateRequest)
	if err != nil {
		return nil, domain.InvalidField(domain.FieldCertificateRequest, err.Error())
	}
	return public, nil
}

// issue completes the authentication according to its type. public is nil unless the
// caller has a key of its own.
func (s *Service) issue(
	a *domain.Authentication, namespace string, grantee persistence.Grantee, public crypto.PublicKey, now time.Time,
) (domain.EngineGrant, error) {
	grant := domain.EngineGrant{
		ID: a.ID, TenantID: a.TenantID, PrincipalID: a.CreatedBy, Kind: a.Type, Identifier: a.ID.String(), IssuedAt: now,
	}
	access := grantee.Access
	issuer := s.issuer.In(access.Cluster)
	if a.Type == domain.AuthenticationEngineCertificate {
		certificate, err := issuer.EngineCertificate(grant.PrincipalID, namespace, public, now)
		if err != nil {
			return grant, err
		}
		a.Certificate = &certificate
		grant.Identifier, grant.ExpiresAt = cmp.Or(certificate.Serial, grant.Identifier), certificate.NotAfter
		return grant, nil
	}
	if size := domain.QueueNamesSize(access.Servable, access.Reachable); size > domain.MaxQueueNamesSize {
		return grant, crowdedToken(size)
	}
	token, err := issuer.EngineToken(authn.EngineAccess{
		ID: a.ID, Principal: grant.PrincipalID, Namespace: namespace,
		TaskQueues: access.Servable, TenantTaskQueues: access.Reachable, CloudKey: grantee.CloudKey,
	}, now)
	if err != nil {
		return grant, err
	}
	a.Token = &token
	grant.ExpiresAt = token.NotAfter
	return grant, nil
}

// crowdedToken refuses a token for queues of that size.
func crowdedToken(size int) error {
	return domain.Conflict(domain.CodeConflict, fmt.Sprintf("the names of the application's task queues take %d bytes of a token, "+
		"at most %d: have another application run some of its definitions, or list fewer in spec.engine.taskQueues",
		size, domain.MaxQueueNamesSize))
}
