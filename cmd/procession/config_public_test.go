package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/authn"
)

func TestHostsAllow(t *testing.T) {
	t.Parallel()
	c := PublicNames{PublicURL: "https://Procession.example.com:8443/", AllowedHosts: textList{"procession.internal", "192.0.2.7", "2001:db8::7"}}
	require.NoError(t, c.check())
	require.Equal(t, "https://Procession.example.com:8443", c.baseURL())
	for _, host := range []string{
		"procession.example.com", "PROCESSION.example.com:8443", "procession.example.com.", "procession.internal:8080", "192.0.2.7:1",
		"[2001:db8::7]:80", "localhost", "127.0.0.1:8080", "[::1]:8080",
	} {
		require.True(t, c.allowedHosts().allow(host), host)
	}
	for _, host := range []string{"", "attacker.example", "procession.example.com.attacker.example", "192.0.2.8", "example.com", "x.procession.example.com"} {
		require.False(t, c.allowedHosts().allow(host), host)
	}
	require.True(t, (&PublicNames{}).allowedHosts().allow("attacker.example"), "without --public-url all hosts are allowed")
}

func TestServeWithIssuersNeedsPublicURL(t *testing.T) {
	t.Parallel()
	c := Config{Credentials: Credentials{OIDCIssuers: oidcIssuers{{Issuer: "https://login.example", Audiences: []string{"api"}}}}}
	require.NoError(t, c.requirePublicURL(), "tokens alone have no redirect URI")
	c.OIDCIssuers = append(c.OIDCIssuers, authn.OIDCIssuer{Issuer: "https://other.example", ClientID: "procession"})
	require.ErrorContains(t, c.requirePublicURL(), "--public-url")
	require.Equal(t, exitUsage, exitCode(c.requirePublicURL()))
	c.PublicURL = "https://procession.example.com"
	require.NoError(t, c.requirePublicURL())
}

func TestConfigPrintShowsPublicURL(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"config", "print", "--public-url", "https://a.example", "--allowed-hosts", "b.internal"}, &out, &out))
	require.Contains(t, out.String(), "public-url: https://a.example\n")
}

func TestDevURL(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]HTTP{
		"http://127.0.0.1:8080":  {Listen: "127.0.0.1:8080", ListenTLS: "127.0.0.1:8443"},
		"http://127.0.0.1:81":    {Listen: "0.0.0.0:81"},
		"https://127.0.0.1:8443": {ListenTLS: ":8443"},
		"":                       {Listen: "127.0.0.1:0"},
	} {
		require.Equal(t, want, c.devURL())
	}
}
