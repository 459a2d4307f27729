package pdftext

import (
	"bytes"
	"math"
	"strings"
)

// maxOperands bounds what may stand before an operator.
const maxOperands = 64

// state is what q keeps and Q brings back.
type state struct {
	ctm                         matrix
	font                        *textFont
	size, charSpace, wordSpace  float64
	stretch, leading, textRaise float64
}

// A reader draws a page and keeps the text.
type reader struct {
	d     *document
	out   strings.Builder
	state state
	saved []state
	// textAt and lineAt are the text matrix and the text line matrix.
	textAt, lineAt matrix
	// endX and endY are where the last text ended on the page, lastStart where it
	// began, along its direction.
	endX, endY float64
	lastWidth  float64
	last       string
	drawn      bool
}

// pageText is the text of a page.
func (d *document) pageText(page, resources dict) string {
	var content []byte
	for _, part := range d.listOf(page, "Contents", "Contents") {
		if s, ok := d.resolve(part).(*stream); ok {
			content = append(append(content, d.decode(s)...), '\n')
		}
	}
	r := &reader{d: d, textAt: identity(), lineAt: identity()}
	r.state = state{ctm: identity(), stretch: 1, font: d.readFont(nil)}
	r.run(content, resources, 0)
	return strings.TrimSpace(ligatures(r.out.String()))
}

// ligatures takes letters apart that are only joined in print.
func ligatures(text string) string {
	return strings.NewReplacer(
		"\ufb00", "ff", "\ufb01", "fi", "\ufb02", "fl", "\ufb03", "ffi", "\ufb04", "ffl", "\ufb05", "st", "\ufb06", "st",
		"\u00ad", "", "\x00", "",
	).Replace(text)
}

// run interprets a content stream.
func (r *reader) run(content []byte, resources dict, depth int) {
	l := &lexer{meter: r.d.meter, data: content}
	operands := make([]any, 0, maxOperands)
	for {
		value := l.next()
		op, ok := value.(operator)
		switch {
		case !ok:
			if len(operands) == maxOperands {
				operands = operands[:0]
			}
			operands = append(operands, value)
			continue
		case op == endOfData:
			return
		case op == "ID":
			skipImage(l)
		case op == "Do":
			r.draw(operands, resources, depth)
		case op == "Tf":
			r.selectFont(operands, resources)
		default:
			r.operate(op, operands)
		}
		operands = operands[:0]
	}
}

// skipImage passes over an image within the content.
func skipImage(l *lexer) {
	for {
		end := bytes.Index(l.data[min(l.at, len(l.data)):], []byte("EI"))
		if end < 0 {
			l.at = len(l.data)
			return
		}
		l.at += end + len("EI")
		before := l.at - len("EI") - 1
		if before >= 0 && isSpace(l.data[before]) && (l.at == len(l.data) || isSpace(l.data[l.at])) {
			return
		}
	}
}

// draw runs a form. Images are passed over.
func (r *reader) draw(operands []any, resources dict, depth int) {
	if len(operands) == 0 || depth >= maxNesting/4 {
		return
	}
	called, _ := operands[len(operands)-1].(name)
	s, ok := r.d.resolve(r.d.dict(resources["XObject"])[called]).(*stream)
	if !ok || r.d.resolve(s.dict["Subtype"]) != name("Form") {
		return
	}
	if own := r.d.dict(s.dict["Resources"]); own != nil {
		resources = own
	}
	kept, saved, textAt, lineAt := r.state, r.saved, r.textAt, r.lineAt
	if numbers := r.d.array(s.dict["Matrix"]); len(numbers) == 6 {
		var m matrix
		for i := range m {
			m[i] = r.d.number(numbers[i], 0)
		}
		r.state.ctm = m.times(r.state.ctm)
	}
	r.saved = nil
	r.run(r.d.decode(s), resources, depth+1)
	r.state, r.saved, r.textAt, r.lineAt = kept, saved, textAt, lineAt
}

func (r *reader) selectFont(operands []any, resources dict) {
	if len(operands) < 2 {
		return
	}
	called, _ := operands[0].(name)
	r.state.font = r.d.font(r.d.dict(resources["Font"])[called])
	r.state.size = r.d.number(operands[1], 0)
}

