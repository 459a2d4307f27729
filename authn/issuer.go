package authn

import (
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

const (
	// engineTokenLifetime is the time after which a token must be renewed.
	engineTokenLifetime = time.Hour
	// engineTokenGrace is how long a token is accepted after that: some clients
	// renew it only at expiry, and polls are long.
	engineTokenGrace = 2 * time.Minute
	// systemTokenLifetime is the lifetime of the service's own tokens.
	systemTokenLifetime = 5 * time.Minute
	// clockSkew is how far the clock of a verifier may be behind.
	clockSkew = time.Minute

	engineAudience  = "temporal"
	systemSubject   = "procession"
	systemNamespace = "temporal-system"
)

// MinCertificateLifetime and MaxCertificateLifetime bound how long an engine
// certificate is valid; DefaultCertificateLifetime is the default.
const (
	MinCertificateLifetime     = time.Hour
	MaxCertificateLifetime     = 365 * 24 * time.Hour
	DefaultCertificateLifetime = 90 * 24 * time.Hour
	// RequestedCertificateLifetime bounds certificates for keys of the caller. Callers
	// with a key of their own renew certificates unattended.
	RequestedCertificateLifetime = 24 * time.Hour
)

// MaxOperatorAccess is the maximum lifetime of an operator's access to a namespace.
const MaxOperatorAccess = time.Hour

var (
	errNoSigningKey = errors.New("there is no signing key: the keys are not loaded")
	errNamespace    = errors.New("the namespace is not that of a tenant")
)

// Issuer issues tokens and certificates for the engine. It is safe for concurrent
// use.
type Issuer struct {
	keys                *Keys
	name                string
	certificateLifetime time.Duration
	cluster             Cluster
	// clusters are the additional clusters by name.
	clusters map[string]Cluster
}

// NewIssuer returns an Issuer that signs with keys. Name is the iss claim of its
// tokens; certificateLifetime, 1 hour to 1 year, is how long the certificates of
// engine clients are valid.
func NewIssuer(keys *Keys, name string, certificateLifetime time.Duration) (*Issuer, error) {
	if name == "" {
		return nil, errors.New("making an issuer: the name must not be empty")
	}
	if certificateLifetime < MinCertificateLifetime || certificateLifetime > MaxCertificateLifetime {
		return nil, fmt.Errorf("making an issuer: certificates cannot be valid for %s", certificateLifetime)
	}
	return &Issuer{keys: keys, name: name, certificateLifetime: certificateLifetime}, nil
}

// engineClaims are the claims of a token for the engine. The audience is a list
// even when it has one member.
type engineClaims struct {
	Issuer      string           `json:"iss"`
	Audience    []string         `json:"aud"`
	Subject     string           `json:"sub"`
	IssuedAt    *jwt.NumericDate `json:"iat"`
	NotBefore   *jwt.NumericDate `json:"nbf"`
	Expiry      *jwt.NumericDate `json:"exp"`
	ID          string           `json:"jti"`
	Permissions []string         `json:"permissions"`
	TaskQueues  []string         `json:"task_queues"`
	// TenantTaskQueues are the task queues that workflows may schedule work on.
	TenantTaskQueues []string `json:"tenant_task_queues"`
	// ReadOnly is true of an operator's token.
	ReadOnly bool `json:"read_only,omitempty"`
}

// EngineAccess describes the permissions of an engine token.
type EngineAccess struct {
	// ID becomes the jti of the token.
	ID        uuid.UUID
	Principal uuid.UUID
	Namespace string
	// TaskQueues are the task queues that the principal's workers may serve, TenantTaskQueues all queues of the tenant.
	TaskQueues       []string
	TenantTaskQueues []string
	// CloudKey is the principal's API key, for a Cluster in Temporal Cloud.
	CloudKey persistence.SealedCloudKey
}

// EngineToken issues a token (ES256) with which the principal's workers may serve the task queues in the namespace.
// Without queues it has no permissions. It is accepted for two minutes after the expiry that is returned. In a Cluster
// with given tokens it returns the principal's; CONFLICT means that there is none. UNAVAILABLE means that it is being created in Temporal
// Cloud.
func (i *Issuer) EngineToken(access EngineAccess, now time.Time) (domain.EngineToken, error) {
	if !isTenantNamespace(access.Namespace) {
		return domain.EngineToken{}, fmt.Errorf("issuing an engine token: %w", errNamespace)
	}
	if err := i.cluster.checkIssued(); err != nil {
		return domain.EngineToken{}, err
	}
	if i.cluster.CloudKeys {
		return i.cloudToken(access.CloudKey, now)
	}
	if i.cluster.APIKeyFile != "" {
		return i.cluster.givenToken(access, now)
	}
	claims := engineClaims{
		Subject: access.Principal.String(), ID: access.ID.String(), Permissions: []string{},
		TaskQueues: sortedCopy(access.TaskQueues), TenantTaskQueues: sortedCopy(access.TenantTaskQueues),
	}
	if len(claims.TaskQueues) > 0 {
		claims.Permissions = []string{access.Namespace + ":write"}
	}
	expiredAt := now.Add(engineTokenLifetime)
	// The times in a token are in whole seconds.
	notAfter := expiredAt.Add(engineTokenGrace).Truncate(time.Second)
	token, err := i.sign(claims, now, notAfter)
	if err != nil {
		return domain.EngineToken{}, fmt.Errorf("issuing an engine token: %w", err)
	}
	return domain.EngineToken{Token: token, ExpiredAt: expiredAt, NotAfter: notAfter}, nil
}

// OperatorToken issues a token with which an operator may read the namespace until
// the expiry, which is at most MaxOperatorAccess from now. The id becomes its jti.
func (i *Issuer) OperatorToken(
	id, operator uuid.UUID, namespace string, now, expiry time.Time,
) (domain.EngineToken, error) {
	if err := checkOperatorAccess(namespace, now, expiry); err != nil {
		return domain.EngineToken{}, fmt.Errorf("issuing an operator's token: %w", err)
	}
	token, err := i.sign(engineClaims{
		Subject: operator.String(), ID: id.String(), Permissions: []string{namespace + ":read"},
		TaskQueues: []string{}, TenantTaskQueues: []string{}, ReadOnly: true,
	}, now, expiry)
	if err != nil {
		return domain.EngineToken{}, fmt.Errorf("issuing an operator's token: %w", err)
	}
	return domain.EngineToken{Token: token, ExpiredAt: expiry, NotAfter: expiry}, nil
}

func checkOperatorAccess(namespace string, now, expiry time.Time) error {
	switch {
	case !isTenantNamespace(namespace):
		return errNamespace
	case expiry.Sub(now) > MaxOperatorAccess:
		return fmt.Errorf("it would be valid for more than %s", MaxOperatorAccess)
	}
	return nil
}

// sortedCopy returns the distinct names, sorted by bytes. It never returns nil, which
// would be null in JSON.
func sortedCopy(names []string) []string {
	names = append([]string{}, names...)
	slices.Sort(names)
	return slices.Compact(names)
}

// SystemToken issues the service's own token, which may do everything in every
// namespace for five minutes. The service sends it to the engine only.
func (i *Issuer) SystemToken(now time.Time) (domain.EngineToken, error) {
	claims := engineClaims{
		Subject: systemSubject, ID: uuid.NewString(), Permissions: []string{systemNamespace + ":admin"},
		TaskQueues: []string{}, TenantTaskQueues: []string{},
	}
	expiredAt := now.Add(systemTokenLifetime)
	token, err := i.sign(claims, now, expiredAt)
	if err != nil {
		return domain.EngineToken{}, fmt.Errorf("issuing a system token: %w", err)
	}
	return domain.EngineToken{Token: token, ExpiredAt: expiredAt, NotAfter: expiredAt}, nil
}

// TokenKeyID returns the id of the key that tokens are signed with now, so that a
// change can be noticed. It is empty without keys.
func (i *Issuer) TokenKeyID(now time.Time) string {
	key, _ := selectSigningKey(i.keys.set.Load().tokens, now)
	return key.id
}

func (i *Issuer) sign(claims engineClaims, now, expiry time.Time) (domain.Secret, error) {
	key, found := selectSigningKey(i.keys.set.Load().tokens, now)
	if !found {
		return domain.Secret{}, errNoSigningKey
	}
	signer, err := jose.NewSigner(
		jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key.private, KeyID: key.id}},
		(&jose.SignerOptions{}).WithType("JWT"),
	)
	if err != nil {
		return domain.Secret{}, fmt.Errorf("making a signer: %w", err)
	}
	// Temporal refuses a token from the future, however near.
	issuedAt := jwt.NewNumericDate(now.Add(-clockSkew))
	claims.Issuer, claims.Audience = i.name, []string{engineAudience}
	claims.IssuedAt, claims.NotBefore, claims.Expiry = issuedAt, issuedAt, jwt.NewNumericDate(expiry)
	token, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		return domain.Secret{}, fmt.Errorf("signing: %w", err)
	}
	return domain.NewSecret(token), nil
}

