package queues

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/console/assets"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/internal/codegen"
)

// A queue whose state is not known has neither a check nor a warning.
func TestQueueState(t *testing.T) {
	t.Parallel()
	observed := &domain.TaskQueueObservation{ObservedAt: time.Now()}
	for name, c := range map[string]struct {
		queue administration.TaskQueue
		class string
		text  string
	}{
		"healthy": {administration.TaskQueue{Current: true}, "text-green", "nothing waits"},
		"problem": {administration.TaskQueue{Current: true, Problems: []string{"no live worker"}}, "text-yellow", "nothing waits"},
		"problem without news": {
			administration.TaskQueue{Problems: []string{"no live worker"}}, "text-yellow", "not known",
		},
		"without news": {administration.TaskQueue{Unknown: true, Problems: []string{"not observed"}}, "text-secondary", "not known"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.queue.Observed = observed
			var out strings.Builder
			require.NoError(t, queueRow(listView{}, &c.queue).Render(ui.WithViewer(t.Context(), &ui.Viewer{Language: language.English, Zone: time.UTC, Assets: &assets.Set{}}), &out))
			require.Contains(t, out.String(), `queue-state `+c.class)
			require.Contains(t, out.String(), c.text)
			require.Equal(t, c.queue.Current, strings.Contains(out.String(), "0 poll"), "pollers of an old observation are not shown")
		})
	}
}

// The worker of a queue names the definition and the workflow that need it, whatever they need it for.
func TestExampleWorkersServeTheirQueue(t *testing.T) {
	t.Parallel()
	definition := resource.Document{
		Kind: resource.KindProcessDefinition, Metadata: resource.Metadata{Code: "DAMAGE", Tenant: "demo"},
		Spec: &resource.ProcessDefinitionSpec{
			Name: "Damage", Engine: &resource.EngineSpec{WorkflowType: "DamageWorkflow", TaskQueue: "QUEUE_MAIN", Runner: "main-worker"},
			Items:       []resource.ItemSpec{{Code: "ASSESS", Type: domain.ItemTask, Name: "Assess"}},
			UserActions: []resource.UserActionSpec{{UserAction: domain.UserAction{Code: "CALL"}, Runner: "action-worker"}},
		},
	}
	for _, kind := range []domain.TaskQueueNeedKind{domain.NeedProcess, domain.NeedUserAction, domain.NeedArtifactAction, domain.NeedRobot} {
		need := domain.TaskQueueNeed{Kind: kind, Definition: "DAMAGE", Action: "CALL", WorkflowType: "CallWorkflow", Published: true}
		queue := &administration.TaskQueue{TaskQueue: domain.TaskQueue{Name: "QUEUE_DAMAGE", TenantCode: "demo", Needs: []domain.TaskQueueNeed{need}}}
		documents := []resource.Document{exampleManifest(queue, need)}
		if kind == domain.NeedProcess || kind == domain.NeedUserAction {
			documents = append(documents, serveNeed(definition, queue.Name, need))
		}
		for _, document := range documents {
			for _, programming := range codegen.Languages() {
				files, err := codegen.NewWorker(programming, []resource.Document{document}, codegen.Surroundings{Manifest: "definition.yaml"})
				require.NoError(t, err)
				var text strings.Builder
				for _, f := range files {
					text.Write(f.Content)
				}
				for _, part := range []string{"DAMAGE", "QUEUE_DAMAGE", "CallWorkflow"} {
					require.Contains(t, text.String(), part, "%s %s", kind, programming)
				}
				require.NotContains(t, text.String(), "QUEUE_MAIN")
			}
		}
	}
	spec, ok := definition.Spec.(*resource.ProcessDefinitionSpec)
	require.True(t, ok)
	require.Equal(t, "QUEUE_MAIN", spec.Engine.TaskQueue, "the definition itself is not changed")
}

func TestChooseNeed(t *testing.T) {
	t.Parallel()
	action := domain.TaskQueueNeed{Kind: domain.NeedUserAction, Published: true}
	earlier, process := domain.TaskQueueNeed{Kind: domain.NeedProcess}, domain.TaskQueueNeed{Kind: domain.NeedProcess, Published: true}
	require.Equal(t, process, chooseNeed([]domain.TaskQueueNeed{earlier, action, process}))
	require.Equal(t, action, chooseNeed([]domain.TaskQueueNeed{earlier, action}))
	require.Equal(t, earlier, chooseNeed([]domain.TaskQueueNeed{earlier}))
	require.Zero(t, chooseNeed(nil))
}