func (r *reader) operate(op operator, operands []any) {
	n := func(i int) float64 {
		if i < len(operands) {
			return r.d.number(operands[i], 0)
		}
		return 0
	}
	switch string(op) {
	case "q":
		if len(r.saved) < 4*maxNesting {
			r.saved = append(r.saved, r.state)
		}
	case "Q":
		if last := len(r.saved) - 1; last >= 0 {
			r.state, r.saved = r.saved[last], r.saved[:last]
		}
	case "cm":
		r.state.ctm = matrix{n(0), n(1), n(2), n(3), n(4), n(5)}.times(r.state.ctm)
	case "BT":
		r.textAt, r.lineAt = identity(), identity()
	case "Tc":
		r.state.charSpace = n(0)
	case "Tw":
		r.state.wordSpace = n(0)
	case "Tz":
		r.state.stretch = n(0) / 100
	case "TL":
		r.state.leading = n(0)
	case "Ts":
		r.state.textRaise = n(0)
	case "Td":
		r.move(n(0), n(1))
	case "TD":
		r.state.leading = -n(1)
		r.move(n(0), n(1))
	case "Tm":
		r.lineAt = matrix{n(0), n(1), n(2), n(3), n(4), n(5)}
		r.textAt = r.lineAt
	case "T*":
		r.move(0, -r.state.leading)
	case "Tj", "TJ", "'", "\"":
		r.showAll(op, operands)
	}
}

func (r *reader) move(x, y float64) {
	r.lineAt = shift(x, y).times(r.lineAt)
	r.textAt = r.lineAt
}

// showAll does what Tj, TJ, ' and " do.
func (r *reader) showAll(op operator, operands []any) {
	if len(operands) == 0 {
		return
	}
	if op == "\"" && len(operands) == 3 {
		r.state.wordSpace = r.d.number(operands[0], 0)
		r.state.charSpace = r.d.number(operands[1], 0)
	}
	if op == "'" || op == "\"" {
		r.move(0, -r.state.leading)
	}
	parts, ok := operands[len(operands)-1].([]any)
	if !ok {
		parts = operands[len(operands)-1:]
	}
	for _, part := range parts {
		switch p := part.(type) {
		case text:
			r.show(p)
		case float64:
			r.textAt = shift(-p/1000*r.state.size*r.state.stretch, 0).times(r.textAt)
		}
	}
}

// show draws a text and keeps it, after a space or a line feed when it does not
// follow on the last one.
func (r *reader) show(shown text) {
	s := &r.state
	var drawn strings.Builder
	before := r.textAt
	for len(shown) > 0 && r.d.meter.step() {
		var code uint32
		var glyph string
		code, glyph, shown = s.font.glyph(shown)
		drawn.WriteString(glyph)
		advance := s.font.width(code)/1000*s.size + s.charSpace
		if code == ' ' && !s.font.wide {
			advance += s.wordSpace
		}
		r.textAt = shift(advance*s.stretch, 0).times(r.textAt)
	}
	start := shift(0, s.textRaise).times(before).times(s.ctm)
	end := shift(0, s.textRaise).times(r.textAt).times(s.ctm)
	dx, dy, scale := start.direction()
	height := math.Abs(s.size) * scale
	text := drawn.String()
	width := (end[4]-start[4])*dx + (end[5]-start[5])*dy
	along := (start[4]-r.endX)*dx + (start[5]-r.endY)*dy
	across := (start[5]-r.endY)*dx - (start[4]-r.endX)*dy
	if strings.TrimSpace(text) == "" && (!r.drawn || math.Abs(across) > 0.4*height) {
		return // It would hide where the next line begins.
	}
	if strings.TrimSpace(text) != "" {
		if r.again(text, along, across, height) {
			return
		}
		r.separate(along, math.Abs(across), height, text)
	}
	r.out.WriteString(text)
	r.endX, r.endY, r.last, r.lastWidth = end[4], end[5], text, width
}

// again reports whether a text is drawn a second time in the same place, as is
// done to make it look bold.
func (r *reader) again(text string, along, across, height float64) bool {
	return r.drawn && text == r.last && r.lastWidth > 0 &&
		math.Abs(along+r.lastWidth) < 0.1*height && math.Abs(across) < 0.1*height
}

func (r *reader) separate(along, across, height float64, text string) {
	if !r.drawn {
		r.drawn = true
		return
	}
	written := r.out.String()
	switch last := written[max(0, len(written)-1):]; {
	case last == "\n":
	case across > 1.9*height:
		r.out.WriteString("\n\n")
	case across > 0.4*height:
		r.out.WriteByte('\n')
	case last != " " && text[0] != ' ' && (along > 0.15*height || along < -0.5*height):
		r.out.WriteByte(' ')
	}
}
