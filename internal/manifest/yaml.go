package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/procession-dev/procession/domain/jsontext"
)

// The short tags of YAML.
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

var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// readYAML reads the documents of a YAML file except empty ones.
func readYAML(file string, content []byte) (roots []*node, err error) {
	if !utf8.Valid(content) {
		return nil, &Error{File: file, Message: "is not valid UTF-8"}
	}
	defer func() {
		if r := recover(); r != nil {
			roots, err = nil, &Error{File: file, Message: fmt.Sprintf("is not YAML that can be read: %v", r)}
		}
	}()
	loader, err := yaml.NewLoader(bytes.NewReader(content), yaml.WithV3Defaults())
	if err != nil {
		return nil, err
	}
	for {
		var document yaml.Node
		switch err := loader.Load(&document); {
		case errors.Is(err, io.EOF):
			return roots, nil
		case err != nil:
			return nil, syntaxError(file, content, err)
		}
		if len(document.Content) == 0 || isEmpty(document.Content[0]) {
			continue
		}
		reader := yamlReader{file: file, open: map[*yaml.Node]bool{}}
		root, err := reader.readValue(document.Content[0], 0)
		if err != nil {
			return nil, err
		}
		roots = append(roots, root)
	}
}

// isEmpty reports whether the root of a document is missing.
func isEmpty(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "" && n.Style == 0 && n.ShortTag() == tagNull
}

// syntaxError converts an error of the YAML library. The position of an open bracket or
// quote is where it begins. A value missing at the end of the file is reported on the last line.
func syntaxError(file string, content []byte, err error) error {
	fault, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		return &Error{File: file, Message: err.Error()}
	}
	mark, message := fault.Mark, fault.Message
	if line, column := positionOf(content, len(bytes.TrimRight(content, " \t\r\n"))); mark.Line > line {
		mark.Line, mark.Column = line, column
	}
	switch {
	case fault.Stage == yaml.ReaderStage:
		mark.Line, mark.Column = positionOf(content, max(0, bytes.IndexFunc(content, isForbidden)))
	case fault.ContextMsg == "while parsing a flow sequence":
		mark, message = fault.ContextMark, "the [ is not closed"
	case fault.ContextMsg == "while parsing a flow mapping":
		mark, message = fault.ContextMark, "the { is not closed"
	case fault.ContextMsg == "while scanning a quoted scalar" && message == "found unexpected end of stream":
		mark, message = fault.ContextMark, "the quote is not closed"
	case message == "did not find expected node content":
		message = "a value, or the end of a [ or {, is missing"
	case message == "found character that cannot start any token":
		message = "this character cannot begin a value: indent with spaces, not tabs, and put the text in quotes"
	}
	return &Error{File: file, Line: mark.Line, Column: mark.Column, Message: "is not YAML: " + message}
}

// isForbidden reports whether a character is a control character that YAML excludes.
func isForbidden(c rune) bool {
	return unicode.IsControl(c) && !strings.ContainsRune("\t\n\r\u0085", c)
}

// positionOf returns the line and column, counted from 1, of an offset.
func positionOf(content []byte, offset int) (line, column int) {
	before := content[:offset]
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
}

// A yamlReader converts one document to JSON.
type yamlReader struct {
	file string
	// open are the aliases being expanded.
	open map[*yaml.Node]bool
	// nodes and text count values and bytes read so far.
	nodes, text int
}

func (r *yamlReader) errorAt(n *yaml.Node, format string, args ...any) error {
	return &Error{File: r.file, Line: n.Line, Column: n.Column, Message: fmt.Sprintf(format, args...)}
}

func (r *yamlReader) readValue(n *yaml.Node, depth int) (*node, error) {
	r.nodes++
	r.text += len(n.Value)
	switch {
	case r.nodes > maxNodes:
		return nil, r.errorAt(n, "the document has more than %d values after its aliases are expanded", maxNodes)
	case r.text > maxText:
		return nil, r.errorAt(n, "the document has more than %d bytes after its aliases are expanded", maxText)
	case depth > jsontext.MaxDepth:
		return nil, r.errorAt(n, "the document is nested deeper than %d", jsontext.MaxDepth)
	}
	value := &node{line: n.Line, column: n.Column}
	switch n.Kind {
	case yaml.AliasNode:
		return r.readAlias(n, depth)
	case yaml.ScalarNode:
		text, err := r.readScalar(n)
		value.text = text
		return value, err
	case yaml.SequenceNode:
		if err := r.checkTag(n, tagList); err != nil {
			return nil, err
		}
		value.kind = list
		for _, content := range n.Content {
			element, err := r.readValue(content, depth+1)
			if err != nil {
				return nil, err
			}
			value.elements = append(value.elements, element)
		}
		return value, nil
	case yaml.MappingNode:
		if err := r.checkTag(n, tagMap); err != nil {
			return nil, err
		}
		value.kind = object
		return value, r.readMapping(n, value, depth)
	case yaml.DocumentNode, yaml.StreamNode:
	}
	return nil, r.errorAt(n, "is not a value")
}

