// Package commonmark reads texts of people, which are CommonMark, and renders them as HTML. HTML in a text is shown as written,
// images are links, and headings are bold lines. Web addresses in a text are links, and its lines break where they are written to.
package commonmark

import (
	"strings"

	"github.com/google/uuid"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

const (
	// maxFormatted bounds the texts that are formatted, in bytes. Longer ones are shown as written and mention no one.
	maxFormatted = 20_000
	// maxNesting bounds the quotations and lists in each other.
	maxNesting = 20
	// MaxMentions bounds the people that a text mentions. Further ones stay text.
	MaxMentions = 20
)

// newParser returns a parser of CommonMark without HTML.
func newParser() parser.Parser {
	links := extension.NewLinkifyParser(extension.WithLinkifyAllowedProtocols([]string{"http:", "https:"}),
		extension.WithLinkifyURLRegexp(webAddress))
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100), util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300), util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500), util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700), util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100), util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300), util.Prioritized(mentionParser{}, 400),
			util.Prioritized(parser.NewEmphasisParser(), 500), util.Prioritized(links, 999),
		),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)
}

// parse returns the document of a text, or nil for a text that is shown as written.
func parse(source string) ast.Node {
	if len(source) > maxFormatted || tooDeep(source) {
		return nil
	}
	return newParser().Parse(text.NewReader([]byte(source)))
}

// tooDeep reports whether a line begins with more than maxNesting marks of quotations and lists.
func tooDeep(source string) bool {
	for line := range strings.Lines(source) {
		if countMarks(line) > maxNesting {
			return true
		}
	}
	return false
}

// countMarks returns the number of marks of quotations and lists at the beginning of a line.
func countMarks(line string) int {
	marks := 0
	for i := range len(line) - 1 {
		switch c := line[i]; {
		case c == '>':
			marks++
		case strings.IndexByte("-+*.)", c) >= 0:
			if isBlank(line[i+1]) {
				marks++
			}
		case !isBlank(c) && (c < '0' || c > '9'):
			return marks
		}
	}
	return marks
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// Mentions returns the keys of the people that a text mentions outside of code, in lower case and in their order, up to MaxMentions.
// A key is an e-mail address, or the part of one before the @.
func Mentions(source string) []string {
	if !strings.Contains(source, "@") {
		return nil
	}
	document := parse(source)
	if document == nil {
		return nil
	}
	var keys []string
	seen := map[string]bool{}
	_ = ast.Walk(document, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if m, ok := node.(*mention); ok && entering && !seen[m.key] {
			if len(keys) == MaxMentions {
				return ast.WalkStop, nil
			}
			seen[m.key] = true
			keys = append(keys, m.key)
		}
		return ast.WalkContinue, nil
	})
	return keys
}

// MaxProcessLinks bounds the processes that ProcessLinks returns.
const MaxProcessLinks = 100

// ProcessLinks returns the ids of the processes that texts contain addresses of, without repetition, up to MaxProcessLinks.
func ProcessLinks(texts ...string) []uuid.UUID {
	var ids []uuid.UUID
	seen := map[uuid.UUID]bool{}
	for _, source := range texts {
		for _, found := range processPath.FindAllStringSubmatch(source, MaxProcessLinks) {
			id, err := uuid.Parse(found[1])
			if err != nil || seen[id] {
				continue
			}
			if len(ids) == MaxProcessLinks {
				return ids
			}
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}
