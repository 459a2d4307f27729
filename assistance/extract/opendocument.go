package extract

import (
	"encoding/xml"
	"slices"
	"strconv"
	"strings"
)

// maxRepeated is the maximum number of times that a repeated cell is written.
const maxRepeated = 1_000

// readOpenDocument writes the headers of an odt, ods or odp, its content and its footers (OASIS OpenDocument 1.3).
func (r *reader) readOpenDocument(data []byte) error {
	o, err := r.openOffice(data)
	if err != nil {
		return err
	}
	if err := o.walkPart("META-INF/manifest.xml", func(token xml.Token) error {
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "encryption-data" {
			return errEncrypted
		}
		return nil
	}); err != nil {
		return err
	}
	if o.parts[partName("content.xml")] == nil {
		return errNoDocument
	}
	for _, part := range []struct {
		name string
		only []string
	}{
		{"styles.xml", []string{"header", "header-left", "header-first"}},
		{"content.xml", []string{"body"}},
		{"styles.xml", []string{"footer", "footer-left", "footer-first"}},
	} {
		d := &openDocument{office: o, only: part.only, row: &row{}}
		if err := o.walkPart(part.name, d.visit); err != nil {
			return err
		}
		if err := d.flush(); err != nil {
			return err
		}
	}
	return nil
}

// openDocument writes the paragraphs and tables of a part.
type openDocument struct {
	*office
	// only are the elements with the content to write, and within counts the open ones.
	only   []string
	within int
	// hidden counts the open elements with content that is not shown, open the open paragraphs.
	hidden, open int
	text         strings.Builder
	*row
	// around are the rows around the open one, of tables in cells.
	around []*row
}

// A row is an open row of a table.
type row struct {
	// cell is the text of the open cell, cells the number of cells written.
	cell     strings.Builder
	cells    int
	repeated int
}

// isUnseen reports whether the content of an element is no text of the document.
func isUnseen(name xml.Name) bool {
	switch name.Local {
	case "tracked-changes", "annotation", "note-citation", "page-number", "page-count", "sheet-name", "date", "time", "script", "forms":
		return true
	case "title", "desc":
		return name.Space == "svg" // The alternative text of a picture within a paragraph.
	}
	return false
}

func (d *openDocument) visit(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		if slices.Contains(d.only, t.Name.Local) {
			d.within++
		}
		if isUnseen(t.Name) {
			d.hidden++
		}
		if d.within > 0 && d.hidden == 0 {
			return d.startElement(t)
		}
	case xml.EndElement:
		if slices.Contains(d.only, t.Name.Local) {
			d.within--
		}
		if isUnseen(t.Name) {
			d.hidden--
		}
		if d.within > 0 && d.hidden == 0 {
			return d.endElement(t)
		}
	case xml.CharData:
		if d.open > 0 && d.hidden == 0 && d.within > 0 {
			d.r.out.addText(&d.text, []byte(collapseSpace(string(t), false)))
		}
	}
	return nil
}

func (d *openDocument) startElement(e xml.StartElement) error {
	switch e.Name.Local {
	case "p", "h":
		d.open++
		return d.flush() // A text box or a note is within a paragraph.
	case "s":
		count, err := strconv.Atoi(attributeValue(e, "c"))
		if err != nil {
			count = 1
		}
		d.r.out.addText(&d.text, []byte(strings.Repeat(" ", max(0, min(count, maxRepeated)))))
	case "tab":
		d.r.out.addText(&d.text, []byte(" "))
	case "line-break":
		d.r.out.addText(&d.text, []byte("\n"))
	case "table":
		if err := d.writeCell(); err != nil {
			return err
		}
		return d.r.out.write("\n", attributeValue(e, "name"), "\n")
	case "table-row":
		d.around, d.row = append(d.around, d.row), &row{}
	case "table-cell":
		d.cell.Reset()
		d.repeated = 1
		if count, err := strconv.Atoi(attributeValue(e, "number-columns-repeated")); err == nil {
			d.repeated = max(1, min(count, maxRepeated))
		}
	}
	return nil
}

func (d *openDocument) endElement(e xml.EndElement) error {
	switch e.Name.Local {
	case "p", "h":
		d.open--
		return d.endParagraph()
	case "table-cell":
		return d.writeCell()
	case "table-row":
		written := d.cells > 0
		if last := len(d.around) - 1; last >= 0 {
			d.row, d.around = d.around[last], d.around[:last]
		}
		if written {
			return d.r.out.write("\n")
		}
	}
	return nil
}

// endParagraph writes the paragraph, or adds it to the open cell.
func (d *openDocument) endParagraph() error {
	text := d.text.String()
	d.text.Reset()
	if len(d.around) == 0 {
		return d.r.out.write(text, "\n")
	}
	if d.cell.Len() > 0 {
		text = " " + text
	}
	d.r.out.addText(&d.cell, []byte(text))
	return nil
}

// flush ends the begun paragraph, if it has text.
func (d *openDocument) flush() error {
	if d.text.Len() == 0 {
		return nil
	}
	return d.endParagraph()
}

// writeCell writes the text of the cell as often as it is repeated, unless it is empty.
func (d *openDocument) writeCell() error {
	text := d.cell.String()
	d.cell.Reset()
	if strings.TrimSpace(text) == "" {
		return nil
	}
	for range d.repeated {
		if d.cells++; d.cells > 1 {
			text = " | " + strings.TrimPrefix(text, " | ")
		}
		if err := d.r.out.write(text); err != nil {
			return err
		}
	}
	return nil
}
