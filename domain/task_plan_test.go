package domain_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

func TestPlanTask(t *testing.T) {
	t.Parallel()
	due := at(7)
	plan := domain.TaskPlan{DueAt: &due, Priority: domain.PriorityHigh}
	planned := func(i *domain.ProcessItem) { i.Task.Plan = plan }
	same := task(claimed, other)
	same.Task.Plan = plan
	manager := domain.ItemRights{ProcessRights: domain.ProcessRights{Manages: true}}
	for _, c := range []itemCase{
		{"by its owner", task(claimed, other), domain.ItemRights{}, planned, ""},
		{"by a manager", task(ready, 0), manager, planned, ""},
		{"as before", same, domain.ItemRights{}, nil, ""},
		{"by a candidate", task(ready, 0), domain.ItemRights{Candidate: true}, nil, domain.CodeTaskNotOwned},
		{"when it is completed", task(completed, other), domain.ItemRights{}, nil, domain.CodeInvalidState},
		{"when it is cancelled", task(cancelled, other), manager, nil, domain.CodeInvalidState},
		{"of a message", message(), manager, nil, domain.CodeInvalidState},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.check(t, func(i *domain.ProcessItem) (bool, error) { return i.PlanTask(plan, c.rights, id(other), at(1)) })
		})
	}
	for _, wrong := range []time.Time{{}, time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)} {
		_, err := domain.TaskPlan{FollowUpAt: &wrong}.Normalize(domain.FieldPlanDueAt, domain.FieldPlanFollowUpAt)
		require.Error(t, err)
	}
	require.False(t, task(completed, other).Task.IsOverdue(at(9)))
}
