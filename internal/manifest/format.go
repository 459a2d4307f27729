package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/procession-dev/procession/domain/jsontext"
)

const (
	// lineWidth is the maximum number of characters of a list on one line.
	lineWidth = 80
	// formatIndent is the indentation of a level in spaces.
	formatIndent = 2
)

// Format writes a JSON document as YAML: members in their order, text in quotes only
// where necessary, text of several lines as a block, short lists of scalars on one
// line. Parse converts the result to the same JSON, digit for digit. Format returns an
// error if the document is not JSON that Parse accepts.
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
	if err := encoder.Encode(toYAML(roots[0])); err != nil {
		return nil, fmt.Errorf("formatting a document: %w", err)
	}
	return out.Bytes(), nil
}

// toYAML converts a value to a node with the style in which it is written.
func toYAML(n *node) *yaml.Node {
	switch n.kind {
	case object:
		result := &yaml.Node{Kind: yaml.MappingNode}
		for _, m := range n.members {
			name := textNode(m.name)
			if name.Style == yaml.LiteralStyle {
				name.Style = yaml.DoubleQuotedStyle
			}
			result.Content = append(result.Content, name, toYAML(m.value))
		}
		return result
	case list:
		result := &yaml.Node{Kind: yaml.SequenceNode}
		for _, element := range n.elements {
			result.Content = append(result.Content, toYAML(element))
		}
		if isShort(result.Content) {
			result.Style = yaml.FlowStyle
		}
		return result
	case scalar:
	}
	if n.text[0] == '"' {
		return textNode(jsontext.Unquote(n.text))
	}
	// A scalar without a tag is written unchanged.
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

func textNode(text string) *yaml.Node {
	result := &yaml.Node{Kind: yaml.ScalarNode, Tag: tagText, Value: text}
	switch {
	case isBlock(text):
		result.Style = yaml.LiteralStyle
	case !isPlain(text):
		result.Style = yaml.DoubleQuotedStyle
	}
	return result
}

// isPlain reports whether a text needs no quotes. Words that other parsers read as
// booleans are quoted.
func isPlain(text string) bool {
	switch strings.ToLower(text) {
	case "y", "n", "yes", "no", "on", "off":
		return false
	}
	return !jsonNumber.MatchString(text) && isPrintable(text)
}

// isPrintable reports whether a text has printable characters only.
func isPrintable(text string) bool {
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
		if strings.HasSuffix(line, " ") || !isPrintable(line) {
			return false
		}
	}
	return true
}
