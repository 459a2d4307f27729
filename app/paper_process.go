package app

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/form/pdf"
	"github.com/procession-dev/procession/form/pdfworker"
)

// maxPrintedTasks bounds the tasks on the document of a process.
const maxPrintedTasks = 200

// PrintProcess renders a process visible to the caller as a PDF: facts about it, its values, and the first tasks visible to
// the caller. The errors are the errors of PrintTask.
func (s *Service) PrintProcess(ctx context.Context, call domain.Call, id uuid.UUID, reader PaperReader) (*Download, error) {
	return s.renderPaper(ctx, call, func(ctx context.Context) (paper, error) {
		var tasks domain.Page[domain.ProcessPart]
		found, err := s.RetrieveProcessView(ctx, call, id, s.AddParts(PartFilter{Types: []domain.ItemType{domain.ItemTask}},
			domain.PageRequest{Size: maxPrintedTasks}, []domain.SortKey{{Property: "createdAt"}}, &tasks))
		if err != nil {
			return paper{}, err
		}
		whole, spec, labels := &found.Whole, &found.Definition.Spec, reader.labels()
		job := reader.newJob(found.DefinitionName, &whole.Audit)
		job.Subject = whole.Subject
		if len(spec.I18n) > 0 {
			job.I18n = []json.RawMessage{spec.I18n}
		}
		job.Sections = []pdfworker.Section{processFacts(labels, found)}
		job.Sections = addSection(job.Sections, labels.Fact("Metadata"), spec.MetadataSchema, spec.MetadataUISchema, whole.Metadata)
		job.Sections = addSection(job.Sections, labels.Fact("Entity"), spec.EntitySchema, spec.EntityUISchema, whole.Entity)
		if job.Sections, err = addElements(job.Sections, labels.Fact("Elements"), spec.Elements, whole.Elements); err != nil {
			return paper{}, err
		}
		if len(tasks.Items) > 0 {
			job.Sections = append(job.Sections, taskTable(labels, reader, tasks.Items))
		}
		return paper{
			job: job,
			find: func(ctx context.Context, document uuid.UUID) (*domain.Document, error) {
				return s.store.Reader.GetDocumentOfProcess(ctx, call.Caller, id, document, s.now())
			},
			event: func() domain.Event {
				return domain.ProcessEvent(domain.EventProcessExported, whole, call.PrincipalID, s.now())
			},
		}, nil
	})
}

func processFacts(labels pdf.Labels, found *ProcessView) pdfworker.Section {
	f := facts{labels: labels}
	f.addText("State", labels.Fact(englishWord(string(found.Whole.State))))
	f.addText("Started by", found.InitiatorName)
	f.addTime("Started", &found.Whole.CreatedAt)
	f.addTime("Due", found.Whole.DueAt)
	return f.section()
}

// taskTable returns the tasks of a process as a table.
func taskTable(labels pdf.Labels, reader PaperReader, tasks []domain.ProcessPart) pdfworker.Section {
	rows := make([]string, len(tasks))
	for i, task := range tasks {
		rows[i] = fmt.Sprintf(`{"task":%s,"state":%s,"owner":%s,"created":%q}`, jsontext.Quote(task.Name.For(reader.Texts).Text),
			jsontext.Quote(labels.Fact(englishWord(string(task.State)))), jsontext.Quote(task.OwnerName), task.CreatedAt.UTC().Format("2006-01-02"))
	}
	column := func(name, label, format string) string {
		return fmt.Sprintf(`%q:{"type":"string","title":%s,"format":%q}`, name, jsontext.Quote(labels.Fact(label)), format)
	}
	return pdfworker.Section{
		Schema: json.RawMessage(fmt.Sprintf(
			`{"type":"object","properties":{"tasks":{"type":"array","title":%s,"items":{"type":"object","properties":{%s,%s,%s,%s}}}}}`,
			jsontext.Quote(labels.Fact("Tasks")), column("task", "Task", ""), column("state", "State", ""),
			column("owner", "Owner", ""), column("created", "Created", "date"))),
		Value: json.RawMessage(`{"tasks":[` + strings.Join(rows, ",") + `]}`),
	}
}
