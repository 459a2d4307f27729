package access

import (
	"errors"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v4"
	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/config"
)

const (
	// audience is the value the `aud` claim of every token must contain.
	audience = "temporal"

	claimQueues       = "task_queues"        // the caller's own
	claimTenantQueues = "tenant_task_queues" // those its tenant knows
	claimReadOnly     = "read_only"          // true of an operator's token
)

// caller is what the certificate and the token of one call say. It travels from [claimMapper] to [authorizer] and on to [interceptor] in
// the claims' Extensions.
type caller struct {
	certificate certificate
	hasToken    bool
	tokenErr    error  // why the token was refused
	tokenID     string // the token's jti
	subject     string
	reader      bool            // the token is an operator's, which reads
	queues      map[string]bool // task queues the caller may poll
	tenant      map[string]bool // task queues its workflows may use; those of queues are among them

	// personal are the task queues the request names that belong to one subject. The authorizer finds them, the interceptor looks up
	// whose they are.
	personal []personalQueue
}

// certificate is the part of a client certificate the rules look at.
type certificate struct {
	name   string   // common name: the principal's id
	units  []string // organizational units: the namespace
	serial string   // in lower-case hexadecimal digits without leading zeros
}

// isSystem says whether the certificate is the service's own.
func (c *caller) isSystem() bool {
	return len(c.certificate.units) == 1 && c.certificate.units[0] == systemNamespace
}

// claimMapper maps the credentials of a call to Temporal's claims. Signature, key and time are checked by Temporal's default mapper; what
// that one leaves optional (exp, iss, aud, jti) is required here.
//
// A refused token is no error: it yields claims without any role that remember the reason, so that the [authorizer], which knows the
// call, logs each denial once.
type claimMapper struct {
	verify authorization.ClaimMapper
	issuer string
	clock  func() time.Time
}

var _ authorization.ClaimMapper = (*claimMapper)(nil)

func newClaimMapper(keys authorization.TokenKeyProvider, o Options) *claimMapper {
	return &claimMapper{
		verify: authorization.NewDefaultJWTClaimMapper(keys, &config.Authorization{PermissionsClaimName: "permissions"}, o.TemporalLogger),
		issuer: o.Issuer,
		clock:  o.Clock,
	}
}

// GetClaims implements [authorization.ClaimMapper]. It never returns an error.
func (c *claimMapper) GetClaims(info *authorization.AuthInfo) (*authorization.Claims, error) {
	who := &caller{hasToken: info.AuthToken != ""}
	if info.TLSSubject != nil {
		who.certificate = certificate{name: info.TLSSubject.CommonName, units: info.TLSSubject.OrganizationalUnit}
	}
	if shown := authorization.PeerCert(info.TLSConnection); shown != nil && shown.SerialNumber != nil {
		who.certificate.serial = shown.SerialNumber.Text(16)
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
func (c *claimMapper) token(info *authorization.AuthInfo, who *caller) (*authorization.Claims, error) {
	withAudience := *info
	withAudience.Audience = audience
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
		return nil, errors.New("the token's iss claim is not the expected issuer")
	}
	if verified.Subject == "" {
		return nil, errors.New("the token's sub claim is empty")
	}
	who.tokenID, _ = payload["jti"].(string)
	if who.tokenID == "" {
		return nil, errors.New("the token has no jti claim, so it could not be revoked")
	}
	who.subject = verified.Subject
	who.reader, _ = payload[claimReadOnly].(bool)
	who.queues, who.tenant = map[string]bool{}, map[string]bool{}
	for _, name := range queueNames(payload[claimQueues]) {
		who.queues[name], who.tenant[name] = true, true
	}
	for _, name := range queueNames(payload[claimTenantQueues]) {
		who.tenant[name] = true
	}
	return verified, nil
}

// queueNames reads a claim that lists task queues. Names that mean something of their own to Temporal are left out: they would lead to
// other queues than they say.
func queueNames(claim any) []string {
	list, _ := claim.([]any)
	names := make([]string, 0, len(list))
	for _, item := range list {
		if name, ok := item.(string); ok && name != "" && !isReservedQueue(name) {
			names = append(names, name)
		}
	}
	return names
}
