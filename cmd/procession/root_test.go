package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cli"
)

func TestExitCodesOfTheProgram(t *testing.T) {
	t.Parallel()
	for status, code := range map[int]int{
		http.StatusBadRequest: cli.ExitUsage, http.StatusUnauthorized: cli.ExitDenied, http.StatusForbidden: cli.ExitDenied,
		http.StatusNotFound: cli.ExitNotFound, http.StatusConflict: cli.ExitConflict,
		http.StatusPreconditionFailed: cli.ExitConflict, http.StatusInternalServerError: cli.ExitFailure,
	} {
		server := answering(t, status, fmt.Sprintf(
			`{"timestamp":"2026-03-02T10:30:00Z","status":%d,"message":"the reason","errors":[{"code":"CONFLICT","message":"more"}]}`, status))
		got, stdout, stderr := executed(t, server, "whoami")
		require.Equal(t, code, got, stderr)
		require.Empty(t, stdout)
		require.Equal(t, "procession: the reason\nmore\n", stderr)
	}

	server := answering(t, http.StatusOK, `{"dryRun":true,"results":[{"kind":"Robot","code":"BOT","tenant":"demo",`+
		`"id":"01980000-0000-7000-8000-000000000001","action":"CREATED",`+
		`"after":{"apiVersion":"procession/v1","kind":"Robot","metadata":{"code":"BOT"},"spec":{"name":"Bot"}}}]}`)
	code, stdout, stderr := executed(t, server, "diff", "-f", "../../examples/demo/robot.yaml")
	require.Equal(t, cli.ExitFailure, code)
	require.Contains(t, stdout, "+++ Robot/BOT\n")
	require.Empty(t, stderr, "the differences are in the output")

	code, _, stderr = executed(t, "", "get", "users", "--nothing")
	require.Equal(t, exitUsage, code)
	require.Equal(t, "procession: unknown flag: --nothing\n", stderr)
}

func answering(t *testing.T, status int, body string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// executed runs the program as a process of its own.
func executed(t *testing.T, server string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := program(args...)
	cmd.Env = append(cmd.Env, "PROCESSION_SERVER="+server, "PROCESSION_TOKEN=a-token")
	var out, failed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &failed
	var exit *exec.ExitError
	if err := cmd.Run(); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		require.NoError(t, err)
	}
	return code, out.String(), failed.String()
}

func TestCompletionForEveryShell(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		require.Contains(t, printed(t, "completion", shell), "procession")
	}
	require.Contains(t, printed(t, "__complete", "get", "pro"), "processdefinition\n")
	require.Contains(t, printed(t, "__complete", "comp"), "completion\t")
}

// The help groups commands by purpose.
func TestHelpIsGrouped(t *testing.T) {
	t.Parallel()
	code, stdout, _ := executed(t, "", "--help")
	require.Equal(t, cli.ExitOK, code)
	last := 0
	for _, title := range []string{"Work on processes:", "Write workers:", "Servers and signing in:"} {
		at := strings.Index(stdout, "\n"+title+"\n")
		require.Greater(t, at, last, title)
		last = at
	}
	require.NotContains(t, stdout, "Additional Commands:\n  get")
}
