package queues

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"text/template"

	"github.com/procession-dev/procession/domain"
)

//go:embed starters
var starterFiles embed.FS

// language is one that a starter is written in.
type language struct{ Code, Name, Install string }

func languages() []language {
	return []language{
		{"go", "Go", "go get github.com/procession-dev/procession/sdk go.temporal.io/sdk"},
		{"python", "Python", "pip install temporalio httpx"},
		{"typescript", "TypeScript", "npm install @temporalio/worker @temporalio/workflow tsx"},
		{"java", "Java", "io.temporal:temporal-sdk, com.fasterxml.jackson.core:jackson-databind"},
	}
}

// starter is a program that serves a task queue, to begin with.
type starter struct {
	language
	Program string
}

// starterOf returns the starter in a language, the first one where it is not known.
func starterOf(code string, q *domain.TaskQueue) (starter, error) {
	at := max(0, slices.IndexFunc(languages(), func(l language) bool { return l.Code == code }))
	chosen := languages()[at]
	text, err := template.New(chosen.Code).Funcs(template.FuncMap{"quoted": quoted}).ParseFS(starterFiles, "starters/"+chosen.Code+".txt")
	if err != nil {
		return starter{}, fmt.Errorf("reading the starter in %s: %w", chosen.Name, err)
	}
	workflow := "ExampleWorkflow"
	if len(q.Needs) > 0 {
		workflow = q.Needs[0].WorkflowType
	}
	var program bytes.Buffer
	if err := text.ExecuteTemplate(&program, chosen.Code+".txt", map[string]string{"Queue": q.Name, "Workflow": workflow}); err != nil {
		return starter{}, fmt.Errorf("writing the starter in %s: %w", chosen.Name, err)
	}
	return starter{chosen, program.String()}, nil
}

// quoted returns a text as a literal, which is the same in all languages.
func quoted(text string) (string, error) {
	literal, err := json.Marshal(text)
	return string(literal), err
}
