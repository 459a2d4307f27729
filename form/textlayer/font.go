package textlayer

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/unicode/bidi"
)

// font contains the texts and the widths of the glyphs of a font, in thousandths of its size.
type font struct {
	// texts are UTF-16, in hexadecimal notation.
	texts        map[int]string
	widths       map[int]float64
	defaultWidth float64
}

var (
	toUnicode    = regexp.MustCompile(`/ToUnicode (\d{1,7}) 0 R`)
	descendant   = regexp.MustCompile(`/DescendantFonts\[(\d{1,7}) 0 R\]`)
	glyphText    = regexp.MustCompile(`(?m)^<([0-9A-F]{4})> <([0-9A-F]+)>$`)
	widthDefault = regexp.MustCompile(`/DW ([0-9.]+)`)
	widthTable   = regexp.MustCompile(`/W(\[[0-9. \[\]]*\])`)
)

// readFont reads a composite font with two bytes per glyph. It returns nil for other fonts.
func (f *file) readFont(number int) *font {
	object := f.objectOf(number)
	table := f.readStream(readReference(object, toUnicode))
	about := f.objectOf(readReference(object, descendant))
	if table == nil || about == nil || !bytes.Contains(object, []byte("/Encoding/Identity-H")) {
		return nil
	}
	read := &font{texts: map[int]string{}, widths: map[int]float64{}}
	for _, row := range glyphText.FindAllSubmatch(table, -1) {
		glyph, _ := strconv.ParseUint(string(row[1]), 16, 16)
		read.texts[int(glyph)] = string(row[2])
	}
	if found := widthDefault.FindSubmatch(about); found != nil {
		read.defaultWidth, _ = strconv.ParseFloat(string(found[1]), 64)
	}
	if found := widthTable.FindSubmatch(about); found != nil {
		read.readWidths(string(found[1]))
	}
	return read
}

// readWidths reads widths (ISO 32000-1, 9.7.4.3): "first [w1 w2 …]" or "first last w".
func (f *font) readWidths(table string) {
	tokens := strings.Fields(strings.NewReplacer("[", " [ ", "]", " ] ").Replace(table))
	tokens = tokens[1 : len(tokens)-1]
	number := func(i int) float64 {
		if i >= len(tokens) {
			return 0
		}
		value, _ := strconv.ParseFloat(tokens[i], 64)
		return value
	}
	for i := 0; i+1 < len(tokens); {
		first := int(number(i))
		if tokens[i+1] != "[" {
			for glyph := first; glyph <= min(int(number(i+1)), 0xffff); glyph++ {
				f.widths[glyph] = number(i + 2)
			}
			i += 3
			continue
		}
		for i += 2; i < len(tokens) && tokens[i] != "]"; i++ {
			f.widths[first] = number(i)
			first++
		}
		i++
	}
}

func (f *font) widthOf(glyph int) float64 {
	if width, ok := f.widths[glyph]; ok {
		return width
	}
	return f.defaultWidth
}

// reverseTexts reverses the texts of glyphs that are read from right to left, and reports whether there are any.
func (f *file) reverseTexts(number int) bool {
	at := readReference(f.objectOf(number), toUnicode)
	table, changed := f.readStream(at), false
	table = glyphText.ReplaceAllFunc(table, func(row []byte) []byte {
		parts := glyphText.FindSubmatch(row)
		text := pageOrder(string(parts[2]))
		changed = changed || text != string(parts[2])
		return fmt.Appendf(nil, "<%s> <%s>", parts[1], text)
	})
	if changed {
		f.replaceStream(at, table)
	}
	return changed
}

// pageOrder returns the characters of a cluster from left to right on the page. The text is UTF-16 in hexadecimal notation.
func pageOrder(text string) string {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) < 4 || len(raw)%2 != 0 {
		return text
	}
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = binary.BigEndian.Uint16(raw[2*i:])
	}
	runes := utf16.Decode(units)
	isReversed := slices.ContainsFunc(runes, func(r rune) bool {
		properties, _ := bidi.LookupRune(r)
		return properties.Class() == bidi.R || properties.Class() == bidi.AL
	})
	if !isReversed || len(runes) < 2 {
		return text
	}
	slices.Reverse(runes)
	raw = raw[:0]
	for _, u := range utf16.Encode(runes) {
		raw = binary.BigEndian.AppendUint16(raw, u)
	}
	return strings.ToUpper(hex.EncodeToString(raw))
}
