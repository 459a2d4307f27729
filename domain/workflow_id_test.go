package domain_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/enginetest"
)

func TestWorkflowIDsHaveReservedPrefixes(t *testing.T) {
	t.Parallel()
	id := uuid.New()
	for _, run := range []domain.EngineRun{
		domain.NewProcessRun(id, &domain.Process{}, "north", domain.EngineBinding{}),
		domain.NewArtifactActionRun(id, &domain.BusinessArtifactAction{}, domain.ActionWorkflow{}),
		domain.NewProcessActionRun(id, &domain.ProcessAction{}, domain.ActionWorkflow{}),
		domain.NewTaskRobotRun(id, &domain.ProcessItem{}, domain.AssistingRobot{}, "north"),
		domain.NewDataSourceRun(id, &domain.DataSourceRun{}, &domain.DataSource{}, "north", nil),
	} {
		require.True(t, slices.ContainsFunc(domain.WorkflowIDPrefixes(), func(prefix string) bool {
			return strings.HasPrefix(run.WorkflowID, prefix)
		}), run.WorkflowID)
	}
}

// In a shared namespace the code of the tenant precedes the id of the workflow.
func TestActivityTokensInASharedNamespace(t *testing.T) {
	t.Parallel()
	id := uuid.New()
	require.True(t, enginetest.TokenOf("north.process-"+id.String(), "a", 5).OfProcess(id))
	require.False(t, enginetest.TokenOf("north.process-"+uuid.NewString(), "a", 5).OfProcess(id))
}
