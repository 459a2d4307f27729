package availability

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// chapter returns a chapter of the page about process definitions.
func chapter(t *testing.T, title string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/process-definitions.md")
	require.NoError(t, err)
	_, text, found := strings.Cut(string(page), "\n### "+title+"\n")
	require.True(t, found, title)
	text, _, _ = strings.Cut(text, "\n### ")
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

var expressionLine = regexp.MustCompile(`(?m)^\$\{ .* \}$`)

func TestDocumentationListsEveryFunction(t *testing.T) {
	t.Parallel()
	_, table, _ := strings.Cut(chapter(t, "Availability expressions"), "| for | functions |")
	table, _, _ = strings.Cut(table, "\n\n")
	var listed []string
	for _, found := range regexp.MustCompile("`([A-Za-z0-9_]+)(?:\\(f\\))?`").FindAllStringSubmatch(table, -1) {
		listed = append(listed, found[1])
	}
	slices.Sort(listed)
	require.Equal(t, Functions(), slices.Compact(listed))
}

func TestDocumentedExpressionsAreAccepted(t *testing.T) {
	t.Parallel()
	examples := expressionLine.FindAllString(chapter(t, "Availability expressions"), -1)
	require.Greater(t, len(examples), 10)
	for _, text := range examples {
		expression, err := Parse(text)
		require.NoError(t, err, text)
		_, err = expression.Evaluate(t.Context(), sample())
		require.NoError(t, err, text)
	}
}

func TestOfficeHours(t *testing.T) {
	t.Parallel()
	examples := expressionLine.FindAllString(chapter(t, "Office hours"), -1)
	require.Len(t, examples, 2)
	for _, text := range examples {
		expression, err := Parse(text)
		require.NoError(t, err, text)
		for at, expected := range map[string]bool{
			"2026-01-05T06:59:59Z": false, // Monday
			"2026-01-05T07:00:00Z": true,
			"2026-01-09T15:59:59Z": true, // Friday
			"2026-01-09T16:00:00Z": false,
			"2026-01-10T10:00:00Z": false, // Saturday
			"2026-01-11T10:00:00Z": false,
			"2026-01-11T23:30:00Z": false, // Monday in the time of the expression
		} {
			now, err := time.Parse(time.RFC3339, at)
			require.NoError(t, err)
			result, err := expression.Evaluate(t.Context(), Model{Now: now})
			require.NoError(t, err)
			require.Equal(t, expected, result, "%s at %s", text, at)
		}
	}
}
