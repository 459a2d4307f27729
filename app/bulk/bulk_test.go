package bulk_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/bulk"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/events"
	"github.com/procession-dev/procession/test/kit/enginetest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// fixture is a tenant with the definition Loan.
type fixture struct {
	*bulk.Service
	enginetest.Tenant

	app *app.Service
	db  *persistence.DB
}

func newFixture(tb testing.TB) fixture {
	tb.Helper()
	db := pgtest.New(tb)
	f := fixture{db: db, Tenant: enginetest.Seed(tb, db, "tenant", "Loan")}
	store := storage.New(storage.Options{DB: db, Clock: time.Now})
	f.app = app.New(app.Options{Store: store, TaskLogLimit: app.DefaultTaskLogLimit, CancelGrace: time.Minute})
	f.Service = bulk.New(bulk.Options{
		Store: store, App: f.app, Administration: administration.New(administration.Options{Store: store}), Logger: enginetest.Logger(),
	})
	return f
}

func (f fixture) preview(t *testing.T, kind domain.BulkKind, filter domain.BulkFilter) *domain.BulkOperation {
	t.Helper()
	b, err := f.Preview(t.Context(), f.Call, bulk.Request{Kind: kind, Filter: filter})
	require.NoError(t, err)
	return b
}

func (f fixture) start(t *testing.T, b *domain.BulkOperation) {
	t.Helper()
	_, err := f.Start(t.Context(), f.Call, b.ID, "the bank is closed")
	require.NoError(t, err)
}

// run handles all resources, as the workflow does.
func (f fixture) run(t *testing.T, id uuid.UUID, beat func()) {
	t.Helper()
	position := bulk.Position{}
	for !position.Ended {
		var err error
		position, err = f.RunBatch(t.Context(), id, position.After, false, beat)
		require.NoError(t, err)
	}
}

func (f fixture) retrieve(t *testing.T, id uuid.UUID) *domain.NamedBulkOperation {
	t.Helper()
	b, err := f.RetrieveOperation(t.Context(), f.Call, id)
	require.NoError(t, err)
	return b
}

func (f fixture) refusals(t *testing.T, id uuid.UUID) map[string]int {
	t.Helper()
	messages := map[string]int{}
	require.NoError(t, f.ExportItems(t.Context(), f.Call, id, func(i domain.BulkItem) error {
		if i.State == domain.BulkItemRefused {
			messages[i.Message]++
		}
		return nil
	}))
	return messages
}

func ignore() {}

func TestResourcesAreChangedOnceByConcurrentRuns(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const count = 3*domain.BulkBatch + 5
	for range count {
		f.Create(t, f.app, "Loan")
	}
	first := f.Create(t, f.app, "Loan")
	_, err := f.app.CancelProcess(t.Context(), f.Call, first.ID)
	require.NoError(t, err)
	b := f.preview(t, domain.BulkCancelProcesses, domain.BulkFilter{})
	require.Equal(t, count+1, b.Selected)
	require.Equal(t, []domain.BulkForecast{
		{Count: count}, {Count: 1, Code: domain.CodeInvalidState, Message: "there is nothing to change"},
	}, b.Forecast)
	later := f.Create(t, f.app, "Loan")
	f.start(t, b)
	var runs sync.WaitGroup
	for range 3 {
		runs.Go(func() { f.run(t, b.ID, ignore) })
	}
	runs.Wait()

	ended := f.retrieve(t, b.ID)
	require.Equal(t, domain.BulkCompleted, ended.State)
	require.Equal(t, count, ended.Done)
	require.Equal(t, 1, ended.Refused)
	require.Equal(t, map[string]int{"there is nothing to change": 1}, f.refusals(t, b.ID))
	p, err := f.app.RetrieveProcess(t.Context(), f.Call, later.ID)
	require.NoError(t, err)
	require.Equal(t, domain.ProcessRunning, p.State, "a process that was not selected")
	log, err := events.List(t.Context(), f.db.Reader(), persistence.AdministrationScope{Everywhere: true}, events.Filter{
		Types: []domain.EventType{domain.EventProcessStateChanged},
	}, events.Range{Limit: 1000})
	require.NoError(t, err)
	changes := 0
	for _, e := range log {
		if e.Details["bulkOperationId"] == b.ID.String() {
			changes++
		}
	}
	require.Equal(t, count, changes)
}

