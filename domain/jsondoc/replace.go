package jsondoc

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// ReplaceStrings gives strings of a document another text, by their JSON
// Pointers. Every other byte of the document stays as it is. It is an error when
// a pointer does not lead to a string. Where a name is given twice in one object,
// the pointer leads to both.
func ReplaceStrings(document json.RawMessage, texts map[string]string) (json.RawMessage, error) {
	if !json.Valid(document) {
		return nil, errors.New("replacing strings: the document is not JSON")
	}
	root := &place{}
	for pointer, text := range texts {
		path, ok := tokens(pointer)
		if !ok {
			return nil, fmt.Errorf("replacing strings: %q is not a JSON Pointer", pointer)
		}
		root.add(path, text)
	}
	r := replacer{text: document}
	r.value(space(document, 0), root)
	for _, pointer := range slices.Sorted(maps.Keys(texts)) {
		path, _ := tokens(pointer)
		if !root.at(path).reached {
			return nil, fmt.Errorf("replacing strings: there is no string at %q", pointer)
		}
	}
	return append(r.result, document[r.copied:]...), nil
}

// A place is a value of a document that is to be replaced or that leads to such
// values.
type place struct {
	inside map[string]*place
	// text is what the string here becomes; nil when it stays.
	text    *string
	reached bool
}

func (p *place) add(path []string, text string) {
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

func (p *place) at(path []string) *place {
	for _, key := range path {
		p = p.inside[key]
	}
	return p
}

// A replacer walks over a document along the places.
type replacer struct {
	text   []byte
	result []byte
	// copied is how much of text is in result or replaced there.
	copied int
}

// value looks at the value that begins at i and returns the position after it.
func (r *replacer) value(i int, p *place) int {
	switch {
	case p == nil:
	case r.text[i] == '"' && p.text != nil:
		p.reached = true
		r.result = append(append(r.result, r.text[r.copied:i]...), quote(*p.text)...)
		r.copied = skipString(r.text, i)
		return r.copied
	case (r.text[i] == '{' || r.text[i] == '[') && p.inside != nil:
		return r.container(i, p)
	}
	return skip(r.text, i)
}

func (r *replacer) container(i int, p *place) int {
	object := r.text[i] == '{'
	element := 0
	for i = space(r.text, i+1); r.text[i] != '}' && r.text[i] != ']'; element++ {
		var next *place
		if object {
			end := skipString(r.text, i)
			next = p.inside[unquote(r.text[i:end])]
			i = space(r.text, space(r.text, end)+1)
		} else {
			next = p.inside[strconv.Itoa(element)]
		}
		i = space(r.text, r.value(i, next))
		if r.text[i] == ',' {
			i = space(r.text, i+1)
		}
	}
	return i + 1
}
