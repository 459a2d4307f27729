// Package scripts_test runs the scripts of this folder.
package scripts_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// script runs a script of this folder and returns its exit code and all that it
// printed.
func script(t *testing.T, env []string, name string, args ...string) (code int, out string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "./"+name, args...)
	cmd.Env = append(os.Environ(), env...)
	printed, err := cmd.CombinedOutput()
	if err != nil {
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit)
	}
	return cmd.ProcessState.ExitCode(), string(printed)
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}

// vulnerabilityDatabase returns a copy of a database that knows one weakness, of a
// function of the standard library.
func vulnerabilityDatabase(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	const modified = `"modified": "2026-01-02T03:04:05Z"`
	write(t, dir, "index/db.json", `{`+modified+`}`)
	write(t, dir, "index/modules.json",
		`[{"path": "stdlib", "vulns": [{"id": "GO-2026-0001", `+modified+`, "fixed": "1.999.0"}]}]`)
	write(t, dir, "index/vulns.json", `[{"id": "GO-2026-0001", `+modified+`}]`)
	write(t, dir, "ID/GO-2026-0001.json", `{
	  "schema_version": "1.3.1", "id": "GO-2026-0001", `+modified+`, "published": "2026-01-02T03:04:05Z",
	  "summary": "Weakness of this test", "details": "Weakness of this test.",
	  "affected": [{
	    "package": {"name": "stdlib", "ecosystem": "Go"},
	    "ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}, {"fixed": "1.999.0"}]}],
	    "ecosystem_specific": {"imports": [{"path": "html", "symbols": ["UnescapeString"]}]}
	  }],
	  "references": [], "database_specific": {"url": "https://pkg.go.dev/vuln/GO-2026-0001", "review_status": "REVIEWED"}
	}`)
	return "VULNDB=file://" + dir
}

// binary builds a program with the body of main.
func binary(t *testing.T, imported, body string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "go.mod", "module program\n\ngo 1.26\n")
	write(t, dir, "main.go", "package main\n\nimport (\n\t\"os\"\n"+imported+")\n\nfunc main() {\n\t"+body+"\n}\n")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", "program", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return filepath.Join(dir, "program")
}

func TestTheVulnerabilityCheckSaysThatItIsSkipped(t *testing.T) {
	t.Parallel()
	// This port is closed, and the directory does not exist.
	for _, database := range []string{"http://127.0.0.1:1", "file://" + t.TempDir() + "/nothing"} {
		code, out := script(t, []string{"VULNDB=" + database, "VULN_REQUIRED="}, "vulnerabilities")
		require.Zero(t, code, out)
		require.Contains(t, out, "vulnerability check SKIPPED: the database "+database)
		code, out = script(t, []string{"VULNDB=" + database, "VULN_REQUIRED=1"}, "vulnerabilities")
		require.Equal(t, 1, code, out)
		require.Contains(t, out, "vulnerability check SKIPPED: the database "+database)
	}
	code, out := script(t, []string{"VULNDB=nothing"}, "vulnerabilities")
	require.Equal(t, 2, code, out)
}

func TestTheVulnerabilityCheckFindsAWeakFunction(t *testing.T) {
	t.Parallel()
	database := vulnerabilityDatabase(t)
	weak := binary(t, "\t\"html\"\n", "_, _ = os.Stdout.WriteString(html.UnescapeString(os.Args[0]))")
	code, out := script(t, []string{database}, "vulnerabilities", weak)
	require.NotZero(t, code, out)
	require.Contains(t, out, "GO-2026-0001")

	sound := binary(t, "", "_, _ = os.Stdout.WriteString(os.Args[0])")
	code, out = script(t, []string{database}, "vulnerabilities", sound)
	require.Zero(t, code, out)
	require.Contains(t, out, "2026-01-02", "it says how old the database is")
	require.NotContains(t, out, "SKIPPED")

	code, out = script(t, []string{database}, "vulnerabilities", weak, sound)
	require.NotZero(t, code, out)
}
