package config

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/authn"
)

func TestHostsAllow(t *testing.T) {
	t.Parallel()
	c := PublicNames{PublicURL: "https://Procession.example.com:8443/", AllowedHosts: textList{"procession.internal", "192.0.2.7", "2001:db8::7"}}
	require.NoError(t, c.checkSettings())
	require.Equal(t, "https://Procession.example.com:8443", c.BaseURL())
	for _, host := range []string{
		"procession.example.com", "PROCESSION.example.com:8443", "procession.example.com.", "procession.internal:8080", "192.0.2.7:1",
		"[2001:db8::7]:80", "localhost", "127.0.0.1:8080", "[::1]:8080",
	} {
		require.True(t, c.Hosts().Allow(host), host)
	}
	for _, host := range []string{"", "attacker.example", "procession.example.com.attacker.example", "192.0.2.8", "example.com", "x.procession.example.com"} {
		require.False(t, c.Hosts().Allow(host), host)
	}
	require.True(t, (&PublicNames{}).Hosts().Allow("attacker.example"), "without --public-url all hosts are allowed")
}

func TestServeWithIssuersNeedsPublicURL(t *testing.T) {
	t.Parallel()
	c := Config{Credentials: Credentials{OIDCIssuers: oidcIssuers{{Issuer: "https://login.example", Audiences: []string{"api"}}}}}
	require.NoError(t, c.requirePublicURL(), "tokens alone have no redirect URI")
	c.OIDCIssuers = append(c.OIDCIssuers, authn.OIDCIssuer{Issuer: "https://other.example", ClientID: "procession"})
	require.ErrorContains(t, c.requirePublicURL(), "--public-url")
	require.ErrorAs(t, c.requirePublicURL(), new(UsageError))
	c.PublicURL = "https://procession.example.com"
	require.NoError(t, c.requirePublicURL())
}
