package forms

import (
	"context"
	"encoding/json"
	"io"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/form"
)

// Document is a form as its store has it.
type Document struct {
	// Schema, UISchema and Value may be nil.
	Schema, UISchema, Value json.RawMessage
	// Errors are those of the value.
	Errors []domain.ValueError
	// Version changes with every change of the value.
	Version string
	// ReadOnly forms are shown without anything to change.
	ReadOnly bool
	// Path is that of the page with the form. What its routes are for is below it.
	Path string
	// Completes is what the button says that completes what the form is for, "" where
	// there is none. It is in the language of the viewer.
	Completes string
	// Link returns where a file that the value refers to is downloaded, "" for nowhere.
	// It may be nil.
	Link func(reference string) string
}

// Found is something that a value may refer to.
type Found struct {
	// Reference is the text that becomes the value.
	Reference string `json:"reference"`
	Name      string `json:"name"`
}

// File is a file that is being uploaded.
type File struct {
	Name, ContentType string
	// Size is in bytes, -1 where it is not known.
	Size    int64
	Content io.Reader
}

// Store keeps the value of one form, for one visitor.
type Store interface {
	// Load returns the form as it is.
	Load(ctx context.Context) (*Document, error)
	// Save changes the value of a version and returns the form as it is then. It returns
	// a PRECONDITION_FAILED error when there is another version.
	Save(ctx context.Context, version string, patch []jsondoc.Operation) (*Document, error)
	// Complete ends the work on the form and returns the path to go on at.
	Complete(ctx context.Context) (string, error)
	// Find returns what a control may refer to, by words of its name; a handful.
	Find(ctx context.Context, control *form.Node, words string) ([]Found, error)
	// Upload stores a file for a control and returns the reference to it.
	Upload(ctx context.Context, control *form.Node, file File) (string, error)
}
