package pdftext

import (
	"cmp"
	"slices"
	"sort"
	"unicode/utf16"
)

// maxMappings bounds the entries of a table of characters.
const maxMappings = 200_000

// A charMap tells the text of the codes of a font (its ToUnicode).
type charMap struct {
	single map[uint32]string
	ranges []charRange
}

// A charRange maps codes that follow each other to characters that do.
type charRange struct {
	low, high uint32
	text      []rune
}

// readCharMap reads a CMap.
func readCharMap(m *meter, data []byte) *charMap {
	c := &charMap{single: map[uint32]string{}}
	l := &lexer{meter: m, data: data}
	for {
		switch l.next() {
		case endOfData:
			slices.SortStableFunc(c.ranges, func(a, b charRange) int { return cmp.Compare(a.low, b.low) })
			return c
		case operator("beginbfchar"):
			for {
				code, ok := l.next().(text)
				if !ok || len(c.single) > maxMappings {
					break
				}
				if to, ok := l.next().(text); ok {
					c.single[codeOf(code)] = utf16Text(to)
				}
			}
		case operator("beginbfrange"):
			for c.readRange(l) {
				if len(c.ranges)+len(c.single) > maxMappings {
					m.err = ErrTooMuch
				}
			}
		}
	}
}

func (c *charMap) readRange(l *lexer) bool {
	first, ok := l.next().(text)
	if !ok {
		return false
	}
	last, ok := l.next().(text)
	if !ok {
		return false
	}
	low, high := codeOf(first), codeOf(last)
	switch to := l.next().(type) {
	case text:
		if high >= low {
			c.ranges = append(c.ranges, charRange{low: low, high: high, text: []rune(utf16Text(to))})
		}
	case []any:
		for i, value := range to {
			if t, ok := value.(text); ok && i <= int(high)-int(low) {
				c.single[low+uint32(i)] = utf16Text(t)
			}
		}
	case operator:
		return false
	}
	return true
}

// text of a code. It reports false for a code that is not in the map.
func (c *charMap) text(code uint32) (string, bool) {
	if known, ok := c.single[code]; ok {
		return known, true
	}
	after := sort.Search(len(c.ranges), func(i int) bool { return c.ranges[i].low > code })
	if after == 0 {
		return "", false
	}
	r := c.ranges[after-1]
	if code > r.high || len(r.text) == 0 {
		return "", false
	}
	runes := slices.Clone(r.text)
	runes[len(runes)-1] += rune(code - r.low) //nolint:gosec // What is no character becomes the replacement character.
	return string(runes), true
}

// codeOf is a code of at most four bytes.
func codeOf(t text) uint32 {
	var code uint32
	for i := range min(len(t), 4) {
		code = code<<8 | uint32(t[i])
	}
	return code
}

func utf16Text(t text) string {
	if len(t) == 1 {
		return string(rune(t[0]))
	}
	units := make([]uint16, 0, len(t)/2)
	for i := 0; i+1 < len(t); i += 2 {
		units = append(units, uint16(t[i])<<8|uint16(t[i+1]))
	}
	return string(utf16.Decode(units))
}
