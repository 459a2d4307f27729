package cli_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/resource"
)

func TestCompletion(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	var kinds []string
	for _, kind := range resource.Kinds() {
		kinds = append(kinds, strings.ToLower(string(kind)))
	}
	// An incomplete word is the last argument.
	for typed, want := range map[string][]string{
		"get ":                    append(slices.Clone(kinds), "all"),
		"get pr":                  {"processdefinition"},
		"get user ":               {"administrator", "member", "owner"},
		"get user ow":             {"owner"},
		"get user owner ":         {"administrator", "member"},
		"get cats ":               nil,
		"describe proc ":          {"LOAN"},
		"describe proc LOAN ":     nil,
		"delete robot ":           {"BOT"},
		"secrets ":                {"issue", "list", "revoke"},
		"secrets issue ":          {"user", "application", "webhooksubscription"},
		"secrets list app w":      {"worker"},
		"incidents retry ":        nil,
		"export users ":           kinds,
		"get users --tenant ":     {"north"},
		"apply --tenant no":       {"north"},
		"get users -o ":           {"table", "wide", "json", "yaml", "jq=", "name"},
		"export -o ":              {"yaml", "json"},
		"get user --tenant home ": nil,
	} {
		require.Equal(t, want, w.complete(typed), typed)
	}
	// An error yields no completions.
	for _, broken := range []*terminal{
		w.as(""), w.as("wrong"), w.with("PROCESSION_SERVER", "http://127.0.0.1:1"), w.with("PROCESSION_SERVER", "x"),
	} {
		require.Empty(t, broken.complete("get user "))
		require.Empty(t, broken.complete("get user --tenant "))
		require.Contains(t, broken.complete("get "), "user")
	}
}

// complete returns the completions of typed.
func (w *terminal) complete(typed string) []string {
	w.t.Helper()
	o := w.runs(append([]string{"__completeNoDesc"}, strings.Split(typed, " ")...)...)
	require.NoError(w.t, o.err)
	lines := strings.Split(strings.TrimSuffix(o.stdout, "\n"), "\n")
	require.Regexp(w.t, `^:[0-9]+$`, lines[len(lines)-1])
	var words []string
	words = append(words, lines[:len(lines)-1]...)
	return words
}
