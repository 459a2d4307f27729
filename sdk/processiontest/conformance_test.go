package processiontest_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/sdk/processiontest"
	"github.com/procession-dev/procession/sdk/processiontest/conformance"
)

// inMemory returns the service in memory with the definitions of the scripts.
func inMemory(t *testing.T, workflow string) conformance.Service {
	t.Helper()
	target := conformance.Service{
		Client:        &http.Client{},
		Authorization: map[string]string{"worker": "Basic worker"}, Names: map[string]uuid.UUID{"worker": {}},
	}
	options := processiontest.Options{
		Register: conformance.Register, Workflow: workflow, Principals: map[string]uuid.UUID{}, Emails: map[string]uuid.UUID{},
	}
	if workflow != "" {
		options.UserActions = map[string]string{"PRINT": "PrintWorkflow"}
		options.Robots = map[string]processiontest.Robot{"FILL": {Workflow: "FillWorkflow", Operation: "COUNT"}}
	}
	for _, name := range []string{"alice", "bob"} {
		id := uuid.New()
		target.Authorization[name], target.Names[name] = "Bearer "+name, id
		options.Principals[name], options.Emails[name+"@demo.example"] = id, id
	}
	options.Managers = []uuid.UUID{target.Names["alice"]}
	target.URL = processiontest.New(t, options).URL
	return target
}

// The service in memory answers workers as the real one does, on which the same scripts run.
func TestServiceInMemoryAnswersAsTheRealOne(t *testing.T) {
	t.Parallel()
	conformance.Run(t, "requests", inMemory(t, ""))
}

func TestWorkflowsInMemoryGoAsOnTheRealService(t *testing.T) {
	t.Parallel()
	conformance.Run(t, "workflows", inMemory(t, "ConformanceWorkflow"))
}
