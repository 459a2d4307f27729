package authn

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	// DefaultClockSkew is how far the clock of an issuer may be off if the
	// configuration does not say.
	DefaultClockSkew = 30 * time.Second
	// MaxClockSkew is how far it may be off at most.
	MaxClockSkew = 2 * time.Minute
	// DefaultEmailClaim is the claim with the e-mail address of a user (OpenID
	// Connect Core, section 5.1).
	DefaultEmailClaim = "email"
	// maxIssuer bounds the URL of an issuer in bytes.
	maxIssuer = 2048
)

// OIDCIssuer is an OpenID Connect issuer whose tokens let users in, and what is
// asked of them.
type OIDCIssuer struct {
	// Issuer is its URL, character for character as in the claim iss.
	Issuer string `yaml:"issuer"`
	// Audiences are those of which the claim aud must name one.
	Audiences []string `yaml:"audiences"`
	// JWKSURL is where its keys are. Where it is empty the issuer is asked.
	JWKSURL string `yaml:"jwks-url,omitempty"`
	// Algorithms are those that tokens may be signed with: RS256, ES256 and EdDSA,
	// or some of them. None stands for all.
	Algorithms []string `yaml:"algorithms,flow"`
	// ClockSkew is how far its clock may be off; nil for DefaultClockSkew.
	ClockSkew *time.Duration `yaml:"clock-skew"`
	// EmailClaim is the claim with the address that users are found by; empty for
	// DefaultEmailClaim.
	EmailClaim string `yaml:"email-claim"`
	// Tenants are the codes of the tenants whose users it lets in, AllTenants alone
	// for every tenant. Others of a user are not reached through it.
	Tenants []string `yaml:"tenants,flow,omitempty"`
	// EmailDomains are those that the address of a user must have one of; none for
	// all. Upper and lower case are the same.
	EmailDomains []string `yaml:"email-domains,flow,omitempty"`
	// Operators says that it lets operators in too.
	Operators bool `yaml:"operators"`
}

// AllTenants stands for every tenant, said on purpose.
const AllTenants = "*"

// Scoped reports whether it is said whom the issuer is for. A single issuer for
// whom it is not is for the users of all tenants.
func (i OIDCIssuer) Scoped() bool { return len(i.Tenants) > 0 || len(i.EmailDomains) > 0 }

// scope are the tenants whose users the issuer lets in, nil for all.
func (i OIDCIssuer) scope() []string {
	if len(i.Tenants) == 0 || slices.Contains(i.Tenants, AllTenants) {
		return nil
	}
	return i.Tenants
}

// domains are the domains that addresses must have one of, nil for all.
func (i OIDCIssuer) domains() []string {
	var folded []string
	for _, name := range i.EmailDomains {
		folded = append(folded, strings.ToLower(name))
	}
	return folded
}

var (
	tenantCode  = regexp.MustCompile(`^[a-z][a-z0-9-]{0,62}$`)
	emailDomain = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$`)
)

// oidcAlgorithms are the algorithms that signatures are accepted of.
func oidcAlgorithms() []string {
	return []string{string(jose.RS256), string(jose.ES256), string(jose.EdDSA)}
}

// WithDefaults returns the issuer with all that it leaves open filled in.
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
	return i
}

// CheckOIDCIssuers reports all that is wrong with the issuers, each named with
// its setting.
func CheckOIDCIssuers(issuers []OIDCIssuer) error {
	var wrong []error
	listed := map[string]bool{}
	for _, i := range issuers {
		if listed[i.Issuer] {
			wrong = append(wrong, fmt.Errorf("issuer %q is listed twice", i.Issuer))
		}
		listed[i.Issuer] = true
		for _, err := range i.WithDefaults().check() {
			wrong = append(wrong, fmt.Errorf("issuer %q: %w", i.Issuer, err))
		}
		if len(issuers) > 1 && !i.Scoped() {
			wrong = append(wrong, fmt.Errorf(
				"issuer %q: needs tenants or email-domains, because there are several issuers: whom is it for? [\"*\"] is all tenants",
				i.Issuer))
		}
	}
	return errors.Join(wrong...)
}

// check reports what is wrong with an issuer that nothing is left open of.
func (i OIDCIssuer) check() []error {
	var wrong []error
	must := func(ok bool, complaint string) {
		if !ok {
			wrong = append(wrong, errors.New(complaint))
		}
	}
	u, err := url.Parse(i.Issuer)
	must(err == nil && safeURL(u) && u.RawQuery == "" && !u.ForceQuery && len(i.Issuer) <= maxIssuer,
		"issuer must be an https URL without query (http only for the loopback)")
	must(len(i.Audiences) > 0 && !slices.Contains(i.Audiences, ""), "audiences must hold at least one, and none empty")
	if i.JWKSURL != "" {
		u, err := url.Parse(i.JWKSURL)
		must(err == nil && safeURL(u), "jwks-url must be an https URL (http only for the loopback)")
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
	must(*i.ClockSkew >= 0 && *i.ClockSkew <= MaxClockSkew, "clock-skew must be 0s to 2m")
	return wrong
}

// safeURL reports whether what is fetched from u cannot be changed on the way:
// u is absolute, and https unless it leads to the loopback. It holds no
// password and no fragment.
func safeURL(u *url.URL) bool {
	if u.Hostname() == "" || u.User != nil || u.Fragment != "" {
		return false
	}
	switch u.Scheme {
	case "https":
		return true
	case "http":
		ip, err := netip.ParseAddr(u.Hostname())
		return u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
	default:
		return false
	}
}
