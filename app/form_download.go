package app

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/document"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/reference"
	"github.com/procession-dev/procession/form"
	"github.com/procession-dev/procession/persistence"
)

const (
	// pressesAtOnce is how many requests are put on paper at the same time: each
	// takes a processor.
	pressesAtOnce = 4
	// pressTime bounds one of them, waiting for its turn included.
	pressTime = 30 * time.Second
	// maxForms is how many forms one ZIP holds, maxPaper how large a PDF or a ZIP
	// may be, in bytes.
	maxForms = 500
	maxPaper = 64 << 20
)

// press puts forms on paper, a few at a time.
type press struct {
	renderer *form.Renderer
	turns    chan struct{}
}

func newPress(r *form.Renderer) *press {
	if r == nil {
		return nil
	}
	return &press{renderer: r, turns: make(chan struct{}, pressesAtOnce)}
}

// DownloadTaskForms (B33) puts the form at a JSON Pointer into the data of a task
// that the caller sees on paper: a PDF or, where there are several forms, a ZIP of
// PDFs. Errors: FEATURE_DISABLED where the operator does not offer it, NOT_FOUND
// where there is no form value, INVALID_STATE for an item that is no task and for
// a value that is too much to be put on paper.
func (s *Service) DownloadTaskForms(
	ctx context.Context, caller domain.Caller, id uuid.UUID, pointer string,
) (*Download, error) {
	return s.printTask(ctx, caller, id, func(found *persistence.TaskForms, d *definition) ([]form.Input, error) {
		item, ok := d.items[found.Item.DefinitionCode()]
		if !ok || found.Item.Task.Data == nil {
			return nil, domain.NotFound("form")
		}
		inputs, _, err := form.Select(ctx, form.Input{
			Title: item.Name, Subject: subjectOf(found, d, item, pointer != ""), Schema: item.Spec.DataSchema,
			UISchema: item.Spec.UISchema, Value: found.Item.Task.Data.Value,
		}, pointer, maxForms)
		if errors.Is(err, form.ErrNoForm) {
			return nil, domain.NotFound("form")
		}
		return inputs, err
	})
}

// DownloadTaskElementForms (A27) is DownloadTaskForms for the values of a form
// element. Errors beside those: DEFINITION_NOT_FOUND for a code that is that of no
// element, VALIDATION for an element that is no form.
func (s *Service) DownloadTaskElementForms(
	ctx context.Context, caller domain.Caller, id uuid.UUID, code string,
) (*Download, error) {
	return s.printTask(ctx, caller, id, func(found *persistence.TaskForms, d *definition) ([]form.Input, error) {
		item, ok := d.items[found.Item.DefinitionCode()]
		if !ok {
			return nil, unknownElement(domain.LocationQuery, "elementDefinitionCode")
		}
		element, ok := item.elements[code]
		switch {
		case !ok:
			return nil, unknownElement(domain.LocationQuery, "elementDefinitionCode")
		case element.Type != domain.ElementForm:
			return nil, domain.Invalid(domain.LocationQuery, "elementDefinitionCode", "is not an element for forms")
		}
		title := element.Name
		if title == "" {
			title = code
		}
		var inputs []form.Input
		for _, value := range found.Item.Task.Elements[code] {
			if value.Value != nil {
				inputs = append(inputs, form.Input{
					Title: title, Subject: subjectOf(found, d, item, true), Schema: element.Schema, Value: value.Value,
				})
			}
		}
		if len(inputs) == 0 {
			return nil, domain.NotFound("form")
		}
		return inputs, nil
	})
}

// subjectOf says what a form is filled in for: the process and, when the form is
// only a part of the task, the task.
func subjectOf(found *persistence.TaskForms, d *definition, item *itemDefinition, part bool) string {
	subject := d.Name
	if found.Subject != "" && found.Subject != d.Name {
		subject += ": " + found.Subject
	}
	if part {
		subject = item.Name + " · " + subject
	}
	return subject
}

