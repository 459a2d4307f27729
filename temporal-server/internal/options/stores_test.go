package options_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/temporal-server/internal/options"
)

const postgresURL = "postgres://u:hunter2@127.0.0.1/postgres"

func TestParseSelectsStores(t *testing.T) {
	t.Parallel()
	cassandra := []string{"--store", "cassandra", "--cassandra-hosts", "127.0.0.1,localhost", "--services", "history", "--advertise", "127.0.0.2", "--internal-certificate", "i.pem"}
	for name, c := range map[string]struct {
		args       []string
		visibility options.Store
	}{
		"in memory":                {nil, options.StoreSQLite},
		"PostgreSQL":               {[]string{"--store", "postgres", "--database-url", postgresURL}, options.StorePostgres},
		"PostgreSQL, OpenSearch":   {[]string{"--store", "postgres", "--database-url", postgresURL, "--visibility", "opensearch", "--opensearch-url", "http://localhost:9200"}, options.StoreOpenSearch},
		"Cassandra and PostgreSQL": {append(cassandra, "--visibility", "postgres", "--database-url", postgresURL), options.StorePostgres},
		"Cassandra and OpenSearch": {append(cassandra, "--visibility", "opensearch", "--opensearch-url", "https://a.example:9200,https://b.example:9200",
			"--opensearch-user", "temporal", "--opensearch-password-file", "p", "--opensearch-tls-ca", "ca.pem"), options.StoreOpenSearch},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts, err := options.Parse(requiredFlags(c.args...), lookupIn(nil), io.Discard)
			require.NoError(t, err)
			require.Equal(t, c.visibility, opts.Visibility)
		})
	}
}

func TestParseRefusesStores(t *testing.T) {
	t.Parallel()
	cassandra := func(more ...string) []string {
		return append([]string{
			"--store", "cassandra", "--cassandra-hosts", "127.0.0.1", "--visibility", "postgres", "--database-url", postgresURL,
			"--services", "history", "--advertise", "127.0.0.2", "--internal-certificate", "i.pem",
		}, more...)
	}
	search := func(more ...string) []string {
		return append([]string{"--store", "postgres", "--database-url", postgresURL, "--visibility", "opensearch", "--opensearch-url", "http://127.0.0.1:9200"}, more...)
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"lists in no store":             {[]string{"--store", "postgres", "--database-url", postgresURL, "--visibility", "cassandra"}, `--visibility must be postgres or opensearch, not "cassandra"`},
		"lists that outlive memory":     {[]string{"--visibility", "opensearch"}, "--visibility needs --store postgres or cassandra"},
		"Cassandra without lists":       {[]string{"--store", "cassandra", "--cassandra-hosts", "127.0.0.1"}, "Cassandra cannot search lists of workflows"},
		"Cassandra in one process":      {[]string{"--store", "cassandra", "--cassandra-hosts", "127.0.0.1", "--visibility", "postgres", "--database-url", postgresURL}, "--store cassandra needs --services"},
		"no host of Cassandra":          {cassandra("--cassandra-hosts", ""), "--cassandra-hosts is required with --store cassandra"},
		"a host with a port":            {cassandra("--cassandra-hosts", "a.example:9042", "--cassandra-tls"), "names or addresses without a port"},
		"plain text to another machine": {cassandra("--cassandra-hosts", "10.0.0.1"), "10.0.0.1 is another machine: use --cassandra-tls, or --allow-plain-stores"},
		"files of TLS without TLS":      {cassandra("--cassandra-tls-ca", "ca.pem"), "need --cassandra-tls"},
		"a certificate without its key": {cassandra("--cassandra-tls", "--cassandra-tls-cert", "c.pem"), "--cassandra-tls-cert and --cassandra-tls-key need each other"},
		"a user without password":       {cassandra("--cassandra-user", "temporal"), "--cassandra-user and --cassandra-password-file need each other"},
		"a weak consistency":            {cassandra("--cassandra-consistency", "ONE"), `--cassandra-consistency must be LOCAL_QUORUM, QUORUM or ALL, not "ONE"`},
		"no serial consistency":         {cassandra("--cassandra-serial-consistency", "QUORUM"), "must be LOCAL_SERIAL or SERIAL"},
		"a keyspace to be quoted":       {cassandra("--cassandra-keyspace", "Temporal"), "--cassandra-keyspace must have 1 to 48 lower-case letters"},
		"a data center with quotes":     {cassandra("--cassandra-datacenter", "x': 1, 'y"), "--cassandra-datacenter must have letters"},
		"no replica":                    {cassandra("--cassandra-replication", "0"), "--cassandra-replication must be 1 to 100"},
		"no connection":                 {cassandra("--cassandra-connections", "0"), "--cassandra-connections must be 1 to 100"},
		"no port":                       {cassandra("--cassandra-port", "0"), "--cassandra-port must be 1 to 65535"},
		"Cassandra beside PostgreSQL":   {search("--cassandra-keyspace", "other"), "--cassandra-keyspace needs --store cassandra"},
		"OpenSearch beside PostgreSQL":  {cassandra("--opensearch-index", "other"), "--opensearch-index needs --visibility opensearch"},
		"no database for the lists":     {cassandra("--database-url", ""), "--database-url must be a postgres:// URL"},
		"no URL of OpenSearch":          {search("--opensearch-url", ""), "--opensearch-url is required with --visibility opensearch"},
		"a password in the URL":         {search("--opensearch-url", "https://u:hunter2@a.example"), "use --opensearch-user and --opensearch-password-file"},
		"plain http to another machine": {search("--opensearch-url", "http://a.example:9200"), "a.example is another machine: use https, or --allow-plain-stores"},
		"an authority for plain http":   {search("--opensearch-tls-ca", "ca.pem"), "need https URLs"},
		"an index with a wildcard":      {search("--opensearch-index", "temporal*"), "--opensearch-index must have 1 to 128 lower-case letters"},
		"no shard":                      {search("--opensearch-shards", "0"), "--opensearch-shards must be 1 to 1024"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := options.Parse(requiredFlags(c.args...), lookupIn(nil), io.Discard)
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "hunter2")
		})
	}
}

func TestStoresOfOtherMachinesMayBePlainWhereItIsAllowed(t *testing.T) {
	t.Parallel()
	_, err := options.ParseStores("schema", []string{
		"--store", "cassandra", "--cassandra-hosts", "10.0.0.1,fd00::1", "--visibility", "opensearch", "--opensearch-url", "http://10.0.0.2:9200", "--allow-plain-stores",
	}, lookupIn(nil), io.Discard)
	require.NoError(t, err)
}

// The command schema takes the file of a server, and needs none of the settings that it does not use.
func TestParseStoresNeedsStoresOnly(t *testing.T) {
	t.Parallel()
	opts, err := options.ParseStores("schema", []string{"--store", "postgres"}, lookupIn(map[string]string{
		"PROCESSION_TEMPORAL_DATABASE_URL": postgresURL,
	}), io.Discard)
	require.NoError(t, err)
	require.Equal(t, 512, opts.HistoryShards)
	_, err = options.ParseStores("schema", []string{"--store", "postgres", "--database-url", postgresURL, "--cluster-number", "0"}, lookupIn(nil), io.Discard)
	require.ErrorContains(t, err, "--cluster-number must be 1 to 99")
}
