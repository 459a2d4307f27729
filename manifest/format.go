package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/procession-dev/procession/domain/jsontext"
)

const (
	// lineWidth is how many characters a list on one line may have.
	lineWidth = 80
	// maxName is how many bytes YAML lets a name have that stands before its colon.
	maxName = 1000
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
	var w yamlWriter
	w.value(roots[0], 0)
	return bytes.TrimPrefix(w.out.Bytes(), []byte(" ")), nil
}

// A yamlWriter writes values after the place where they belong to: the name of a
// member, the dash of an element, or nothing.
type yamlWriter struct{ out bytes.Buffer }

// value writes a value whose lines are indented by so many spaces, and ends the
// line.
func (w *yamlWriter) value(n *node, indent int) {
	switch {
	case n.kind == object && len(n.members) > 0:
		w.newLine(indent)
		w.members(n, indent)
	case n.kind == list && len(n.elements) > 0:
		if line, ok := flow(n); ok {
			w.out.WriteString(" " + line + "\n")
			return
		}
		w.newLine(indent)
		w.elements(n, indent)
	case n.kind == object:
		w.out.WriteString(" {}\n")
	case n.kind == list:
		w.out.WriteString(" []\n")
	default:
		w.out.WriteByte(' ')
		w.scalar(n, indent)
	}
}

// newLine goes on in the next line, unless nothing is written yet.
func (w *yamlWriter) newLine(indent int) {
	if w.out.Len() > 0 {
		w.out.WriteByte('\n')
		w.indent(indent)
	}
}

func (w *yamlWriter) indent(n int) { w.out.WriteString(strings.Repeat(" ", n)) }

func (w *yamlWriter) members(n *node, indent int) {
	for i, m := range n.members {
		if i > 0 {
			w.indent(indent)
		}
		name := text(m.name, isPlainName)
		if len(name) > maxName {
			w.out.WriteString("? " + name + "\n")
			w.indent(indent)
			name = ""
		}
		w.out.WriteString(name + ":")
		w.value(m.value, indent+2)
	}
}

func (w *yamlWriter) elements(n *node, indent int) {
	for i, element := range n.elements {
		if i > 0 {
			w.indent(indent)
		}
		w.out.WriteByte('-')
		// The members of an object begin behind the dash.
		if element.kind == object && len(element.members) > 0 {
			w.out.WriteByte(' ')
			w.members(element, indent+2)
			continue
		}
		w.value(element, indent+2)
	}
}

// scalar writes a plain value and ends the line.
func (w *yamlWriter) scalar(n *node, indent int) {
	value, isText := n.string()
	if !isText {
		w.out.Write(n.text)
		w.out.WriteByte('\n')
		return
	}
	if !isBlock(value) {
		w.out.WriteString(text(value, isPlain) + "\n")
		return
	}
	w.out.WriteByte('|')
	body := strings.TrimRight(value, "\n")
	switch len(value) - len(body) {
	case 0:
		w.out.WriteByte('-')
	case 1:
	default:
		w.out.WriteByte('+')
	}
	w.out.WriteByte('\n')
	for line := range strings.Lines(value) {
		if line != "\n" {
			w.indent(indent)
		}
		w.out.WriteString(line)
	}
	if len(value) == len(body) {
		w.out.WriteByte('\n')
	}
}

// string returns the text that a scalar stands for.
func (n *node) string() (string, bool) {
	if n.kind != scalar || n.text[0] != '"' {
		return "", false
	}
	var value string
	err := json.Unmarshal(n.text, &value)
	return value, err == nil
}

// flow writes a list of plain values on one line, if it is short.
func flow(n *node) (string, bool) {
	parts := make([]string, len(n.elements))
	width := 2
	for i, element := range n.elements {
		if element.kind != scalar {
			return "", false
		}
		parts[i] = string(element.text)
		if value, isText := element.string(); isText {
			parts[i] = text(value, isPlainName)
		}
		width += utf8.RuneCountInString(parts[i]) + 2
		if width > lineWidth {
			return "", false
		}
	}
	return "[" + strings.Join(parts, ", ") + "]", true
}

// text writes a text as it is where that is plain, else in quotes.
func text(value string, plain func(string) bool) string {
	if plain(value) && resolvesToText(value) {
		return value
	}
	return quoted(value)
}

var (
	plainWord = regexp.MustCompile(`^[A-Za-z_$/][A-Za-z0-9_$/.@+-]*$`)
	plainText = regexp.MustCompile(`^[\p{L}\p{N}_$/(+.][^\n]*$`)
)

// isPlainName reports whether a text can stand anywhere as it is.
func isPlainName(value string) bool { return len(value) <= lineWidth && plainWord.MatchString(value) }

// isPlain reports whether a text can stand as it is behind a name or a dash.
func isPlain(value string) bool {
	return plainText.MatchString(value) && printable(value) &&
		!strings.Contains(value, ": ") && !strings.Contains(value, " #") &&
		!strings.HasSuffix(value, ":") && !strings.HasSuffix(value, " ") && !strings.HasPrefix(value, "...")
}

// printable reports whether a text has nothing in it but what can be seen.
func printable(value string) bool {
	return utf8.ValidString(value) && strings.IndexFunc(value, func(c rune) bool { return !unicode.IsPrint(c) }) < 0
}

// resolvesToText reports whether YAML takes a text for text. It may not even
// where we would, but other readers may see a boolean or a number.
func resolvesToText(value string) bool {
	switch strings.ToLower(value) {
	case "y", "n", "yes", "no", "on", "off":
		return false
	}
	n := yaml.Node{Kind: yaml.ScalarNode, Value: value}
	return !jsonNumber.MatchString(value) && n.ShortTag() == tagText
}

// isBlock reports whether a text has several lines and nothing that would get
// lost in a block.
func isBlock(value string) bool {
	if !strings.Contains(strings.TrimRight(value, "\n"), "\n") || strings.HasPrefix(value, "\n") {
		return false
	}
	for line := range strings.Lines(value) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasSuffix(line, " ") || !printable(line) {
			return false
		}
	}
	// Spaces in front of the first line would be taken for its indentation.
	return value[0] != ' '
}

// quoted writes a text in double quotes as JSON does, which YAML reads alike but
// for what it cannot see.
func quoted(value string) string {
	var out strings.Builder
	for _, c := range string(jsontext.Quote(value)) {
		switch {
		case unicode.IsPrint(c):
			out.WriteRune(c)
		case c <= 0xffff:
			fmt.Fprintf(&out, `\u%04x`, c)
		default:
			fmt.Fprintf(&out, `\U%08x`, c)
		}
	}
	return out.String()
}
