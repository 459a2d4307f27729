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

func TestEndOfAssistance(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ noted, text, code, wantCode, want string }{
		"as noted":                 {"RATE_LIMITED", "too many requests", "", "RATE_LIMITED", "too many requests"},
		"nothing noted":            {"", "", "", "INTERNAL", "the service could not carry the run out"},
		"late":                     {"", "", "TIMEOUT", "TIMEOUT", "the run took too long"},
		"late after a fault":       {"RATE_LIMITED", "too many requests", "TIMEOUT", "TIMEOUT", "the run took too long; last, too many requests"},
		"the provider was late":    {"TIMEOUT", "no answer in time", "TIMEOUT", "TIMEOUT", "no answer in time"},
		"broken after a fault":     {"RATE_LIMITED", "too many requests", "INTERNAL", "INTERNAL", "the service could not carry the run out"},
		"disabled":                 {"", "", "FEATURE_DISABLED", "FEATURE_DISABLED", "AI assistance is not available any more"},
		"the code of an older run": {"RATE_LIMITED", "too many requests", "RATE_LIMITED", "RATE_LIMITED", "too many requests"},
	} {
		now := time.Now()
		run := domain.AssistanceRun{State: domain.AssistancePending, ErrorCode: c.noted, ErrorMessage: c.text}
		require.True(t, run.Fail(c.code, now), name)
		require.Equal(t, domain.AssistanceRun{
			State: domain.AssistanceFailed, ErrorCode: c.wantCode, ErrorMessage: c.want, FinishedAt: &now,
		}, run, name)
		require.False(t, run.Fail("", now))
		require.False(t, run.Complete("m", "stop", now))
	}
	run := domain.AssistanceRun{State: domain.AssistancePending, ErrorCode: "RATE_LIMITED", ErrorMessage: "too many requests"}
	require.True(t, run.Complete("m", "stop", time.Now()))
	require.Equal(t, domain.AssistanceCompleted, run.State)
	require.Empty(t, run.ErrorCode+run.ErrorMessage)
	require.False(t, run.Fail("TIMEOUT", time.Now()))
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
