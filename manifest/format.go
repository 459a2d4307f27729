package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/procession-dev/procession/domain/jsontext"
)

const (
	// lineWidth is how many characters a list on one line may have.
	lineWidth = 80
	// formatIndent is how many spaces a level is indented.
	formatIndent = 2
)

// Format writes a document as YAML: members in their order, text in quotes only
// where it has to be, text of several lines as a block, short lists of plain
// values on one line. Parse reads the same JSON from it, digit for digit. It
// fails for what is not JSON, and for JSON that Parse would refuse.
func Format(document json.RawMessage) ([]byte, error) {
	roots, err := readJSON("document", document)
	if err != nil {
		return nil, fmt.Errorf("formatting a document: %w", err)
	}
	if len(roots) != 1 {
		return nil, fmt.Errorf("formatting a document: there are %d values", len(roots))
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(formatIndent)
	if err := encoder.Encode(styled(roots[0])); err != nil {
		return nil, fmt.Errorf("formatting a document: %w", err)
	}
	return out.Bytes(), nil
}

// styled returns the node of the library that is written as the value should be.
func styled(n *node) *yaml.Node {
	switch n.kind {
	case object:
		made := &yaml.Node{Kind: yaml.MappingNode}
		for _, m := range n.members {
			name := styledText(m.name)
			if name.Style == yaml.LiteralStyle {
				name.Style = yaml.DoubleQuotedStyle
			}
			made.Content = append(made.Content, name, styled(m.value))
		}
		return made
	case list:
		made := &yaml.Node{Kind: yaml.SequenceNode}
		for _, element := range n.elements {
			made.Content = append(made.Content, styled(element))
		}
		if isShort(made.Content) {
			made.Style = yaml.FlowStyle
		}
		return made
	case scalar:
	}
	if n.text[0] == '"' {
		return styledText(jsontext.Unquote(n.text))
	}
	// Without a tag, the text is written as it is.
	return &yaml.Node{Kind: yaml.ScalarNode, Value: string(n.text)}
}

// isShort reports whether values fit on one line.
func isShort(values []*yaml.Node) bool {
	width := len("[]")
	for _, value := range values {
		if width += utf8.RuneCountInString(value.Value) + len(", "); value.Kind != yaml.ScalarNode || value.Style == yaml.LiteralStyle || width > lineWidth {
			return false
		}
	}
	return true
}

func styledText(text string) *yaml.Node {
	made := &yaml.Node{Kind: yaml.ScalarNode, Tag: tagText, Value: text}
	switch {
	case isBlock(text):
		made.Style = yaml.LiteralStyle
	case !isPlain(text):
		made.Style = yaml.DoubleQuotedStyle
	}
	return made
}

// isPlain reports whether a text is read as the same text without quotes. Some
// words are text for us where other readers see a boolean.
func isPlain(text string) bool {
	switch strings.ToLower(text) {
	case "y", "n", "yes", "no", "on", "off":
		return false
	}
	return !jsonNumber.MatchString(text) && printable(text)
}

// printable reports whether a text has visible characters only.
func printable(text string) bool {
	return strings.IndexFunc(text, func(c rune) bool { return !unicode.IsPrint(c) }) < 0
}

// isBlock reports whether a text has several lines and can be written as a
// block without loss.
func isBlock(text string) bool {
	if !strings.Contains(strings.TrimRight(text, "\n"), "\n") || strings.HasPrefix(text, "\n") || text[0] == ' ' {
		return false
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasSuffix(line, " ") || !printable(line) {
			return false
		}
	}
	return true
}
