package pdf

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

// The licence of the fonts is in fonts/LICENSE.
var (
	//go:embed fonts/DejaVuSansCondensed.ttf
	regularFont []byte
	//go:embed fonts/DejaVuSansCondensed-Bold.ttf
	boldFont []byte
)

const (
	// box replaces characters that cannot be shown.
	box = '□'
	// planes limits the characters of a font to the basic plane.
	planes = 1 << 16
	// absent is the width of missing characters.
	absent = -1
)

// A face is a font with the widths of its characters, in thousandths of its size.
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
		if err != nil || glyph == 0 || !canShow(r) {
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

// canShow reports whether a character can be shown by a single glyph from left to right.
func canShow(r rune) bool {
	properties, _ := bidi.LookupRune(r)
	switch properties.Class() { //nolint:exhaustive // All others run from left to right, or with what is around them.
	case bidi.R, bidi.AL, bidi.AN:
		return false
	}
	return !unicode.IsControl(r)
}

// textWidth returns the width of a clean text in points.
func (f *face) textWidth(text string, size float64) float64 {
	total := 0
	for _, r := range text {
		total += int(f.widths[r])
	}
	return float64(total) * size / 1000
}

// cleanText prepares a text for the font: composed (NFC), with line feeds as line ends, without invisible characters,
// and with boxes for missing characters.
func (f *face) cleanText(text string) string {
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

// cleanLine is cleanText on one line.
func (f *face) cleanLine(text string) string {
	return strings.Join(strings.Fields(f.cleanText(text)), " ")
}
