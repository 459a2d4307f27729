package form

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/procession-dev/procession/domain/jsontext"
)

// maxSketchDepth is the maximum nesting of a sketch.
const maxSketchDepth = 64

// span is a part of a text, in bytes.
type span struct{ From, To int }

// sketch is a JSON text that a person edits. It may be incomplete.
type sketch struct {
	text string
	at   int
	// cursor is the position to complete at, -1 for none.
	cursor int
	// places are the parts of the values by pointer.
	places map[string]span
	// slot is the gap or the word at the cursor, nil for none.
	slot *slot
}

// slot is a place for the name of a member or for a value.
type slot struct {
	span

	// pointer is the pointer of the value, or of the object with the member.
	pointer string
	isName  bool
	// separated reports whether a comma or a bracket is in front.
	separated bool
	// names are the members of the object.
	names []string
}

// readSketch reads a text that may be incomplete. value contains the complete parts, "" if there are none.
func readSketch(text string, cursor int) (k *sketch, value string) {
	k = &sketch{text: text, cursor: cursor, places: map[string]span{}}
	return k, k.readValue("", true, 0)
}

func (k *sketch) peek() byte {
	if k.at < len(k.text) {
		return k.text[k.at]
	}
	return 0
}

// skip moves on to the first byte that is not in set.
func (k *sketch) skip(set string) {
	for k.at < len(k.text) && strings.IndexByte(set, k.text[k.at]) >= 0 {
		k.at++
	}
}

const blanks = " \t\r\n"

// readValue reads the value at a pointer. It returns "" for an incomplete one.
func (k *sketch) readValue(pointer string, separated bool, depth int) string {
	gap := k.at
	k.skip(blanks)
	from, text := k.at, ""
	switch c := k.peek(); {
	case depth > maxSketchDepth:
		k.at = len(k.text)
	case c == '{':
		text = k.readObject(pointer, depth)
	case c == '[':
		text = k.readArray(pointer, depth)
	default:
		if text = k.readWord(); !json.Valid([]byte(text)) {
			text = ""
		}
		switch {
		case k.at > from && k.cursor >= from && k.cursor <= k.at:
			k.slot = &slot{span{from, k.at}, pointer, false, separated, nil}
		case k.at == from && k.cursor >= gap && k.cursor <= from:
			k.slot = &slot{span{k.cursor, k.cursor}, pointer, false, separated, nil}
		}
	}
	k.places[pointer] = span{from, k.at}
	return text
}

// readWord reads a string or a literal. A string without an end ends with its line.
func (k *sketch) readWord() string {
	from := k.at
	if k.peek() != '"' {
		for k.at < len(k.text) && strings.IndexByte(blanks+`,:"{}[]`, k.text[k.at]) < 0 {
			k.at++
		}
		return k.text[from:k.at]
	}
	for k.at++; k.at < len(k.text) && k.text[k.at] != '\n'; k.at++ {
		switch k.text[k.at] {
		case '\\':
			k.at++
		case '"':
			k.at++
			return k.text[from:k.at]
		}
	}
	k.at = min(k.at, len(k.text))
	return k.text[from:k.at]
}

func (k *sketch) readObject(pointer string, depth int) string {
	var members, names []string
	var open *slot
	k.at++
	for first := true; ; first = false {
		gap := k.at
		k.skip(blanks + ",")
		c := k.peek()
		if (k.cursor > gap || first && k.cursor == gap) && k.cursor <= k.at && (k.cursor < k.at || c != '"') {
			open = &slot{span{k.cursor, k.cursor}, pointer, true, first || strings.Contains(k.text[gap:k.cursor], ","), nil}
		}
		if c == 0 || c == '}' {
			break
		}
		from := k.at
		name := k.readWord()
		if k.at == from {
			k.at++ // A bracket or a colon has no place here.
			continue
		}
		if k.cursor > from && k.cursor <= k.at {
			open = &slot{span{from, k.at}, pointer, true, true, nil}
		} else {
			names = append(names, memberName(name))
		}
		member := ""
		if k.skip(blanks); k.peek() == ':' {
			k.at++
			member = k.readValue(pointer+"/"+jsontext.EscapeToken(memberName(name)), true, depth+1)
		}
		if member != "" && json.Valid([]byte(name)) && name[0] == '"' {
			members = append(members, name+":"+member)
		}
	}
	k.at = min(k.at+1, len(k.text))
	if open != nil {
		open.names = names
		k.slot = open
	}
	return "{" + strings.Join(members, ",") + "}"
}

// memberName returns the name in a word, which may lack its quotes.
func memberName(word string) string {
	if json.Valid([]byte(word)) && word[0] == '"' {
		return jsontext.Unquote([]byte(word))
	}
	return strings.Trim(word, `"`)
}

func (k *sketch) readArray(pointer string, depth int) string {
	var elements []string
	k.at++
	for separated := true; ; {
		before := k.at
		element := k.readValue(pointer+"/"+strconv.Itoa(len(elements)), separated, depth+1)
		if element != "" {
			elements = append(elements, element)
		}
		comma := k.at
		if k.skip(blanks + ","); k.peek() == 0 || k.peek() == ']' {
			if k.cursor > comma && k.cursor <= k.at {
				next := pointer + "/" + strconv.Itoa(len(elements))
				k.slot = &slot{span{k.cursor, k.cursor}, next, false, strings.Contains(k.text[comma:k.cursor], ","), nil}
			}
			break
		}
		separated = strings.Contains(k.text[comma:k.at], ",")
		if k.at == before {
			k.at++ // A bracket or a colon has no place here.
		}
	}
	k.at = min(k.at+1, len(k.text))
	return "[" + strings.Join(elements, ",") + "]"
}

// locate returns the part of the text with the value at a pointer, or with the closest value around it.
func (k *sketch) locate(pointer string) span {
	for {
		if found, ok := k.places[pointer]; ok {
			return found
		}
		cut := strings.LastIndexByte(pointer, '/')
		if cut < 0 {
			return span{0, len(k.text)}
		}
		pointer = pointer[:cut]
	}
}

// has reports whether the object around the slot has a member.
func (s *slot) has(name string) bool { return slices.Contains(s.names, name) }
