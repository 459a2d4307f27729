package pdf

import (
	"strings"

	"github.com/procession-dev/procession/form"
)

const (
	// bodyWidth and valueWidth are the widths of the page and of values, indentStep the indentation of a depth, in
	// points.
	bodyWidth, valueWidth, indentStep = 495.0, 305.0, 10.0
	// maxLine is the number of bytes of a long line.
	maxLine = 120
	// maxColumns is the maximum number of columns of a table.
	maxColumns = 12
	// maxCell is the maximum preferred width of a cell, in letters, and letterWidth the width of a letter in points.
	maxCell, letterWidth = 45, 4.8
	cellPadding          = 2
)

// A table is a table of records.
type table struct {
	columns []string
	// cells are the texts of each row, in the order of the columns.
	cells [][]string
	// widths are the relative widths of the columns.
	widths []int
}

// newTable returns a table of records no wider than width. It returns nil if fields have more than text, or do not fit.
func newTable(records form.Records, width float64) *table {
	t := &table{}
	places := map[string]int{}
	for _, fields := range records {
		cells := make([]string, len(t.columns), maxColumns)
		for i := range fields {
			text, ok := cellText(&fields[i])
			if !ok {
				return nil
			}
			name := fields[i].Pointer[strings.LastIndexByte(fields[i].Pointer, '/')+1:]
			column, exists := places[name]
			if !exists {
				if column = len(t.columns); column == maxColumns {
					return nil
				}
				places[name] = column
				t.columns = append(t.columns, cleanLine(fields[i].Label))
				cells = append(cells, "")
			}
			cells[column] = cleanText(text)
		}
		t.cells = append(t.cells, cells)
	}
	if len(t.columns) == 0 || !t.fitColumns(int(width/letterWidth)) {
		return nil
	}
	return t
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

// fitColumns sets the widths of the columns, in letters. It returns false if words would be broken too much.
func (t *table) fitColumns(width int) bool {
	minimum, preferred := make([]int, len(t.columns)), make([]int, len(t.columns))
	consider := func(column int, text string) {
		for line := range strings.SplitSeq(text, "\n") {
			preferred[column] = max(preferred[column], min(maxCell, textUnits(line))+cellPadding)
			for word := range strings.FieldsSeq(line) {
				minimum[column] = max(minimum[column], min(maxWord, textUnits(word))+cellPadding)
			}
		}
	}
	for i, name := range t.columns {
		consider(i, name)
	}
	for _, cells := range t.cells {
		for i, text := range cells {
			consider(i, text)
		}
	}
	total, desired := 0, 0
	for i := range minimum {
		total += minimum[i]
		desired += preferred[i]
	}
	if total > width {
		return false
	}
	t.widths = preferred
	if desired > width {
		// The space beyond the minimum of all columns is divided in proportion to the preferred width of each column.
		for i := range t.widths {
			t.widths[i] = minimum[i] + (preferred[i]-minimum[i])*(width-total)/(desired-total)
		}
	}
	for i := range t.widths {
		t.widths[i] = max(1, t.widths[i])
	}
	return true
}
