package paper

import (
	_ "embed"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"
)

// The faces, as the distribution's package has them; their licence is beside
// them.
var (
	//go:embed fonts/DejaVuSansCondensed.ttf
	regularFont []byte
	//go:embed fonts/DejaVuSansCondensed-Bold.ttf
	boldFont []byte
)

const (
	// box stands for characters that cannot be shown.
	box = '□'
	// planes bounds the characters that a font of a PDF is used for here.
	planes = 1 << 16
	// absent is the width of characters that the font does not have.
	absent = -1
)

// A face is a font and how wide its characters are, in thousandths of its size.
type face struct {
	data   []byte
	widths []int16
}

func newFace(data []byte) (*face, error) {
	parsed, err := sfnt.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("reading an embedded font: %w", err)
	}
	f := &face{data: data, widths: make([]int16, planes)}
	var buffer sfnt.Buffer
	for r := range rune(planes) {
		f.widths[r] = absent
		glyph, err := parsed.GlyphIndex(&buffer, r)
		if err != nil || glyph == 0 || !shows(r) {
			continue
		}
		advance, err := parsed.GlyphAdvance(&buffer, glyph, fixed.I(1000), font.HintingNone)
		if err != nil {
			return nil, fmt.Errorf("reading an embedded font: %w", err)
		}
		f.widths[r] = int16(advance.Round()) //nolint:gosec // A glyph is at most a few ems wide.
	}
	return f, nil
}

// shows reports whether a character can be set by placing one glyph after the
// other from left to right.
func shows(r rune) bool {
	properties, _ := bidi.LookupRune(r)
	switch properties.Class() { //nolint:exhaustive // All others run from left to right, or with what is around them.
	case bidi.R, bidi.AL, bidi.AN:
		return false
	}
	return !unicode.IsControl(r)
}

// width of a text in points. It must be clean.
func (f *face) width(text string, size float64) float64 {
	total := 0
	for _, r := range text {
		total += int(f.widths[r])
	}
	return float64(total) * size / 1000
}

// clean makes a text one that the font has all characters of: composed (NFC),
// with a line feed at the end of every line, without invisible characters, and
// with boxes for characters without a glyph.
func (f *face) clean(text string) string {
	plain := true
	for i := range len(text) {
		plain = plain && (' ' <= text[i] && text[i] < 0x7f || text[i] == '\n')
	}
	if plain {
		return text
	}
	text = norm.NFC.String(strings.ReplaceAll(text, "\r\n", "\n"))
	var cleaned strings.Builder
	cleaned.Grow(len(text))
	for _, r := range text {
		switch {
		case r == '\n' || r == '\r' || r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029':
			cleaned.WriteByte('\n')
		case r == '\t':
			cleaned.WriteString("    ")
		case unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r):
		case r >= planes || r == unicode.ReplacementChar || f.widths[r] == absent:
			cleaned.WriteRune(box)
		default:
			cleaned.WriteRune(r)
		}
	}
	return cleaned.String()
}

// cleanLine is clean without line feeds.
func (f *face) cleanLine(text string) string {
	return strings.Join(strings.Fields(f.clean(text)), " ")
}
