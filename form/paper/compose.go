package paper

import (
	"fmt"

	"github.com/procession-dev/procession/form"
)

const (
	indentStep = 10.0
	maxIndent  = 60.0
	// valueLeft is where values begin, however deep their labels are.
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

// empty is printed in place of a missing value.
const empty = "—"

func headingStyle(depth int) style {
	return style{bold: true, size: max(9.5, 12.5-float64(depth))}
}

// model puts a whole model on pages.
func (c *composer) model(m *form.Model) error {
	if err := c.newPage(); err != nil {
		return err
	}
	if err := c.paragraph(marginSide, titleStyle(), c.bold.cleanLine(m.Title)); err != nil {
		return err
	}
	if err := c.paragraph(marginSide, subjectStyle(), c.regular.cleanLine(m.Subject)); err != nil {
		return err
	}
	c.y += 8
	if err := c.fields(m.Fields, 0); err != nil {
		return err
	}
	if len(m.Other) == 0 {
		return nil
	}
	return c.group(form.OtherLabel, m.Other, 0)
}

func (c *composer) paragraph(x float64, s style, text string) error {
	if text == "" {
		return nil
	}
	return c.row([]column{{x: x, style: s, lines: c.face(s).wrap(text, s.size, marginSide+bodyWidth-x)}}, nil)
}

func indent(depth int) float64 { return marginSide + min(maxIndent, float64(depth)*indentStep) }

func (c *composer) fields(fields []form.Field, depth int) error {
	for i := range fields {
		if err := c.field(&fields[i], depth); err != nil {
			return err
		}
	}
	return nil
}

func (c *composer) field(f *form.Field, depth int) error {
	switch content := f.Content.(type) {
	case form.Group:
		return c.group(f.Label, content, depth)
	case form.Records:
		return c.records(f.Label, content, depth)
	case form.Files:
		return c.files(f.Label, content, depth)
	case form.Note:
		c.y += fieldGap
		return c.paragraph(indent(depth), noteStyle(), c.regular.clean(f.Label))
	case form.Text:
		return c.text(f.Label, string(content), depth)
	}
	return fmt.Errorf("a field of a form has the content %T", f.Content)
}

func (c *composer) heading(label string, depth int) error {
	s := headingStyle(depth)
	c.y += 9
	if err := c.need(s.height() + 4*valueStyle().height()); err != nil {
		return err
	}
	if err := c.paragraph(indent(depth), s, c.bold.cleanLine(label)); err != nil {
		return err
	}
	c.y += 2
	return nil
}

func (c *composer) group(label string, fields []form.Field, depth int) error {
	if err := c.heading(label, depth); err != nil {
		return err
	}
	return c.fields(fields, depth+1)
}

// label breaks a label into lines of its column.
func (c *composer) label(text string, depth int) column {
	s := labelStyle()
	return column{x: indent(depth), style: s, lines: c.bold.wrap(c.bold.cleanLine(text), s.size, valueLeft-gap-indent(depth))}
}

func (c *composer) text(label, text string, depth int) error {
	s := valueStyle()
	text = c.regular.clean(text)
	if text == "" {
		text, s = empty, emptyStyle()
	}
	return c.ruled(depth, []column{
		c.label(label, depth),
		{x: valueLeft, style: s, lines: c.regular.wrap(text, s.size, valueWidth)},
	})
}

// ruled sets a row and a line beneath it.
func (c *composer) ruled(depth int, columns []column) error {
	c.y += fieldGap
	if err := c.row(columns, nil); err != nil {
		return err
	}
	c.y += fieldGap / 2
	c.rule(indent(depth))
	return nil
}

func (c *composer) rule(x float64) {
	c.add(mark{kind: markRule, x: x, y: c.y, w: marginSide + bodyWidth - x})
}

// files lists documents, with images beneath their names.
func (c *composer) files(label string, files form.Files, depth int) error {
	name := c.label(label, depth)
	c.y += fieldGap
	for i := range files {
		picture, missing, err := c.picture(&files[i])
		if err != nil {
			return err
		}
		text := files[i].Describe()
		if missing {
			text += " – not available"
		}
		lines := c.regular.wrap(c.regular.cleanLine(text), valueStyle().size, valueWidth)
		width, height := 0.0, 0.0
		if picture != nil {
			width, height = picture.fit(valueWidth, maxImageHeight)
			if err := c.need(height + float64(len(lines)+1)*valueStyle().height()); err != nil {
				return err
			}
		}
		if err := c.row([]column{name, {x: valueLeft, style: valueStyle(), lines: lines}}, nil); err != nil {
			return err
		}
		name.lines = nil
		if picture != nil {
			c.add(mark{kind: markPicture, x: valueLeft, y: c.y + 2, w: width, h: height, picture: picture})
			c.y += height + 6
		}
	}
	c.y += fieldGap / 2
	c.rule(indent(depth))
	return nil
}
