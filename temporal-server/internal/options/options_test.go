package options_test

import (
	"flag"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/temporal-server/internal/options"
)

func requiredFlags(more ...string) []string {
	return append([]string{
		"--jwks-url", "http://127.0.0.1:8080/.well-known/jwks.json",
		"--tls-cert", "server.pem", "--tls-key", "server.key", "--client-ca", "ca.pem",
	}, more...)
}

func lookupIn(values map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := values[name]
		return value, ok
	}
}

func TestParseFillsDefaults(t *testing.T) {
	t.Parallel()
	opts, err := options.Parse(requiredFlags(), lookupIn(nil), io.Discard)
	require.NoError(t, err)
	require.Equal(t, options.Options{
		Listen: "127.0.0.1:7233", ClusterName: "active", ClusterNumber: 1, Store: options.StoreSQLite, Visibility: options.StoreSQLite, UpdateSchema: true,
		Database: "temporal", VisibilityDatabase: "temporal_visibility", DatabaseConnections: 10,
		Cassandra: options.Cassandra{
			Port: 9042, Keyspace: "temporal", Replication: 3, Consistency: "LOCAL_QUORUM", SerialConsistency: "LOCAL_SERIAL", Connections: 4,
		},
		OpenSearch:    options.OpenSearch{Index: "temporal_visibility_v1", Shards: 1},
		HistoryShards: 512, TaskQueuePartitions: 4,
		SystemWorkers: []string{"procession"},
		JWKSURL:       "http://127.0.0.1:8080/.well-known/jwks.json", JWKSRefresh: 10 * time.Second, Issuer: "procession",
		RevocationsURL: "http://127.0.0.1:8080/.well-known/engine-revocations.json", RevocationsRefresh: 10 * time.Second,
		PublishedMaxAge: 15 * time.Minute, CheckCommands: true,
		TLSCert: "server.pem", TLSKey: "server.key", ClientCA: "ca.pem", TLSRefresh: 10 * time.Second,
		LogLevel: "error",
	}, opts)
}

