package persistence_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/persistence"
)

func (q queueOwners) queues(t *testing.T, scope persistence.AdministrationScope, codes ...string) []domain.TaskQueue {
	t.Helper()
	return q.page(t, scope, persistence.TaskQueueFilter{TenantCodes: codes}, domain.PageRequest{Size: 100}).Items
}

func (q queueOwners) page(
	t *testing.T, scope persistence.AdministrationScope, filter persistence.TaskQueueFilter, page domain.PageRequest,
) domain.Page[domain.TaskQueue] {
	t.Helper()
	found, err := q.db.Reader().ListTaskQueues(t.Context(), scope, filter, page, q.now)
	require.NoError(t, err)
	return found
}

func everywhere() persistence.AdministrationScope {
	return persistence.AdministrationScope{Everywhere: true}
}

// publishSpec publishes a version of the definition LOAN with a process pinned to it in the state.
func (q queueOwners) publishSpec(
	t *testing.T, definition uuid.UUID, number int, queue, spec string, pinned domain.ProcessState,
) {
	t.Helper()
	ref := domain.DefinitionRef{ID: definition, Version: uuid.New(), Code: "LOAN"}
	require.NoError(t, q.db.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.InsertDefinition(definition, q.tenant, "LOAN")
		tx.PublishVersion(persistence.DefinitionVersion{
			DefinitionRef: ref, TenantID: q.tenant, Number: number, Name: translation.Name{Source: "Loan"}, Spec: json.RawMessage(spec),
			Engine: &domain.EngineBinding{
				WorkflowType: "LoanWorkflow", TaskQueue: queue, SignalShape: domain.SignalShapeB, RunnerID: q.runner,
			},
		}, domain.SystemPrincipalID(), q.now)
		if pinned != "" {
			return tx.InsertProcess(&domain.Process{
				ID: uuid.New(), TenantID: q.tenant, Definition: ref, State: pinned, Subject: "Loan",
				InitiatorID: q.runner, Audit: domain.NewAudit(q.runner, q.now),
			})
		}
		return nil
	}))
}

