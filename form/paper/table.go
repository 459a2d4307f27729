package paper

import (
	"fmt"
	"slices"
	"strings"

	"github.com/procession-dev/procession/form"
)

const (
	// maxColumns is how many columns a table may have.
	maxColumns  = 12
	cellPadding = 4.0
	// maxCell is how wide a cell wants to be at most, and maxWord how much of one
	// word must fit without being broken.
	maxCell = 220.0
	maxWord = 110.0
)

// A grid is records as a table.
type grid struct {
	columns []string
	// cells of each row, in the order of the columns.
	cells  [][]string
	widths []float64
}

// records shows objects as a table where they fit in one, else one after the
// other.
func (c *composer) records(label string, records form.Records, depth int) error {
	x := indent(depth + 1)
	if g := c.grid(records, marginSide+bodyWidth-x); g != nil {
		if err := c.heading(label, depth); err != nil {
			return err
		}
		return c.table(g, x)
	}
	if err := c.heading(label, depth); err != nil {
		return err
	}
	for i, fields := range records {
		if err := c.group(fmt.Sprintf("%d of %d", i+1, len(records)), fields, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// grid makes a table of records that is no wider than width. It returns nil when
// there is none: fields have more than text, or there are too many.
func (c *composer) grid(records form.Records, width float64) *grid {
	g := &grid{}
	places := map[string]int{}
	for _, fields := range records {
		row := make([]string, len(g.columns), maxColumns)
		for i := range fields {
			text, ok := cellText(&fields[i])
			if !ok {
				return nil
			}
			name := fields[i].Pointer[strings.LastIndexByte(fields[i].Pointer, '/')+1:]
			place, known := places[name]
			if !known {
				if place = len(g.columns); place == maxColumns {
					return nil
				}
				places[name] = place
				g.columns = append(g.columns, c.bold.cleanLine(fields[i].Label))
				row = append(row, "")
			}
			row[place] = c.regular.clean(text)
		}
		g.cells = append(g.cells, row)
	}
	if len(g.columns) == 0 || !c.fit(g, width) {
		return nil
	}
	return g
}

// cellText returns what a field shows in a cell. It reports false for what does not
// belong in one.
func cellText(f *form.Field) (string, bool) {
	switch content := f.Content.(type) {
	case form.Text:
		return string(content), true
	case form.Files:
		lines := make([]string, len(content))
		for i := range content {
			if content[i].IsImage() {
				return "", false
			}
			lines[i] = content[i].Describe()
		}
		return strings.Join(lines, "\n"), true
	}
	return "", false
}

// fit gives the columns their widths. It reports false when words would have to
// be broken too much.
func (c *composer) fit(g *grid, width float64) bool {
	least, wanted := make([]float64, len(g.columns)), make([]float64, len(g.columns))
	consider := func(column int, f *face, size float64, text string) {
		for line := range strings.SplitSeq(text, "\n") {
			wanted[column] = max(wanted[column], min(maxCell, f.width(line, size))+2*cellPadding)
			for word := range strings.FieldsSeq(line) {
				least[column] = max(least[column], min(maxWord, f.width(word, size))+2*cellPadding)
			}
		}
	}
	for i, name := range g.columns {
		consider(i, c.bold, columnStyle().size, name)
	}
	for _, row := range g.cells {
		for i, text := range row {
			consider(i, c.regular, cellStyle().size, text)
		}
	}
	total, desired := 0.0, 0.0
	for i := range least {
		total += least[i]
		desired += wanted[i]
	}
	if total > width {
		return false
	}
	g.widths = slices.Clone(wanted)
	if desired > width {
		// The space left when every column has its minimum is divided in
		// proportion to what each column wants beyond its minimum.
		share := (width - total) / (desired - total)
		for i := range g.widths {
			g.widths[i] = least[i] + (wanted[i]-least[i])*share
		}
	}
	return true
}

func (c *composer) table(g *grid, x float64) error {
	head := func() error {
		columns := g.row(c.bold, columnStyle(), x, g.columns)
		lines := 0
		for i := range columns {
			lines = max(lines, len(columns[i].lines))
		}
		height := float64(lines)*columnStyle().height() + 5
		if err := c.need(height + 2*cellStyle().height()); err != nil {
			return err
		}
		c.add(mark{kind: markArea, x: x, y: c.y, w: g.width(), h: height})
		c.y += 2.5
		if err := c.row(columns, nil); err != nil {
			return err
		}
		c.y += 2.5
		return nil
	}
	if err := head(); err != nil {
		return err
	}
	for _, cells := range g.cells {
		c.y += 2.5
		if err := c.row(g.row(c.regular, cellStyle(), x, cells), head); err != nil {
			return err
		}
		c.y += 2
		c.add(mark{kind: markRule, x: x, y: c.y, w: g.width()})
	}
	return nil
}

func (g *grid) width() float64 {
	total := 0.0
	for _, width := range g.widths {
		total += width
	}
	return total
}

func (g *grid) row(f *face, s style, x float64, cells []string) []column {
	columns := make([]column, len(cells))
	for i, text := range cells {
		columns[i] = column{x: x + cellPadding, style: s, lines: f.wrap(text, s.size, g.widths[i]-2*cellPadding)}
		x += g.widths[i]
	}
	return columns
}
