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

func TestTemporalClusters(t *testing.T) {
	t.Parallel()
	for text, fault := range map[string]string{
		`[{"name": "cloud", "address": "cloud.example:7233", "api-key-file": "key"}]`:                                "",
		`[{"name": "near", "address": "127.0.0.1:7233", "plaintext": true}]`:                                         "",
		`[{"name": "far", "address": "far.example:7233", "plaintext": true}]`:                                        `tls of the cluster "far" must be true for another host; allow-plaintext`,
		`[{"name": "cloud", "address": "cloud.example"}]`:                                                            `address of the cluster "cloud" must be host:port`,
		`[{"name": "Cloud", "address": "cloud.example:7233"}]`:                                                       `name of the cluster "Cloud" must be`,
		`[{"name": "a", "address": "a.example:1"}, {"name": "a", "address": "b.example:1"}]`:                         `name of the cluster "a" occurs twice`,
		`[{"name": "a", "address": "a.example:1", "tls-cert": "a.pem"}]`:                                             `tls-cert of the cluster "a" and tls-key need each other`,
		`[{"name": "a", "address": "a.example:1", "withhold-worker-credentials": true, "worker-api-key-file": "k"}]`: `worker-credentials of the cluster "a" must be true`,
	} {
		var c Temporal
		f := pflag.NewFlagSet("test", pflag.ContinueOnError)
		c.bindFlags(f)
		require.NoError(t, f.Parse([]string{"--temporal-clusters=" + text}))
		err := c.checkSettings()
		if fault == "" {
			require.NoError(t, err, text)
		} else {
			require.ErrorContains(t, err, fault, text)
		}
	}
	var clusters temporalClusters
	require.ErrorContains(t, clusters.Set(`[{"host": "a.example"}]`), "host")
}