func TestTaskQueuesAreThoseOfDefinitionsAndWorkers(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	q := newQueueOwners(t)
	definition := uuid.New()
	const actions = `{"userActions":[{"code":"PRINT","workflowType":"Print","taskQueue":"PRINTER"},{"code":"TASK"}]}`
	q.publishSpec(t, definition, 1, "OLD", `{}`, domain.ProcessRunning)
	q.publishSpec(t, definition, 2, "OLD", actions, domain.ProcessRunning)
	q.publishSpec(t, definition, 3, "DONE", `{}`, domain.ProcessCompleted)
	q.publishSpec(t, definition, 4, "LOANS", actions, domain.ProcessRunning)
	require.NoError(t, q.db.Write(t.Context(), func(tx *persistence.Tx) error {
		for code, worker := range map[string]domain.RobotWorker{
			"READER": {WorkflowType: "Read", TaskQueue: "ROBOTS", RunnerID: q.runner}, "DESKTOP": {RunnerID: q.runner},
		} {
			tx.PutRobot(domain.Robot{
				ID: uuid.New(), TenantID: q.tenant, Code: code, Name: code, SourceType: domain.RobotSourcePackage, Worker: worker,
				Audit: domain.NewAudit(domain.SystemPrincipalID(), q.now),
			}, nil)
		}
		return tx.PutResource(resource.Stored{
			Document: resource.Document{
				Kind: resource.KindBusinessArtifactDefinition, Metadata: resource.Metadata{Code: "CUSTOMER"},
				Spec: &resource.BusinessArtifactDefinitionSpec{Actions: []resource.ArtifactActionSpec{
					{Code: "SCORE", WorkflowType: "Score", TaskQueue: "SCORES"}, {Code: "OPEN", ProcessDefinition: "LOAN"},
				}},
			},
			ID: uuid.New(), TenantID: q.tenant, Audit: domain.NewAudit(domain.SystemPrincipalID(), q.now),
		})
	}))
	q.lists(t, q.tenant, q.runner, "LOANS", "FREE")
	q.lists(t, q.other, q.alien, "ELSEWHERE")
	q.register(t, q.tenant, q.runner, "LOANS", "FREE")
	q.register(t, q.other, q.alien, "ELSEWHERE")

	found := q.queues(t, persistence.AdministrationScope{Tenants: []uuid.UUID{q.tenant}})
	needs := map[string][]domain.TaskQueueNeed{}
	for _, queue := range found {
		require.Equal(t, q.tenant, queue.TenantID)
		require.Equal(t, "tenant", queue.TenantCode)
		require.Nil(t, queue.Observed)
		needs[queue.Name] = queue.Needs
	}
	require.Equal(t, map[string][]domain.TaskQueueNeed{
		"FREE": nil,
		"LOANS": {{
			Kind: domain.NeedProcess, Definition: "LOAN", WorkflowType: "LoanWorkflow", Published: true, Versions: []int{},
		}},
		"OLD": {{Kind: domain.NeedProcess, Definition: "LOAN", WorkflowType: "LoanWorkflow", Versions: []int{1, 2}}},
		"PRINTER": {{
			Kind: domain.NeedUserAction, Definition: "LOAN", Action: "PRINT", WorkflowType: "Print", Published: true,
			Versions: []int{2},
		}},
		"ROBOTS": {{Kind: domain.NeedRobot, Definition: "READER", WorkflowType: "Read", Published: true, Versions: []int{}}},
		"SCORES": {{
			Kind: domain.NeedArtifactAction, Definition: "CUSTOMER", Action: "SCORE", WorkflowType: "Score",
			Published: true, Versions: []int{},
		}},
	}, needs)
	require.Equal(t, "FREE", found[0].Name)
	require.Equal(t, q.runner, found[0].Workers[0].PrincipalID)

	all := q.queues(t, everywhere())
	require.Len(t, all, 7)
	require.Equal(t, "ELSEWHERE", all[0].Name, "tenants come in the order of their codes")
	require.Len(t, q.queues(t, everywhere(), "other", "nowhere"), 1)
	of := persistence.TaskQueueFilter{Names: []string{"PRINTER", "ELSEWHERE"}}
	named := q.page(t, everywhere(), of, domain.PageRequest{Size: 2}).Items
	require.Equal(t, []string{"ELSEWHERE", "PRINTER"}, []string{named[0].Name, named[1].Name})
	for from := range len(all) {
		part := q.page(t, everywhere(), persistence.TaskQueueFilter{}, domain.PageRequest{Number: from, Size: 1})
		require.Equal(t, all[from:from+1], part.Items)
		require.EqualValues(t, len(all), part.Total)
	}
	behind := q.page(t, everywhere(), persistence.TaskQueueFilter{}, domain.PageRequest{Number: 1, Size: 100})
	require.Empty(t, behind.Items)
	require.EqualValues(t, len(all), behind.Total)
	require.Empty(t, q.queues(t, persistence.AdministrationScope{}))
}

func TestWorkersOfATaskQueue(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	start := q.now
	q.lists(t, q.tenant, q.runner, "FORGOTTEN", "P", "Q")
	q.lists(t, q.tenant, q.rival, "P")
	q.registerAs(t, "taken", q.tenant, q.runner, "Q")
	for i := range 8 {
		q.now = start.Add(time.Duration(i) * time.Second)
		q.registerAs(t, "old-"+string(rune('a'+i)), q.tenant, q.runner, "Q")
	}
	q.registerAs(t, "gone", q.tenant, q.runner, "FORGOTTEN")
	q.now = start.Add(time.Hour)
	q.registerAs(t, "live", q.tenant, q.runner, "Q", "P")
	q.registerAs(t, "taken", q.tenant, q.rival, "P")

	names := func(queue domain.TaskQueue) (names []string) {
		for _, w := range queue.Workers {
			names = append(names, w.Identity)
		}
		return names
	}
	found := q.queues(t, everywhere())
	require.Len(t, found, 3)
	require.Equal(t, []string{"live", "taken"}, names(found[1]))
	require.Equal(t, []string{"live", "old-h", "old-g", "old-f", "old-e", "old-d"}, names(found[2]),
		"the latest of those that are offline, and none that was taken over")

	q.now = start.Add(7*24*time.Hour + 2*time.Minute)
	require.Len(t, q.queues(t, everywhere()), 2, "queues without need are deleted a week after the last registration")
}

