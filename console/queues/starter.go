package queues

import (
	"cmp"
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

// starterOf returns a worker in a language, or the first one where it is not known. It creates the tasks of the definition that needs
// the queue, for its processes or else for an action. Without such a definition it creates an example task.
func (s *Screens) starterOf(v *web.Visit, q *administration.TaskQueue, language codegen.Language) (starter, error) {
	if !slices.Contains(codegen.Languages(), language) {
		language = codegen.Languages()[0]
	}
	made := starter{Language: language}
	need := chooseNeed(q.Needs)
	if need.Kind == domain.NeedProcess || need.Kind == domain.NeedUserAction {
		key := resource.Key{Tenant: q.TenantCode, Kind: resource.KindProcessDefinition, Code: need.Definition}
		stored, err := s.Administration.RetrieveResource(v.Context(), v.Call, key)
		if err != nil {
			return starter{}, err
		}
		made.Files, err = codegen.NewWorker(language, []resource.Document{serveNeed(stored.Document, q.Name, need)}, codegen.Surroundings{Manifest: "definition.yaml"})
		if err == nil {
			if need.Kind == domain.NeedProcess {
				made.Command = shell.Pipe(
					shell.Command("procession", "get", "process", key.Code, "--tenant", key.Tenant, "-o", "yaml"),
					shell.Command("procession", "init", "worker", "worker", "-f", "-", "--language", string(language)))
			}
			return made, nil
		}
		if !errors.Is(err, codegen.ErrNoTasks) && !errors.Is(err, codegen.ErrNoWorkflow) {
			return starter{}, err
		}
	}
	var err error
	made.Files, err = codegen.NewWorker(language, []resource.Document{exampleManifest(q, need)}, codegen.Surroundings{Manifest: "definition.yaml"})
	return made, err
}

// chooseNeed returns the need that an example worker meets: a process before an action, a published definition before versions of
// running processes. It is empty without a need.
func chooseNeed(needs []domain.TaskQueueNeed) (chosen domain.TaskQueueNeed) {
	for _, published := range []bool{true, false} {
		for _, kind := range []domain.TaskQueueNeedKind{
			domain.NeedProcess, domain.NeedUserAction, domain.NeedArtifactAction, domain.NeedRobot,
		} {
			for _, n := range needs {
				if n.Kind == kind && n.Published == published {
					return n
				}
			}
		}
	}
	return domain.TaskQueueNeed{}
}

// serveNeed returns the definition with the queue and workflow type of a need.
func serveNeed(document resource.Document, queue string, need domain.TaskQueueNeed) resource.Document {
	spec, ok := document.Spec.(*resource.ProcessDefinitionSpec)
	if !ok {
		return document
	}
	served := *spec
	engine := resource.EngineSpec{Runner: "worker"}
	if spec.Engine != nil {
		engine = *spec.Engine
	}
	for i := range spec.UserActions {
		if action := &spec.UserActions[i]; action.Code == need.Action && action.Runner != "" {
			engine.Runner = action.Runner
		}
	}
	engine.TaskQueue, engine.WorkflowType = queue, need.WorkflowType
	served.Engine = &engine
	document.Spec = &served
	return document
}

// exampleManifest returns a definition that needs the queue and has one task.
func exampleManifest(q *administration.TaskQueue, need domain.TaskQueueNeed) resource.Document {
	code := cmp.Or(need.Definition, "EXAMPLE")
	return resource.Document{
		Kind: resource.KindProcessDefinition, Metadata: resource.Metadata{Code: code, Tenant: q.TenantCode},
		Spec: &resource.ProcessDefinitionSpec{
			Name:   code,
			Engine: &resource.EngineSpec{WorkflowType: cmp.Or(need.WorkflowType, "ExampleWorkflow"), TaskQueue: q.Name, Runner: "worker"},
			Items:  []resource.ItemSpec{{Code: "MY_TASK", Type: domain.ItemTask, Name: "A task of your definition"}},
		},
	}
}
