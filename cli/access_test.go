package cli_test

import (
	"crypto/tls"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cli"
)

const workerID = "01980000-0000-7000-8000-000000000021"

func TestAccess(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	o := w.runs("access", "list")
	require.NoError(t, o.err)
	require.Empty(t, o.stdout)
	require.Equal(t, "no engine access\n", o.stderr)

	token, certificate := w.authenticate("ENGINE_TOKEN"), w.authenticate("ENGINE_CERTIFICATE")
	second := w.authenticate("ENGINE_TOKEN")
	ids := []string{"access", "list", "-o", "jq=map(.id)|sort|.[]"}
	require.Len(t, strings.Fields(w.succeeds(ids...)), 3)
	require.Equal(t, certificate+"\n", w.succeeds("access", "list", "--kind", "certificate", "-o", "jq=.[].id"))
	require.Equal(t, "3\n", w.succeeds("access", "list", "--principal", workerID, "--tenant", "north", "-o", "jq=length"))
	require.Equal(t, "3\n", w.succeeds("access", "list", "--principal", "worker", "-o", "jq=length"))
	for _, command := range []string{"list", "revoke"} {
		require.Contains(t, w.fails(cli.ExitNotFound, "access", command, "--principal", "x"), "--principal: there is no user or application x")
	}
	require.Equal(t, "[]\n", w.succeeds("access", "list", "--principal", uuid.NewString(), "-o", "json"))
	require.Contains(t, w.as(memberToken).fails(cli.ExitDenied, "access", "list", "-o", "json"), "you are MEMBER of north")
	require.Equal(t, "1 of 2 shown: --limit\n", w.runs("access", "list", "--limit", "1", "--kind", "token").stderr)

	w.as(memberToken).fails(cli.ExitNotFound, "access", "revoke", token)
	require.Equal(t, "0 revoked\n", w.as(memberToken).succeeds("access", "revoke", "--principal", workerID))
	require.Equal(t, "1 revoked\n", w.succeeds("access", "revoke", token))
	require.Equal(t, "0 revoked\n", w.succeeds("access", "revoke", token))
	require.NotContains(t, w.succeeds(ids...), token)
	require.Regexp(t, "(?m)^"+token+"  ENGINE_TOKEN +worker +2026-03-02T10:30:00Z  2026-03-02T11:32:00Z  2026-03-02T10:30:00Z$",
		w.succeeds("access", "list", "--all"))
	require.Contains(t, w.succeeds("access", "list", "--all", "-o", "wide"), "  "+workerID+"  ")
	require.Equal(t, "2 revoked\n", w.as(w.operator).succeeds("access", "revoke", "--principal", "worker", "--tenant", "north"))
	require.Contains(t, w.succeeds("access", "list", "--all"), second)
	w.authenticate("ENGINE_TOKEN")
	require.Equal(t, "1 revoked\n", w.succeeds("access", "revoke", "--tenant", "north"))

	unknown := uuid.NewString()
	require.Equal(t, "engine access "+unknown+" not found", w.fails(cli.ExitNotFound, "access", "revoke", unknown))
	w.fails(cli.ExitNotFound, "access", "revoke", "--tenant", "home")
	for _, wrong := range [][]string{
		{"revoke"},
		{"revoke", "x"},
		{"revoke", token, second},
		{"list", "--limit", "0"},
		{"list", "--kind", "password"},
		{"list", "x"},
		{"grant", token},
	} {
		w.fails(cli.ExitUsage, append([]string{"access"}, wrong...)...)
	}
}

func TestOperatorsIssueThemselvesAccessToReadANamespace(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	operator := w.as(w.operator)
	folder := filepath.Join(t.TempDir(), "it's here")
	for range 2 { // the files are replaced
		got := operator.runs("access", "issue", "--operator", "--tenant", "north", "--expires", "2026-03-02T10:45:00Z", "--directory", folder)
		require.NoError(t, got.err)
		require.Contains(t, got.stderr, "Until 2026-03-02T10:45:00Z this reads the namespace north.")
		quoted := "'" + strings.ReplaceAll(folder, "'", `'\''`)
		require.Contains(t, got.stdout, `export TEMPORAL_API_KEY="$(cat `+quoted+`/token')"`+"\n")
		require.Contains(t, got.stdout, "\ntemporal workflow list --address temporal.example:7233 --namespace north --tls-ca-path ")
		require.Contains(t, got.stdout, " --tls-ca-path "+quoted+"/ca.pem' --tls-cert-path "+quoted+"/client.pem' --tls-key-path "+
			quoted+"/client-key.pem'\n")
	}
	info, err := os.Stat(folder)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	for name, begins := range map[string]string{
		"token": "ey", "ca.pem": "-----BEGIN CERTIFICATE", "client.pem": "-----BEGIN CERTIFICATE", "client-key.pem": "-----BEGIN PRIVATE KEY",
	} {
		info, err := os.Stat(filepath.Join(folder, name))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), name)
		text, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(string(text), begins), name)
	}
	_, err = tls.LoadX509KeyPair(filepath.Join(folder, "client.pem"), filepath.Join(folder, "client-key.pem"))
	require.NoError(t, err, "the certificate is for the key that was made here")
	require.Equal(t, "4\n", operator.succeeds("access", "list", "-o", "jq=map(select(.readOnly))|length"))

	issue := []string{"access", "issue", "--operator", "--directory", filepath.Join(t.TempDir(), "none"), "--tenant"}
	w.fails(cli.ExitDenied, append(issue, "north")...)
	require.Equal(t, "tenant nowhere not found", operator.fails(cli.ExitNotFound, append(issue, "nowhere")...))
	for _, wrong := range [][]string{{"--tenant", "north"}, {"--operator"}, {"--operator", "--tenant", "north", "--expires", "soon"}} {
		operator.fails(cli.ExitUsage, append([]string{"access", "issue"}, wrong...)...)
	}
}

// authenticate requests engine access for the worker and returns its id.
func (w *terminal) authenticate(kind string) string {
	w.t.Helper()
	request := httptest.NewRequestWithContext(w.t.Context(), http.MethodPost, "/v2024-06-14/authentications",
		strings.NewReader(`{"type":"`+kind+`"}`))
	id, secret, _ := strings.Cut(workerPair, ":")
	request.SetBasicAuth(id, secret)
	request.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	w.handler.ServeHTTP(answer, request)
	require.Equal(w.t, http.StatusOK, answer.Code, answer.Body)
	var issued struct{ ID string }
	require.NoError(w.t, json.Unmarshal(answer.Body.Bytes(), &issued))
	return issued.ID
}
