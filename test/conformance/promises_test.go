package conformance_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// A promise is one sentence of a document about security.
type promise struct {
	// Says is the sentence without its links.
	Says string `yaml:"says"`
	// Tests show it, written like the tests of a statement.
	Tests []string `yaml:"tests"`
	// Advice marks a sentence that describes or advises, without a promise.
	Advice bool `yaml:"advice"`
}

var (
	link = regexp.MustCompile(`\[([^\]]+)\]\([^)]+\)`)
	// sentenceEnd is a full stop before a capital letter, a code span or a bold word.
	sentenceEnd = regexp.MustCompile("([.])\\s+([A-Z`*])")
)

// sentencesOf returns the sentences of the paragraphs and lists of a Markdown document, and each row of its tables.
// Headings and code are left out.
func sentencesOf(markdown string) []string {
	var sentences []string
	for _, block := range strings.Split(markdown, "\n\n") {
		block = link.ReplaceAllString(strings.TrimSpace(block), "$1")
		lines := strings.Split(block, "\n")
		switch {
		case block == "", strings.HasPrefix(block, "```"):
		case strings.HasPrefix(block, "|"):
			sentences = append(sentences, lines[2:]...)
		default:
			var text []string
			for _, line := range lines {
				if strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "#") {
					sentences = append(sentences, split(text)...)
					text = nil
				}
				if !strings.HasPrefix(line, "#") {
					text = append(text, strings.TrimPrefix(strings.TrimSpace(line), "- "))
				}
			}
			sentences = append(sentences, split(text)...)
		}
	}
	return sentences
}

func split(lines []string) []string {
	if len(lines) == 0 {
		return nil
	}
	return strings.Split(sentenceEnd.ReplaceAllString(strings.Join(lines, " "), "$1\n$2"), "\n")
}

func TestEverySentenceAboutSecurityHasATest(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("security.yaml")
	require.NoError(t, err)
	var promises map[string][]promise
	require.NoError(t, yaml.Unmarshal(text, &promises))
	require.Len(t, promises, 2)
	tests := newTestIndex(os.DirFS("../.."))
	for document, list := range promises {
		content, err := os.ReadFile("../../" + document)
		require.NoError(t, err)
		listed := make([]string, 0, len(list))
		for _, p := range list {
			listed = append(listed, p.Says)
			if p.Advice == (len(p.Tests) > 0) {
				t.Errorf("%s: %q needs either tests or advice: true", document, p.Says)
			}
			for _, test := range p.Tests {
				if err := tests.find(test); err != nil {
					t.Errorf("%s: %q: %s", document, p.Says, err)
				}
			}
		}
		require.Equal(t, sentencesOf(string(content)), listed, "%s and conformance/security.yaml have different sentences", document)
	}
}
