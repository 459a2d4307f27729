package options_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/temporal-server/internal/options"
)

func writeFile(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

const complete = `# all that is required
jwks-url: http://127.0.0.1:8080/.well-known/jwks.json
tls-cert: server.pem
tls-key: server.key
client-ca: ca.pem
`

func TestFlagsBeatTheEnvironmentBeatsTheFile(t *testing.T) {
	t.Parallel()
	path := writeFile(t, complete+`
listen: 127.0.0.1:1
issuer: from-file
jwks-refresh: 2s
history-shards: 8
check-commands: false
metrics-listen:
engine-methods: [QueryWorkflow, "DescribeWorkflowExecution"]
engine-nexus-endpoints: ours
`)
	opts, err := options.Parse([]string{"--config", path, "--listen", "127.0.0.1:3"}, lookupIn(map[string]string{
		"PROCESSION_TEMPORAL_LISTEN": "127.0.0.1:2",
		"PROCESSION_TEMPORAL_ISSUER": "from-environment",
	}), io.Discard)
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1:3", opts.Listen)
	require.Equal(t, "from-environment", opts.Issuer)
	require.Equal(t, 2*time.Second, opts.JWKSRefresh)
	require.Equal(t, 8, opts.HistoryShards)
	require.False(t, opts.CheckCommands)
	require.Empty(t, opts.MetricsListen)
	require.Equal(t, []string{"QueryWorkflow", "DescribeWorkflowExecution"}, opts.EngineMethods)
	require.Equal(t, []string{"ours"}, opts.NexusEndpoints)
	require.Equal(t, options.StoreSQLite, opts.Store, "an unset option keeps its default")
}

func TestTheEnvironmentMayNameTheFile(t *testing.T) {
	t.Parallel()
	path := writeFile(t, complete+"engine-methods: [QueryWorkflow]\nrevocations-url: \"\"\n")
	opts, err := options.Parse([]string{"--engine-methods", "ListWorkers, CountWorkers"}, lookupIn(map[string]string{"PROCESSION_TEMPORAL_CONFIG": path}), io.Discard)
	require.NoError(t, err)
	require.Equal(t, []string{"ListWorkers", "CountWorkers"}, opts.EngineMethods, "a flag replaces a list")
	require.Empty(t, opts.RevocationsURL)
}

func TestAFileIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ content, want string }{
		"an unknown setting":       {"jwks-uri: x\n", `line 1: there is no setting "jwks-uri"`},
		"a file in the file":       {"config: x\n", `line 1: there is no setting "config"`},
		"a setting twice":          {"issuer: a\nissuer: b\n", "line 2: issuer is set twice"},
		"a mapping as value":       {"issuer:\n  name: a\n", "issuer must be a value or a list of values"},
		"a duration that is none":  {"jwks-refresh: soon\n", "line 1: jwks-refresh: "},
		"a list":                   {"- issuer\n", "it must be a mapping"},
		"something else than YAML": {"issuer: [\n", "yaml: "},
		"a bad value of the whole": {complete + "listen: nowhere\n", "--listen must be host:port"},
		"nothing that is required": {"# nothing\n", "--jwks-url is required"},
		"a password out of errors": {"database-url: {p: hunter2}\n", "database-url must be a value"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := options.Parse([]string{"--config", writeFile(t, c.content)}, lookupIn(nil), io.Discard)
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "hunter2")
		})
	}
}
