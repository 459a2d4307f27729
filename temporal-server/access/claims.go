package access

import (
	"errors"
	"slices"
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
	claimTenantQueues = "tenant_task_queues" // known to the tenant
	claimReadOnly     = "read_only"          // true in an operator's token
)

// caller contains the content of the certificate and the token of a call. [claimMapper] passes it to [authorizer] and [interceptor] in
// the Extensions of the claims.
type caller struct {
	certificate  certificate
	hasToken     bool
	tokenErr     error  // why the token was refused
	tokenID      string // the token's jti
	subject      string
	reader       bool            // the token is an operator's, for reads only
	queues       map[string]bool // task queues the caller may poll
	tenantQueues map[string]bool // task queues of its workflows, including queues

	// personal are the task queues of the request that belong to one subject. The authorizer finds them, and the interceptor looks up
	// their owners.
	personal []personalQueue

	// targets are the workflows that the request signals, cancels or changes. The authorizer finds them, and the interceptor looks up
	// their task queues.
	targets []target
}

// canPollAny reports whether the caller may poll one of the task queues.
func (c *caller) canPollAny(queues []string) bool {
	return slices.ContainsFunc(queues, func(name string) bool { return c.queues[name] })
}

// certificate contains the parts of a client certificate that the rules need.
type certificate struct {
	name   string   // common name: the principal's id
	units  []string // organizational units: the namespace
	serial string   // in lower-case hexadecimal digits without leading zeros
}

// isSystem reports whether the certificate belongs to the service.
func (c *caller) isSystem() bool {
	return len(c.certificate.units) == 1 && c.certificate.units[0] == systemNamespace
}

// claimMapper maps the credentials of a call to Temporal's claims. Temporal's default
// mapper checks signature, key and time; this one also requires the claims exp, iss,
// aud and jti.
//
// A refused token is not an error: its claims have no role and contain the reason, so
// that the [authorizer] logs the denial with the request.
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
		verified, err := c.verifyToken(info, who)
		if err != nil {
			who.tokenErr = err
		} else {
			claims = verified
		}
	}
	claims.Extensions = who
	return claims, nil
}

// verifyToken verifies the token of a call and copies claims that Temporal's type lacks to who.
func (c *claimMapper) verifyToken(info *authorization.AuthInfo, who *caller) (*authorization.Claims, error) {
	withAudience := *info
	withAudience.Audience = audience
	verified, err := c.verify.GetClaims(&withAudience)
	if err != nil {
		return nil, err
	}
	// The signature of these bytes was verified above. This reads the claims that the default mapper drops.
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
	who.queues, who.tenantQueues = map[string]bool{}, map[string]bool{}
	for _, name := range queueNames(payload[claimQueues]) {
		who.queues[name], who.tenantQueues[name] = true, true
	}
	for _, name := range queueNames(payload[claimTenantQueues]) {
		who.tenantQueues[name] = true
	}
	return verified, nil
}

// queueNames returns the task queues in a claim without the names that Temporal reserves, which lead to other queues.
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
