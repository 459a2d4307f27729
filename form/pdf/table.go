package pdf

import (
	"fmt"
	"slices"
	"strings"

	"github.com/procession-dev/procession/form"
)

const (
	// maxColumns is the maximum number of columns of a table.
	maxColumns  = 12
	cellPadding = 4.0
	// maxCell is the maximum preferred width of a cell, maxWord the maximum part of a word that must fit unbroken.
	maxCell = 220.0
	maxWord = 110.0
)

// A grid is a table of records.
type grid struct {
	columns []string
	// cells are the texts of each row, in the order of the columns.
	cells  [][]string
	widths []float64
}

// composeRecords lays out objects as a table if possible, or one after the other.
func (c *composer) composeRecords(label string, composeRecords form.Records, depth int) error {
	x := indentOf(depth + 1)
	if g := c.buildGrid(composeRecords, marginSide+bodyWidth-x); g != nil {
		if err := c.composeHeading(label, depth); err != nil {
			return err
		}
		return c.composeTable(g, x)
	}
	if err := c.composeHeading(label, depth); err != nil {
		return err
	}
	for i, fields := range composeRecords {
		if err := c.composeGroup(fmt.Sprintf("%d of %d", i+1, len(composeRecords)), fields, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// buildGrid returns a table of records no wider than width. It returns nil if fields have more than text, or do not
// fit.
func (c *composer) buildGrid(records form.Records, width float64) *grid {
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
			row[place] = c.regular.cleanText(text)
		}
		g.cells = append(g.cells, row)
	}
	if len(g.columns) == 0 || !c.fitColumns(g, width) {
		return nil
	}
	return g
}

// cellText returns the text of a field in a cell, or false if the field does not fit into one.
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

// fitColumns sets the widths of the columns. It returns false if words would be broken too much.
func (c *composer) fitColumns(g *grid, width float64) bool {
	least, wanted := make([]float64, len(g.columns)), make([]float64, len(g.columns))
	consider := func(column int, f *face, size float64, text string) {
		for line := range strings.SplitSeq(text, "\n") {
			wanted[column] = max(wanted[column], min(maxCell, f.textWidth(line, size))+2*cellPadding)
			for word := range strings.FieldsSeq(line) {
				least[column] = max(least[column], min(maxWord, f.textWidth(word, size))+2*cellPadding)
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
		// The space beyond the minimum of all columns is divided in proportion to the preferred width of each column.
		share := (width - total) / (desired - total)
		for i := range g.widths {
			g.widths[i] = least[i] + (wanted[i]-least[i])*share
		}
	}
	return true
}

func (c *composer) composeTable(g *grid, x float64) error {
	head := func() error {
		columns := g.rowColumns(c.bold, columnStyle(), x, g.columns)
		lines := 0
		for i := range columns {
			lines = max(lines, len(columns[i].lines))
		}
		height := float64(lines)*columnStyle().lineHeight() + 5
		if err := c.reserveHeight(height + 2*cellStyle().lineHeight()); err != nil {
			return err
		}
		c.addMark(mark{kind: markArea, x: x, y: c.y, w: g.totalWidth(), h: height})
		c.y += 2.5
		if err := c.composeRow(columns, nil); err != nil {
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
		if err := c.composeRow(g.rowColumns(c.regular, cellStyle(), x, cells), head); err != nil {
			return err
		}
		c.y += 2
		c.addMark(mark{kind: markRule, x: x, y: c.y, w: g.totalWidth()})
	}
	return nil
}

func (g *grid) totalWidth() float64 {
	total := 0.0
	for _, width := range g.widths {
		total += width
	}
	return total
}

func (g *grid) rowColumns(f *face, s style, x float64, cells []string) []column {
	columns := make([]column, len(cells))
	for i, text := range cells {
		columns[i] = column{x: x + cellPadding, style: s, lines: f.wrapText(text, s.size, g.widths[i]-2*cellPadding)}
		x += g.widths[i]
	}
	return columns
}