func TestStoppedOperationChangesNoFurtherResource(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for range 10 {
		f.Create(t, f.app, "Loan")
	}
	b := f.preview(t, domain.BulkCancelProcesses, domain.BulkFilter{States: []string{"RUNNING"}})
	_, err := f.Stop(t.Context(), f.Call, b.ID)
	require.True(t, domain.HasCode(err, domain.CodeInvalidState), "a preview: %v", err)
	f.start(t, b)
	_, err = f.Start(t.Context(), f.Call, b.ID, "again")
	require.True(t, domain.HasCode(err, domain.CodeInvalidState), "twice: %v", err)
	handled := 0
	f.run(t, b.ID, func() {
		if handled++; handled == 3 {
			_, err := f.Stop(context.Background(), f.Call, b.ID)
			require.NoError(t, err)
		}
	})
	stopped := f.retrieve(t, b.ID)
	require.Equal(t, domain.BulkStopped, stopped.State)
	require.Equal(t, 3, stopped.Done)
	require.Equal(t, 7, stopped.Left())
	due, err := f.Dispatch(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, due)
}

func TestRightsAreTheAuthorsAtEachResource(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.Create(t, f.app, "Loan")
	f.Task(t, f.app, p, true)
	restart := f.preview(t, domain.BulkRestartProcesses, domain.BulkFilter{IDs: []uuid.UUID{p.ID}})
	require.Equal(t, "the workflow is not started yet", restart.Forecast[0].Message)
	enginetest.CarryOut(t, f.db, "run-1")
	restart = f.preview(t, domain.BulkRestartProcesses, domain.BulkFilter{IDs: []uuid.UUID{p.ID}})
	require.Equal(t, 1, restart.Permitted())
	release := f.preview(t, domain.BulkReleaseTasks, domain.BulkFilter{States: []string{"CLAIMED"}})
	require.Equal(t, 1, release.Permitted())
	f.start(t, restart)
	f.start(t, release)
	// In the database the author is a member without the right to repair.
	f.run(t, restart.ID, ignore)
	require.Equal(t, map[string]int{"the right to repair the process is required": 1}, f.refusals(t, restart.ID))
	require.NoError(t, f.db.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.RemoveApplication(f.ID, f.Call.PrincipalID, time.Now())
		return nil
	}))
	f.run(t, release.ID, ignore)
	require.Equal(t, map[string]int{"the person who started the operation is disabled or has left the tenant": 1}, f.refusals(t, release.ID))
}

func TestTasksAreAssignedAndCancelled(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.Create(t, f.app, "Loan")
	f.Task(t, f.app, p, true)
	f.Task(t, f.app, p, false)
	owner := f.Call.PrincipalID
	_, err := f.Preview(t.Context(), f.Call, bulk.Request{
		Kind: domain.BulkAssignTasks, NewOwner: app.PrincipalKey{ID: new(uuid.New())},
	})
	require.True(t, domain.HasCode(err, domain.CodeValidation), "a stranger: %v", err)
	assign, err := f.Preview(t.Context(), f.Call, bulk.Request{
		Kind: domain.BulkAssignTasks, NewOwner: app.PrincipalKey{ID: &owner},
	})
	require.NoError(t, err)
	require.Equal(t, 1, assign.Permitted())
	f.start(t, assign)
	f.run(t, assign.ID, ignore)
	require.Equal(t, 1, f.retrieve(t, assign.ID).Done)
	cancel := f.preview(t, domain.BulkCancelTasks, domain.BulkFilter{OwnerID: &owner})
	require.Equal(t, 2, cancel.Permitted())
	f.start(t, cancel)
	f.run(t, cancel.ID, ignore)
	require.Equal(t, 2, f.retrieve(t, cancel.ID).Done)
}

