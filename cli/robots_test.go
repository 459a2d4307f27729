package cli_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cli"
)

func TestFilesOfRobots(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	file := filepath.Join(t.TempDir(), "bot.zip")
	content := strings.Repeat("bytes", 1000)
	require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
	digest := sha256.Sum256([]byte(content))
	want := "bot.zip uploaded: 5000 bytes, sha256 " + hex.EncodeToString(digest[:]) + "\n"
	require.Equal(t, want, w.succeeds("robots", "upload-source", "BOT", file))
	node := []string{"--type", "NODEJS", "--version", "20.0.0", "--platform", "LINUX", "--architecture", "X86_64"}
	with := func(args ...string) []string { return append(append([]string{"robots"}, args...), node...) }
	require.Equal(t, strings.Replace(want, "bot.zip", "node.bin", 1),
		w.succeeds(with("upload-asset", "BOT", file, "--name", "node.bin", "--content-type", "application/x-node")...))
	require.Equal(t, "TOKEN of Robot/BOT set\n", w.withInput("planted-value\n").succeeds("robots", "set-env", "BOT", "TOKEN"))
	value := filepath.Join(t.TempDir(), "value")
	require.NoError(t, os.WriteFile(value, []byte("planted-too\r\n"), 0o600))
	require.Equal(t, "FILE of Robot/BOT set\n",
		w.succeeds("robots", "set-env", "BOT", "FILE", "--file", value, "--tenant", "north"))

	exported := w.succeeds("export", "robots")
	requireGolden(t, "export-robot.yaml", exported)
	requireAll(t, "unchanged", 1, w.withInput(exported).succeeds("apply", "-f", "-"))
	require.Empty(t, w.withInput(exported).succeeds("diff", "-f", "-"))
	for _, args := range [][]string{
		{"get", "robot", "BOT", "-o", "yaml"}, {"get", "robots"}, {"describe", "robot", "BOT"}, {"export"},
	} {
		require.NotContains(t, w.succeeds(args...), "planted", args)
	}

	require.Equal(t, "TOKEN of Robot/BOT deleted\n", w.succeeds("robots", "unset-env", "BOT", "TOKEN"))
	w.fails(cli.ExitNotFound, "robots", "unset-env", "BOT", "TOKEN")
	require.Equal(t, "asset of Robot/BOT deleted\n", w.succeeds(with("delete-asset", "BOT")...))
	w.fails(cli.ExitNotFound, with("delete-asset", "BOT")...)
	require.Equal(t, "source package of Robot/BOT deleted\n", w.succeeds("robots", "delete-source", "BOT"))
	w.fails(cli.ExitNotFound, "robots", "delete-source", "BOT")
	require.Equal(t, "Robot/NONE not found", w.fails(cli.ExitNotFound, "robots", "upload-source", "NONE", file))
	w.as(memberToken).fails(cli.ExitNotFound, "robots", "upload-source", "BOT", file)
	for _, wrong := range [][]string{
		{"upload-source", "BOT"},
		{"upload-source", "..", file},
		{"upload-source", "BOT", file + "x"},
		{"upload-source", "BOT", filepath.Dir(file)},
		{"upload-asset", "BOT", file, "--type", "NODEJS", "--version", "1", "--platform", "LINUX"},
		{"upload-asset", "BOT", file, "--type", "RUBY", "--version", "1", "--platform", "LINUX", "--architecture", "X86_64"},
		{"delete-asset", "BOT"},
		{"set-env", "BOT"},
		{"set-env", "BOT", "A", "--file", file + "x"},
		{"unset-env", "BOT"},
		{"run"},
	} {
		w.fails(cli.ExitUsage, append([]string{"robots"}, wrong...)...)
	}
	w.withInput("planted-value").fails(cli.ExitUsage, "robots", "set-env", "BOT", "1A")
}
