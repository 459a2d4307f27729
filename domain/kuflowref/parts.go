package kuflowref

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
)

// A part is one key and value of a reference, unescaped.
type part struct{ key, value string }

// parts are the parts of one reference.
type parts struct {
	values map[string]string
	// other are the unknown parts, in order.
	other []part
}

// readParts splits a reference of one kind into its parts. It returns false for a text of another kind, and for one
// with a duplicate known part: its readers would not agree on the value.
func readParts(text string, kind Kind, keys ...string) (parts, bool) {
	p := parts{values: make(map[string]string, len(keys))}
	if is, ok := KindOf(text); !ok || is != kind {
		return p, false
	}
	for piece := range strings.SplitSeq(text[len(kind)+1:], ";") {
		key, value, ok := strings.Cut(piece, "=")
		if !ok {
			continue
		}
		key = unescape(key, ' ')
		plus := byte(' ')
		if key == "type" {
			// No type has a blank, but image/svg+xml has a plus.
			plus = '+'
		}
		value = unescape(value, plus)
		if !slices.Contains(keys, key) {
			p.other = append(p.other, part{key, value})
			continue
		}
		if _, twice := p.values[key]; twice {
			return p, false
		}
		p.values[key] = value
	}
	return p, true
}

// has reports whether all of the parts are present.
func (p parts) has(keys ...string) bool {
	for _, key := range keys {
		if _, ok := p.values[key]; !ok {
			return false
		}
	}
	return true
}

// idPart parses a part that is a UUID in its usual form of 36 characters.
func (p parts) idPart(key string) (uuid.UUID, bool) { return readID(p.values[key]) }

func readID(text string) (uuid.UUID, bool) {
	// The library accepts other forms as well.
	if len(text) != 36 {
		return uuid.UUID{}, false
	}
	id, err := uuid.Parse(text)
	return id, err == nil
}

// sizePart parses a part that is a number of bytes.
func (p parts) sizePart(key string) (int64, bool) {
	text := p.values[key]
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// A writer builds the text of a reference.
type writer struct{ text strings.Builder }

func newWriter(kind Kind) *writer {
	w := &writer{}
	w.text.WriteString(string(kind))
	w.text.WriteByte(':')
	return w
}

// add appends a part.
func (w *writer) add(key, value string) *writer {
	escape(&w.text, key)
	w.text.WriteByte('=')
	escape(&w.text, value)
	w.text.WriteByte(';')
	return w
}

// addOptional appends a part that may be missing, unless it is empty.
func (w *writer) addOptional(key, value string) *writer {
	if value == "" {
		return w
	}
	return w.add(key, value)
}

// finishText appends the unknown parts and returns the text.
func (w *writer) finishText(other []part) string {
	for _, p := range other {
		w.add(p.key, p.value)
	}
	return w.text.String()
}

const upperHex = "0123456789ABCDEF"

// escape percent-encodes all characters but letters, digits and a few marks without a meaning.
func escape(out *strings.Builder, text string) {
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	for i := range len(text) {
		c := text[i]
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~/:@", c) >= 0 {
			out.WriteByte(c)
			continue
		}
		out.WriteByte('%')
		out.WriteByte(upperHex[c>>4])
		out.WriteByte(upperHex[c&15])
	}
}

// unescape is the reverse of escape. A plus stands for the given byte; a percent sign without two hexadecimal
// digits after it, as from writers that do not escape, stands for itself. Invalid UTF-8 becomes U+FFFD.
func unescape(text string, plus byte) string {
	var out strings.Builder
	out.Grow(len(text))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '+':
			out.WriteByte(plus)
		case '%':
			if i+2 < len(text) {
				if n, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
					out.WriteByte(byte(n))
					i += 2
					continue
				}
			}
			out.WriteByte(c)
		default:
			out.WriteByte(c)
		}
	}
	return strings.ToValidUTF8(out.String(), string(utf8.RuneError))
}