// An SDK may register several queues under one identity, each with its types.
func TestAWorkerOfSeveralQueues(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	start := q.now
	q.lists(t, q.tenant, q.runner, "P", "Q")
	register := func(queue string, types ...string) {
		w := &domain.Worker{
			ID: uuid.New(), TenantID: q.tenant, Identity: "w", TaskQueue: queue, Hostname: "host", IP: "127.0.0.1",
			WorkflowTypes: types, LastSeenAt: q.now, Audit: domain.NewAudit(q.runner, q.now),
		}
		result, err := q.db.RegisterWorker(t.Context(), domain.Precondition{}, w, q.maxWorkers, domain.WorkerEvent(w, q.runner, q.now))
		require.NoError(t, err)
		require.True(t, result.Stored)
	}
	register("P", "A", "B")
	register("Q", "C")
	q.now = start.Add(domain.WorkerOfflineAfter)
	register("P", "A")
	q.now = q.now.Add(domain.WorkerOfflineAfter)
	register("P", "A")
	register("Q", "C", "D")
	page, err := q.db.Reader().ListWorkers(t.Context(), everywhere(), persistence.WorkerFilter{}, q.now,
		domain.PageRequest{Size: 10}, nil)
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
	require.Equal(t, []domain.WorkerQueue{
		{TaskQueue: "P", WorkflowTypes: []string{"A"}, ActivityTypes: []string{}, LiveSince: start, LastSeenAt: q.now},
		{TaskQueue: "Q", WorkflowTypes: []string{"C", "D"}, ActivityTypes: []string{}, LiveSince: q.now, LastSeenAt: q.now},
	}, page.Items[0].Queues, "a gap of more than three windows ends a life")
}

func TestListWorkers(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	q.lists(t, q.tenant, q.runner, "P", "Q")
	q.lists(t, q.other, q.alien, "Q")
	q.registerAs(t, "off", q.tenant, q.runner, "Q")
	q.now = q.now.Add(domain.WorkerOfflineAfter + time.Second)
	q.registerAs(t, "on", q.tenant, q.runner, "Q", "P")
	q.registerAs(t, "far", q.other, q.alien, "Q")
	list := func(scope persistence.AdministrationScope, f persistence.WorkerFilter, sort ...domain.SortKey) (names []string) {
		page, err := q.db.Reader().ListWorkers(t.Context(), scope, f, q.now, domain.PageRequest{Size: 10}, sort)
		require.NoError(t, err)
		require.Len(t, page.Items, int(page.Total))
		for _, w := range page.Items {
			names = append(names, w.Identity)
		}
		return names
	}
	mine := persistence.AdministrationScope{Tenants: []uuid.UUID{q.tenant}}
	require.Equal(t, []string{"on", "off"}, list(mine, persistence.WorkerFilter{}))
	require.Equal(t, []string{"off", "on"}, list(mine, persistence.WorkerFilter{}, domain.SortKey{Property: "identity"}))
	require.ElementsMatch(t, []string{"on", "off", "far"}, list(everywhere(), persistence.WorkerFilter{}))
	require.Equal(t, []string{"far"}, list(everywhere(), persistence.WorkerFilter{TenantCodes: []string{"other"}}))
	require.Empty(t, list(mine, persistence.WorkerFilter{TenantCodes: []string{"other"}}))
	require.Equal(t, []string{"on"}, list(mine, persistence.WorkerFilter{TaskQueues: []string{"P", "X"}}))
	require.Equal(t, []string{"on"}, list(mine, persistence.WorkerFilter{States: []domain.WorkerState{domain.WorkerOnline}}))
	require.Equal(t, []string{"off"}, list(mine, persistence.WorkerFilter{States: []domain.WorkerState{domain.WorkerOffline}}))
	require.Empty(t, list(persistence.AdministrationScope{}, persistence.WorkerFilter{}))

	live, err := q.db.Reader().CountLiveWorkers(t.Context(), q.now)
	require.NoError(t, err)
	require.Equal(t, int64(2), live)
}

