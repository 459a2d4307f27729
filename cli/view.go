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

// titles writes the titles of the columns, of which some are for wide tables only.
func (v view) titles(columns []string, wide ...string) {
	if !v.untitled {
		v.line(columns, wide...)
	}
}

// line writes a line of the table.
func (v view) line(cells []string, wide ...string) {
	if v.wide {
		cells = append(cells, wide...)
	}
	row(v, cells...)
}

// person names a principal: its id where the name is not known, "-" for none.
func (v view) person(id *uuid.UUID) string {
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
