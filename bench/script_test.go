package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// logOf is what PostgreSQL logs for a request about a subject, between the
// records of others.
func logOf(transaction, subject, event, at string) string {
	return logMark + "9/9 LOG:  execute stmtcache_0: SELECT 1 -- somebody else's\n" +
		logMark + transaction + " LOG:  execute stmtcache_1: BEGIN\n" +
		logMark + transaction + " LOG:  execute stmtcache_2: SELECT x\n\t  FROM t WHERE id = $1 AND $2 = ''\n" +
		logMark + transaction + " DETAIL:  parameters: $1 = '" + subject + "', $2 = ''\n" +
		logMark + transaction + " LOG:  execute stmtcache_3: INSERT INTO e VALUES ($1, $2, $3, $4)\n" +
		logMark + transaction + " DETAIL:  parameters: $1 = '" + event + "', $2 = NULL, $3 = 'it''s, $1 = ''x''', $4 = '" + at + "'\n" +
		logMark + transaction + " LOG:  statement: COMMIT\n"
}

func captured(t *testing.T, content, marker string) [][]statement {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	found, err := readTransactions(path, 0, marker)
	require.NoError(t, err)
	return found
}

func TestScriptOfCapturedRequests(t *testing.T) {
	t.Parallel()
	one, two := subjectID(kindItem, captureLane, 1), subjectID(kindItem, captureLane, 2)
	const first, second = "01970000-aaaa-7000-8000-000000000001", "01970000-aaaa-7000-8000-000000000002"
	a := captured(t, logOf("3/1", one.String(), first, "2026-01-02 03:04:05+00"), one.String())
	b := captured(t, logOf("3/2", two.String(), second, "2026-01-02 03:04:06+00"), two.String())

	s, err := newScript(a, b, one, kindFreshPairs)
	require.NoError(t, err)
	require.Equal(t, `\set i :i + 1
\set n 1008000000000000000 + (:client_id + :lane) * 1000000000 + :i
\startpipeline
BEGIN;
SELECT x
  FROM t WHERE id = (:v1::text || :n::text)::uuid AND '' = '';
\endpipeline
\startpipeline
INSERT INTO e VALUES ((:v2::text || :n::text)::uuid, NULL, :v3, :v4);
COMMIT;
\endpipeline
`, s.text)
	require.Equal(t, map[string]string{
		"v1": idPrefix(kindItem), "v2": idPrefix(kindFreshPairs), "v3": "it's, $1 = 'x'", "v4": "2026-01-02 03:04:05+00",
	}, s.variables)
	require.Equal(t, 4, s.statements)
	require.Equal(t, 2, s.roundTrips)
}

func TestScriptKeepsTextsThatLookLikeIDs(t *testing.T) {
	t.Parallel()
	const first, second = "01970000-aaaa-7000-8000-000000000001", "01970000-aaaa-7000-8000-000000000002"
	statementWith := func(id string) [][]statement {
		return [][]statement{{{sql: "INSERT INTO e VALUES (nullif($1, ''))", params: map[int]*string{1: &id}}}}
	}
	s, err := newScript(statementWith(first), statementWith(second), subjectID(kindItem, captureLane, 1), kindFreshPairs)
	require.NoError(t, err)
	require.Contains(t, s.text, "nullif((:v1::text || :n::text)::uuid::text, '')")
}

func TestScriptRefusesWhatItCannotRepeat(t *testing.T) {
	t.Parallel()
	one := subjectID(kindItem, captureLane, 1)
	a := captured(t, logOf("3/1", one.String(), "x", "2026-01-02 03:04:05+00"), one.String())
	b := captured(t, logOf("3/2", one.String(), "y", "2026-01-02 03:04:05+00"), one.String())
	_, err := newScript(a, b, one, kindFreshPairs)
	require.ErrorContains(t, err, "neither id nor time")

	_, err = newScript(a, [][]statement{a[0][1:]}, one, kindFreshPairs)
	require.ErrorContains(t, err, "different numbers of statements")
}

func TestTransactionsThatAreNotWholeAreLeftOut(t *testing.T) {
	t.Parallel()
	one := subjectID(kindItem, captureLane, 1)
	whole := logOf("3/1", one.String(), "x", "y")
	require.Len(t, captured(t, whole, one.String()), 1)
	require.Empty(t, captured(t, whole[:len(whole)-len("COMMIT\n")], one.String()))
	require.Empty(t, captured(t, whole, subjectID(kindItem, captureLane, 2).String()))
}
