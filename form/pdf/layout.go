package pdf

import (
	"encoding/json"
)

// Layout is the input of the template for one form. All texts are data, never markup.
type Layout struct {
	// Name is the title in the metadata.
	Name    string `json:"name"`
	Title   *text  `json:"title"`
	Subject *text  `json:"subject"`
	// Lang is the language of the document, RTL its direction.
	Lang string `json:"lang"`
	RTL  bool   `json:"rtl"`
	// Created, Page and Note are printed in the footers and at the end.
	Created string  `json:"created"`
	Page    string  `json:"page"`
	Note    string  `json:"note"`
	Pages   int     `json:"pages"`
	Blocks  []block `json:"blocks"`
	// Images are SVG documents that contain the images 0.svg, 1.svg, and so on.
	Images [][]byte `json:"-"`
	// Missing are the characters that no font has.
	Missing []rune `json:"-"`
}

// block is a part of a layout, at a depth of nesting.
type block struct {
	// Kind is heading, note, fields or records.
	Kind  string `json:"kind"`
	Depth int    `json:"depth"`
	Label *text  `json:"label,omitempty"`
	// Rows are the rows of fields.
	Rows []row `json:"rows,omitempty"`
	// Widths are relative widths of columns, Cells the texts of all rows.
	Widths  []int   `json:"widths,omitempty"`
	Columns []*text `json:"columns,omitempty"`
	Cells   []*text `json:"cells,omitempty"`
}

// row is a field: a label with a value or files.
type row struct {
	Label *text     `json:"label"`
	Value *text     `json:"value,omitempty"`
	Files []fileRow `json:"files,omitempty"`
}

// fileRow is a file with its image, if any. Width and Height are in points.
type fileRow struct {
	Text   *text   `json:"text"`
	Image  string  `json:"image,omitempty"`
	Width  float64 `json:"width,omitempty"`
	Height float64 `json:"height,omitempty"`
	Alt    string  `json:"alt,omitempty"`
}

// text is a text of a layout. It is encoded as a string if it is a line in the language and direction of the document,
// otherwise as its lines.
type text struct {
	raw   string
	lines []line
}

// line is a line of a text.
type line struct {
	// Lang is the language of its script, RTL its direction.
	Lang string `json:"lang"`
	RTL  bool   `json:"rtl"`
	// Parts may be separated by line breaks.
	Parts []part `json:"parts"`
	plain bool
}

// part is a piece of a line: a text, or the code point of a missing character.
type part struct{ text, missing string }

// MarshalJSON encodes a part.
func (p part) MarshalJSON() ([]byte, error) {
	if p.missing != "" {
		return json.Marshal(map[string]string{"missing": p.missing})
	}
	return json.Marshal(p.text)
}

// MarshalJSON encodes a line.
func (l line) MarshalJSON() ([]byte, error) {
	if l.plain {
		if len(l.Parts) == 0 {
			return []byte(`""`), nil
		}
		return json.Marshal(l.Parts[0])
	}
	type fields line
	return json.Marshal(fields(l))
}

// MarshalJSON encodes a text.
func (t *text) MarshalJSON() ([]byte, error) {
	switch {
	case len(t.lines) == 0:
		return []byte(`""`), nil
	case len(t.lines) == 1 && t.lines[0].plain:
		return json.Marshal(t.lines[0])
	}
	return json.Marshal(t.lines)
}
