package commonmark

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

var (
	webAddress  = regexp.MustCompile(`^https?://[^\s<>"'` + "`" + `]+`)
	processPath = regexp.MustCompile(`/console/processes/([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})`)
	// mentionKey is an e-mail address, or the part of one before the @. A full stop at its end belongs to the sentence.
	mentionKey = regexp.MustCompile(`^@([\pL\pN](?:[\pL\pN._%+-]*[\pL\pN])?(?:@[\pL\pN](?:[\pL\pN.-]*[\pL\pN])?)?)`)
)

// kindMention is the kind of mention nodes.
//
//nolint:gochecknoglobals // goldmark numbers kinds of nodes
var kindMention = ast.NewNodeKind("Mention")

// mention is an @ with the key of a person.
type mention struct {
	ast.BaseInline

	key, written string
}

// Kind implements ast.Node.
func (m *mention) Kind() ast.NodeKind { return kindMention }

// Dump implements ast.Node.
func (m *mention) Dump(source []byte, level int) {
	ast.DumpHelper(m, source, level, map[string]string{"Key": m.key}, nil)
}

// mentionParser parses mentions, which do not follow a letter or digit.
type mentionParser struct{}

// Trigger implements parser.InlineParser.
func (mentionParser) Trigger() []byte { return []byte{'@'} }

// Parse implements parser.InlineParser.
func (mentionParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	if before := block.PrecendingCharacter(); unicode.IsLetter(before) || unicode.IsDigit(before) {
		return nil
	}
	line, _ := block.PeekLine()
	found := mentionKey.FindSubmatch(line)
	if found == nil {
		return nil
	}
	block.Advance(len(found[0]))
	return &mention{key: strings.ToLower(string(found[1])), written: string(found[0])}
}