// JWKS returns the JSON Web Key Set (RFC 7517) with which engine tokens are
// verified. It must not be changed.
func (i *Issuer) JWKS() []byte { return i.keys.set.Load().jwks }

// RootsPEM returns the certificates of the authorities that are trusted, in PEM,
// the oldest first. Some clients read only the first one, which every chain leads
// back to.
func (i *Issuer) RootsPEM() string {
	var roots strings.Builder
	for _, root := range slices.Backward(i.keys.set.Load().authorities) {
		roots.WriteString(root.pem)
	}
	return roots.String()
}

// AuthorityExpiry returns when the certificate of the authority that signs at now
// ends, the zero time if there is none.
func (i *Issuer) AuthorityExpiry(now time.Time) time.Time {
	issuer, found := selectSigningKey(i.keys.set.Load().authorities, now)
	if !found {
		return time.Time{}
	}
	return issuer.certificate.NotAfter
}

// Roots returns the authorities that are trusted.
func (i *Issuer) Roots() *x509.CertPool {
	pool := x509.NewCertPool()
	for _, root := range i.keys.set.Load().authorities {
		pool.AddCert(root.certificate)
	}
	return pool
}

// isTenantNamespace reports whether the name is the name of a single namespace. Names with another meaning in Temporal
// are refused, although tenants cannot have them.
func isTenantNamespace(namespace string) bool {
	return namespace != "" && namespace != systemNamespace && !strings.ContainsAny(namespace, ":*")
}
