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
		inCloud("c:1", ""):                                           "",
		inCloud("c:1", "regions: []"):                                `cloud-regions of the cluster "a" must name a region`,
		inCloud("c:1", "authentication: password"):                   `cloud-authentication of the cluster "a" must be api-key or certificate`,
		inCloud("c:1", "key-lifetime: 1h"):                           `cloud-key-lifetime of the cluster "a" must be between`,
		inCloud("c:1", "authentication: certificate"):                `address of the cluster "a" must be {namespace}.tmprl.cloud:7233`,
		inCloud("'{namespace}.c:1'", "authentication: certificate"):  "",
		inCloud("c:1", "account: A.b"):                               `cloud-account of the cluster "a" must be the suffix`,
		inCloud("c:1", "api-key-file: ''"):                           `cloud-api-key-file of the cluster "a" is required`,
		`[{"name": "a", "address": "{namespace}.example:1"}]`:        `address of the cluster "a" may contain {namespace} in Temporal Cloud only`,
		strings.Replace(inCloud("c:1", ""), "tls-ca: ca.pem", "", 1): `tls-ca of the cluster "a" is required in Temporal Cloud`,
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

// inCloud returns a cluster in Temporal Cloud. The member replaces one of cloud.
func inCloud(address, member string) string {
	members := map[string]string{"api-key-file": "cloud.key", "account": "a1b2c", "regions": "[aws-eu-central-1]"}
	if name, value, ok := strings.Cut(member, ": "); ok {
		members[name] = value
	}
	text := "- name: a\n  address: " + address + "\n  tls-ca: ca.pem\n  cloud:\n"
	for name, value := range members {
		text += "    " + name + ": " + value + "\n"
	}
	return text
}

// All errors of the settings of the default cluster are reported at once.
func TestDefaultClusterInTemporalCloud(t *testing.T) {
	t.Parallel()
	check := func(flags string) (*Temporal, error) {
		var c Temporal
		f := pflag.NewFlagSet("test", pflag.ContinueOnError)
		c.bindFlags(f)
		require.NoError(t, f.Parse(strings.Fields("--temporal-address=eu-central-1.aws.api.temporal.io:7233 "+flags)))
		return &c, c.checkSettings()
	}
	const valid = "--temporal-cloud-api-key-file=key --temporal-cloud-account=a1b2c --temporal-cloud-regions=aws-eu-central-1 --temporal-tls-ca=ca.pem " +
		"--temporal-namespace=procession.a1b2c"
	c, err := check(valid)
	require.NoError(t, err)
	require.Equal(t, "key", c.Clusters()[0].APIKeyFile)
	require.True(t, c.Clusters()[0].Workers().CloudKeys)
	c, err = check(valid + " --temporal-api-key-file=other")
	require.NoError(t, err)
	require.Equal(t, "other", c.Clusters()[0].APIKeyFile)

	settings, err := (&Config{Temporal: *c}).YAML()
	require.NoError(t, err)
	require.Contains(t, string(settings), "temporal-cloud-regions:\n    - aws-eu-central-1\n")

	_, err = check("--temporal-cloud-api-key-file=key --temporal-retention=2400h --temporal-anonymous")
	for _, fault := range []string{
		"--temporal-cloud-account must be", "--temporal-cloud-regions must name", "--temporal-tls-ca is required", "--temporal-namespace must end",
		"--temporal-retention must be 2160h or less", "--temporal-cloud-api-key-file excludes",
	} {
		require.ErrorContains(t, err, fault)
	}
	_, err = check("--temporal-cloud-account=a1b2c")
	require.ErrorContains(t, err, "--temporal-cloud-api-key-file is required")
	_, err = check("--temporal-address={namespace}.example:7233")
	require.ErrorContains(t, err, "--temporal-address may contain {namespace} in Temporal Cloud only")
}
