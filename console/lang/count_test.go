package lang

import (
	"flag"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the texts with counts to testdata instead of comparing")

// listUncounted returns the texts with a number that do not depend on it: ordinals, and counts without a noun or of at least two.
func listUncounted() []string {
	return []string{
		"%d",
		"%d changed, %d refused",
		"%d of %d handled",
		"Checked: the first %d of %d processes.",
		"%d rows on a page",
		"All %d documents",
		"All %d open tasks",
		"Choose an action for all %d …",
		"to version %d",
		"%d dropped",
		"%d given up",
		"%d in all",
		"%d ms",
		"%d new",
		"%d of %d done",
		"%d waiting",
		"%d+",
		"%s %d",
		"%s in entry %d of %s",
		"%s is not valid JSON: look at line %d, character %d.",
		"%s, run %d",
		"(version %d to %d)",
		"Column %d:",
		"Continue with the other %d",
		"Entry %d of %s",
		"Found: %d",
		"Line %d",
		"Option %d",
		"Page %d",
		"Page %d of %d",
		"Restore version %d …",
		"The newest %d are shown.",
		"The process moves from version %d to version %d.",
		"This is version %d with the current rights. Apply it to publish it again.",
		"Version %d",
		"Waits for the activity %s, attempt %d",
		"Written by %s, run %d",
		"and %d more",
		"at least %d waiting",
		"attempt %d",
		"more than %d in all",
		"steps that happen again: %d",
		"version %d",
	}
}

// Each text with a count has a plural form for 0, 1 and 2 in each language.
func TestTextsWithCounts(t *testing.T) {
	t.Parallel()
	var lines, missing []string
	shown := shownTexts(t, "..")
	for _, text := range slices.Sorted(maps.Keys(shown)) {
		if !strings.Contains(text, "%d") || slices.Contains(listUncounted(), text) {
			continue
		}
		for _, l := range Languages() {
			if _, ok := singulars()[l.Tag][text]; !ok {
				missing = append(missing, shown[text]+": "+text)
			}
			for n := range 3 {
				var args []any
				for _, verb := range regexp.MustCompile(`%[ds]`).FindAllString(strings.ReplaceAll(text, "%%", ""), -1) {
					args = append(args, map[string]any{"%d": n, "%s": "…"}[verb])
				}
				lines = append(lines, Text(l.Tag, text, args...))
			}
		}
	}
	require.Empty(t, missing, "texts without a singular in console/lang/count.go")
	for _, l := range Languages() {
		for text := range singulars()[l.Tag] {
			require.Contains(t, shown, text, "a singular of a text that is not shown")
		}
	}
	text := strings.Join(lines, "\n") + "\n"
	if *update {
		require.NoError(t, os.WriteFile("testdata/counts.txt", []byte(text), 0o600))
	}
	want, err := os.ReadFile("testdata/counts.txt")
	require.NoError(t, err)
	require.Equal(t, string(want), text, "go test ./console/lang -run TestTextsWithCounts -update writes it")
}

// A text has one translation.
func TestTranslationsAreUnique(t *testing.T) {
	t.Parallel()
	known := map[string]string{}
	for _, catalogue := range germanCatalogues() {
		for text, translation := range catalogue {
			former, ok := known[text]
			assert.False(t, ok, //nolint:forbidigo // all of them are listed
				"two translations of %q: %q and %q", text, former, translation)
			known[text] = translation
		}
	}
}
