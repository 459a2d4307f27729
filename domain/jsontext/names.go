package jsontext

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Unquote decodes the text of a string. Half a surrogate pair becomes U+FFFD.
func Unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var text string
	_ = json.Unmarshal(raw, &text) // The text of a string always decodes.
	return text
}

// Key is Unquote, except that a string with half a surrogate pair, which Go strings cannot represent, equals
// only strings with the same spelling.
func Key(raw []byte) string {
	text := Unquote(raw)
	if strings.ContainsRune(text, utf8.RuneError) && bytes.IndexByte(raw, '\\') >= 0 {
		// No UTF-8 begins with this byte.
		return "\xff" + string(raw)
	}
	return text
}

// Quote encodes a text as JSON with as few escapes as possible.
func Quote(text string) []byte {
	quoted, _ := Marshal(text) // A string always encodes.
	return quoted
}

// Marshal is json.Marshal without HTML escaping, which would alter users' own JSON.
func Marshal(value any) (json.RawMessage, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

func (s step) tokenText() string {
	if s.name == nil {
		return strconv.Itoa(s.index)
	}
	return Key(s.name)
}

// nameSet holds the member names of one object. Most objects are small, so a map is made for large ones only.
type nameSet struct {
	few  [][]byte
	many map[string]struct{}
}

const fewNames = 16

// add reports whether the name, given with its quotes, was not in the set yet.
func (s *nameSet) add(raw []byte) bool {
	name := raw[1 : len(raw)-1]
	if bytes.IndexByte(raw, '\\') >= 0 {
		name = []byte(Unquote(raw))
	}
	if s.many != nil {
		before := len(s.many)
		s.many[string(name)] = struct{}{}
		return len(s.many) > before
	}
	for _, other := range s.few {
		if bytes.Equal(other, name) {
			return false
		}
	}
	s.few = append(s.few, name)
	if len(s.few) > fewNames {
		s.many = make(map[string]struct{}, 2*len(s.few))
		for _, other := range s.few {
			s.many[string(other)] = struct{}{}
		}
	}
	return true
}
