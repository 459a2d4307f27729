package dev

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cmd/procession/config"
)

func TestAllowedHosts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		listen           string
		allowed, refused []string
	}{
		{"127.0.0.1:8080", []string{"127.0.0.1:8080", "localhost", "::1"}, []string{"", "10.0.0.1", "devbox"}},
		{"devbox:8080", []string{"DevBox", "devbox:9", "localhost"}, []string{"10.0.0.1", "other"}},
		{"0.0.0.0:8080", []string{"0.0.0.0:8080", "10.0.0.1:8080", "[2001:db8::1]:8080"}, []string{"devbox", ""}},
		{":8080", []string{":8080", "10.0.0.1"}, []string{"devbox"}},
	} {
		allowed := allowedHosts(&config.Config{HTTP: config.HTTP{Listen: c.listen}}, &Options{temporalListen: "127.0.0.1:7233"})
		for _, host := range c.allowed {
			require.True(t, allowed.Allow(host), "%s of %s", host, c.listen)
		}
		for _, host := range c.refused {
			require.False(t, allowed.Allow(host), "%s of %s", host, c.listen)
		}
	}
}

func TestLocalURL(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]config.HTTP{
		"http://127.0.0.1:8080":  {Listen: "127.0.0.1:8080", ListenTLS: "127.0.0.1:8443"},
		"http://127.0.0.1:81":    {Listen: "0.0.0.0:81"},
		"https://127.0.0.1:8443": {ListenTLS: ":8443"},
		"":                       {Listen: "127.0.0.1:0"},
	} {
		require.Equal(t, want, localURL(c))
	}
}
