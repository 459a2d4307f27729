package pdftext

import (
	"strings"

	"golang.org/x/text/encoding/charmap"
)

// A textFont tells the characters of a font and how wide they are.
type textFont struct {
	// wide fonts have codes of two bytes.
	wide bool
	// unicode is what the file says of the codes, nil when it says nothing.
	unicode *charMap
	// direct codes are UTF-16.
	direct bool
	simple [256]string
	widths map[uint32]float64
	// otherwise is the width of codes that are not in widths. Widths are in
	// thousandths of the size.
	otherwise float64
}

// font reads a font once.
func (d *document) font(value any) *textFont {
	number, isReference := value.(reference)
	if known, ok := d.fonts[int(number)]; isReference && ok {
		return known
	}
	f := d.readFont(d.dict(value))
	if isReference {
		d.fonts[int(number)] = f
	}
	return f
}

func (d *document) readFont(members dict) *textFont {
	f := &textFont{widths: map[uint32]float64{}, otherwise: 500}
	if s, ok := d.resolve(members["ToUnicode"]).(*stream); ok {
		f.unicode = readCharMap(d.meter, d.decode(s))
	}
	if d.resolve(members["Subtype"]) == name("Type0") {
		d.readComposite(f, members)
		return f
	}
	scale := 1.0
	if matrix := d.array(members["FontMatrix"]); len(matrix) == 6 {
		scale = d.number(matrix[0], 0.001) * 1000
	}
	first := d.integer(members["FirstChar"])
	widths := d.array(members["Widths"])
	for i, width := range widths[:min(len(widths), 256)] {
		if code := first + i; 0 <= code && code < 256 && d.meter.step() {
			f.widths[uint32(code)] = d.number(width, 0) * scale
		}
	}
	f.readEncoding(d, members)
	return f
}

// readComposite reads a font of many characters.
func (d *document) readComposite(f *textFont, members dict) {
	f.wide = true
	encoding, _ := d.resolve(members["Encoding"]).(name)
	f.direct = strings.Contains(string(encoding), "UCS2") || strings.Contains(string(encoding), "UTF16")
	f.otherwise = 1000
	descendants := d.array(members["DescendantFonts"])
	if len(descendants) == 0 {
		return
	}
	inner := d.dict(descendants[0])
	f.otherwise = d.number(inner["DW"], 1000)
	widths := d.array(inner["W"])
	for len(widths) >= 2 && d.meter.step() {
		first := d.integer(widths[0])
		list, isList := d.resolve(widths[1]).([]any)
		if isList {
			for i, width := range list {
				if !d.meter.step() {
					return
				}
				f.setWidth(first+i, d.number(width, f.otherwise))
			}
			widths = widths[2:]
			continue
		}
		if len(widths) < 3 {
			return
		}
		width := d.number(widths[2], f.otherwise)
		for code := first; code <= min(d.integer(widths[1]), 0xffff) && d.meter.step(); code++ {
			f.setWidth(code, width)
		}
		widths = widths[3:]
	}
}

func (f *textFont) setWidth(code int, width float64) {
	if 0 <= code && code <= 0xffff {
		f.widths[uint32(code)] = width
	}
}

// readEncoding reads what the codes of a simple font stand for.
func (f *textFont) readEncoding(d *document, members dict) {
	encoding := d.resolve(members["Encoding"])
	base, _ := encoding.(name)
	differences := d.dict(encoding)
	if differences != nil {
		base, _ = d.resolve(differences["BaseEncoding"]).(name)
	}
	for code := range f.simple {
		f.simple[code] = codeText(base, byte(code))
	}
	code := 0
	for _, value := range d.array(differences["Differences"]) {
		if !d.meter.step() {
			return
		}
		switch v := d.resolve(value).(type) {
		case float64:
			code = int(v)
		case name:
			if 0 <= code && code < 256 {
				f.simple[code] = glyphText(string(v))
			}
			code++
		}
	}
}

// codeText is the text of a code in one of the encodings that have names. A font
// without one mostly has what Windows has.
func codeText(encoding name, code byte) string {
	if code < ' ' {
		return ""
	}
	var r rune
	switch encoding {
	case "MacRomanEncoding":
		r = charmap.Macintosh.DecodeByte(code)
	case "StandardEncoding":
		return standardText(code)
	default:
		r = charmap.Windows1252.DecodeByte(code)
	}
	return string(r)
}

// standardText is the text of a code of Adobe's standard encoding.
func standardText(code byte) string {
	const upper = "¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ\x00–†‡·\x00¶•‚„”»…‰\x00¿\x00`´ˆ˜¯˘˙¨\x00˚¸\x00˝˛ˇ—"
	switch {
	case code == '\'':
		return "’"
	case code == '`':
		return "‘"
	case code < 0x7f:
		return string(rune(code))
	case code >= 0xa1 && code <= 0xd0:
		if r := []rune(upper)[code-0xa1]; r != 0 {
			return string(r)
		}
		return ""
	}
	switch code {
	case 0xe1:
		return "Æ"
	case 0xe3:
		return "ª"
	case 0xe8:
		return "Ł"
	case 0xe9:
		return "Ø"
	case 0xea:
		return "Œ"
	case 0xeb:
		return "º"
	case 0xf1:
		return "æ"
	case 0xf5:
		return "ı"
	case 0xf8:
		return "ł"
	case 0xf9:
		return "ø"
	case 0xfa:
		return "œ"
	case 0xfb:
		return "ß"
	}
	return ""
}

// glyph is the next character of a shown text.
func (f *textFont) glyph(shown text) (code uint32, of string, rest text) {
	length := 1
	if f.wide && len(shown) > 1 {
		length = 2
	}
	code, rest = codeOf(shown[:length]), shown[length:]
	if f.unicode != nil {
		if known, ok := f.unicode.text(code); ok {
			return code, known, rest
		}
	}
	switch {
	case f.direct:
		return code, string(rune(code)), rest //nolint:gosec // A code has two bytes.
	case !f.wide:
		return code, f.simple[byte(code)], rest //nolint:gosec // A code has one byte.
	}
	return code, "", rest
}

func (f *textFont) width(code uint32) float64 {
	if width, ok := f.widths[code]; ok {
		return width
	}
	return f.otherwise
}
