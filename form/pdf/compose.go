package pdf

import (
	"fmt"

	"github.com/procession-dev/procession/form"
)

const (
	indentStep = 10.0
	maxIndent  = 60.0
	// valueLeft is the left edge of values, regardless of the depth of labels.
	valueLeft  = marginSide + 0.36*bodyWidth
	valueWidth = marginSide + bodyWidth - valueLeft
	gap        = 10.0
	fieldGap   = 4.5
	greyLabel  = 90
	greyRule   = 215
	greyEmpty  = 150
	greyHead   = 110
	greyBand   = 240
)

func titleStyle() style   { return style{bold: true, size: 17} }
func subjectStyle() style { return style{size: 10.5, grey: greyLabel} }
func labelStyle() style   { return style{bold: true, size: 9, grey: greyLabel} }
func valueStyle() style   { return style{size: 9.5} }
func noteStyle() style    { return style{size: 9.5, grey: greyLabel} }
func emptyStyle() style   { return style{size: 9.5, grey: greyEmpty} }
func cellStyle() style    { return style{size: 8} }
func columnStyle() style  { return style{bold: true, size: 8, grey: greyLabel} }
func smallStyle() style   { return style{size: 8, grey: greyHead} }

// empty is printed for a missing value.
const empty = "—"

func headingStyle(depth int) style {
	return style{bold: true, size: max(9.5, 12.5-float64(depth))}
}

// composeModel lays out a whole model.
func (c *composer) composeModel(m *form.Model) error {
	if err := c.newPage(); err != nil {
		return err
	}
	if err := c.composeParagraph(marginSide, titleStyle(), c.bold.cleanLine(m.Title)); err != nil {
		return err
	}
	if err := c.composeParagraph(marginSide, subjectStyle(), c.regular.cleanLine(m.Subject)); err != nil {
		return err
	}
	c.y += 8
	if err := c.composeFields(m.Fields, 0); err != nil {
		return err
	}
	if len(m.Other) == 0 {
		return nil
	}
	return c.composeGroup(form.OtherLabel, m.Other, 0)
}

func (c *composer) composeParagraph(x float64, s style, text string) error {
	if text == "" {
		return nil
	}
	return c.composeRow([]column{{x: x, style: s, lines: c.faceOf(s).wrapText(text, s.size, marginSide+bodyWidth-x)}}, nil)
}

func indentOf(depth int) float64 { return marginSide + min(maxIndent, float64(depth)*indentStep) }

func (c *composer) composeFields(composeFields []form.Field, depth int) error {
	for i := range composeFields {
		if err := c.composeField(&composeFields[i], depth); err != nil {
			return err
		}
	}
	return nil
}

func (c *composer) composeField(f *form.Field, depth int) error {
	switch content := f.Content.(type) {
	case form.Group:
		return c.composeGroup(f.Label, content, depth)
	case form.Records:
		return c.composeRecords(f.Label, content, depth)
	case form.Files:
		return c.composeFiles(f.Label, content, depth)
	case form.Note:
		c.y += fieldGap
		return c.composeParagraph(indentOf(depth), noteStyle(), c.regular.cleanText(f.Label))
	case form.Text:
		return c.composeText(f.Label, string(content), depth)
	}
	return fmt.Errorf("a field of a form has the content %T", f.Content)
}

func (c *composer) composeHeading(label string, depth int) error {
	s := headingStyle(depth)
	c.y += 9
	if err := c.reserveHeight(s.lineHeight() + 4*valueStyle().lineHeight()); err != nil {
		return err
	}
	if err := c.composeParagraph(indentOf(depth), s, c.bold.cleanLine(label)); err != nil {
		return err
	}
	c.y += 2
	return nil
}

func (c *composer) composeGroup(label string, fields []form.Field, depth int) error {
	if err := c.composeHeading(label, depth); err != nil {
		return err
	}
	return c.composeFields(fields, depth+1)
}

// labelColumn wraps a label in its column.
func (c *composer) labelColumn(text string, depth int) column {
	s := labelStyle()
	return column{x: indentOf(depth), style: s, lines: c.bold.wrapText(c.bold.cleanLine(text), s.size, valueLeft-gap-indentOf(depth))}
}

func (c *composer) composeText(label, composeText string, depth int) error {
	s := valueStyle()
	composeText = c.regular.cleanText(composeText)
	if composeText == "" {
		composeText, s = empty, emptyStyle()
	}
	return c.composeRuledRow(depth, []column{
		c.labelColumn(label, depth),
		{x: valueLeft, style: s, lines: c.regular.wrapText(composeText, s.size, valueWidth)},
	})
}

// composeRuledRow lays out a row with a line below it.
func (c *composer) composeRuledRow(depth int, columns []column) error {
	c.y += fieldGap
	if err := c.composeRow(columns, nil); err != nil {
		return err
	}
	c.y += fieldGap / 2
	c.addRule(indentOf(depth))
	return nil
}

func (c *composer) addRule(x float64) {
	c.addMark(mark{kind: markRule, x: x, y: c.y, w: marginSide + bodyWidth - x})
}

// composeFiles lists documents, with images below their names.
func (c *composer) composeFiles(label string, composeFiles form.Files, depth int) error {
	name := c.labelColumn(label, depth)
	c.y += fieldGap
	for i := range composeFiles {
		picture, missing, err := c.loadPicture(&composeFiles[i])
		if err != nil {
			return err
		}
		text := composeFiles[i].Describe()
		if missing {
			text += " – not available"
		}
		lines := c.regular.wrapText(c.regular.cleanLine(text), valueStyle().size, valueWidth)
		width, height := 0.0, 0.0
		if picture != nil {
			width, height = picture.fitSize(valueWidth, maxImageHeight)
			if err := c.reserveHeight(height + float64(len(lines)+1)*valueStyle().lineHeight()); err != nil {
				return err
			}
		}
		if err := c.composeRow([]column{name, {x: valueLeft, style: valueStyle(), lines: lines}}, nil); err != nil {
			return err
		}
		name.lines = nil
		if picture != nil {
			c.addMark(mark{kind: markPicture, x: valueLeft, y: c.y + 2, w: width, h: height, picture: picture})
			c.y += height + 6
		}
	}
	c.y += fieldGap / 2
	c.addRule(indentOf(depth))
	return nil
}
