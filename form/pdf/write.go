package pdf

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"codeberg.org/go-pdf/fpdf"

	"github.com/procession-dev/procession/form"
)

const (
	fontName     = "sans"
	ruleWidth    = 0.4
	headerLine   = 40.0
	footerLine   = pageHeight - 32.0
	producerName = "Procession"
)

// writePDF writes the pages as a PDF. It adds header and footer, because the number of pages is known here.
func (c *composer) writePDF(w io.Writer, m *form.Model, created time.Time) (err error) {
	defer func() {
		// A panic of the library must not end the service.
		if broken := recover(); broken != nil {
			err = fmt.Errorf("writing a form as PDF: %v", broken)
		}
	}()
	title, subject := c.bold.cleanLine(m.Title), c.regular.cleanLine(m.Subject)
	pdf := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: pageWidth, Ht: pageHeight}})
	pdf.SetCatalogSort(true)
	pdf.SetCreationDate(created.UTC())
	pdf.SetModificationDate(created.UTC())
	pdf.SetTitle(title, true)
	pdf.SetSubject(subject, true)
	pdf.SetProducer(producerName, false)
	pdf.SetMargins(0, 0, 0)
	pdf.SetAutoPageBreak(false, 0)
	pdf.AddUTF8FontFromBytes(fontName, "", c.regular.data)
	pdf.AddUTF8FontFromBytes(fontName, "B", c.bold.data)
	pdf.SetLineWidth(ruleWidth)
	pdf.SetDrawColor(greyRule, greyRule, greyRule)
	pdf.SetFillColor(greyBand, greyBand, greyBand)
	stamp := created.UTC().Format("2 January 2006, 15:04") + " UTC"
	for i, page := range c.pages {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		pdf.AddPage()
		if i > 0 {
			head := title
			if subject != "" {
				head += " · " + subject
			}
			c.addMarginLine(pdf, marginSide, headerLine, c.shortenLine(head, bodyWidth))
		}
		c.addMarginLine(pdf, marginSide, footerLine, stamp)
		number := fmt.Sprintf("Page %d of %d", i+1, len(c.pages))
		c.addMarginLine(pdf, marginSide+bodyWidth-c.regular.textWidth(number, smallStyle().size), footerLine, number)
		for j := range page {
			drawMark(pdf, &page[j])
		}
	}
	if err := pdf.Output(w); err != nil {
		return fmt.Errorf("writing a form as PDF: %w", err)
	}
	return nil
}

// addMarginLine writes a line of the header or footer.
func (c *composer) addMarginLine(pdf *fpdf.Fpdf, x, y float64, text string) {
	drawMark(pdf, &mark{kind: markText, x: x, y: y, text: text, style: smallStyle()})
}

// shortenLine truncates a line of the header to a width.
func (c *composer) shortenLine(text string, width float64) string {
	lines := c.regular.wrapText(text, smallStyle().size, width-c.regular.textWidth(" …", smallStyle().size))
	if len(lines) > 1 {
		return lines[0] + " …"
	}
	return text
}

func drawMark(pdf *fpdf.Fpdf, m *mark) {
	switch m.kind {
	case markText:
		weight := ""
		if m.style.bold {
			weight = "B"
		}
		grey := int(m.style.grey)
		pdf.SetFont(fontName, weight, m.style.size)
		pdf.SetTextColor(grey, grey, grey)
		pdf.Text(m.x, m.y, m.text)
	case markRule:
		pdf.Line(m.x, m.y, m.x+m.w, m.y)
	case markArea:
		pdf.Rect(m.x, m.y, m.w, m.h, "F")
	case markPicture:
		options := fpdf.ImageOptions{ImageType: m.picture.format}
		if pdf.GetImageInfo(m.picture.name) == nil {
			pdf.RegisterImageOptionsReader(m.picture.name, options, bytes.NewReader(m.picture.data))
		}
		pdf.ImageOptions(m.picture.name, m.x, m.y, m.w, m.h, false, options, 0, "")
	}
}
