package paper

import (
	"context"

	"github.com/procession-dev/procession/form"
)

// The page is A4. All measures are points (1/72 inch), from the upper left corner.
const (
	pageWidth   = 595.28
	pageHeight  = 841.89
	marginSide  = 50.0
	marginTop   = 68.0
	marginFoot  = 60.0
	bodyWidth   = pageWidth - 2*marginSide
	bodyBottom  = pageHeight - marginFoot
	bodyHeight  = bodyBottom - marginTop
	lineSpacing = 1.28
)

// A style is how a text looks.
type style struct {
	bold bool
	size float64
	grey uint8
}

// A mark is something on a page: a text, a line, a filled area or an image.
type mark struct {
	kind       markKind
	x, y, w, h float64
	text       string
	style      style
	picture    *picture
}

type markKind int

const (
	// markText stands on the base line at x and y.
	markText markKind = iota
	// markRule is a line from x and y, w long.
	markRule
	// markArea is filled.
	markArea
	// markPicture fills its area.
	markPicture
)

// A composer puts marks on pages, from top to bottom.
type composer struct {
	ctx     context.Context //nolint:containedctx // A composer lives for one call.
	regular *face
	bold    *face
	limits  Limits
	open    OpenFunc
	pages   [][]mark
	// y is how far the page is filled.
	y        float64
	pictures map[string]*picture
	placed   int
}

func (c *composer) face(s style) *face {
	if s.bold {
		return c.bold
	}
	return c.regular
}

func (c *composer) newPage() error {
	if len(c.pages) >= c.limits.Pages {
		return &form.LimitError{What: "pages", Max: c.limits.Pages}
	}
	c.pages = append(c.pages, nil)
	c.y = marginTop
	return c.ctx.Err()
}

// need begins a new page unless there is room for something of that height.
func (c *composer) need(height float64) error {
	if c.y+height <= bodyBottom || c.y <= marginTop {
		return nil
	}
	return c.newPage()
}

func (c *composer) add(m mark) {
	last := len(c.pages) - 1
	c.pages[last] = append(c.pages[last], m)
}

// line sets one line whose upper edge is at y.
func (c *composer) line(x, y float64, s style, text string) {
	if text != "" {
		c.add(mark{kind: markText, x: x, y: y + s.size, text: text, style: s})
	}
}

func (s style) height() float64 { return s.size * lineSpacing }

// column is a text that flows over the lines of a row.
type column struct {
	x     float64
	style style
	lines []string
}

// row sets columns beside each other. A row of few lines stays on one page, a
// longer one flows. Begin, when there is one, is called on every page that the row
// continues on.
func (c *composer) row(columns []column, begin func() error) error {
	lines, height := 0, 0.0
	for i := range columns {
		lines = max(lines, len(columns[i].lines))
		height = max(height, columns[i].style.height())
	}
	if total := float64(lines) * height; total <= bodyHeight/3 {
		if c.y+total > bodyBottom {
			if err := c.continued(begin); err != nil {
				return err
			}
		}
	}
	for i := range lines {
		if c.y+height > bodyBottom {
			if err := c.continued(begin); err != nil {
				return err
			}
		}
		for j := range columns {
			if i < len(columns[j].lines) {
				c.line(columns[j].x, c.y, columns[j].style, columns[j].lines[i])
			}
		}
		c.y += height
	}
	return nil
}

func (c *composer) continued(begin func() error) error {
	if err := c.newPage(); err != nil {
		return err
	}
	if begin != nil {
		return begin()
	}
	return nil
}