// readAlias expands an alias. The value gets the position of the alias.
func (r *yamlReader) readAlias(n *yaml.Node, depth int) (*node, error) {
	if r.open[n.Alias] {
		return nil, r.errorAt(n, "the value of the alias *%s contains the alias", n.Value)
	}
	r.open[n.Alias] = true
	defer delete(r.open, n.Alias)
	value, err := r.readValue(n.Alias, depth)
	if err != nil {
		return nil, err
	}
	value.line, value.column = n.Line, n.Column
	return value, nil
}

// checkTag refuses tags other than the default one.
func (r *yamlReader) checkTag(n *yaml.Node, tag string) error {
	if got := n.ShortTag(); got != tag {
		return r.errorAt(n, "JSON has no equivalent of the tag %s", got)
	}
	return nil
}

// readScalar returns the JSON of a scalar.
func (r *yamlReader) readScalar(n *yaml.Node) ([]byte, error) {
	if n.Style == 0 && jsonNumber.MatchString(n.Value) {
		// The library reads numbers beyond its range as text.
		return []byte(n.Value), nil
	}
	switch tag := n.ShortTag(); tag {
	case tagText, tagTimestamp:
		return jsontext.Quote(n.Value), nil
	case tagNull:
		return []byte("null"), nil
	case tagBool:
		value := strings.ToLower(n.Value)
		if value != "true" && value != "false" {
			return nil, r.errorAt(n, "%s is neither true nor false", n.Value)
		}
		return []byte(value), nil
	case tagInteger, tagFloat:
		if jsonNumber.MatchString(n.Value) {
			return []byte(n.Value), nil
		}
		if n.Style&yaml.TaggedStyle != 0 {
			return nil, r.errorAt(n, "%s is not a number in JSON", n.Value)
		}
		return jsontext.Quote(n.Value), nil
	default:
		return nil, r.errorAt(n, "JSON has no equivalent of the tag %s", tag)
	}
}

// readMapping reads the members of a mapping, then adds members of merged mappings
// (<<) that it does not have itself.
func (r *yamlReader) readMapping(n *yaml.Node, value *node, depth int) error {
	names := map[string]bool{}
	var merged *yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, content := n.Content[i], n.Content[i+1]
		if key.Kind == yaml.ScalarNode && key.ShortTag() == tagMerge {
			if merged != nil {
				return r.errorAt(content, "<< is given twice: merge a list instead")
			}
			merged = content
			continue
		}
		name, err := r.readName(key)
		if err != nil {
			return err
		}
		if names[name] {
			return r.errorAt(key, "%s is given twice", name)
		}
		names[name] = true
		v, err := r.readValue(content, depth+1)
		if err != nil {
			return err
		}
		value.members = append(value.members, member{name: name, line: key.Line, column: key.Column, value: v})
	}
	if merged == nil {
		return nil
	}
	return r.mergeMembers(merged, value, names, depth)
}

// readName returns the name of a member, which may be an alias.
func (r *yamlReader) readName(key *yaml.Node) (string, error) {
	if key.Kind == yaml.AliasNode {
		key = key.Alias
	}
	if key.Kind != yaml.ScalarNode {
		return "", r.errorAt(key, "the name of a member must be text")
	}
	if key.ShortTag() != tagText {
		return "", r.errorAt(key, "the name of a member must be text: put %q in quotes", key.Value)
	}
	r.text += len(key.Value)
	return key.Value, nil
}

// mergeMembers adds the members of a mapping or of a list of mappings, except names
// that exist. The members get the position of the source.
func (r *yamlReader) mergeMembers(source *yaml.Node, value *node, names map[string]bool, depth int) error {
	merged, err := r.readValue(source, depth)
	if err != nil {
		return err
	}
	mappings := []*node{merged}
	if merged.kind == list {
		mappings = merged.elements
	}
	for _, mapping := range mappings {
		if mapping.kind != object {
			return r.errorAt(source, "<< must be followed by a mapping, or a list of mappings")
		}
		for _, m := range mapping.members {
			if !names[m.name] {
				names[m.name] = true
				value.members = append(value.members, member{name: m.name, line: source.Line, column: source.Column, value: m.value})
			}
		}
	}
	return nil
}
