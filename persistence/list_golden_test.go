package persistence_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// statements records the statements of batches, with their arguments.
type statements struct {
	texts   []string
	batches int
}

func (s *statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

func (s *statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (s *statements) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	s.batches++
	return ctx
}

func (s *statements) TraceBatchQuery(_ context.Context, _ *pgx.Conn, query pgx.TraceBatchQueryData) {
	var text strings.Builder
	for i, arg := range query.Args {
		value, err := json.Marshal(arg)
		if err != nil {
			value = []byte(err.Error())
		}
		fmt.Fprintf(&text, "-- $%d = %s\n", i+1, value)
	}
	text.WriteString(query.SQL)
	s.texts = append(s.texts, text.String())
}

func (s *statements) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// Lists send the statements of testdata/lists, where {access.Name} stands for a fragment of access, in one round trip. PostgreSQL plans each of them without its arguments.
func TestListStatements(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	_, err = conn.Exec(t.Context(), "SET plan_cache_mode = force_generic_plan")
	require.NoError(t, err)
	dir := filepath.Join("testdata", "lists")
	var files []string
	for name, read := range listReads() {
		sent := &statements{}
		reader, stop, err := persistence.TracedReader(t.Context(), url, sent)
		require.NoError(t, err)
		err = read(t.Context(), reader)
		stop()
		require.NoError(t, err, name)
		require.Equal(t, 1, sent.batches, "round trips of %s", name)

		file := name + ".sql"
		files = append(files, file)
		have := abbreviateAccess(strings.Join(sent.texts, ";\n\n") + ";\n")
		if *update {
			require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(have), 0o600))
		}
		want, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		require.Equal(t, string(want), have, "%s: accept the statements with -update", name)
		for i, statement := range sent.texts {
			explain(t, conn, statement, fmt.Sprintf("statement %d of %s", i+1, name))
		}
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.sql"))
	require.NoError(t, err)
	for _, path := range found {
		require.Contains(t, files, filepath.Base(path), "a file without a list")
	}
}

// explain has PostgreSQL plan a statement for unknown arguments.
func explain(t *testing.T, conn *pgx.Conn, statement, name string) {
	t.Helper()
	if regexp.MustCompile(`^(BEGIN|COMMIT|SET)`).MatchString(statement) {
		return
	}
	parameters := len(regexp.MustCompile(`(?m)^-- \$\d+ = `).FindAllString(statement, -1))
	args := ""
	if parameters > 0 {
		args = "(NULL" + strings.Repeat(", NULL", parameters-1) + ")"
	}
	for _, sql := range []string{"PREPARE listed AS\n" + statement, "EXPLAIN EXECUTE listed" + args, "DEALLOCATE listed"} {
		_, err := conn.Exec(t.Context(), sql)
		require.NoError(t, err, "%s\n%s", name, sql)
	}
}

// abbreviateAccess replaces the fragments of package access by their names, the longest first.
func abbreviateAccess(sql string) string {
	fragments := map[string]string{
		access.OwnsResults:                       "OwnsResults",
		access.ManagesProcess:                    "ManagesProcess",
		access.VisibleItem:                       "VisibleItem",
		access.VisibleProcess:                    "VisibleProcess",
		access.VisibleVersion:                    "VisibleVersion",
		access.VisibleDocument:                   "VisibleDocument",
		access.VisibleArtifactDocument:           "VisibleArtifactDocument",
		access.CandidateOfItem:                   "CandidateOfItem",
		access.StartableDefinition:               "StartableDefinition",
		access.VisibleArtifact:                   "VisibleArtifact",
		access.ManagedProcessDefinitions:         "ManagedProcessDefinitions",
		access.InitiatedProcessDefinitions:       "InitiatedProcessDefinitions",
		access.ReadableProcessDefinitions:        "ReadableProcessDefinitions",
		access.RunVersions:                       "RunVersions",
		access.CandidateItemDefinitions:          "CandidateItemDefinitions",
		access.GrantedItemDefinitions:            "GrantedItemDefinitions",
		access.InitiatorCandidateItemDefinitions: "InitiatorCandidateItemDefinitions",
		access.InitiatorGrantedItemDefinitions:   "InitiatorGrantedItemDefinitions",
		access.ReadableArtifactDefinitions:       "ReadableArtifactDefinitions",
		access.EditableArtifactDefinitions:       "EditableArtifactDefinitions",
		access.ManagedArtifactDefinitions:        "ManagedArtifactDefinitions",
		access.CallerIsGrantee:                   "CallerIsGrantee",
	}
	byLength := slices.SortedFunc(maps.Keys(fragments), func(a, b string) int { return len(b) - len(a) })
	for _, fragment := range byLength {
		sql = strings.ReplaceAll(sql, fragment, "{access."+fragments[fragment]+"}")
	}
	return sql
}
