package jsondoc

import (
	"encoding/json"
	"errors"
	"strconv"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/kuflowref"
)

// Occurrence is a reference in a document, and where it is.
type Occurrence struct {
	// Pointer is the JSON Pointer of the string. ReplaceStrings takes it.
	Pointer   string
	Reference kuflowref.Reference
}

// FindReferences lists the strings of a document that are references, from first
// to last. Names of members are none. It returns a VALIDATION error when the
// places take too much to tell.
func FindReferences(document json.RawMessage) ([]Occurrence, error) {
	if !json.Valid(document) {
		return nil, errors.New("looking for references: the document is not JSON")
	}
	f := finder{text: document}
	f.value(space(document, 0))
	if f.told > maxPaths {
		return nil, domain.InvalidBody("", "refers to too much")
	}
	return f.found, nil
}

// A finder walks over a document.
type finder struct {
	text  []byte
	path  []byte
	found []Occurrence
	// told is how many bytes the pointers found so far take, with pathCost added
	// for each. Beyond maxPaths none are added.
	told int
}

// value looks at the value that begins at i and returns the position after it.
func (f *finder) value(i int) int {
	switch f.text[i] {
	case '"':
		end := skipString(f.text, i)
		f.string(f.text[i:end])
		return end
	case '{', '[':
		return f.container(i)
	}
	return skip(f.text, i)
}

func (f *finder) container(i int) int {
	length := len(f.path)
	object := f.text[i] == '{'
	element := 0
	for i = space(f.text, i+1); f.text[i] != '}' && f.text[i] != ']'; element++ {
		f.path = append(f.path, '/')
		if object {
			end := skipString(f.text, i)
			f.path = append(f.path, token(unquote(f.text[i:end]))...)
			i = space(f.text, space(f.text, end)+1)
		} else {
			f.path = strconv.AppendInt(f.path, int64(element), 10)
		}
		i = space(f.text, f.value(i))
		f.path = f.path[:length]
		if f.text[i] == ',' {
			i = space(f.text, i+1)
		}
	}
	return i + 1
}

func (f *finder) string(text []byte) {
	var decoded string
	if json.Unmarshal(text, &decoded) != nil {
		return
	}
	found, ok := kuflowref.Parse(decoded)
	if !ok {
		return
	}
	if f.told += len(f.path) + pathCost; f.told <= maxPaths {
		f.found = append(f.found, Occurrence{Pointer: string(f.path), Reference: found})
	}
}
