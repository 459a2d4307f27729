package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/form"
	"github.com/procession-dev/procession/form/pdf"
	"github.com/procession-dev/procession/form/pdfworker"
	"github.com/procession-dev/procession/internal/sandbox"
	"github.com/procession-dev/procession/persistence"
)

// DownloadTaskForms (B33) renders the form at a JSON Pointer into the data of a
// task visible to the caller: as a PDF or, for several forms, as a ZIP of PDFs,
// in the language and time zone of the caller's profile. Without one the header
// Accept-Language determines the language, and times keep their zones.
// Errors: FEATURE_DISABLED where the operator does not offer it, NOT_FOUND
// where there is no form value, INVALID_STATE for an item that is no task and
// for a value that is too large to render.
func (s *Service) DownloadTaskForms(
	ctx context.Context, call domain.Call, id uuid.UUID, pointer, language string,
) (*Download, error) {
	return s.printTask(ctx, call, id, language, func(found *persistence.TaskForms, d *definition) (pdfworker.Job, error) {
		item, ok := d.items[found.Item.DefinitionCode()]
		if !ok || found.Item.Task.Data == nil {
			return pdfworker.Job{}, domain.NotFound("form")
		}
		return pdfworker.Job{
			Title: d.ItemName(item.ItemDefinition).For(pdf.ReaderOf(found.Profile.Locale, language)).Text, Subject: subjectOf(found, d, item, pointer != "", language),
			Schema: item.Spec.DataSchema, I18n: d.translationsOf(item),
			UISchema: item.Spec.UISchema, Values: []json.RawMessage{found.Item.Task.Data.Value}, Pointer: &pointer,
		}, nil
	})
}

// DownloadTaskElementForms (A27) is DownloadTaskForms for the values of a form element. Additional errors:
// DEFINITION_NOT_FOUND for an unknown code, VALIDATION for an element of another type.
func (s *Service) DownloadTaskElementForms(
	ctx context.Context, call domain.Call, id uuid.UUID, code, language string,
) (*Download, error) {
	return s.printTask(ctx, call, id, language, func(found *persistence.TaskForms, d *definition) (pdfworker.Job, error) {
		item, ok := d.items[found.Item.DefinitionCode()]
		if !ok {
			return pdfworker.Job{}, unknownElement(domain.FieldElement, "")
		}
		element, ok := item.elements[code]
		switch {
		case !ok:
			return pdfworker.Job{}, unknownElement(domain.FieldElement, "")
		case element.Type != domain.ElementForm:
			return pdfworker.Job{}, domain.InvalidField(domain.FieldElement, "is not an element for forms")
		}
		texts := d.ItemTexts(item.ItemDefinition, pdf.ReaderOf(found.Profile.Locale, language))
		job := pdfworker.Job{
			Title: texts.Find(cmp.Or(element.Name, code), code+translation.SuffixLabel).Text, Schema: element.Schema,
			Subject: subjectOf(found, d, item, true, language), I18n: d.translationsOf(item), Within: []string{code},
		}
		for _, value := range found.Item.Task.Elements[code] {
			if value.Value != nil {
				job.Values = append(job.Values, value.Value)
			}
		}
		if len(job.Values) == 0 {
			return pdfworker.Job{}, domain.NotFound("form")
		}
		return job, nil
	})
}

// subjectOf returns the subject of a form: the process and, when the form is
// only a part of the task, the task. Names are in the best language for a header Accept-Language.
func subjectOf(found *persistence.TaskForms, d *definition, item *itemDefinition, part bool, language string) string {
	reader := pdf.ReaderOf(found.Profile.Locale, language)
	subject := d.TranslatedName().For(reader).Text
	if found.Subject != "" && found.Subject != d.Name {
		subject += ": " + found.Subject
	}
	if part {
		subject = d.ItemName(item.ItemDefinition).For(reader).Text + " · " + subject
	}
	return subject
}

// translationsOf returns the translations of an item and of its process.
func (d *definition) translationsOf(item *itemDefinition) []json.RawMessage {
	var all []json.RawMessage
	for _, source := range []json.RawMessage{item.Spec.I18n, d.Spec.I18n} {
		if len(source) > 0 {
			all = append(all, source)
		}
	}
	return all
}

// printTask renders the chosen forms of a task as a document.
func (s *Service) printTask(
	ctx context.Context, call domain.Call, id uuid.UUID, language string,
	choose func(*persistence.TaskForms, *definition) (pdfworker.Job, error),
) (*Download, error) {
	return s.renderPaper(ctx, call, func(ctx context.Context) (paper, error) {
		found, job, err := s.formsOf(ctx, call, id, choose)
		if err != nil {
			return paper{}, err
		}
		job.Language, job.Locale, job.Zone = language, found.Profile.Locale, found.Profile.TimeZone
		if !found.Item.Task.Plan.IsDefault() {
			job.Sections = []pdfworker.Section{planFacts(pdf.LabelsFor("", job.Locale, language), &found.Item.Task.Plan)}
		}
		return s.paperOfTask(call, found.Item, job), nil
	})
}

// formsOf reads the forms of a task to render.
func (s *Service) formsOf(
	ctx context.Context, call domain.Call, id uuid.UUID,
	choose func(*persistence.TaskForms, *definition) (pdfworker.Job, error),
) (found *persistence.TaskForms, job pdfworker.Job, err error) {
	err = s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		var err error
		if found, err = tx.GetTaskForms(ctx, call.Caller, id); err != nil {
			return nil, err
		}
		if err := found.Item.RequireTask(); err != nil {
			return nil, err
		}
		d, err := s.definitions.get(ctx, tx, found.ProcessVersion)
		if err != nil {
			return nil, err
		}
		job, err = choose(found, d)
		job.Created = found.Item.LastModifiedAt
		return nil, err
	})
	return found, job, err
}

// printError returns the error for a form that could not be rendered.
func printError(ctx context.Context, err error) error {
	var limit *form.LimitError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, form.ErrNoForm):
		return domain.NotFound("form")
	case errors.As(err, &limit):
		return domain.Conflict(domain.CodeInvalidState, limit.Error())
	case errors.Is(err, pdfworker.ErrBusy):
		return domain.Unavailable(pdfworker.ErrBusy.Error(), err)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, pdfworker.ErrTime), errors.Is(err, sandbox.ErrLost):
		return domain.Unavailable(pdfworker.ErrTime.Error(), err)
	}
	return fmt.Errorf("rendering a form: %w", err)
}

// sheets are a PDF or a ZIP to be read.
type sheets struct{ *bytes.Reader }

// Close implements io.Closer.
func (sheets) Close() error { return nil }
