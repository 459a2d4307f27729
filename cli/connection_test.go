package cli_test

import (
	"encoding/pem"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cli"
)

func TestSourcesOfCredentials(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	whoami := []string{"whoami", "-o", "jq=.principal.name"}
	file := w.writeFile("token", "  "+administratorToken+"\n")
	require.Equal(t, "Owner\n", w.succeeds(whoami...))
	require.Equal(t, "Worker\n", w.as(workerPair).succeeds(whoami...))
	require.Equal(t, "Administrator\n", w.succeeds(append(whoami, "--token-file", file)...), "the flag wins")
	require.Equal(t, "Owner\n", w.with("PROCESSION_TOKEN_FILE", file).succeeds(whoami...))
	require.Equal(t, "Administrator\n", w.as("").with("PROCESSION_TOKEN_FILE", file).succeeds(whoami...))

	message := w.as("").fails(cli.ExitUsage, whoami...)
	require.Contains(t, message, "PROCESSION_TOKEN")
	require.Contains(t, message, "--token-file")
	require.Contains(t, w.as("wrong-token").fails(cli.ExitDenied, whoami...), "credentials")
	require.Contains(t, w.fails(cli.ExitUsage, append(whoami, "--token-file", "testdata/none")...), "no such file")
	for _, token := range []string{
		"secret token", "not-an-id:hidden-secret", "01980000-0000-7000-8000-000000000021:", "hidden\x00secret", "hïdden",
	} {
		message := w.as(token).fails(cli.ExitUsage, whoami...)
		require.Contains(t, message, "PROCESSION_TOKEN")
		require.NotContains(t, message, "secret token")
		require.NotContains(t, message, "hidden")
		require.NotContains(t, message, "hïdden")
	}
}

func TestTheTokenIsNotSentInTheClear(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	for server, message := range map[string]string{
		"http://procession.example":           "--insecure",
		"http://192.0.2.1:8080":               "--insecure",
		"http://127.0.0.1.example":            "--insecure",
		"http://[::ffff:c000:201]":            "--insecure",
		"procession.example":                  "--server must be an http or https address",
		"ftp://procession.example":            "https://",
		"https://":                            "--server must be an http or https address",
		"https://u:hidden@procession.example": "must not contain a password",
		"https://procession.example?x=1":      "--server must be an http or https address",
	} {
		said := w.fails(cli.ExitUsage, "whoami", "--server", server)
		require.Contains(t, said, message, server)
		require.NotContains(t, said, "hidden")
		require.Equal(t, said, w.with("PROCESSION_SERVER", server).fails(cli.ExitUsage, "whoami"))
	}
	require.Contains(t, w.fails(cli.ExitFailure, "whoami", "--server", "http://procession.invalid", "--insecure"),
		"http://procession.invalid cannot be reached (--server): ")

	// A redirect is not followed: it could lead anywhere.
	var followed atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Add(1) }))
	defer elsewhere.Close()
	redirecting := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer redirecting.Close()
	require.Contains(t, w.fails(cli.ExitFailure, "whoami", "--server", redirecting.URL), "307")
	require.Zero(t, followed.Load())
}

func TestCertificates(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	server := httptest.NewUnstartedServer(w.handler)
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	defer server.Close()
	w = w.with("PROCESSION_SERVER", server.URL)
	require.Contains(t, w.fails(cli.ExitFailure, "whoami"), "--ca-file")
	file := w.writeFile("ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	require.Contains(t, w.succeeds("whoami", "--ca-file", file), "Owner")
	require.Contains(t, w.with("PROCESSION_CA_FILE", file).succeeds("whoami"), "Owner")
	require.Contains(t, w.fails(cli.ExitUsage, "whoami", "--ca-file", "testdata/none"), "no such file")
	require.Contains(t, w.fails(cli.ExitUsage, "whoami", "--ca-file", w.writeFile("x", "x")), "holds no certificate")
}

// Commands send a request once: the outcome of a failed one is unknown.
func TestFailedRequestsAreNotRetried(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	w := &terminal{t: t, operator: "-operator-", env: map[string]string{"PROCESSION_TOKEN": ownerToken}}
	for message, answer := range map[string]http.HandlerFunc{
		"sent an unexpected response: 502 Bad Gateway": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "<html>", http.StatusBadGateway)
		},
		"sent an unexpected response: 200 OK": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("<html>"))
		},
		"reading the response of http://": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte("{"))
		},
		"cannot be reached": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"does not answer in time (--timeout)": func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
		},
		"the service is busy": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write([]byte(`{"timestamp":"2026-03-02T10:30:00Z","status":503,"message":"the service is busy"}`))
		},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests.Add(1)
			_, _ = io.Copy(io.Discard, r.Body) // Until then the server does not notice that the client has gone.
			answer(w, r)
		}))
		for _, args := range [][]string{
			{"apply", "-f", "testdata/north"},
			{"delete", "robot", "BOT", "-y"},
			{"secrets", "issue", "app", "worker", "--name", "x"},
		} {
			requests.Store(0)
			said := w.fails(cli.ExitFailure, append(args, "--server", server.URL, "--timeout", "200ms")...)
			require.Contains(t, said, message)
			require.LessOrEqual(t, strings.Count(said, "\n"), 1)
			require.Equal(t, int32(1), requests.Load(), "%s: %v", message, args)
		}
		server.Close()
	}
}

func TestExitCodesOfRefusals(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	w.fails(cli.ExitDenied, "apply", "-f", "testdata/north/tenant.yaml", "--token-file", w.writeFile("t", "unknown"))
	w.as(memberToken).fails(cli.ExitDenied, "apply", "-f", "testdata/north")
	w.as(administratorToken).fails(cli.ExitDenied, "apply", "-f",
		w.writeFile("t.yaml", "apiVersion: procession/v1\nkind: Tenant\nmetadata: {code: north}\nspec: {name: Mine}\n"))
	require.Contains(t, w.fails(cli.ExitConflict, "delete", "tenant", "north", "-y"), "cannot be deleted")
	for _, wrong := range [][]string{
		{"apply"},
		{"apply", "x", "-f", "y"},
		{"diff"},
		{"get"},
		{"describe", "user"},
		{"get", "users", "--nothing"},
		{"get", "users", "--limit", "-1"},
		{"get", "users", "-l", "x"},
		{"whoami", "x"},
		{"whoami", "--timeout", "0s"},
	} {
		w.fails(cli.ExitUsage, wrong...)
	}
}
