package app

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/form"
	"github.com/procession-dev/procession/form/pdf"
	"github.com/procession-dev/procession/form/pdfworker"
)

// PaperReader configures a document for a person.
type PaperReader struct {
	// Texts reads the texts of definitions.
	Texts *translation.Reader
	// Locale is the language of labels, dates and numbers (BCP 47), Zone the time zone (IANA).
	Locale, Zone string
}

// PaperReaderOf configures documents for a header Accept-Language (RFC 9110), with times in UTC.
func PaperReaderOf(language string) PaperReader {
	return PaperReader{Texts: pdf.ReaderOf(language), Locale: language, Zone: "UTC"}
}

func (r PaperReader) labels() pdf.Labels { return pdf.LabelsFor(r.Zone, r.Locale) }

// paper is a document to render.
type paper struct {
	job pdfworker.Job
	// find returns a document that an image is taken from.
	find func(ctx context.Context, id uuid.UUID) (*domain.Document, error)
	// event returns the event of the download.
	event func() domain.Event
}

func (s *Service) paperOfTask(call domain.Call, item *domain.ProcessItem, job pdfworker.Job) paper {
	return paper{
		job: job,
		find: func(ctx context.Context, id uuid.UUID) (*domain.Document, error) {
			return s.store.Reader.GetDocumentOfTask(ctx, call.Caller, item.ID, id, s.now())
		},
		event: func() domain.Event {
			return domain.ItemEvent(domain.EventItemTaskFormDownloaded, item, call.PrincipalID, s.now())
		},
	}
}

// PrintsForms reports whether forms are available as documents.
func (s *Service) PrintsForms() bool { return s.forms != nil }

// PrintTask renders a task visible to the caller as a PDF: facts about it, its context data, its form and its elements.
// Errors: FEATURE_DISABLED, NOT_FOUND, INVALID_STATE for values that are too large to render.
func (s *Service) PrintTask(ctx context.Context, call domain.Call, id uuid.UUID, reader PaperReader) (*Download, error) {
	return s.renderPaper(ctx, call, func(ctx context.Context) (paper, error) {
		task, err := s.store.Reader.OpenTask(ctx, call.Caller, id)
		if err != nil {
			return paper{}, err
		}
		d, err := s.definitions.get(ctx, s.store.Reader, task.ProcessVersion)
		if err != nil {
			return paper{}, err
		}
		item, ok := d.items[task.Item.DefinitionCode()]
		if !ok {
			return paper{}, domain.NotFound("form")
		}
		job := reader.newJob(task.Name, &task.Item.Audit)
		job.Subject, job.I18n = task.ProcessName.For(reader.Texts).Text, d.translationsOf(item)
		if task.Subject != "" && task.Subject != job.Subject {
			job.Subject += ": " + task.Subject
		}
		labels := reader.labels()
		job.Sections = []pdfworker.Section{taskFacts(labels, task)}
		job.Sections = addSection(job.Sections, labels.Fact("Context"), item.Spec.ContextDataSchema, nil, task.Item.Task.ContextData)
		job.Sections = addSection(job.Sections, labels.Fact("Form"), item.Spec.DataSchema, item.Spec.UISchema, task.Item.Task.Data)
		job.Sections, err = addElements(job.Sections, labels.Fact("Elements"), item.Spec.Elements, task.Item.Task.Elements)
		return s.paperOfTask(call, task.Item, job), err
	})
}

// newJob returns a job with the title and the languages of the reader. It is dated by the last change, so that repeated
// downloads are equal.
func (r PaperReader) newJob(title translation.Name, changed *domain.Audit) pdfworker.Job {
	return pdfworker.Job{
		Title: title.For(r.Texts).Text, Created: changed.LastModifiedAt, Locale: r.Locale, Zone: r.Zone,
	}
}

// addSection adds a value, unless it is missing.
func addSection(sections []pdfworker.Section, title string, schema, uiSchema []byte, value *domain.JSONValue) []pdfworker.Section {
	if value == nil || value.Value == nil {
		return sections
	}
	return append(sections, pdfworker.Section{Title: title, Schema: schema, UISchema: uiSchema, Value: value.Value})
}

// addElements adds the elements of Shape A, unless they have no values.
func addElements(
	sections []pdfworker.Section, title string, elements []domain.ElementDefinition, values domain.ElementValues,
) ([]pdfworker.Section, error) {
	if len(elements) == 0 || len(values) == 0 {
		return sections, nil
	}
	in, err := form.ElementsInput(elements, values)
	return append(sections, pdfworker.Section{Title: title, Schema: in.Schema, Value: in.Value}), err
}

// renderPaper renders a document. The documents of one caller are rendered one at a time, before any read.
func (s *Service) renderPaper(ctx context.Context, call domain.Call, prepare func(context.Context) (paper, error)) (*Download, error) {
	if s.forms == nil {
		return nil, domain.Conflict(domain.CodeFeatureDisabled, "forms as documents are not available")
	}
	limited, cancel := context.WithTimeout(ctx, pdfworker.DefaultTime)
	defer cancel()
	end, err := s.forms.Acquire(limited, call.PrincipalID.String())
	if err != nil {
		return nil, printError(ctx, err)
	}
	defer end()
	p, err := prepare(limited)
	if err != nil {
		return nil, err
	}
	result, err := s.forms.Render(limited, p.job, func(ctx context.Context, file kuflowref.File) (io.ReadCloser, error) {
		at, ok := file.Document()
		if !ok {
			return nil, domain.NotFound("document")
		}
		d, err := p.find(ctx, at.DocumentID)
		if err != nil {
			return nil, err
		}
		opened, err := s.openDownload(ctx, call, d)
		if err != nil {
			return nil, err
		}
		return opened.Content, nil
	})
	if err != nil {
		return nil, printError(ctx, err)
	}
	return &Download{
		Document: domain.Document{
			Name: blobstore.FileName(result.Name), ContentType: result.ContentType, Size: int64(len(result.Content)),
			SHA256: sha256.Sum256(result.Content),
		},
		Content: sheets{bytes.NewReader(result.Content)},
		deliver: func(ctx context.Context) error { return s.recordEvent(ctx, call, p.event()) },
	}, nil
}
