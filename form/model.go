package form

import "encoding/json"

// Input is a value of a form and what describes it. Schema and UISchema may be
// empty: names then take the place of titles, and the order is that of the value.
type Input struct {
	// Title and Subject stand at the head of the first page: what is filled in,
	// and for what.
	Title   string
	Subject string
	// Schema is a JSON Schema of any draft.
	Schema json.RawMessage
	// UISchema is a UI schema of JSON Forms.
	UISchema json.RawMessage
	// Value is any JSON value.
	Value json.RawMessage

	// root is the whole schema when Schema is a part of one: references start
	// there.
	root json.RawMessage
}

// Model is a form as it is printed.
type Model struct {
	Title   string
	Subject string
	Fields  []Field
	// Other are values without a place in the form: unknown to the schema, or
	// of another kind than the schema declares.
	Other []Field
}

// Field is something with a label.
type Field struct {
	// Pointer leads to the value (RFC 6901). It is "" for headings.
	Pointer string
	Label   string
	Content Content
}

// Content is the content of a field: Text, Files, Group, Records or Note.
type Content interface{ content() }

// Text is a value as text. It is "" when there is none.
type Text string

// Files are documents, one after the other.
type Files []File

// Group is a heading with fields beneath.
type Group []Field

// Records are the objects of an array, each with its fields. They become a table
// when they are alike and it fits the page.
type Records [][]Field

// Note is a text of the form itself; it has a label only.
type Note struct{}

func (Text) content()    {}
func (Files) content()   {}
func (Group) content()   {}
func (Records) content() {}
func (Note) content()    {}
