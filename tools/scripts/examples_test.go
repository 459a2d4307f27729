package scripts_test

import (
	"bytes"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Examples are short enough to be read in full: each package, and the loan in each other language, without its
// tests; each Go example with its tests. loan/drive is the acceptance test of the demo rather than an example.
func TestExamplesAreShort(t *testing.T) {
	t.Parallel()
	const each, all = 300, 3600
	total, packages := 0, map[string]int{}
	handWritten(t, `^examples/.*\.go$`, func(file string, text []byte) {
		lines := bytes.Count(text, []byte("\n"))
		total += lines
		if !strings.HasSuffix(file, "_test.go") && path.Dir(file) != "examples/loan/drive" {
			packages[path.Dir(file)] += lines
		}
	})
	require.NotEmpty(t, packages)
	otherLanguages := regexp.MustCompile(`^test/compat/(typescript|java)/src/`)
	handWritten(t, otherLanguages.String(), func(file string, text []byte) {
		packages[otherLanguages.FindString(file)] += bytes.Count(text, []byte("\n"))
	})
	require.Contains(t, packages, "test/compat/typescript/src/")
	require.Contains(t, packages, "test/compat/java/src/")
	for name, lines := range packages {
		require.LessOrEqual(t, lines, each, name)
	}
	require.LessOrEqual(t, total, all)
}

// The program and the registration of the workflow fit into fifteen lines.
func TestLoanWorkerBeginsWithinFifteenLines(t *testing.T) {
	t.Parallel()
	imports := regexp.MustCompile(`(?s)import \(.*?\n\)|import "[^"\n]*"`)
	lines := 0
	handWritten(t, `^examples/loan/(main|lending/lending)\.go$`, func(_ string, text []byte) {
		code, _, _ := bytes.Cut(text, []byte("\nfunc Loan("))
		for line := range strings.Lines(imports.ReplaceAllString(string(code), "")) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
				lines++
			}
		}
	})
	require.Positive(t, lines)
	require.LessOrEqual(t, lines, 15)
}
