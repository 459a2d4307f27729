package form

import (
	"cmp"
	"encoding/json"
	"time"

	"golang.org/x/text/language"

	"github.com/procession-dev/procession/domain/jsondoc"
)

// Input is a value of a form with its schemas. Without Schema and UISchema, names serve as titles, in the order of
// the value.
type Input struct {
	// Title and Subject are printed at the head of the first page: the name of the form and its purpose.
	Title   string
	Subject string
	// Schema is a JSON Schema of any draft.
	Schema json.RawMessage
	// UISchema is a UI schema of JSON Forms.
	UISchema json.RawMessage
	// Value is any JSON value.
	Value json.RawMessage
	// Reader is the reader of a printed form.
	Reader Reader
	// Picked are the alternatives that a person has picked, and the indexes of their branches.
	Picked jsondoc.Picked
	// Texts finds the texts of the schemas in the language of the reader.
	Texts Texts
	// Labels are the words of a form for filling in.
	Labels Labels
	// place is the place of the value if the input is a part of another one. It contains the statements of the schema.
	place *jsondoc.Place
}

// Reader is the notation of a printed form. The zero value is British English, with times in their own zones.
type Reader struct {
	// Language is the language of dates and numbers.
	Language language.Tag
	// Zone is the zone of dates with times, nil for the zone of the value.
	Zone *time.Location
	// Yes and No are the words for booleans.
	Yes, No string
}

// Labels are the words for parts of a form that no schema names. The zero value is English.
type Labels struct {
	// Value is the label of a whole value, Other the heading of values without a place in the form, Entry the word before the number
	// of an entry.
	Value, Other, Entry string
}

// orEnglish returns the labels with English words for missing ones.
func (l Labels) orEnglish() Labels {
	return Labels{Value: cmp.Or(l.Value, valueLabel), Other: cmp.Or(l.Other, OtherLabel), Entry: cmp.Or(l.Entry, "Entry")}
}

// Model is a form for printing.
type Model struct {
	Title   string
	Subject string
	Fields  []Field
	// Other are values that the schema does not name or that have another type than it declares.
	Other []Field
}

// Field is a labelled value or heading.
type Field struct {
	// Pointer leads to the value (RFC 6901). It is "" for headings.
	Pointer string
	Label   string
	// Lang is the language of the label, "" for the language of the form.
	Lang    string
	Content Content
}

// Content is the content of a field: Text, Files, Group, Records or Note.
type Content interface{ isContent() }

// Text is a value as text, "" for none.
type Text string

// Files are documents, one after the other.
type Files []File

// Group contains the fields below a heading.
type Group []Field

// Records contain the fields of each object of an array. They are printed as a table if they are alike and fit the
// page.
type Records [][]Field

// Note is a text of the form, which is its label.
type Note struct{}

func (Text) isContent()    {}
func (Files) isContent()   {}
func (Group) isContent()   {}
func (Records) isContent() {}
func (Note) isContent()    {}