func TestParseLetsFlagsBeatTheEnvironment(t *testing.T) {
	t.Parallel()
	opts, err := options.Parse(requiredFlags("--listen", "127.0.0.1:1"), lookupIn(map[string]string{
		"PROCESSION_TEMPORAL_LISTEN":       "127.0.0.1:2",
		"PROCESSION_TEMPORAL_JWKS_REFRESH": "3s",
		"PROCESSION_TEMPORAL_STORE":        "postgres",
		"PROCESSION_TEMPORAL_DATABASE_URL": "postgres://u:p@127.0.0.1/postgres",
	}), io.Discard)
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1:1", opts.Listen)
	require.Equal(t, 3*time.Second, opts.JWKSRefresh)
	require.Equal(t, options.StorePostgres, opts.Store)
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"a missing key set":       {[]string{"--tls-cert", "a", "--tls-key", "b", "--client-ca", "c"}, "--jwks-url is required"},
		"an unknown store":        {requiredFlags("--store", "mysql"), "--store must be sqlite, postgres or cassandra"},
		"postgres without a URL":  {requiredFlags("--store", "postgres"), "--database-url must be a postgres:// URL"},
		"a URL with sqlite":       {requiredFlags("--database-url", "postgres://h/d"), "--database-url needs --store postgres"},
		"an address without port": {requiredFlags("--listen", "127.0.0.1"), "--listen must be host:port"},
		"a zero refresh":          {requiredFlags("--jwks-refresh", "0s"), "must be positive"},
		"no partition":            {requiredFlags("--task-queue-partitions", "0"), "--task-queue-partitions must be 1 to 100"},
		"an address alone":        {requiredFlags("--advertise", "127.0.0.1"), "--advertise, --ports and --internal-certificate need --services"},
		"hosts":                   {requiredFlags("--hosts", "history=127.0.0.1:1"), "give each one --advertise IP, and --ports"},
		"an unknown service":      {requiredFlags("--services", "storage"), `there is no service "storage"`},
		"processes with sqlite":   {requiredFlags("--services", "history"), "--services needs --store postgres"},
		"no common certificate":   {requiredFlags("--services", "history"), "--internal-certificate is required with --services"},
		"services without place":  {requiredFlags("--services", "history"), `--advertise must be the IP address at which the other processes reach this one, not ""`},
		"a place by name":         {requiredFlags("--services", "history", "--advertise", "localhost"), "--advertise must be the IP address"},
		"a place everywhere":      {requiredFlags("--services", "history", "--advertise", "0.0.0.0"), "--advertise must be the IP address"},
		"a port of no service":    {requiredFlags("--services", "history", "--ports", "storage=1"), `--ports: there is no service "storage"`},
		"a port that is none":     {requiredFlags("--services", "history", "--ports", "history=x"), "--ports: the port of history must be 301 to 32767"},
		"a port of the frontend":  {requiredFlags("--services", "history", "--ports", "frontend=7000"), "the frontend has the port of --listen"},
		"a port for two":          {requiredFlags("--services", "history", "--ports", "history=7235"), "history and matching both use port 7235"},
		"a port of membership":    {requiredFlags("--services", "history", "--ports", "history=7535"), "history and matching both use port 7235"},
		"any port with services":  {requiredFlags("--services", "history", "--listen", "127.0.0.1:0"), "--listen: the port of frontend must be 301 to 32767"},
		"no name of the cluster":  {requiredFlags("--cluster-name", ""), "--cluster-name must have 1 to 63 letters"},
		"a high number":           {requiredFlags("--cluster-number", "100"), "--cluster-number must be 1 to 99"},
		"one database for both":   {requiredFlags("--store", "postgres", "--database", "x", "--visibility-database", "x"), "must differ"},
		"a stray argument":        {requiredFlags("stray"), `unexpected argument "stray"`},
		"an unknown level":        {requiredFlags("--log-level", "loud"), "--log-level must be"},
		"a file of revocations":   {requiredFlags("--revocations-url", "file:///list"), "--revocations-url must be"},
		"keys over plain http":    {requiredFlags("--jwks-url", "http://procession:8080/jwks.json"), "--jwks-url must be an https URL or lead to this machine"},
		"a list over plain http":  {requiredFlags("--revocations-url", "http://192.0.2.1/list"), "--revocations-url must be an https URL"},
		"a short trust":           {requiredFlags("--published-max-age", "5s"), "--published-max-age must not be shorter than"},
		"an absent file":          {requiredFlags("--config", "/nowhere/config.yaml"), "reading --config: open /nowhere/config.yaml"},
		"a file for the key set":  {requiredFlags("--jwks-url", "file:///keys"), "--jwks-url must be an http or https URL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := options.Parse(c.args, lookupIn(nil), io.Discard)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestParseTakesPlainHTTPWhereItIsAllowed(t *testing.T) {
	t.Parallel()
	opts, err := options.Parse(requiredFlags("--jwks-url", "http://procession:8080/jwks.json", "--allow-plain-http"), lookupIn(nil), io.Discard)
	require.NoError(t, err)
	require.Equal(t, "http://procession:8080/engine-revocations.json", opts.RevocationsURL)
	require.True(t, opts.AllowPlainHTTP)
}

func TestParseKeepsThePasswordOutOfErrors(t *testing.T) {
	t.Parallel()
	_, err := options.Parse(requiredFlags("--store", "postgres", "--database-url", "postgres://u:hunter2@[bad/db"), lookupIn(nil), io.Discard)
	require.Error(t, err)
	require.NotContains(t, err.Error(), "hunter2")
}

func TestParseReportsHelp(t *testing.T) {
	t.Parallel()
	_, err := options.Parse([]string{"-h"}, lookupIn(nil), io.Discard)
	require.ErrorIs(t, err, flag.ErrHelp)
}
