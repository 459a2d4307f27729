package jsondoc

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/procession-dev/procession/domain/jsontext"
)

// ReplaceStrings replaces strings of a document, by their JSON Pointers. Every other byte of the document is
// preserved. It returns an error when a pointer does not lead to a string. If a name is duplicated in one
// object, the pointer matches both members.
func ReplaceStrings(document json.RawMessage, texts map[string]string) (json.RawMessage, error) {
	root := &place{}
	for pointer, text := range texts {
		path, ok := jsontext.SplitPointer(pointer)
		if !ok {
			return nil, fmt.Errorf("replacing strings: %q is not a JSON Pointer", pointer)
		}
		root.addText(path, text)
	}
	r := replacer{Reader: jsontext.NewLooseReader(document), text: document}
	r.replaceValue(root)
	if err := r.End(); err != nil {
		return nil, fmt.Errorf("replacing strings: the document %w", err)
	}
	for _, pointer := range slices.Sorted(maps.Keys(texts)) {
		path, _ := jsontext.SplitPointer(pointer)
		if !root.placeAt(path).reached {
			return nil, fmt.Errorf("replacing strings: there is no string at %q", pointer)
		}
	}
	return append(r.result, document[r.copied:]...), nil
}

// A place is a value that is replaced or that contains such values.
type place struct {
	inside map[string]*place
	// text is the replacement, nil if the string stays.
	text    *string
	reached bool
}

func (p *place) addText(path []string, text string) {
	for _, key := range path {
		next, ok := p.inside[key]
		if !ok {
			if p.inside == nil {
				p.inside = map[string]*place{}
			}
			next = &place{}
			p.inside[key] = next
		}
		p = next
	}
	p.text = &text
}

func (p *place) placeAt(path []string) *place {
	for _, key := range path {
		p = p.inside[key]
	}
	return p
}

// A replacer walks over a document along the places.
type replacer struct {
	*jsontext.Reader

	text   []byte
	result []byte
	// copied is how much of text was already copied to result or replaced.
	copied int
}

func (r *replacer) replaceValue(p *place) {
	switch kind := r.Kind(); {
	case p == nil:
		r.Skip()
	case kind == '"' && p.text != nil:
		p.reached = true
		start := r.Offset()
		end := start + len(r.Raw())
		r.result = append(append(r.result, r.text[r.copied:start]...), jsontext.Quote(*p.text)...)
		r.copied = end
	case kind == '{':
		for name := range r.Members() {
			r.replaceValue(p.inside[jsontext.Key(name)])
		}
	case kind == '[':
		for i := range r.Elements() {
			r.replaceValue(p.inside[strconv.Itoa(i)])
		}
	default:
		r.Skip()
	}
}
