package textlayer

import (
	"fmt"
	"math"
	"strings"
)

// unit is a glyph, or the glyphs of a marked text, with one text in the text layer.
type unit struct {
	// text is UTF-16 in hexadecimal notation, "" for an unknown one.
	text string
	// marked is the string of the marked text, of length 0 for a glyph without one.
	marked token
	glyphs []glyph
	// piece is the number of the piece.
	piece int
}

// glyph is a drawn glyph.
type glyph struct {
	// code are the digits of its code, x is its position, advance its width in points.
	code       string
	x, advance float64
	// operator shows the string of the glyph, of a kind. start and end are the offsets of the code.
	operator   string
	kind       tokenKind
	start, end int
}

// sumAdvances returns the width of a unit in points.
func (u *unit) sumAdvances() float64 {
	sum := 0.0
	for i := range u.glyphs {
		sum += u.glyphs[i].advance
	}
	return sum
}

// piece is a text on one line of glyphs, drawn at once.
type piece struct {
	font  *font
	size  float64
	x, y  float64
	drawn bool
	// ends are the positions of the pen at the end, with and without the adjustments since the last matrix.
	ends [2]float64
}

// mark is an open marked-content sequence with its text, of length 0 without one.
type mark struct {
	text token
	// unit is the number of its unit plus one, 0 before its first glyph.
	unit int
}

// page reads the units of a content stream in their order.
type page struct {
	data     []byte
	fonts    map[string]*font
	units    []unit
	pieces   []piece
	operands []token
	saved    []matrix
	marks    []mark
	device   matrix
	text     matrix
	// pen is the position in the coordinates of the text, adjusted the sum of the adjustments since the last Tm.
	pen, adjusted float64
}

// maxNesting is the maximum depth of saved states and of marked content.
const maxNesting = 1000

// readPage reads a content stream. It returns nil if the stream is nested too deeply.
func readPage(data []byte, fonts map[string]*font) *page {
	p := &page{data: data, fonts: fonts, device: identityMatrix(), text: identityMatrix()}
	s := scanner{data: data}
	for {
		t := s.readToken()
		if t.kind == tokenEnd {
			return p
		}
		if t.kind != tokenOperator {
			p.operands = append(p.operands, t)
			continue
		}
		p.executeOperator(string(data[t.start:t.end]))
		p.operands = p.operands[:0]
		if len(p.saved) > maxNesting || len(p.marks) > maxNesting {
			return nil
		}
	}
}

func (p *page) executeOperator(operator string) {
	switch operator {
	case "q":
		p.saved = append(p.saved, p.device)
	case "Q":
		if n := len(p.saved); n > 0 {
			p.device, p.saved = p.saved[n-1], p.saved[:n-1]
		}
	case "cm":
		p.device = p.readMatrix().combineWith(p.device)
	case "BT":
		p.text = identityMatrix()
		p.pieces = append(p.pieces, piece{})
	case "Tf":
		p.selectFont()
	case "Tm":
		p.text, p.pen, p.adjusted = p.readMatrix(), 0, 0
	case "BMC", "BDC":
		p.marks = append(p.marks, mark{text: p.actualText()})
	case "EMC":
		if n := len(p.marks); n > 0 {
			p.marks = p.marks[:n-1]
		}
	case "Tj", "TJ":
		p.showText(operator)
	}
}

func (p *page) readMatrix() matrix {
	m := identityMatrix()
	if len(p.operands) == len(m) {
		for i, t := range p.operands {
			m[i] = t.readNumber(p.data)
		}
	}
	return m
}

// selectFont sets the font of the piece, or begins another one.
func (p *page) selectFont() {
	if len(p.operands) != 2 || len(p.pieces) == 0 {
		return
	}
	name, size := p.operands[0], p.operands[1].readNumber(p.data)
	f := p.fonts[string(p.data[name.start:name.end])]
	last := &p.pieces[len(p.pieces)-1]
	if last.drawn && (last.font != f || last.size != size) {
		p.pieces = append(p.pieces, piece{})
		last = &p.pieces[len(p.pieces)-1]
	}
	last.font, last.size = f, size
}

// actualText returns the text in the properties of marked content, a token of length 0 without one.
func (p *page) actualText() token {
	for i, t := range p.operands[:max(0, len(p.operands)-1)] {
		if t.kind == tokenName && string(p.data[t.start:t.end]) == "/ActualText" {
			return p.operands[i+1]
		}
	}
	return token{}
}

func (p *page) showText(operator string) {
	if len(p.pieces) == 0 {
		return
	}
	last := &p.pieces[len(p.pieces)-1]
	if !last.drawn {
		last.drawn = true
		last.x, last.y = p.text.combineWith(p.device).pointAt(p.pen)
	}
	for _, t := range p.operands {
		switch {
		case t.kind == tokenNumber:
			change := -t.readNumber(p.data) / 1000 * last.size
			p.pen += change
			p.adjusted += change
		case (t.kind == tokenHex || t.kind == tokenLiteral) && last.font != nil:
			p.showGlyphs(last, operator, t)
		case t.kind == tokenHex || t.kind == tokenLiteral:
			p.units = append(p.units, unit{piece: len(p.pieces) - 1})
		}
	}
	at := p.text.combineWith(p.device)
	last.ends[0], _ = at.pointAt(p.pen)
	last.ends[1], _ = at.pointAt(p.pen - p.adjusted)
}

// showGlyphs adds the glyphs of a string.
func (p *page) showGlyphs(last *piece, operator string, t token) {
	codes, places := t.readBytes(p.data)
	at := p.text.combineWith(p.device)
	for i := 0; i+1 < len(codes); i += 2 {
		code := int(codes[i])<<8 | int(codes[i+1])
		g := glyph{
			code: fmt.Sprintf("%04X", code), advance: last.font.widthOf(code) / 1000 * last.size,
			operator: operator, kind: t.kind, start: places[i], end: places[i+2],
		}
		g.x, _ = at.pointAt(p.pen)
		p.pen += g.advance
		u := p.markedUnit()
		if u == nil {
			p.units = append(p.units, unit{text: last.font.texts[code], piece: len(p.pieces) - 1})
			u = &p.units[len(p.units)-1]
		}
		u.glyphs = append(u.glyphs, g)
	}
}

// markedUnit returns the unit of the innermost marked text, nil without one.
func (p *page) markedUnit() *unit {
	for i := len(p.marks) - 1; i >= 0; i-- {
		m := &p.marks[i]
		if m.text.end == 0 {
			continue
		}
		if m.unit == 0 {
			raw := string(p.data[m.text.start:m.text.end])
			text := strings.TrimSuffix(strings.TrimPrefix(strings.ToUpper(raw), "<FEFF"), ">")
			p.units = append(p.units, unit{text: text, piece: len(p.pieces) - 1, marked: m.text})
			m.unit = len(p.units)
		}
		return &p.units[m.unit-1]
	}
	return nil
}

// isContinued reports whether the next piece continues a piece at another height.
func (p *page) isContinued(i int) bool {
	a, b := &p.pieces[i], &p.pieces[i+1]
	// Widths of glyphs in the file are rounded, and offsets of marks are not advances.
	const step, near, far = 0.01, 0.3, 1.1
	height := math.Abs(a.y - b.y)
	return a.font != nil && a.font == b.font && a.size == b.size && height > step && height < far*a.size &&
		(math.Abs(a.ends[0]-b.x) < near*a.size || math.Abs(a.ends[1]-b.x) < near*a.size)
}
