package shapea

import (
	"context"

	"github.com/procession-dev/procession/api/httpio"
	oasa "github.com/procession-dev/procession/api/shapea/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
)

// CreateAuthentication implements operation A38.
func (s *Server) CreateAuthentication(
	ctx context.Context, request oasa.CreateAuthenticationRequestObject,
) (oasa.CreateAuthenticationResponseObject, error) {
	requested := oasa.AuthenticationTypeENGINE
	if request.Body.Type != nil {
		requested = *request.Body.Type
	}
	kind := domain.AuthenticationType(requested)
	if requested == oasa.AuthenticationTypeENGINE {
		kind = domain.AuthenticationEngineToken
	}
	issued, err := s.app.CreateAuthentication(ctx, s.call(ctx), app.NewAuthentication{
		ID: request.Body.ID, Type: kind, TenantID: request.Body.TenantID,
		CertificateRequest: request.Body.CertificateSigningRequest,
	})
	if err != nil {
		return nil, err
	}
	return oasa.CreateAuthentication200JSONResponse(convertAuthentication(issued, requested)), nil
}

// convertAuthentication shows an authentication under the type that it was asked for by,
// and a token in the deprecated members too.
func convertAuthentication(a *domain.Authentication, requested oasa.AuthenticationType) oasa.Authentication {
	answer := oasa.Authentication{
		ObjectType: new(oasa.AuditedObjectTypeAUTHENTICATION), ID: &a.ID, Type: &requested, TenantID: &a.TenantID,
	}
	if a.Token != nil {
		answer.EngineToken = &oasa.AuthenticationEngineToken{
			Token: a.Token.Token.Reveal(), ExpiredAt: a.Token.ExpiredAt.UTC(),
		}
		answer.Token, answer.ExpiredAt = &answer.EngineToken.Token, &answer.EngineToken.ExpiredAt
	}
	if a.Certificate != nil {
		answer.EngineCertificate = &oasa.AuthenticationEngineCertificate{
			Namespace: a.Certificate.Namespace,
			TLS: oasa.AuthenticationEngineCertificateTLS{
				ServerRootCaCertificate: a.Certificate.ServerRootCACertificate,
				ClientCertificate:       a.Certificate.ClientCertificate,
				ClientPrivateKey:        a.Certificate.ClientPrivateKey.Reveal(),
			},
		}
	}
	answer.CreatedBy, answer.CreatedAt, answer.LastModifiedBy, answer.LastModifiedAt = httpio.Audited(a.Audit)
	return answer
}
