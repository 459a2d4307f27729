package authn

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/procession-dev/procession/internal/openid"
)

const (
	// DefaultClockSkew is the default tolerance for the clock of an issuer.
	DefaultClockSkew = 30 * time.Second
	// MaxClockSkew is the largest configurable tolerance.
	MaxClockSkew = 2 * time.Minute
	// DefaultEmailClaim is the default claim with the e-mail address of a user
	// (OpenID Connect Core, section 5.1).
	DefaultEmailClaim = "email"
	// maxIssuer bounds the URL of an issuer in bytes.
	maxIssuer = 2048
	// maxClaimName bounds the name of a claim in bytes.
	maxClaimName = 255
)

// OIDCIssuer configures an OpenID Connect issuer of users' tokens, and the conditions for the tokens.
type OIDCIssuer struct {
	// Issuer is its URL, character for character as in the claim iss.
	Issuer string `yaml:"issuer"`
	// Audiences lists the accepted values of the claim aud.
	Audiences []string `yaml:"audiences"`
	// JWKSURL is the URL of its keys. If it is empty, the URL is discovered.
	JWKSURL string `yaml:"jwks-url,omitempty"`
	// Algorithms are the allowed signature algorithms: RS256, ES256 and EdDSA, or
	// some of them. An empty list stands for all.
	Algorithms []string `yaml:"algorithms,flow"`
	// ClockSkew is how far its clock may be off; nil for DefaultClockSkew.
	ClockSkew *time.Duration `yaml:"clock-skew"`
	// EmailClaim is the claim with the address that users are found by; empty for
	// DefaultEmailClaim.
	EmailClaim string `yaml:"email-claim"`
	// GroupsClaim is the claim of ID tokens with the groups of a user, which the rules of tenants for sign-ins refer to; empty for
	// none.
	GroupsClaim string `yaml:"groups-claim,omitempty"`
	// Scopes are requested from the issuer in addition to openid, email and profile.
	Scopes []string `yaml:"scopes,flow,omitempty"`
	// Tenants are the codes of the tenants that its users may access, AllTenants
	// alone for every tenant. Other memberships of a user are ignored.
	Tenants []string `yaml:"tenants,flow,omitempty"`
	// EmailDomains are the allowed domains of the address of a user; an empty list
	// allows all. Upper and lower case are the same.
	EmailDomains []string `yaml:"email-domains,flow,omitempty"`
	// Operators allows operators to sign in through it.
	Operators bool `yaml:"operators"`
	// Name is the issuer's name on the button to sign in.
	Name string `yaml:"name,omitempty"`
	// ClientID is the console's client id at the issuer (RFC 6749, section 2.2). Without one the console does not offer
	// it.
	ClientID string `yaml:"client-id,omitempty"`
	// TokenType is the type of the tokens that the API accepts: TokenTypeAny or
	// TokenTypeAccess; empty for TokenTypeAny.
	TokenType string `yaml:"token-type"`
	// ClientSecretFile holds the secret of a confidential client. A public client has
	// none and proves itself by PKCE (RFC 7636), which is always used.
	ClientSecretFile string `yaml:"client-secret-file,omitempty"`
}

// AllTenants stands explicitly for every tenant.
const AllTenants = "*"

const (
	// TokenTypeAny accepts ID tokens and access tokens for one of the audiences.
	TokenTypeAny = "any"
	// TokenTypeAccess accepts access tokens with the type at+jwt alone (RFC 9068, section 2.1).
	TokenTypeAccess = "at+jwt"
)

// CallbackPath is the path below which each issuer has its redirect URI of the console.
const CallbackPath = "/console/sign-in/callback/"

// Callback returns the path of the issuer's redirect URI. No two issuers share one, so that a
// response of one is never taken for one of another (RFC 9700, section 4.4.2).
func (i OIDCIssuer) Callback() string { return CallbackPath + i.pathName() }

var notInSlugs = regexp.MustCompile(`[^a-z0-9.]+`)

// pathName returns the name of the issuer in a path: its address without the scheme.
func (i OIDCIssuer) pathName() string {
	_, address, _ := strings.Cut(strings.ToLower(i.Issuer), "://")
	return strings.Trim(notInSlugs.ReplaceAllString(address, "-"), "-")
}

// Scoped reports whether Tenants or EmailDomains is set. A single issuer that is not
// scoped is for the users of all tenants.
func (i OIDCIssuer) Scoped() bool { return len(i.Tenants) > 0 || len(i.EmailDomains) > 0 }

// signInScopes returns the tenants that the issuer's users may access, nil for all.
func (i OIDCIssuer) signInScopes() []string {
	if len(i.Tenants) == 0 || slices.Contains(i.Tenants, AllTenants) {
		return nil
	}
	return i.Tenants
}

