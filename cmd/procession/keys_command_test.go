package main

import (
	"bytes"
	"encoding/pem"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/cli"
	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/cmd/procession/server"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// offline is a database and a seal key, without a service.
type offline struct {
	t     *testing.T
	dir   string
	flags []string
}

func newOffline(t *testing.T) offline {
	t.Helper()
	o := offline{t: t, dir: t.TempDir()}
	o.flags = []string{"--database-url", pgtest.URL(t)}
	return o
}

func (o offline) path(name string) string { return filepath.Join(o.dir, name) }

// with adds more flags for all commands.
func (o offline) with(flags ...string) offline {
	o.flags = append(o.flags[:len(o.flags):len(o.flags)], flags...)
	return o
}

func (o offline) runs(args ...string) (stdout, stderr string, err error) {
	o.t.Helper()
	var out, errs bytes.Buffer
	err = run(o.t.Context(), append(args, o.flags...), &out, &errs)
	return out.String(), errs.String(), err
}

func (o offline) prints(args ...string) string {
	o.t.Helper()
	out, errs, err := o.runs(args...)
	require.NoError(o.t, err, errs)
	return out
}

func (o offline) config() config.Config {
	o.t.Helper()
	var c config.Config
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	c.BindFlags(flags)
	require.NoError(o.t, flags.Parse(o.flags))
	return c
}

// openKeyring returns the keys as a replica opens them.
func (o offline) openKeyring() *server.Keyring {
	o.t.Helper()
	k, err := server.OpenKeys(o.t.Context(), o.config(), slog.New(slog.DiscardHandler))
	require.NoError(o.t, err)
	return k
}

func newKeyed(t *testing.T) offline {
	t.Helper()
	o := newOffline(t)
	_, err := authn.LoadOrCreateSealKey(o.path("seal.key"))
	require.NoError(t, err)
	return o.with("--seal-key-file", o.path("seal.key"))
}

// states returns the states in a list of keys.
func states(list string) []string {
	return regexp.MustCompile(`\b(NEXT|SIGNING|TRUSTED|EXPIRED|DISTRUSTED)\b`).FindAllString(strings.SplitN(list, "\n", 2)[1], -1)
}

func TestKeysCommands(t *testing.T) {
	t.Parallel()
	o := newKeyed(t)
	for _, family := range []string{"keys", "ca"} {
		list := o.prints(family, "list")
		require.Equal(t, []string{"SIGNING"}, states(list))
		first := strings.Fields(strings.Split(list, "\n")[1])[0]

		out, said, err := o.runs(family, "rotate")
		require.NoError(t, err)
		made := strings.TrimSpace(out)
		require.Contains(t, said, first)
		require.Equal(t, []string{"NEXT", "SIGNING"}, states(o.prints(family, "list")))

		out, said, err = o.runs(family, "distrust", made[:8])
		require.NoError(t, err)
		require.Contains(t, out, made)
		require.Contains(t, said, "estart")
		require.Equal(t, family == "ca", strings.Contains(out, first), "an authority vouches for the next one")
		require.Contains(t, states(o.prints(family, "list")), "DISTRUSTED")

		_, _, err = o.runs(family, "distrust", "unknown")
		require.Equal(t, cli.ExitNotFound, exitCode(err), err)
		for _, wrong := range [][]string{{"distrust"}, {"distrust", made, first}, {"rotate", made}, {"forget"}} {
			_, _, err := o.runs(append([]string{family}, wrong...)...)
			require.Equal(t, exitUsage, exitCode(err), "%s %v: %v", family, wrong, err)
		}
	}
}

func TestCertificateLeadsBackToTheFirstAuthority(t *testing.T) {
	t.Parallel()
	o := newKeyed(t).with("--key-reload", "1ms", "--key-publish-delay", "2ms")
	certificates := func(name string) int {
		content, err := os.ReadFile(o.path(name))
		require.NoError(t, err)
		n := 0
		for block, rest := pem.Decode(content); block != nil; block, rest = pem.Decode(rest) {
			n++
		}
		return n
	}
	for n := 1; n <= 3; n++ {
		require.Eventually(t, func() bool { return states(o.prints("ca", "list"))[0] == "SIGNING" }, testTimeout, testTimeout/6000)
		said := o.prints("certificate", "--host", "127.0.0.1", "--host", "localhost", "--out", o.dir)
		require.Regexp(t, "^"+regexp.QuoteMeta(o.path("server.pem"))+` \(for 127\.0\.0\.1, localhost, valid until \d{4}-\d\d-\d\dT[\d:]+Z\), `+
			regexp.QuoteMeta(o.path("server-key.pem"))+" and "+regexp.QuoteMeta(o.path("ca.pem"))+" written\n$", said)
		require.Equal(t, n, certificates("server.pem"))
		require.Equal(t, n, certificates("ca.pem"))
		info, err := os.Stat(o.path("server-key.pem"))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
		o.prints("ca", "rotate")
	}
}

// The seal key is changed while secrets are sealed with the one before, at first
// a plain one, then one that a keeper encrypts.
func TestSealKeyIsChanged(t *testing.T) {
	t.Parallel()
	o := newOffline(t)
	const keeper = "base64key://c21Hbmt1YTVLeVRHcmt1eWdrdXlna3V5Z2t1eWdrdXk="
	at := func(active, earlier string, more ...string) offline {
		return o.with(append([]string{"--seal-key-file", o.path(active), "--earlier-seal-key-files", earlier}, more...)...)
	}
	_, _, err := o.runs("seal-key", "create")
	require.Error(t, err)
	o.prints("seal-key", "create", "--out", o.path("first"))
	_, _, err = o.runs("seal-key", "create", "--out", o.path("first"))
	require.Equal(t, exitConflict, exitCode(err), err)
	first := at("first", "")
	first.prints("keys", "rotate")
	list := first.prints("ca", "list")

	o.with("--seal-key-keeper", keeper).prints("seal-key", "create", "--out", o.path("second"))
	content, err := os.ReadFile(o.path("second"))
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(content), "encrypted:"))
	_, _, err = at("second", "").runs("seal-key", "reseal")
	require.ErrorContains(t, err, "no keeper is configured")
	_, _, err = at("second", "", "--seal-key-keeper", keeper).runs("seal-key", "reseal")
	require.Error(t, err, "what is sealed cannot be opened")

	both := at("second", o.path("first"), "--seal-key-keeper", keeper)
	require.Equal(t, list, both.prints("ca", "list"), "the key before still opens")
	replica := first.openKeyring()
	_, _, err = both.runs("seal-key", "reseal")
	require.Equal(t, exitConflict, exitCode(err), err)
	require.ErrorContains(t, err, "do not have the seal key")
	require.Regexp(t, `signing_keys +3 +3\n`, both.prints("seal-key", "reseal", "--force"))
	replica.DB.Close()
	// PostgreSQL takes a moment to forget a connection.
	var resealed string
	require.Eventually(t, func() bool {
		resealed, _, err = both.runs("seal-key", "reseal")
		return err == nil
	}, testTimeout, testTimeout/600)
	require.Regexp(t, `signing_keys +3 +0\n`, resealed)
	require.Equal(t, list, at("second", "", "--seal-key-keeper", keeper).prints("ca", "list"))
	_, _, err = first.runs("ca", "list")
	require.Error(t, err, "the key before opens nothing any more")

	printed := o.with("--seal-key-keeper", keeper, "--earlier-seal-key-files", "a, b,").prints("config", "print")
	require.Contains(t, printed, "seal-key-keeper: REDACTED\n")
	require.Contains(t, printed, "earlier-seal-key-files:\n    - a\n    - b\n")
	require.Contains(t, o.with("--seal-key-keeper", "awskms:///alias/x").prints("config", "print"), "awskms:///alias/x")
}
