package shapeb

import (
	"context"

	"github.com/procession-dev/procession/api/httpio"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
)

// CreateAuthentication implements operation B51.
func (s *Server) CreateAuthentication(
	ctx context.Context, request oasb.CreateAuthenticationRequestObject,
) (oasb.CreateAuthenticationResponseObject, error) {
	issued, err := s.app.CreateAuthentication(ctx, s.call(ctx), app.NewAuthentication{
		Type: domain.AuthenticationType(request.Body.Type), TenantID: request.Body.TenantID,
		CertificateRequest: request.Body.CertificateSigningRequest,
	})
	if err != nil {
		return nil, err
	}
	return oasb.CreateAuthentication200JSONResponse(convertAuthentication(issued)), nil
}

func convertAuthentication(a *domain.Authentication) oasb.Authentication {
	answer := oasb.Authentication{
		ID: &a.ID, Type: new(oasb.AuthenticationType(a.Type)), TenantID: &a.TenantID,
	}
	if a.Token != nil {
		answer.EngineToken = &oasb.AuthenticationEngineToken{
			Token: a.Token.Token.Reveal(), ExpiredAt: a.Token.ExpiredAt.UTC(),
		}
	}
	if a.Certificate != nil {
		answer.EngineCertificate = &oasb.AuthenticationEngineCertificate{
			Namespace: a.Certificate.Namespace,
			TLS: oasb.AuthenticationEngineCertificateTLS{
				ServerRootCaCertificate: a.Certificate.ServerRootCACertificate,
				ClientCertificate:       a.Certificate.ClientCertificate,
				ClientPrivateKey:        a.Certificate.ClientPrivateKey.Reveal(),
			},
		}
	}
	answer.CreatedBy, answer.CreatedAt, answer.LastModifiedBy, answer.LastModifiedAt = httpio.Audited(a.Audit)
	return answer
}