// printTask puts what inputs chooses of a task on paper. It is dated by the last
// change of the task, so that it is the same until the next one.
func (s *Service) printTask(
	ctx context.Context, caller domain.Caller, id uuid.UUID,
	inputs func(*persistence.TaskForms, *definition) ([]form.Input, error),
) (*Download, error) {
	if s.forms == nil {
		return nil, domain.Conflict(domain.CodeFeatureDisabled, "forms as documents are not available")
	}
	var found *persistence.TaskForms
	var forms []form.Input
	err := s.write(ctx, func(tx *persistence.Tx) error {
		var err error
		if found, err = tx.GetTaskForms(ctx, caller, id); err != nil {
			return err
		}
		if err := found.Item.RequireTask(); err != nil {
			return err
		}
		d, err := s.definitions.get(ctx, tx, found.ProcessVersion)
		if err != nil {
			return err
		}
		forms, err = inputs(found, d)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(forms) > maxForms {
		return nil, tooMuchPaper(&form.LimitError{What: "forms", Max: maxForms})
	}
	made, err := s.forms.print(ctx, forms, form.Options{
		Created: found.Item.LastModifiedAt,
		Open: func(ctx context.Context, file reference.File) (io.ReadCloser, error) {
			at, ok := file.Document()
			if !ok {
				return nil, domain.NotFound("document")
			}
			d, err := s.reader.GetDocumentOfTask(ctx, caller, id, at.DocumentID, s.now())
			if err != nil {
				return nil, err
			}
			opened, err := s.open(ctx, caller, d)
			if err != nil {
				return nil, err
			}
			return opened.Content, nil
		},
	})
	if err != nil {
		return nil, err
	}
	made.service = s
	made.event = func(now time.Time) domain.Event {
		return domain.ItemEvent(domain.EventItemTaskFormDownloaded, found.Item, caller.PrincipalID, now)
	}
	return made, nil
}

func tooMuchPaper(limit *form.LimitError) error {
	return domain.Conflict(domain.CodeInvalidState, limit.Error())
}

// print makes one PDF of one form, and a ZIP of several.
func (p *press) print(ctx context.Context, inputs []form.Input, o form.Options) (*Download, error) {
	ctx, cancel := context.WithTimeout(ctx, pressTime)
	defer cancel()
	select {
	case p.turns <- struct{}{}:
	case <-ctx.Done():
		return nil, pressBusy(ctx.Err())
	}
	defer func() { <-p.turns }()
	paper := &paper{}
	made := &Download{Document: domain.Document{Name: form.Filenames(inputs[:1])[0], ContentType: form.ContentType}}
	var err error
	if len(inputs) == 1 {
		err = p.renderer.RenderInput(ctx, paper, inputs[0], o)
	} else {
		made.Name, made.ContentType = strings.TrimSuffix(made.Name, ".pdf")+".zip", form.ArchiveType
		err = p.renderer.RenderAll(ctx, paper, inputs, o)
	}
	var limit *form.LimitError
	switch {
	case errors.As(err, &limit):
		return nil, tooMuchPaper(limit)
	case errors.Is(err, context.DeadlineExceeded):
		return nil, pressBusy(err)
	case err != nil:
		return nil, fmt.Errorf("putting a form on paper: %w", err)
	}
	content := paper.Bytes()
	made.Name, made.Size, made.SHA256 = document.FileName(made.Name), int64(len(content)), sha256.Sum256(content)
	made.Content = sheets{bytes.NewReader(content)}
	return made, nil
}

// pressBusy says that a form could not be put on paper in time.
func pressBusy(cause error) error {
	return &domain.Error{
		Kind: domain.KindUnavailable, Code: domain.CodeUnavailable, Message: "the form could not be put on paper in time",
		Cause: cause,
	}
}

// paper is what is written of a PDF or a ZIP, up to maxPaper bytes.
type paper struct{ bytes.Buffer }

// Write adds to the paper. It returns a *form.LimitError when there is too much.
func (p *paper) Write(data []byte) (int, error) {
	if p.Len()+len(data) > maxPaper {
		return 0, &form.LimitError{What: "bytes", Max: maxPaper}
	}
	return p.Buffer.Write(data)
}

// sheets are a PDF or a ZIP to be read.
type sheets struct{ *bytes.Reader }

// Close does nothing.
func (sheets) Close() error { return nil }
