package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cli"
	"github.com/procession-dev/procession/domain/resource"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	w := newTerminal(t)
	requireGolden(t, "explain-kind.txt", w.succeeds("explain", "group"))
	requireGolden(t, "explain-list.txt", w.succeeds("explain", "process.spec.items.candidates"))
	requireGolden(t, "explain-value.txt", w.succeeds("explain", "process.spec.state"))
	require.Equal(t, "spec has no member \"itms\"; did you mean items?", w.fails(cli.ExitUsage, "explain", "process.spec.itms"))
	require.Contains(t, w.fails(cli.ExitUsage, "explain", "group.spec.zzz"), `spec has no member "zzz", but name, `)
	require.Equal(t, `name has no member "x": it is a string`, w.fails(cli.ExitUsage, "explain", "group.spec.name.x"))
	w.fails(cli.ExitUsage, "explain", "nothing")
	w.fails(cli.ExitUsage, "explain", "group", "user")
	requireGolden(t, "explain-kinds.txt", w.succeeds("explain"))
}

// docs/reference contains the output of the command; run the test with -update to write it.
func TestReferencePagesAreCurrent(t *testing.T) {
	t.Parallel()
	w := newTerminal(t)
	for _, kind := range resource.Kinds() {
		page := filepath.Join("..", "docs", "reference", string(kind)+".md")
		text := w.succeeds("explain", strings.ToLower(string(kind)), "--markdown")
		if *update {
			require.NoError(t, os.MkdirAll(filepath.Dir(page), 0o750))
			require.NoError(t, os.WriteFile(page, []byte(text), 0o600))
		}
		written, err := os.ReadFile(page)
		require.NoError(t, err)
		require.Equal(t, text, string(written), page)
		require.NotContains(t, text, "|  |", "a member without a description")
	}
}

// The document of docs/process-definitions.md can be applied.
func TestTheDocumentedDefinitionIsValid(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/process-definitions.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(text), "```yaml\n")
	require.True(t, found)
	document, _, _ := strings.Cut(rest, "```")
	document = strings.NewReplacer("tenant: demo", "tenant: north", "loan-worker", "worker", "carol", "member", "alice", "owner").
		Replace(document)
	w := newNorth(t)
	require.Contains(t, w.withInput(document).succeeds("apply", "-f", "-"), "ProcessDefinition/TRAVEL created")
}
