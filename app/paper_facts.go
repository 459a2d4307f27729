package app

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/form/pdf"
	"github.com/procession-dev/procession/form/pdfworker"
)

// facts are labelled texts and times at the beginning of a document.
type facts struct {
	labels pdf.Labels
	// properties and values are the members of the schema and of the value.
	properties, values []string
}

// addText adds a text unless it is "".
func (f *facts) addText(label, text string) {
	if text != "" {
		f.add(label, text, "")
	}
}

// addTime adds a time, unless it is nil.
func (f *facts) addTime(label string, t *time.Time) {
	if t != nil {
		f.add(label, t.UTC().Format(time.RFC3339), "date-time")
	}
}

func (f *facts) add(label, value, format string) {
	member := string(jsontext.Quote(label)) + ":"
	f.properties = append(f.properties, fmt.Sprintf(`%s{"type":"string","title":%s,"format":%s}`,
		member, jsontext.Quote(f.labels.Fact(label)), jsontext.Quote(format)))
	f.values = append(f.values, member+string(jsontext.Quote(value)))
}

func (f *facts) section() pdfworker.Section {
	return pdfworker.Section{
		Schema: json.RawMessage(`{"type":"object","properties":{` + strings.Join(f.properties, ",") + `}}`),
		Value:  json.RawMessage("{" + strings.Join(f.values, ",") + "}"),
	}
}

func (f *facts) addPlan(p *domain.TaskPlan) {
	f.addTime("Due", p.DueAt)
	f.addTime("Follow-up", p.FollowUpAt)
	if p.Priority.Rank() != domain.PriorityNormal.Rank() {
		f.addText("Priority", f.labels.Fact(englishWord(string(p.Priority))))
	}
}

func planFacts(labels pdf.Labels, p *domain.TaskPlan) pdfworker.Section {
	f := facts{labels: labels}
	f.addPlan(p)
	return f.section()
}

func taskFacts(labels pdf.Labels, task *domain.OpenedTask) pdfworker.Section {
	f := facts{labels: labels}
	f.addText("State", labels.Fact(englishWord(string(task.State))))
	f.addText("Owner", task.OwnerName)
	f.addText("Started by", task.InitiatorName)
	f.addTime("Created", &task.CreatedAt)
	f.addPlan(&task.Item.Task.Plan)
	f.addTime("Completed", task.Item.Task.CompletedAt)
	f.addText("Completed by", task.SubstituteName)
	return f.section()
}

// englishWord returns the English word for a state or a priority.
func englishWord(code string) string { return code[:1] + strings.ToLower(code[1:]) }
