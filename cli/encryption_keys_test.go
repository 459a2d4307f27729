package cli_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cli"
)

func TestEncryptionKeysAreListedAndRotated(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	require.Equal(t, "payloads.2\n", w.succeeds("encryption-keys", "rotate", "payloads"))
	requireGolden(t, "encryption-keys.txt", w.succeeds("encryption-keys", "list", "payloads"))
	require.Equal(t, "[\"payloads.2\",\"payloads\"]\n", w.succeeds("encryption-keys", "list", "payloads", "-o", "jq=map(.keyId)|tojson"))
	requireGolden(t, "get-keys.txt", w.succeeds("get", "keys"))
	require.Equal(t, "payloads.3\n", w.as(administratorToken).succeeds("encryption-keys", "rotate", "payloads", "--tenant", "north"))

	for _, command := range []string{"list", "rotate"} {
		require.Contains(t, w.fails(cli.ExitNotFound, "encryption-keys", command, "absent"), "absent")
		w.as(memberToken).fails(cli.ExitNotFound, "encryption-keys", command, "payloads")
		w.fails(cli.ExitUsage, "encryption-keys", command)
		w.fails(cli.ExitUsage, "encryption-keys", command, "payloads", "more")
		w.fails(cli.ExitUsage, "encryption-keys", command, "no code")
	}
}

// Export writes manifests without key material, which can be applied to any service.
func TestExportedKeysAreDocumentsOnly(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	exported := w.succeeds("export", "keys")
	require.Contains(t, exported, "kind: EncryptionKey")
	require.Contains(t, exported, "description: What workers see")
	require.NotContains(t, exported, "value")
	w.withInput(exported).succeeds("apply", "-f", "-")
	require.Equal(t, "1\n", w.succeeds("encryption-keys", "list", "payloads", "-o", "jq=length"))
}
