package config

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// Plain text and credentials of the cluster's owner exclude what they cannot protect.
func TestConnectionToTemporal(t *testing.T) {
	t.Parallel()
	for flags, fault := range map[string]string{
		"--temporal-tls=false":                                                                  "--temporal-tls must be true for another host",
		"--temporal-tls=false --temporal-allow-plaintext":                                       "",
		"--temporal-tls=false --temporal-address=[::1]:7233":                                    "",
		"--temporal-tls=false --temporal-address=localhost:7233 --temporal-api-key-file=key":    "--temporal-api-key-file needs --temporal-tls",
		"--temporal-tls=false --temporal-address=127.1.2.3:7233 --temporal-tls-ca=ca.pem":       "--temporal-tls-ca needs --temporal-tls",
		"--temporal-tls-cert=client.pem":                                                        "--temporal-tls-cert and --temporal-tls-key need each other",
		"--temporal-tls-key=client-key.pem":                                                     "--temporal-tls-cert and --temporal-tls-key need each other",
		"--temporal-tls-cert=client.pem --temporal-tls-key=client-key.pem":                      "",
		"--temporal-anonymous --temporal-api-key-file=key":                                      "--temporal-anonymous excludes",
		"--temporal-anonymous --temporal-tls-ca=ca.pem":                                         "",
		"--temporal-worker-tls-cert=client.pem":                                                 "--temporal-worker-tls-cert and --temporal-worker-tls-key need each other",
		"--temporal-worker-credentials=false":                                                   "",
		"--temporal-worker-credentials=false --temporal-worker-api-key-file=key":                "--temporal-worker-credentials must be true",
		"--temporal-tls=false --temporal-address=[::1]:7233 --temporal-worker-api-key-file=key": "--temporal-worker-api-key-file needs --temporal-tls",
	} {
		var c Temporal
		f := pflag.NewFlagSet("test", pflag.ContinueOnError)
		c.bindFlags(f)
		require.NoError(t, f.Parse(append([]string{"--temporal-address=temporal.example:7233"}, strings.Fields(flags)...)))
		err := c.checkSettings()
		if fault == "" {
			require.NoError(t, err, flags)
		} else {
			require.ErrorContains(t, err, fault, flags)
		}
	}
}
