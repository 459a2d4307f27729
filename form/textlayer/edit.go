package textlayer

import (
	"bytes"
	"fmt"
	"strings"
)

// edit is a replacement between two offsets of a content stream.
type edit struct {
	start, end int
	text       string
}

// applyEdits returns the content with edits in ascending order.
func applyEdits(content []byte, edits []edit) []byte {
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		out.Write(content[at:e.start])
		out.WriteString(e.text)
		at = e.end
	}
	out.Write(content[at:])
	return out.Bytes()
}

// interruptString returns operators between two glyphs of a string.
func (g *glyph) interruptString(operators string) string {
	open, end := "(", ")"
	if g.kind == tokenHex {
		open, end = "<", ">"
	}
	if g.operator == "TJ" {
		open, end = "["+open, end+"]"
	}
	return end + g.operator + operators + open
}

// removeEdit returns the edits that remove a glyph but not its advance.
func (g *glyph) removeEdit(size float64) edit {
	skip := ""
	if g.advance != 0 {
		skip = g.interruptString(fmt.Sprintf("[%.3f]TJ", -g.advance*1000/size))
	}
	return edit{g.start, g.end, skip}
}

// joinCluster returns the edits that draw all units of a cluster within the widest one, with one text.
func (p *page) joinCluster(cluster []unit) []edit {
	widest := 0
	for i := range cluster {
		if cluster[i].sumAdvances() > cluster[widest].sumAdvances() {
			widest = i
		}
	}
	u := &cluster[widest]
	if u.text == "" {
		return nil
	}
	at := &p.pieces[u.piece]
	var edits []edit
	var others strings.Builder
	for i := range cluster {
		if i == widest {
			continue
		}
		rise := p.pieces[cluster[i].piece].y - at.y
		for _, g := range cluster[i].glyphs {
			shift := (g.x - u.glyphs[0].x) * 1000 / at.size
			fmt.Fprintf(&others, " %.5f Ts[%.3f<%s>%.3f]TJ", rise, -shift, g.code, shift+g.advance*1000/at.size)
			edits = append(edits, g.removeEdit(at.size))
		}
	}
	text, first, last := pageOrder(u.text), &u.glyphs[0], &u.glyphs[len(u.glyphs)-1]
	drawn := others.String()
	if drawn != "" {
		// Readers place the text by the first and the last glyph, so an invisible one on the line begins.
		drawn = fmt.Sprintf(" 3 Tr[<%s>%.3f]TJ 0 Tr%s 0 Ts", first.code, first.advance*1000/at.size, drawn)
	}
	switch {
	case u.marked.end == 0 && drawn == "":
		return nil
	case u.marked.end == 0:
		return append(edits, edit{first.start, first.start, first.interruptString("/Span<</ActualText<FEFF" + text + ">>>BDC" + drawn)},
			edit{last.end, last.end, last.interruptString(" EMC")})
	case drawn != "":
		edits = append(edits, edit{first.start, first.start, first.interruptString(drawn)})
	}
	if text != u.text {
		edits = append(edits, edit{u.marked.start, u.marked.end, "<FEFF" + text + ">"})
	}
	return edits
}