func TestObservationsOfTaskQueues(t *testing.T) { //nolint:funlen // one story of a queue that is observed
	t.Parallel()
	q := newQueueOwners(t)
	q.lists(t, q.tenant, q.runner, "P", "Q")
	q.registerAs(t, "w", q.tenant, q.runner, "Q", "P")
	claim := func(limit int) []domain.DueTaskQueue {
		require.NoError(t, q.db.MatchTaskQueues(t.Context(), q.now))
		due, err := q.db.ClaimTaskQueues(t.Context(), q.now, q.now.Add(10*time.Second), q.now.Add(40*time.Second), limit)
		require.NoError(t, err)
		return due
	}
	first := claim(1)
	require.Len(t, first, 1)
	second := claim(5)
	require.Len(t, second, 1)
	require.ElementsMatch(t, []domain.DueTaskQueue{
		{TenantID: q.tenant, Namespace: "tenant", TaskQueue: "Q"}, {TenantID: q.tenant, Namespace: "tenant", TaskQueue: "P"},
	}, append(first, second...))
	require.Empty(t, claim(5), "nothing is due again yet")

	seen := domain.TaskQueueObservation{
		ObservedAt: q.now, Pollers: []domain.Poller{
			{Identity: "w", Kind: domain.TaskKindActivity, LastAccessAt: q.now.Add(-time.Minute)},
			{Identity: "w", Kind: domain.TaskKindWorkflow, LastAccessAt: q.now.Add(-time.Second)},
		},
		Backlogs: []domain.TaskBacklog{
			{Kind: domain.TaskKindWorkflow, Count: 12, Age: 3 * time.Minute}, {Kind: domain.TaskKindActivity, Count: 1, Age: time.Hour},
		},
	}
	of := func(name string) domain.DueTaskQueue {
		return domain.DueTaskQueue{TenantID: q.tenant, Namespace: "tenant", TaskQueue: name}
	}
	put := func(name string, o domain.TaskQueueObservation) {
		require.NoError(t, q.db.PutObservations(t.Context(), []domain.SeenTaskQueue{{DueTaskQueue: of(name), Observation: o}}))
	}
	put("Q", seen)
	put("P", domain.TaskQueueObservation{FailedAt: q.now, Failure: "Temporal is not available"})
	queues := q.queues(t, everywhere())
	require.Equal(t, &seen, queues[1].Observed)
	require.Equal(t, "Temporal is not available", queues[0].Observed.Failure)
	require.Zero(t, queues[0].Observed.ObservedAt)

	page, err := q.db.Reader().ListWorkers(t.Context(), everywhere(), persistence.WorkerFilter{}, q.now, domain.PageRequest{Size: 1}, nil)
	require.NoError(t, err)
	require.Nil(t, page.Items[0].Queues[0].PolledAt)
	require.Equal(t, q.now.Add(-time.Second), page.Items[0].Queues[1].PolledAt.UTC())

	late := seen
	late.ObservedAt, late.Pollers = q.now.Add(-time.Second), nil
	put("Q", late)
	require.Equal(t, &seen, q.queues(t, everywhere())[1].Observed, "who saw less is not believed")
	put("Q", domain.TaskQueueObservation{FailedAt: q.now.Add(time.Second), Failure: "gone"})
	failed := q.queues(t, everywhere())[1].Observed
	require.Equal(t, seen.Pollers, failed.Pollers, "what was seen stays")
	require.Equal(t, "gone", failed.Failure)

	totals, err := q.db.Reader().SumTaskQueues(t.Context(), q.now)
	require.NoError(t, err)
	require.Equal(t, persistence.TaskQueueTotals{
		WorkflowCount: 12, WorkflowAge: 3 * time.Minute, ActivityCount: 1, ActivityAge: time.Hour,
	}, totals)
	totals, err = q.db.Reader().SumTaskQueues(t.Context(), q.now.Add(time.Second))
	require.NoError(t, err)
	require.Zero(t, totals)

	q.now = q.now.Add(8 * 24 * time.Hour)
	require.Empty(t, claim(5), "queues without need are not observed")
}

// A queue is at rest when it has no tasks and its namespace no activity.
func TestQueuesAtRestAreObservedLessOften(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	q.lists(t, q.tenant, q.runner, "Q")
	q.registerAs(t, "w", q.tenant, q.runner, "Q")
	claims := func(after time.Duration) bool {
		q.now = q.now.Add(after)
		require.NoError(t, q.db.MatchTaskQueues(t.Context(), q.now))
		due, err := q.db.ClaimTaskQueues(t.Context(), q.now, q.now.Add(10*time.Second), q.now.Add(40*time.Second), 5)
		require.NoError(t, err)
		for _, d := range due {
			require.NoError(t, q.db.PutObservations(t.Context(), []domain.SeenTaskQueue{{
				DueTaskQueue: d, Observation: domain.TaskQueueObservation{ObservedAt: q.now},
			}}))
		}
		return len(due) == 1
	}
	require.True(t, claims(0))
	require.True(t, claims(10*time.Second), "it was not observed before")
	require.False(t, claims(30*time.Second))
	_, err := q.db.ExchangeEngineScans(t.Context(), persistence.ScanExchange{Now: q.now, Active: []string{"tenant"}})
	require.NoError(t, err)
	require.True(t, claims(10*time.Second))
	require.True(t, claims(10*time.Second))
	require.True(t, claims(30*time.Second), "a command was executed")
	require.False(t, claims(30*time.Second))
}
