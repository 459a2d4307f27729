package access

import (
	"errors"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v4"
	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"
)

// Audience is the value the `aud` claim of every token must contain.
const Audience = "temporal"

// caller is what the certificate and the token of one call say. It travels from [Claims] to [Authorizer] in the claims' Extensions.
type caller struct {
	certificate certificate
	hasToken    bool
	tokenErr    error // why the token was refused
	subject     string
	queues      map[string]bool // task queues the token may poll
}

// certificate is the part of a client certificate's subject the rules look at.
type certificate struct {
	name  string   // common name: the principal's id
	units []string // organizational units: the namespace
}

// Claims maps the credentials of a call to Temporal's claims. Signature, key and time are checked by Temporal's default mapper; what
// that one leaves optional (exp, iss, aud) is required here.
//
// A refused token is no error: it yields claims without any role that remember the reason, so that the [Authorizer], which knows the
// call, logs each denial once.
type Claims struct {
	verify authorization.ClaimMapper
	issuer string
	clock  func() time.Time
}

var _ authorization.ClaimMapper = (*Claims)(nil)

// NewClaims returns a mapper of tokens that issuer signed with a key of keys.
func NewClaims(keys authorization.TokenKeyProvider, issuer string, clock func() time.Time, logger log.Logger) *Claims {
	return &Claims{
		verify: authorization.NewDefaultJWTClaimMapper(keys, &config.Authorization{PermissionsClaimName: "permissions"}, logger),
		issuer: issuer,
		clock:  clock,
	}
}

// GetClaims implements [authorization.ClaimMapper]. It never returns an error.
func (c *Claims) GetClaims(info *authorization.AuthInfo) (*authorization.Claims, error) {
	who := &caller{hasToken: info.AuthToken != ""}
	if info.TLSSubject != nil {
		who.certificate = certificate{name: info.TLSSubject.CommonName, units: info.TLSSubject.OrganizationalUnit}
	}
	claims := &authorization.Claims{}
	if who.hasToken {
		verified, err := c.token(info, who)
		if err != nil {
			who.tokenErr = err
		} else {
			claims = verified
		}
	}
	claims.Extensions = who
	return claims, nil
}

// token verifies the token of a call and copies to who what Temporal's claims have no room for.
func (c *Claims) token(info *authorization.AuthInfo, who *caller) (*authorization.Claims, error) {
	withAudience := *info
	withAudience.Audience = Audience
	verified, err := c.verify.GetClaims(&withAudience)
	if err != nil {
		return nil, err
	}
	// The signature has just been verified over these very bytes; this only reads the claims the default mapper drops.
	_, raw, _ := strings.Cut(info.AuthToken, " ")
	payload := jwt.MapClaims{}
	if _, _, err := jwt.NewParser().ParseUnverified(raw, payload); err != nil {
		return nil, err
	}
	if !payload.VerifyExpiresAt(c.clock().Unix(), true) {
		return nil, errors.New("the token has no exp claim or is past it")
	}
	if !payload.VerifyIssuer(c.issuer, true) {
		return nil, errors.New("the token's iss claim is not --issuer")
	}
	if verified.Subject == "" {
		return nil, errors.New("the token's sub claim is empty")
	}
	who.subject = verified.Subject
	who.queues = map[string]bool{}
	queues, _ := payload["task_queues"].([]any)
	for _, queue := range queues {
		if name, ok := queue.(string); ok && name != "" {
			who.queues[name] = true
		}
	}
	return verified, nil
}
