package pdf

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

// A style is the appearance of text.
type style struct {
	bold bool
	size float64
	grey uint8
}

// A mark is an item of a page: a text, a line, a filled area or an image.
type mark struct {
	kind       markKind
	x, y, w, h float64
	text       string
	style      style
	picture    *picture
}

type markKind int

const (
	// markText is a text with its base line at x and y.
	markText markKind = iota
	// markRule is a horizontal line of length w from x and y.
	markRule
	// markArea is filled.
	markArea
	// markPicture fills its area.
	markPicture
)

// A composer lays out marks on pages, from top to bottom.
type composer struct {
	ctx     context.Context //nolint:containedctx // A composer lives for one call.
	regular *face
	bold    *face
	limits  Limits
	open    OpenFunc
	pages   [][]mark
	// y is the lower edge of the used part of the page.
	y        float64
	pictures map[string]*picture
	placed   int
}

func (c *composer) faceOf(s style) *face {
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

// reserveHeight begins a new page unless the height fits on the current one.
func (c *composer) reserveHeight(height float64) error {
	if c.y+height <= bodyBottom || c.y <= marginTop {
		return nil
	}
	return c.newPage()
}

func (c *composer) addMark(m mark) {
	last := len(c.pages) - 1
	c.pages[last] = append(c.pages[last], m)
}

// addLine adds a line of text with its upper edge at y.
func (c *composer) addLine(x, y float64, s style, text string) {
	if text != "" {
		c.addMark(mark{kind: markText, x: x, y: y + s.size, text: text, style: s})
	}
}

func (s style) lineHeight() float64 { return s.size * lineSpacing }

// column is a text in the lines of a row.
type column struct {
	x     float64
	style style
	lines []string
}

// composeRow lays out columns side by side. A row of few lines stays on one page, a longer one continues on the next.
// begin, if not nil, is called on each page on which the row continues.
func (c *composer) composeRow(columns []column, begin func() error) error {
	lines, height := 0, 0.0
	for i := range columns {
		lines = max(lines, len(columns[i].lines))
		height = max(height, columns[i].style.lineHeight())
	}
	if total := float64(lines) * height; total <= bodyHeight/3 {
		if c.y+total > bodyBottom {
			if err := c.continuePage(begin); err != nil {
				return err
			}
		}
	}
	for i := range lines {
		if c.y+height > bodyBottom {
			if err := c.continuePage(begin); err != nil {
				return err
			}
		}
		for j := range columns {
			if i < len(columns[j].lines) {
				c.addLine(columns[j].x, c.y, columns[j].style, columns[j].lines[i])
			}
		}
		c.y += height
	}
	return nil
}

func (c *composer) continuePage(begin func() error) error {
	if err := c.newPage(); err != nil {
		return err
	}
	if begin != nil {
		return begin()
	}
	return nil
}
