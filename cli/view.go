package cli

import (
	"io"

	"github.com/google/uuid"
)

// view is where a table is written.
type view struct {
	io.Writer

	// wide asks for the columns of -o wide too.
	wide bool
	// untitled leaves out the titles, for a part that continues a table.
	untitled bool
	// people are the names of principals by their ids.
	people map[uuid.UUID]string
}

// writeTitles writes the titles of the columns, and of the columns for wide tables.
func (v view) writeTitles(columns []string, wide ...string) {
	if !v.untitled {
		v.writeLine(columns, wide...)
	}
}

// writeLine writes a line of the table.
func (v view) writeLine(cells []string, wide ...string) {
	if v.wide {
		cells = append(cells, wide...)
	}
	writeRow(v, cells...)
}

// personName names a principal: its id where the name is not known, "-" for none.
func (v view) personName(id *uuid.UUID) string {
	if id == nil {
		return "-"
	}
	if name := v.people[*id]; name != "" {
		return name
	}
	return id.String()
}

// idText returns an id that may be missing.
func idText(id *uuid.UUID) string {
	if id == nil {
		return "-"
	}
	return id.String()
}
