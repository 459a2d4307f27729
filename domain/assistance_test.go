package domain_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

// Specification section 3.3.
func TestAdmissionOfAssistance(t *testing.T) {
	t.Parallel()
	mine, other := uuid.New(), uuid.New()
	for name, c := range map[string]struct {
		latest  *domain.AssistanceRun
		begins  bool
		refused bool
	}{
		"no run":                 {begins: true},
		"the same, pending":      {latest: &domain.AssistanceRun{RequestID: mine, State: domain.AssistancePending}},
		"the same, completed":    {latest: &domain.AssistanceRun{RequestID: mine, State: domain.AssistanceCompleted}},
		"the same, failed":       {latest: &domain.AssistanceRun{RequestID: mine, State: domain.AssistanceFailed}},
		"another one, pending":   {latest: &domain.AssistanceRun{RequestID: other, State: domain.AssistancePending}, refused: true},
		"another one, completed": {latest: &domain.AssistanceRun{RequestID: other, State: domain.AssistanceCompleted}, begins: true},
		"another one, failed":    {latest: &domain.AssistanceRun{RequestID: other, State: domain.AssistanceFailed}, begins: true},
	} {
		begins, err := c.latest.Admit(mine)
		require.Equal(t, c.begins, begins, name)
		require.Equal(t, c.refused, domain.HasCode(err, domain.CodeAIRunPending), name)
		require.Equal(t, c.refused, err != nil, name)
	}
}

func TestWhoMayAskForAssistance(t *testing.T) {
	t.Parallel()
	me := uuid.New()
	item := domain.ProcessItem{Task: &domain.Task{}}
	require.True(t, domain.HasCode(item.CheckMayAssist(domain.ItemRights{}, me), domain.CodeAccessDenied))
	require.NoError(t, item.CheckMayAssist(domain.ItemRights{Candidate: true}, me))
	require.NoError(t, item.CheckMayAssist(domain.ItemRights{ProcessRights: domain.ProcessRights{Manages: true}}, me))
	item.OwnerID = &me
	require.NoError(t, item.CheckMayAssist(domain.ItemRights{}, me))
}

func TestRetryAfterGrows(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC)
	run := domain.AssistanceRun{StartedAt: began}
	for after, want := range map[time.Duration]int{
		-time.Second: 2, 0: 2, 8 * time.Second: 2, 20 * time.Second: 5, 2 * time.Minute: 30, 9 * time.Minute: 30,
	} {
		require.Equal(t, want, run.RetryAfterSeconds(began.Add(after)), after)
	}
}
