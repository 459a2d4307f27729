package forms

import (
	"context"
	"encoding/json"
	"io"

	"github.com/google/uuid"

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
	// Path is the path of the page with the form. What its routes are for is below it.
	Path string
	// Completes is the label of the button that completes what the form is for, or sends a
	// Draft, "" where there is none. It is in the language of the viewer.
	Completes string
	// Anyway is the label of the button that does so in spite of Errors, after they were
	// listed. It is "" where values have to be valid for that.
	Anyway string
	// Marks are the origins of values, such as a model, by their pointers.
	Marks map[string]string
	// NoFiles is the reason why files cannot be added, "" where they can.
	NoFiles string
	// Link returns where a file that the value refers to is downloaded, "" for nowhere.
	// It may be nil.
	Link func(reference string) string
	// Preview returns where a file is shown in a frame, "" for nowhere. It may be nil.
	Preview func(reference string) string
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

// Store has one form, for one visitor. What is entered is kept by a Saver or sent by a
// Draft; a Store that is neither, and one whose Document is ReadOnly, is only shown.
type Store interface {
	// Load returns the form as it is.
	Load(ctx context.Context) (*Document, error)
	// Find returns what a control may refer to, by words of its name; a handful. Items of
	// data sources are not found by it.
	Find(ctx context.Context, control *form.Node, words string) ([]Found, error)
	// Items asks the data source of a control for items, or reads the answer to
	// Search.Query, which may not be there yet.
	Items(ctx context.Context, control *form.Node, search Search) (*domain.DataSourceRun, error)
	// Upload stores a file for a control and returns the reference to it.
	Upload(ctx context.Context, control *form.Node, file File) (string, error)
}

// Saver is a Store that keeps a value while it is entered.
type Saver interface {
	Store
	// Save changes the value of a version and returns the form as it is then. It returns
	// a PRECONDITION_FAILED error when there is another version.
	Save(ctx context.Context, version string, patch []jsondoc.Operation) (*Document, error)
	// Complete ends the work on the form and returns the path to go on at.
	Complete(ctx context.Context) (string, error)
}

// Draft is a Store of a value that stays in the page until it is sent whole, such as
// that of a process to be started, or one that is changed by a button only. A browser
// with a script keeps what was typed in the storage of its tab.
type Draft interface {
	Store
	// Check returns what is wrong with a value as far as its schema says.
	Check(ctx context.Context, value json.RawMessage) ([]domain.ValueError, error)
	// Send does what the form is for and returns the path to go on at. It returns a
	// PRECONDITION_FAILED error when there is another version: what was entered is then
	// brought together with it and sent again. Errors of KindInvalid and KindConflict are
	// shown beside the form.
	Send(ctx context.Context, sent Sent) (string, error)
}

// Sent contains the values that were entered in a Draft.
type Sent struct {
	// ID is the id of the page: a form that is sent twice has one.
	ID uuid.UUID
	// Version is the version of the Document that Patch changes.
	Version string
	// Value is the whole value, Patch how it differs from that of the Document.
	Value json.RawMessage
	Patch []jsondoc.Operation
}
