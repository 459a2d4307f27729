package queues

import (
	"errors"
	"slices"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/domain/shell"
	"github.com/procession-dev/procession/internal/codegen"
)

// starter is a worker to begin with, in a language.
type starter struct {
	Language codegen.Language
	Files    []codegen.File
	// Command writes the same, "" for a worker of no definition.
	Command shell.Line
}

// starterOf returns a worker for the process definition that needs the queue, in a language or the first one where it is
// not known. A queue that no process definition needs has a worker for an example.
func (s *Screens) starterOf(v *web.Visit, q *administration.TaskQueue, language codegen.Language) (starter, error) {
	if !slices.Contains(codegen.Languages(), language) {
		language = codegen.Languages()[0]
	}
	made := starter{Language: language}
	at := slices.IndexFunc(q.Needs, func(n domain.TaskQueueNeed) bool { return n.Kind == domain.NeedProcess && n.Published })
	if at >= 0 {
		key := resource.Key{Tenant: q.TenantCode, Kind: resource.KindProcessDefinition, Code: q.Needs[at].Definition}
		stored, err := s.Administration.RetrieveResource(v.Context(), v.Call, key)
		if err != nil {
			return starter{}, err
		}
		made.Files, err = codegen.NewWorker(language, []resource.Document{stored.Document}, codegen.Surroundings{Manifest: "definition.yaml"})
		if err == nil {
			made.Command = shell.Pipe(
				shell.Command("procession", "get", "process", key.Code, "--tenant", key.Tenant, "-o", "yaml"),
				shell.Command("procession", "init", "worker", "worker", "-f", "-", "--language", string(language)))
			return made, nil
		}
		if !errors.Is(err, codegen.ErrNoTasks) && !errors.Is(err, codegen.ErrNoWorkflow) {
			return starter{}, err
		}
	}
	var err error
	made.Files, err = codegen.NewWorker(language, []resource.Document{exampleManifest(q)}, codegen.Surroundings{Manifest: "definition.yaml"})
	return made, err
}

// exampleManifest returns a definition that needs the queue and has one task.
func exampleManifest(q *administration.TaskQueue) resource.Document {
	workflow := "ExampleWorkflow"
	if len(q.Needs) > 0 {
		workflow = q.Needs[0].WorkflowType
	}
	return resource.Document{
		Kind: resource.KindProcessDefinition, Metadata: resource.Metadata{Code: "EXAMPLE", Tenant: q.TenantCode},
		Spec: &resource.ProcessDefinitionSpec{
			Name:   "Example",
			Engine: &resource.EngineSpec{WorkflowType: workflow, TaskQueue: q.Name, Runner: "worker"},
			Items:  []resource.ItemSpec{{Code: "MY_TASK", Type: domain.ItemTask, Name: "A task of your definition"}},
		},
	}
}
