package extract

import (
	"encoding/xml"
	"path"
	"strings"
)

// readWord writes the headers of a docx, its paragraphs, its footers and its notes.
func (r *reader) readWord(data []byte) error {
	o, err := r.openOffice(data)
	if err != nil {
		return err
	}
	return o.writeWord()
}

func (o *office) writeWord() error {
	main, err := o.mainPart("wordprocessingml", "/word/document.xml")
	if err != nil {
		return err
	}
	relations, err := o.listRelations(main)
	if err != nil {
		return err
	}
	parts := targetsOf(relations, "header")
	parts = append(parts, main)
	for _, kind := range []string{"footer", "footnotes", "endnotes"} {
		parts = append(parts, targetsOf(relations, kind)...)
	}
	for _, kind := range []string{"footnotes", "endnotes"} {
		if len(relations) == 0 {
			parts = append(parts, path.Join(path.Dir(main), kind+".xml"))
		}
	}
	for _, name := range parts {
		if err := o.writePart(name); err != nil {
			return err
		}
	}
	return nil
}

// writePart writes the paragraphs of a part.
func (o *office) writePart(name string) error {
	relations, err := o.listRelations(name)
	if err != nil {
		return err
	}
	p := &paragraphs{office: o, chunks: map[string]string{}}
	for _, r := range relations {
		if r.kind == "aFChunk" {
			p.chunks[r.id] = r.target
		}
	}
	if err := o.walkPart(name, p.visit); err != nil {
		return err
	}
	return p.flush()
}

// paragraphs writes the paragraphs of WordprocessingML and DrawingML.
type paragraphs struct {
	*office
	// chunks are the parts with documents by the id of their relation.
	chunks map[string]string
	// hidden counts the open elements with deleted text, field codes, and copies for older programs.
	hidden, cells int
	// chosen is, for each open AlternateContent, whether it has a choice.
	chosen []bool
	inText bool
	// inTabs is set within the tab stops of a style, inField within a number or a date of the page.
	inTabs, inField bool
	text            strings.Builder
}

// hides reports whether the content of an element is not shown.
func (p *paragraphs) hides(e xml.Name) bool {
	switch e.Local {
	case "del", "instrText", "moveFrom":
		return true
	case "Fallback":
		return len(p.chosen) > 0 && p.chosen[len(p.chosen)-1]
	}
	return false
}

func (p *paragraphs) visit(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		return p.startElement(t)
	case xml.EndElement:
		return p.endElement(t)
	case xml.CharData:
		if p.inText && p.hidden <= 0 && !p.inField {
			p.r.out.addText(&p.text, t)
		}
	}
	return nil
}

func (p *paragraphs) startElement(e xml.StartElement) error {
	if p.hides(e.Name) {
		p.hidden++
	}
	switch e.Name.Local {
	case "AlternateContent":
		p.chosen = append(p.chosen, false)
	case "Choice":
		if len(p.chosen) > 0 {
			p.chosen[len(p.chosen)-1] = true
		}
	case "p":
		return p.flush() // A text box is within a paragraph.
	case "altChunk":
		if name, ok := p.chunks[attributeValue(e, "id")]; ok {
			return p.writeChunk(name)
		}
	case "t":
		p.inText = true
	case "tc":
		p.cells++
	case "tabs":
		p.inTabs = true
	case "fld":
		kind := attributeValue(e, "type")
		p.inField = kind == "slidenum" || strings.HasPrefix(kind, "datetime")
	case "tab":
		if !p.inTabs {
			p.r.out.addText(&p.text, []byte(" "))
		}
	case "br", "cr":
		p.r.out.addText(&p.text, []byte("\n"))
	case "noBreakHyphen":
		p.r.out.addText(&p.text, []byte("-"))
	}
	return nil
}

func (p *paragraphs) endElement(e xml.EndElement) error {
	if p.hides(e.Name) {
		p.hidden--
	}
	switch e.Name.Local {
	case "AlternateContent":
		p.chosen = p.chosen[:max(len(p.chosen)-1, 0)]
	case "tabs":
		p.inTabs = false
	case "fld":
		p.inField = false
	case "t":
		p.inText = false
	case "p":
		if p.hidden > 0 {
			return nil
		}
		return p.endParagraph()
	case "tc":
		p.cells--
		return p.r.out.write("| ")
	case "tr":
		return p.r.out.write("\n")
	}
	return nil
}

// endParagraph writes the paragraph, with a space after it in the cell of a table.
func (p *paragraphs) endParagraph() error {
	text := p.text.String()
	p.text.Reset()
	if p.cells > 0 {
		return p.r.out.write(text, " ")
	}
	return p.r.out.write(text, "\n")
}

// flush writes the begun paragraph, if it has text.
func (p *paragraphs) flush() error {
	if p.text.Len() == 0 {
		return nil
	}
	return p.endParagraph()
}

// writeChunk writes a document in the document. Other formats than text, HTML and docx have no text.
func (p *paragraphs) writeChunk(name string) error {
	if err := p.flush(); err != nil || p.depth >= maxEmbedded {
		return err
	}
	data, err := p.readPart(name)
	if err != nil {
		return err
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".htm", ".html", ".xhtml":
		err = p.r.readHTML(data, "")
	case ".txt":
		err = p.r.readPlain(data, "")
	case ".docx", ".docm", ".dat", ".xml":
		var inner *office
		if inner, err = p.r.openOffice(data); err == nil {
			inner.depth = p.depth + 1
			err = inner.writeWord()
		}
	}
	if err != nil {
		return err
	}
	return p.r.out.write("\n")
}
