package authn

import (
	"context"
	stdjson "encoding/json"
	"fmt"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4/json"
	"golang.org/x/oauth2"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/internal/openid"
)

// completeClaims adds the address, the groups and the name of a person who signs in, as far as the ID token lacks them, from the
// UserInfo endpoint: an issuer may return them only there (OpenID Connect Core, section 5.4). It is UNAVAILABLE if the endpoint does
// not answer, and UNAUTHENTICATED if it answers about another person (section 5.3.2).
func (i *trustedIssuer) completeClaims(ctx context.Context, provider *openid.Provider, token *oauth2.Token, claims *tokenClaims) error {
	isComplete := claims.hasEmail && (claims.hasGroups || i.GroupsClaim == "")
	if isComplete || provider.UserInfoEndpoint() == "" {
		return nil
	}
	info, err := provider.UserInfo(oidc.ClientContext(ctx, i.code.client), oauth2.StaticTokenSource(token))
	if err != nil {
		return issuerUnavailable(i.Issuer, fmt.Errorf("reading its userinfo_endpoint: %w", err))
	}
	var payload stdjson.RawMessage
	var all map[string]stdjson.RawMessage
	var person struct {
		Subject string `json:"sub"`
		Name    string `json:"name"`
	}
	if info.Claims(&payload) != nil || json.Unmarshal(payload, &all) != nil || json.Unmarshal(payload, &person) != nil ||
		person.Subject != claims.Subject {
		return domain.RefuseSignIn(domain.SignInError{
			Reason: domain.SignInForeignResponse, Issuer: i.Issuer, Trusted: true, TenantCodes: i.signInScopes(),
		})
	}
	claims.readPerson(all, i.EmailClaim, i.GroupsClaim)
	if claims.Name == "" {
		claims.Name = person.Name
	}
	return nil
}

// settleClaims is settleUser with the claims of the UserInfo endpoint. While that does not answer, only people get in who are known
// by their subject, and whose groups do not depend on the issuer.
func (o *OIDC) settleClaims(
	ctx context.Context, issuer *trustedIssuer, provider *openid.Provider, token *oauth2.Token, claims tokenClaims,
) (domain.Caller, error) {
	incomplete := issuer.completeClaims(ctx, provider, token, &claims)
	needsGroups := issuer.GroupsClaim != "" && !claims.hasGroups
	if incomplete != nil && (needsGroups || !domain.HasCode(incomplete, domain.CodeUnavailable)) {
		return domain.Caller{}, incomplete
	}
	caller, err := o.settleUser(ctx, issuer, claims, o.clock())
	if err != nil && incomplete != nil {
		return domain.Caller{}, incomplete
	}
	return caller, err
}
