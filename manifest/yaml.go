package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/procession-dev/procession/domain/jsontext"
)

// The short tags that YAML gives to what it recognises.
const (
	tagText      = "!!str"
	tagNull      = "!!null"
	tagBool      = "!!bool"
	tagInteger   = "!!int"
	tagFloat     = "!!float"
	tagTimestamp = "!!timestamp"
	tagMerge     = "!!merge"
	tagMap       = "!!map"
	tagList      = "!!seq"
)

var (
	jsonNumber    = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)
	unknownAnchor = regexp.MustCompile(`^unknown anchor '(.*)' referenced$`)
	yamlLine      = regexp.MustCompile(`^yaml: (?:line ([0-9]+): )?(?s:(.*))$`)
)

// readYAML reads the documents of a YAML file but for the empty ones.
func readYAML(file string, content []byte) (roots []*node, err error) {
	if !utf8.Valid(content) {
		return nil, &Error{File: file, Message: "is not valid UTF-8"}
	}
	defer func() {
		// The library panics on what it did not foresee.
		if r := recover(); r != nil {
			roots, err = nil, &Error{File: file, Message: fmt.Sprintf("is not YAML that can be read: %v", r)}
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	for {
		var document yaml.Node
		switch err := decoder.Decode(&document); {
		case errors.Is(err, io.EOF):
			return roots, nil
		case err != nil:
			return nil, syntaxError(file, content, err)
		}
		if len(document.Content) == 0 || empty(document.Content[0]) {
			continue
		}
		reader := yamlReader{file: file, open: map[*yaml.Node]bool{}}
		root, err := reader.value(document.Content[0], 0)
		if err != nil {
			return nil, err
		}
		roots = append(roots, root)
	}
}

// empty reports whether a document between two lines of --- is empty.
func empty(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "" && n.Style == 0 && n.ShortTag() == tagNull
}

func syntaxError(file string, content []byte, err error) error {
	found := yamlLine.FindStringSubmatch(err.Error())
	if found == nil {
		return &Error{File: file, Message: err.Error()}
	}
	if strings.HasPrefix(found[2], "did not find expected") {
		if offset, fault := bracketFault(content); offset >= 0 {
			line, column := placeIn(content, offset)
			return &Error{File: file, Line: line, Column: column, Message: "is not YAML: " + fault}
		}
	}
	// The library reports no line for the first line and for some errors.
	line, err := strconv.Atoi(found[1])
	if err != nil {
		line = 1 + bytes.Count(content[:culprit(content, found[2])], []byte("\n"))
	}
	return &Error{File: file, Line: line, Message: "is not YAML: " + plain(found[2])}
}

// plain returns a message of the library about a tab in the words of those who type it.
func plain(message string) string {
	if strings.Contains(message, "cannot start any token") && !strings.Contains(message, "@") && !strings.Contains(message, "`") {
		return "there is a tab, or another character that cannot stand here: YAML is indented with spaces"
	}
	return message
}

// culprit returns the offset of what a message without a line is about, 0 when it is
// about the first line.
func culprit(content []byte, message string) int {
	offset := 0
	if found := unknownAnchor.FindStringSubmatch(message); found != nil {
		offset = bytes.Index(content, []byte("*"+found[1]))
	} else if strings.Contains(message, "control characters") {
		offset = bytes.IndexFunc(content, func(c rune) bool { return unicode.IsControl(c) && !strings.ContainsRune("\t\n\r\u0085", c) })
	}
	return max(offset, 0)
}

// A yamlReader turns one document of YAML into one of JSON.
type yamlReader struct {
	file string
	// open are the aliases that are being followed.
	open map[*yaml.Node]bool
	// nodes and text are what has been made so far.
	nodes, text int
}

func (r *yamlReader) fail(n *yaml.Node, format string, args ...any) error {
	return &Error{File: r.file, Line: n.Line, Column: n.Column, Message: fmt.Sprintf(format, args...)}
}

func (r *yamlReader) value(n *yaml.Node, depth int) (*node, error) {
	r.nodes++
	r.text += len(n.Value)
	switch {
	case r.nodes > maxNodes:
		return nil, r.fail(n, "the document has more than %d values once its aliases are followed", maxNodes)
	case r.text > maxText:
		return nil, r.fail(n, "the document has more than %d bytes once its aliases are followed", maxText)
	case depth > jsontext.MaxDepth:
		return nil, r.fail(n, "the document is nested deeper than %d", jsontext.MaxDepth)
	}
	made := &node{line: n.Line, column: n.Column}
	switch n.Kind {
	case yaml.AliasNode:
		return r.alias(n, depth)
	case yaml.ScalarNode:
		text, err := r.scalar(n)
		made.text = text
		return made, err
	case yaml.SequenceNode:
		if err := r.tagged(n, tagList); err != nil {
			return nil, err
		}
		made.kind = list
		for _, element := range n.Content {
			value, err := r.value(element, depth+1)
			if err != nil {
				return nil, err
			}
			made.elements = append(made.elements, value)
		}
		return made, nil
	case yaml.MappingNode:
		if err := r.tagged(n, tagMap); err != nil {
			return nil, err
		}
		made.kind = object
		return made, r.mapping(n, made, depth)
	case yaml.DocumentNode:
	}
	return nil, r.fail(n, "is not a value")
}

// alias follows an alias. The value stands where the alias is.
func (r *yamlReader) alias(n *yaml.Node, depth int) (*node, error) {
	if r.open[n.Alias] {
		return nil, r.fail(n, "the alias *%s is inside what it stands for", n.Value)
	}
	r.open[n.Alias] = true
	defer delete(r.open, n.Alias)
	made, err := r.value(n.Alias, depth)
	if err != nil {
		return nil, err
	}
	made.line, made.column = n.Line, n.Column
	return made, nil
}

// tagged refuses a tag that makes something else of a list or a mapping.
func (r *yamlReader) tagged(n *yaml.Node, tag string) error {
	if got := n.ShortTag(); got != tag {
		return r.fail(n, "the tag %s has no place in JSON", got)
	}
	return nil
}

// scalar returns the JSON of a scalar.
func (r *yamlReader) scalar(n *yaml.Node) ([]byte, error) {
	if n.Style == 0 && jsonNumber.MatchString(n.Value) {
		// The library takes numbers that it cannot compute with for text.
		return []byte(n.Value), nil
	}
	switch tag := n.ShortTag(); tag {
	case tagText, tagTimestamp:
		return jsontext.Quote(n.Value), nil
	case tagNull:
		return []byte("null"), nil
	case tagBool:
		return []byte(strings.ToLower(n.Value)), r.checkBool(n)
	case tagInteger, tagFloat:
		if jsonNumber.MatchString(n.Value) {
			return []byte(n.Value), nil
		}
		if n.Style&yaml.TaggedStyle != 0 {
			return nil, r.fail(n, "%s is not a number in JSON", n.Value)
		}
		return jsontext.Quote(n.Value), nil
	default:
		return nil, r.fail(n, "the tag %s has no place in JSON", tag)
	}
}

func (r *yamlReader) checkBool(n *yaml.Node) error {
	if value := strings.ToLower(n.Value); value != "true" && value != "false" {
		return r.fail(n, "%s is neither true nor false", n.Value)
	}
	return nil
}