func TestPreviewRefusesWrongFilters(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, in := range map[string]bulk.Request{
		"unknown kind":     {Kind: "DELETE_PROCESSES"},
		"foreign member":   {Kind: domain.BulkCancelProcesses, Filter: domain.BulkFilter{Cause: "x"}},
		"foreign state":    {Kind: domain.BulkCancelProcesses, Filter: domain.BulkFilter{States: []string{"OPEN"}}},
		"unknown standing": {Kind: domain.BulkCancelProcesses, Filter: domain.BulkFilter{Standing: "GOOD"}},
		"no owner":         {Kind: domain.BulkAssignTasks},
		"surplus owner":    {Kind: domain.BulkReleaseTasks, NewOwner: app.PrincipalKey{ID: new(uuid.New())}},
		"too many ids":     {Kind: domain.BulkCancelProcesses, Filter: domain.BulkFilter{IDs: make([]uuid.UUID, domain.MaxBulkIDs+1)}},
		"wrong expression": {Kind: domain.BulkCancelProcesses, Filter: domain.BulkFilter{Metadata: []string{"AMOUNT"}}},
		"foreign tenant":   {Kind: domain.BulkCancelProcesses, TenantID: new(uuid.New())},
	} {
		_, err := f.Preview(t.Context(), f.Call, in)
		require.True(t, domain.HasCode(err, domain.CodeValidation), "%s: %v", name, err)
	}
}

// A credential that is limited to a tenant reaches the tasks of the tenant only, although its owner manages those of another one.
// The Administrator of a definition reaches none.
func TestTasksOfTheCallersTenantAndRights(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	other := enginetest.Seed(t, f.db, "other", "Loan")
	own, foreign := f.Create(t, f.app, "Loan"), other.Create(t, f.app, "Loan")
	task, beyond := f.Task(t, f.app, own, false), other.Task(t, f.app, foreign, false)
	manager, definer := uuid.New(), uuid.New()
	require.NoError(t, f.db.Write(t.Context(), func(tx *persistence.Tx) error {
		for _, tenant := range []uuid.UUID{f.ID, other.ID} {
			for _, user := range []uuid.UUID{manager, definer} {
				err := tx.PutTenantUser(domain.TenantUser{
					ID: uuid.New(), TenantID: tenant, Role: domain.RoleMember, Audit: domain.NewAudit(user, time.Now()),
					Principal: domain.Principal{ID: user, Type: domain.PrincipalUser, Name: "U", Email: user.String() + "@north.example"},
				})
				if err != nil {
					return err
				}
			}
		}
		for _, p := range []*domain.Process{own, foreign} {
			tx.GrantOnProcess(p.Definition.ID, domain.PermissionManager, manager)
			tx.GrantOnProcess(p.Definition.ID, domain.PermissionAdministrator, definer)
		}
		return nil
	}))
	limitedTo := func(user uuid.UUID) domain.Call {
		return domain.Call{Caller: domain.Caller{
			PrincipalID: user, Type: domain.PrincipalUser,
			Memberships: []domain.Membership{{TenantID: f.ID, Namespace: f.Namespace, Role: domain.RoleMember, AdministersDefinitions: true}},
		}}
	}
	for _, filter := range []domain.BulkFilter{{}, {IDs: []uuid.UUID{task.ID, beyond.ID}}} {
		none, err := f.Preview(t.Context(), limitedTo(definer), bulk.Request{Kind: domain.BulkCancelTasks, Filter: filter})
		require.NoError(t, err)
		require.Zero(t, none.Permitted())
		b, err := f.Preview(t.Context(), limitedTo(manager), bulk.Request{Kind: domain.BulkCancelTasks, Filter: filter})
		require.NoError(t, err)
		require.Equal(t, 1, b.Permitted())
		if filter.IDs == nil {
			continue
		}
		_, err = f.Start(t.Context(), limitedTo(manager), b.ID, "the bank is closed")
		require.NoError(t, err)
		f.run(t, b.ID, ignore)
		require.Equal(t, 1, f.retrieve(t, b.ID).Done)
	}
	_, err := f.Preview(t.Context(), limitedTo(manager), bulk.Request{Kind: domain.BulkCancelTasks, TenantID: &other.ID})
	require.True(t, domain.HasCode(err, domain.CodeValidation), "%v", err)
	kept, err := f.app.RetrieveProcessItem(t.Context(), other.Call, beyond.ID)
	require.NoError(t, err)
	require.Equal(t, domain.TaskReady, kept.Task.State)
}