// emailDomains returns the allowed domains of addresses, nil for all.
func (i OIDCIssuer) emailDomains() []string {
	var folded []string
	for _, name := range i.EmailDomains {
		folded = append(folded, strings.ToLower(name))
	}
	return folded
}

var (
	tenantCode = regexp.MustCompile(`^[a-z][a-z0-9-]{0,62}$`)
	// scopeToken matches a scope (RFC 6749, section 3.3).
	scopeToken  = regexp.MustCompile(`^[\x21\x23-\x5B\x5D-\x7E]{1,255}$`)
	emailDomain = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$`)
)

// oidcAlgorithms returns the accepted signature algorithms.
func oidcAlgorithms() []string {
	return []string{string(jose.RS256), string(jose.ES256), string(jose.EdDSA)}
}

// WithDefaults returns the issuer with defaults for its empty fields.
func (i OIDCIssuer) WithDefaults() OIDCIssuer {
	if len(i.Algorithms) == 0 {
		i.Algorithms = oidcAlgorithms()
	}
	if i.ClockSkew == nil {
		skew := DefaultClockSkew
		i.ClockSkew = &skew
	}
	if i.EmailClaim == "" {
		i.EmailClaim = DefaultEmailClaim
	}
	if i.TokenType == "" {
		i.TokenType = TokenTypeAny
	}
	return i
}

// CheckOIDCIssuers returns all errors in the configuration of the issuers,
// joined; each names its setting.
func CheckOIDCIssuers(issuers []OIDCIssuer) error {
	var wrong []error
	listed, callbacks := map[string]bool{}, map[string]string{}
	for _, i := range issuers {
		other, taken := callbacks[i.Callback()]
		switch {
		case listed[i.Issuer]:
			wrong = append(wrong, fmt.Errorf("issuer %q is listed twice", i.Issuer))
		case taken:
			wrong = append(wrong, fmt.Errorf("issuer %q: has the same redirect URI as %q: addresses must differ in letters or digits", i.Issuer, other))
		}
		listed[i.Issuer], callbacks[i.Callback()] = true, i.Issuer
		for _, err := range i.WithDefaults().check() {
			wrong = append(wrong, fmt.Errorf("issuer %q: %w", i.Issuer, err))
		}
		if len(issuers) > 1 && !i.Scoped() {
			wrong = append(wrong, fmt.Errorf(
				"issuer %q: needs tenants or email-domains, because there are several issuers; [\"*\"] is all tenants",
				i.Issuer))
		}
	}
	return errors.Join(wrong...)
}

// check returns the errors in an issuer with its defaults.
func (i OIDCIssuer) check() []error {
	var wrong []error
	must := func(ok bool, complaint string) {
		if !ok {
			wrong = append(wrong, errors.New(complaint))
		}
	}
	u, err := url.Parse(i.Issuer)
	must(err == nil && openid.SafeURL(i.Issuer) && u.RawQuery == "" && !u.ForceQuery && len(i.Issuer) <= maxIssuer,
		"issuer must be an https URL without query (http only for the loopback)")
	must(len(i.Audiences) > 0 && !slices.Contains(i.Audiences, ""), "audiences must hold at least one, and none empty")
	must(i.ClientID != "" || i.ClientSecretFile == "" && i.Name == "", "name and client-secret-file need a client-id")
	if i.JWKSURL != "" {
		must(openid.SafeURL(i.JWKSURL), "jwks-url must be an https URL (http only for the loopback)")
	}
	for _, algorithm := range i.Algorithms {
		must(slices.Contains(oidcAlgorithms(), algorithm), fmt.Sprintf("algorithms must be of %v", oidcAlgorithms()))
	}
	for _, code := range i.Tenants {
		must(tenantCode.MatchString(code) || code == AllTenants && len(i.Tenants) == 1,
			`tenants must be codes of tenants, or "*" alone`)
	}
	for _, name := range i.EmailDomains {
		must(emailDomain.MatchString(name), "email-domains must be domains such as example.com, without @ and wildcards")
	}
	must(len(i.GroupsClaim) <= maxClaimName, "groups-claim must have at most 255 characters")
	for _, scope := range i.Scopes {
		must(scopeToken.MatchString(scope), "scopes must be names without spaces")
	}
	must(i.TokenType == TokenTypeAny || i.TokenType == TokenTypeAccess, "token-type must be any or at+jwt")
	must(*i.ClockSkew >= 0 && *i.ClockSkew <= MaxClockSkew, "clock-skew must be 0s to 2m")
	return wrong
}
