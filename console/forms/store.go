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
	// Texts finds the texts of the schemas in the language of the viewer.
	Texts form.Texts
	// Errors are the errors of the value.
	Errors []domain.ValueError
	// Version changes with every change of the value.
	Version string
	// ChangedBy is the name of the person who changed the value last, "" if it is unknown. ChangedByViewer is set for the viewer, who
	// then has another window.
	ChangedBy       string
	ChangedByViewer bool
	// ReadOnly forms are shown without anything to change.
	ReadOnly bool
	// ReadOnlyCode is the reason of ReadOnly, "" for the state.
	ReadOnlyCode domain.Code
	// Path is the path of the page with the form. Its routes are below it.
	Path string
	// CompleteLabel is the label of the button that completes the form or sends a Draft, "" for none. It is in the
	// language of the viewer.
	CompleteLabel string
	// CompleteAnywayLabel is the label of the button that does so in spite of Errors, after they were
	// listed. It is "" where values have to be valid for that.
	CompleteAnywayLabel string
	// Marks are the origins of values, such as a model, by their pointers.
	Marks map[string]string
	// NoFilesReason is the reason why files cannot be added, "" where they can.
	NoFilesReason string
	// Link returns where a file that the value refers to is downloaded, "" for nowhere.
	// It may be nil.
	Link func(reference string) string
	// Preview returns where a file is shown in a frame, "" for nowhere. It may be nil.
	Preview func(reference string) string
}

// Match is something that a value may refer to.
type Match struct {
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

// Store loads one form for one visitor. A Saver saves input, a Draft sends it; any other Store, and a Document
// that is ReadOnly, is only shown.
type Store interface {
	// Load returns the current form.
	Load(ctx context.Context) (*Document, error)
	// Find returns a few objects for a control by words of their names. It does not search data sources.
	Find(ctx context.Context, control *form.Node, words string) ([]Match, error)
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

// Draft is a Store of a value that stays in the page until it is sent as a whole, such as the values of a new
// process. With a script the browser keeps the input in the storage of its tab.
type Draft interface {
	Store
	// Check returns the errors of a value according to its schema.
	Check(ctx context.Context, value json.RawMessage) ([]domain.ValueError, error)
	// Send completes the form and returns the path of the next page. After a PRECONDITION_FAILED error the input
	// is merged with the current version and sent again. The form shows errors of KindInvalid and KindConflict.
	Send(ctx context.Context, sent SentDraft) (string, error)
}

// SentDraft contains the values that were entered in a Draft.
type SentDraft struct {
	// ID is the id of the page: a form that is sent twice has one.
	ID uuid.UUID
	// Version is the version of the Document that Patch changes.
	Version string
	// Value is the whole value, Patch its difference from the value of the Document.
	Value json.RawMessage
	Patch []jsondoc.Operation
}
