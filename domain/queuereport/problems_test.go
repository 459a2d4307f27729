package queuereport_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/queuereport"
)

func TestProblems(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	now := time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	loan := domain.TaskQueueNeed{Kind: domain.NeedProcess, Definition: "LOAN", WorkflowType: "LoanWorkflow", Published: true}
	worker := func(identity string, seen time.Duration, types ...string) domain.TaskQueueWorker {
		return domain.TaskQueueWorker{
			Identity: identity, WorkflowTypes: types, LiveSince: ago(time.Hour + seen), LastSeenAt: ago(seen),
		}
	}
	poller := func(identity string, kind domain.TaskKind, since time.Duration) domain.Poller {
		return domain.Poller{Identity: identity, Kind: kind, LastAccessAt: ago(since)}
	}
	seen := func(pollers ...domain.Poller) *domain.TaskQueueObservation {
		return &domain.TaskQueueObservation{ObservedAt: now, Pollers: pollers}
	}
	backlog := func(kind domain.TaskKind, count int64, age time.Duration, pollers ...domain.Poller) *domain.TaskQueueObservation {
		o := seen(pollers...)
		o.Backlogs = []domain.TaskBacklog{{Kind: kind, Count: count, Age: age}}
		return o
	}
	const workflow, activity = domain.TaskKindWorkflow, domain.TaskKindActivity
	for name, c := range map[string]struct {
		queue domain.TaskQueue
		want  []string
	}{
		"healthy": {
			domain.TaskQueue{
				Needs: []domain.TaskQueueNeed{loan}, Workers: []domain.TaskQueueWorker{worker("w1", time.Minute, "LoanWorkflow")},
				Observed: seen(poller("w1", workflow, time.Minute)),
			}, nil,
		},
		"healthy without registered types": {
			domain.TaskQueue{
				Needs: []domain.TaskQueueNeed{loan}, Workers: []domain.TaskQueueWorker{worker("w1", time.Minute)},
				Observed: seen(poller("w1", workflow, time.Second)),
			}, nil,
		},
		"one of several workers serves every type": {
			domain.TaskQueue{
				Needs: []domain.TaskQueueNeed{loan},
				Workers: []domain.TaskQueueWorker{
					worker("w1", time.Minute, "Other"), worker("w2", time.Minute),
				},
				Observed: seen(poller("w1", workflow, 0), poller("w2", workflow, 0)),
			}, nil,
		},
		"exactly three windows after it registered a worker lives": {
			domain.TaskQueue{
				Needs: []domain.TaskQueueNeed{loan}, Workers: []domain.TaskQueueWorker{worker("w1", 15*time.Minute, "LoanWorkflow")},
				Observed: seen(poller("w1", workflow, 0)),
			}, nil,
		},
		"no needs and no workers": {
			domain.TaskQueue{Workers: []domain.TaskQueueWorker{worker("w1", 20*time.Minute)}, Observed: seen()}, nil,
		},
		"no worker": {
			domain.TaskQueue{Needs: []domain.TaskQueueNeed{loan}},
			[]string{"definition LOAN needs workflow LoanWorkflow on task queue Q: no live worker"},
		},
		"the worker is offline": {
			domain.TaskQueue{
				Needs: []domain.TaskQueueNeed{loan}, Workers: []domain.TaskQueueWorker{worker("w1", 15*time.Minute+1, "LoanWorkflow")},
				Observed: seen(),
			},
			[]string{"definition LOAN needs workflow LoanWorkflow on task queue Q: no live worker"},
		},
		"the type is not registered": {
			domain.TaskQueue{
				Needs:    []domain.TaskQueueNeed{loan},
				Workers:  []domain.TaskQueueWorker{worker("w1", time.Minute, "B", "A"), worker("w2", time.Hour, "LoanWorkflow")},
				Observed: seen(poller("w1", workflow, 0)),
			},
			[]string{
				"definition LOAN needs workflow LoanWorkflow on task queue Q, which is registered by no live worker (registered types: A, B)",
			},
		},
		"many types": {
			domain.TaskQueue{
				Needs:   []domain.TaskQueueNeed{loan},
				Workers: []domain.TaskQueueWorker{worker("w1", time.Minute, "A", "B", "C", "D", "E", "F", "G")},
			},
			[]string{"definition LOAN needs workflow LoanWorkflow on task queue Q, which is registered by no live worker " +
				"(registered types: A, B, C, D, E and 2 more)"},
		},
		"who needs": {
			domain.TaskQueue{Needs: []domain.TaskQueueNeed{
				{Kind: domain.NeedProcess, Definition: "LOAN", WorkflowType: "W", Versions: []int{1}},
				{Kind: domain.NeedUserAction, Definition: "LOAN", Action: "PRINT", WorkflowType: "W", Published: true},
				{Kind: domain.NeedUserAction, Definition: "LOAN", Action: "PRINT", WorkflowType: "W", Versions: []int{1, 3}},
				{Kind: domain.NeedArtifactAction, Definition: "CUSTOMER", Action: "SCORE", WorkflowType: "W", Published: true},
			}},
			[]string{
				"running processes of LOAN (version 1) need workflow W on task queue Q: no live worker",
				"action PRINT of definition LOAN needs workflow W on task queue Q: no live worker",
				"action PRINT of running processes of LOAN (versions 1, 3) needs workflow W on task queue Q: no live worker",
				"action SCORE of definition CUSTOMER needs workflow W on task queue Q: no live worker",
			},
		},
		"registered but not polling": {
			domain.TaskQueue{
				Workers:  []domain.TaskQueueWorker{worker("w1", time.Minute, "LoanWorkflow"), worker("gone", time.Hour)},
				Observed: seen(poller("w1", workflow, 91*time.Second)),
			},
			[]string{"worker w1 registered on Q but does not poll it"},
		},
		"just registered": {
			domain.TaskQueue{
				Workers:  []domain.TaskQueueWorker{{Identity: "w1", LiveSince: ago(89 * time.Second), LastSeenAt: ago(89 * time.Second)}},
				Observed: seen(),
			}, nil,
		},
		"polling for something else": {
			domain.TaskQueue{
				Workers: []domain.TaskQueueWorker{
					worker("w1", 0, "LoanWorkflow"),
					{Identity: "w2", ActivityTypes: []string{"Pay"}, LiveSince: ago(time.Hour), LastSeenAt: now},
				},
				Observed: seen(poller("w1", activity, 0), poller("w2", workflow, 0)),
			},
			[]string{
				"worker w1 registered workflows on Q but does not poll it for workflow tasks",
				"worker w2 registered activities on Q but does not poll it for activity tasks",
			},
		},
		"strangers": {
			domain.TaskQueue{
				Workers:  []domain.TaskQueueWorker{worker("w1", 20*time.Minute)},
				Observed: seen(poller("w1", workflow, 0), poller("x", workflow, 0), poller("b", activity, 0), poller("x", activity, 0)),
			},
			[]string{
				"worker w1 polls Q but has not registered again for 20 m",
				"unregistered workers poll Q: b, x",
			},
		},
		"backlog and no worker polls": {
			domain.TaskQueue{Observed: backlog(workflow, 12, 3*time.Minute, poller("old", workflow, 2*time.Minute))},
			[]string{"backlog of 12 workflow tasks, oldest 3 m, and no worker polls"},
		},
		"backlog and a worker that just registered": {
			domain.TaskQueue{
				Workers: []domain.TaskQueueWorker{
					{Identity: "w1", WorkflowTypes: []string{"A"}, LiveSince: ago(5 * time.Second), LastSeenAt: ago(5 * time.Second)},
				},
				Observed: backlog(workflow, 1, 20*time.Second),
			},
			[]string{"backlog of 1 workflow task, oldest 20 s, and the worker that just registered has not been seen polling yet"},
		},
		"backlog of another kind": {
			domain.TaskQueue{
				Workers:  []domain.TaskQueueWorker{worker("w1", time.Minute, "A")},
				Observed: backlog(activity, 1, time.Second, poller("w1", workflow, 0)),
			},
			[]string{"backlog of 1 activity task, oldest 1 s, and no worker polls"},
		},
		"a short backlog passes": {
			domain.TaskQueue{
				Workers:  []domain.TaskQueueWorker{worker("w1", time.Minute)},
				Observed: backlog(workflow, 500, 59*time.Second, poller("w1", workflow, 0)),
			}, nil,
		},
		"a long backlog": {
			domain.TaskQueue{
				Workers:  []domain.TaskQueueWorker{worker("w1", time.Minute), worker("w2", time.Minute)},
				Observed: backlog(workflow, 500, 3*time.Hour, poller("w1", workflow, 0), poller("w2", workflow, 0)),
			},
			[]string{"backlog of 500 workflow tasks, oldest 3 h, though 2 workers poll"},
		},
		"Temporal is down and what was seen is still believed": {
			domain.TaskQueue{
				Workers: []domain.TaskQueueWorker{worker("w1", time.Minute)},
				Observed: &domain.TaskQueueObservation{
					ObservedAt: ago(time.Minute), Pollers: []domain.Poller{poller("w1", workflow, time.Minute)},
					FailedAt: now, Failure: "Temporal is not available",
				},
			}, nil,
		},
		"Temporal is down": {
			domain.TaskQueue{
				Needs: []domain.TaskQueueNeed{loan}, Workers: []domain.TaskQueueWorker{worker("w1", 0, "LoanWorkflow")},
				Observed: &domain.TaskQueueObservation{
					ObservedAt: ago(5 * time.Minute), FailedAt: now, Failure: "Temporal is not available",
					Backlogs: []domain.TaskBacklog{{Kind: workflow, Count: 1}},
				},
			},
			[]string{"Q could not be observed in Temporal for 5 m: Temporal is not available"},
		},
		"Temporal was never there": {
			domain.TaskQueue{Observed: &domain.TaskQueueObservation{FailedAt: now, Failure: "Temporal is not available"}},
			[]string{"Q cannot be observed in Temporal: Temporal is not available"},
		},
		"not observed": {
			domain.TaskQueue{Observed: &domain.TaskQueueObservation{ObservedAt: ago(3 * 24 * time.Hour)}},
			[]string{"Q has not been observed in Temporal for 3 d"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.queue.Name = "Q"
			require.Equal(t, c.want, queuereport.Problems(&c.queue, now, domain.DefaultTaskQueueTimeouts()))
		})
	}
}
