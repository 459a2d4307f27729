package pdfworker_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/form/pdfworker"
)

// TestDocumentsAreTagged checks the structure that PDF/UA-1 (ISO 14289-1) requires: a tagged document in a language with a title,
// headings, tables with heads, alternatives of images, and all text in the structure. test/compat/pdfua validates documents with
// veraPDF.
func TestDocumentsAreTagged(t *testing.T) {
	t.Parallel()
	arabic := pdfworker.Job{Title: "نموذج", Language: "ar", Locale: "ar", Values: inspection(t).Values, Created: creationTime()}
	for name, job := range map[string]pdfworker.Job{"inspection": inspection(t), "right to left": arabic} {
		content := render(t, job, openData(pngImage(t, 160, 120)))
		about := runPoppler(t, content, "pdfinfo", "PDF")
		require.Regexp(t, `(?m)^Tagged: +yes$`, about, name)
		require.Regexp(t, `(?m)^Suspects: +no$`, about, name)
		require.Regexp(t, `(?m)^Title: +`+regexp.QuoteMeta(job.Title)+`$`, about, name)
		require.Contains(t, runPoppler(t, content, "pdfinfo", "-meta", "PDF"), "<pdfuaid:part>1</pdfuaid:part>", name)

		structure := runPoppler(t, content, "pdfinfo", "-struct-text", "PDF")
		require.Regexp(t, `(?m)^Document`, structure, name)
		require.Regexp(t, `(?m)^ +H1\b`, structure, name)
		requireText(t, structure, textOf(t, content), name)
	}
	structure := runPoppler(t, render(t, inspection(t), openData(pngImage(t, 160, 120))), "pdfinfo", "-struct", "PDF")
	for _, tag := range []string{"H2", "Table", "TR", `TH <\w+>:\n +/Scope /Column`, `TD:\n +/Headers \[`, "Figure", "P"} {
		require.Regexp(t, `(?m)^ +`+tag, structure)
	}
}

// leftToRight are words that programs extract in one order.
var leftToRight = regexp.MustCompile(`^[\p{Latin}\p{Greek}\p{Cyrillic}\p{N}\p{P}]+$`)

// requireText checks that a structure has the words of a text, but for the artifacts at the end of each page.
func requireText(t *testing.T, structure, text, name string) {
	t.Helper()
	tagged := strings.ReplaceAll(normalizeText(structure), `"`, "")
	for line := range strings.Lines(text) {
		if strings.Contains(line, "Page ") || strings.Contains(line, "10:04") {
			continue
		}
		for word := range strings.FieldsSeq(line) {
			if leftToRight.MatchString(word) {
				require.Contains(t, tagged, strings.ReplaceAll(normalizeText(word), `"`, ""), name)
			}
		}
	}
}
