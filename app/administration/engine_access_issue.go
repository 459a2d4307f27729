package administration

import (
	"context"
	"crypto"
	"errors"
	"strings"
	"time"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// NewOperatorAccess is a request to look into the namespace of a tenant or of the service. With a nil
// ExpiresAt it is for authn.MaxOperatorAccess. With a CertificateRequest, a certificate
// signing request (PKCS #10) in PEM, the certificate is for the key of the request.
type NewOperatorAccess struct {
	// Tenant is the code of the tenant, "" for the namespace of the service's own workflows.
	Tenant    string
	ExpiresAt *time.Time

	CertificateRequest *string
}

// OperatorAccess contains the credentials with which Temporal's own tools read one namespace. It cannot be
// shown again.
type OperatorAccess struct {
	Token       domain.Authentication
	Certificate domain.Authentication
	// Address is where the service reaches Temporal, "" if that is not known.
	Address   string
	ExpiresAt time.Time
}

// IssueOperatorAccess gives an operator a token and a certificate for a namespace: read access, for an hour at most. Both leave a grant, by which they can be listed and revoked, and an event. Errors: ACCESS_DENIED for
// callers who are no operators, NOT_FOUND, VALIDATION for an expiry that is past or too late and for a certificate
// signing request that ParseCertificateRequest refuses.
func (s *Service) IssueOperatorAccess(
	ctx context.Context, call domain.Call, in NewOperatorAccess,
) (*OperatorAccess, error) {
	if !call.Operator {
		return nil, domain.Denied("only operators may look into the engine")
	}
	if s.issuer == nil {
		return nil, errors.New("issuing access for an operator: there is no issuer")
	}
	now := s.now()
	// The times in tokens and certificates are in whole seconds.
	until := now.Add(authn.MaxOperatorAccess).Truncate(time.Second)
	if in.ExpiresAt != nil {
		until = in.ExpiresAt.Truncate(time.Second)
	}
	if !until.After(now) || until.Sub(now) > authn.MaxOperatorAccess {
		return nil, domain.InvalidBody("/expiresAt", "must be in the future, and at most an hour from now")
	}
	var public crypto.PublicKey
	if in.CertificateRequest != nil {
		var err error
		if public, err = authn.ParseCertificateRequest(*in.CertificateRequest); err != nil {
			return nil, domain.InvalidBody("/certificateSigningRequest", err.Error())
		}
	}
	access := &OperatorAccess{ExpiresAt: until}
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		tenant, err := tx.LockOperator(ctx, call.PrincipalID, in.Tenant)
		if err != nil {
			return nil, err
		}
		if in.Tenant == "" {
			tenant.Namespace = s.engineNamespace
		}
		access.Address = strings.ReplaceAll(s.engineAddresses[tenant.Cluster], "{namespace}", tenant.Namespace)
		if err := s.issueAccess(access, call.Caller, tenant, public, now); err != nil {
			return nil, err
		}
		var events domain.Events
		for _, a := range []*domain.Authentication{&access.Token, &access.Certificate} {
			identifier := a.ID.String()
			if a.Certificate != nil {
				identifier = a.Certificate.Serial
			}
			tx.InsertEngineGrant(domain.EngineGrant{
				ID: a.ID, TenantID: a.TenantID, PrincipalID: call.PrincipalID, Kind: a.Type, Identifier: identifier,
				ReadOnly: true, IssuedAt: now, ExpiresAt: until,
			})
			events = append(events, domain.AuthenticationEvent(a, call.PrincipalID, now))
		}
		return events, nil
	})
	if err != nil {
		return nil, err
	}
	return access, nil
}

// issueAccess creates the token and the certificate. public is nil unless the caller has a key of its own.
func (s *Service) issueAccess(
	access *OperatorAccess, caller domain.Caller, tenant persistence.TenantEngine, public crypto.PublicKey, now time.Time,
) error {
	of := func(kind domain.AuthenticationType) domain.Authentication {
		return domain.Authentication{
			ID: domain.NewID(), Type: kind, TenantID: tenant.TenantID, ReadOnly: true, Audit: domain.NewAudit(caller.PrincipalID, now),
		}
	}
	access.Token, access.Certificate = of(domain.AuthenticationEngineToken), of(domain.AuthenticationEngineCertificate)
	issuer := s.issuer.In(tenant.Cluster)
	token, err := issuer.OperatorToken(access.Token.ID, caller.PrincipalID, tenant.Namespace, now, access.ExpiresAt)
	if err != nil {
		return err
	}
	certificate, err := issuer.OperatorCertificate(caller.PrincipalID, tenant.Namespace, public, now, access.ExpiresAt)
	if err != nil {
		return err
	}
	access.Token.Token, access.Certificate.Certificate = &token, &certificate
	return nil
}
