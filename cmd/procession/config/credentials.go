package config

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/authn"
)

// Values of --personal-tokens.
const (
	PersonalTokensAllowed = "allowed"
	PersonalTokensNone    = "none"
)

// Credentials configures engine credentials, sign-in and secrets.
type Credentials struct {
	Issuer                 string
	CertificateLifetime    time.Duration
	KeyReload              time.Duration
	KeyPublishDelay        time.Duration
	OIDCIssuers            oidcIssuers
	PersonalTokens         string
	AccessTokenLifetime    time.Duration
	MaxAccessTokenLifetime time.Duration
	SecretLifetime         time.Duration
	MaxSecretLifetime      time.Duration
}

// bindFlags declares the flags.
func (c *Credentials) bindFlags(f *pflag.FlagSet) {
	f.StringVar(&c.Issuer, "issuer", "procession", "issuer named in engine tokens")
	f.DurationVar(&c.CertificateLifetime, "certificate-lifetime", authn.DefaultCertificateLifetime,
		"lifetime of engine certificates, 1h to 8760h")
	f.DurationVar(&c.KeyReload, "key-reload", authn.DefaultKeyReload,
		"interval of reloads of signing keys, which other replicas may create")
	f.DurationVar(&c.KeyPublishDelay, "key-publish-delay", authn.DefaultPublishDelay,
		"how long a new signing key is published before it signs, more than --key-reload, at most 30m")
	f.Var(&c.OIDCIssuers, "oidc-issuers", "OpenID Connect issuers that users sign in through, as YAML or JSON: "+
		`[{"issuer": "https://…", "audiences": ["…"], "tenants": ["…"], "email-domains": ["…"], "operators": false}]`)
	bindChoice(f, &c.PersonalTokens, "personal-tokens",
		"whether administrators may issue personal access tokens for users: allowed, or none if users sign in through an issuer only",
		PersonalTokensAllowed, PersonalTokensNone)
	f.DurationVar(&c.AccessTokenLifetime, "access-token-lifetime", administration.DefaultAccessTokenLifetime,
		"lifetime of personal access tokens issued without an expiry; 0 for the maximum")
	f.DurationVar(&c.MaxAccessTokenLifetime, "max-access-token-lifetime", administration.MaxAccessTokenLifetime,
		"maximum lifetime of personal access tokens; 0 for no maximum")
	f.DurationVar(&c.SecretLifetime, "secret-lifetime", administration.DefaultApplicationSecretLifetime,
		"lifetime of secrets of applications issued without an expiry, at most --max-secret-lifetime; 0 for the maximum")
	f.DurationVar(&c.MaxSecretLifetime, "max-secret-lifetime", 0,
		"maximum lifetime of secrets of applications; 0 for no maximum")
}

// checkSettings validates the settings.
func (c *Credentials) checkSettings() error {
	var wrong faults
	wrong.require(c.Issuer != "", "issuer", "must not be empty")
	wrong.require(c.CertificateLifetime >= authn.MinCertificateLifetime && c.CertificateLifetime <= authn.MaxCertificateLifetime,
		"certificate-lifetime", "must be 1h to 8760h")
	wrong.require(c.KeyReload >= time.Millisecond, "key-reload", "must be 1ms or more")
	wrong.require(c.KeyPublishDelay > c.KeyReload && c.KeyPublishDelay <= authn.MaxPublishDelay,
		"key-publish-delay", "must be more than --key-reload and at most 30m")
	wrong.require(c.PersonalTokens != PersonalTokensNone || len(c.OIDCIssuers) > 0,
		"personal-tokens", "none needs --oidc-issuers, through which users sign in")
	wrong.require(c.MaxAccessTokenLifetime >= 0, "max-access-token-lifetime", "must not be negative")
	wrong.require(c.AccessTokenLifetime >= 0 && (c.MaxAccessTokenLifetime <= 0 || c.AccessTokenLifetime <= c.MaxAccessTokenLifetime),
		"access-token-lifetime", "must be 0 to --max-access-token-lifetime")
	wrong.require(c.SecretLifetime >= 0, "secret-lifetime", "must not be negative")
	wrong.require(c.MaxSecretLifetime >= 0, "max-secret-lifetime", "must not be negative")
	wrong.require(!c.OIDCIssuers.contains(c.Issuer), "oidc-issuers", "must not contain the --issuer of engine tokens")
	wrong.add("oidc-issuers", c.OIDCIssuers.check())
	return wrong.join()
}
