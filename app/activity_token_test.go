package app_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/enginetest"
)

// awaited creates a task, claimed by the caller, that an activity with the token
// waits for. With an id that is known already it is the activity's next attempt.
func (r running) awaited(t *testing.T, id uuid.UUID, token string) *domain.ProcessItem {
	t.Helper()
	item, _, err := r.CreateProcessItem(t.Context(), r.Call, r.awaiting(id, token))
	require.NoError(t, err)
	return item
}

func (r running) awaiting(id uuid.UUID, token string) app.NewItem {
	return app.NewItem{
		ID: &id, Type: domain.ItemTask, ProcessID: r.process.ID, DefinitionCode: enginetest.TaskCode,
		Owner: app.PrincipalKey{ID: &r.Call.PrincipalID}, ActivityToken: enginetest.ActivityToken(r.process.ID, token),
	}
}

func (r running) complete(t *testing.T, task uuid.UUID) {
	t.Helper()
	_, err := r.CompleteProcessItemTask(t.Context(), r.Call, task)
	require.NoError(t, err)
}

// carryOutAll pretends that Temporal did all that was asked, and returns the
// kinds of the commands and the activities that were completed.
func (r running) carryOutAll(t *testing.T) (kinds []domain.CommandKind, tokens []string) {
	t.Helper()
	for range 100 {
		backlog, err := r.db.Reader().ReadAllBacklogs(t.Context(), time.Now())
		require.NoError(t, err)
		if backlog.Commands == 0 {
			return kinds, tokens
		}
		c := r.carryOut(t, "run-1")
		kinds = append(kinds, c.Kind)
		if c.ActivityToken != nil {
			require.Equal(t, r.Namespace, c.Run.Namespace)
			tokens = append(tokens, enginetest.ActivityOf(c.ActivityToken))
		}
	}
	require.FailNow(t, "too many commands")
	return nil, nil
}

func TestActivityIsCompletedWithItsTask(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	other := r.awaited(t, uuid.New(), "other")
	task := r.awaited(t, uuid.New(), "token")
	kinds, _ := r.carryOutAll(t)
	require.Empty(t, kinds, "the activity waits")

	r.complete(t, task.ID)
	r.complete(t, task.ID)
	kinds, tokens := r.carryOutAll(t)
	require.Equal(t, []domain.CommandKind{domain.CommandCompleteActivity}, kinds, "no signal beside the activity")
	require.Equal(t, []string{"token"}, tokens)

	r.complete(t, other.ID)
	_, tokens = r.carryOutAll(t)
	require.Equal(t, []string{"other"}, tokens)
}

func TestActivityIsCompletedWhenItsTaskIsCancelled(t *testing.T) {
	t.Parallel()

	t.Run("alone", func(t *testing.T) {
		t.Parallel()
		r := newRunning(t)
		task := r.awaited(t, uuid.New(), "token")
		r.awaited(t, uuid.New(), "other")
		for range 2 {
			_, err := r.CancelProcessProcessItems(t.Context(), r.Call, r.process.ID, []uuid.UUID{task.ID})
			require.NoError(t, err)
		}
		kinds, tokens := r.carryOutAll(t)
		require.Equal(t, []domain.CommandKind{domain.CommandCompleteActivity}, kinds)
		require.Equal(t, []string{"token"}, tokens)
	})

	t.Run("with the process, after its workflow was asked to cancel", func(t *testing.T) {
		t.Parallel()
		r := newRunning(t)
		r.awaited(t, uuid.New(), "token")
		_, err := r.CancelProcess(t.Context(), r.Call, r.process.ID)
		require.NoError(t, err)
		kinds, tokens := r.carryOutAll(t)
		require.Equal(t, []domain.CommandKind{domain.CommandCancel, domain.CommandCompleteActivity}, kinds)
		require.Equal(t, []string{"token"}, tokens)
	})

	t.Run("with the workflow, so that no token is kept", func(t *testing.T) {
		t.Parallel()
		r := newRunning(t)
		task := r.awaited(t, uuid.New(), "token")
		require.True(t, r.record(t, r.end("run-1", domain.RunCancelled)))
		kinds, _ := r.carryOutAll(t)
		require.Empty(t, kinds, "the workflow has ended")
		_, err := r.CancelProcessProcessItems(t.Context(), r.Call, r.process.ID, []uuid.UUID{task.ID})
		require.NoError(t, err)
		kinds, _ = r.carryOutAll(t)
		require.Empty(t, kinds)
		stored, err := r.db.Reader().GetProcessItem(t.Context(), r.Call.Caller, task.ID)
		require.NoError(t, err)
		require.Equal(t, domain.TaskCancelled, stored.Task.State)
	})
}

func TestActivityOfALeftoverTaskIsCompletedToo(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	task := r.awaited(t, uuid.New(), "token")
	_, err := r.CompleteProcess(t.Context(), r.Call, r.process.ID)
	require.NoError(t, err)
	r.complete(t, task.ID)
	kinds, _ := r.carryOutAll(t)
	require.Equal(t, []domain.CommandKind{domain.CommandCancel, domain.CommandCompleteActivity}, kinds)
}

func TestActivityAttemptReplacesPrevious(t *testing.T) {
	t.Parallel()

	t.Run("while the task is open", func(t *testing.T) {
		t.Parallel()
		r := newRunning(t)
		id := uuid.New()
		first := r.awaited(t, id, "first")
		again := r.awaited(t, id, "second")
		require.Equal(t, first.Audit, again.Audit, "the task stays as it is")
		require.Equal(t, domain.TaskClaimed, again.Task.State)
		r.complete(t, id)
		_, tokens := r.carryOutAll(t)
		require.Equal(t, []string{"second"}, tokens)
	})

	t.Run("and is completed at once when the task is finished", func(t *testing.T) {
		t.Parallel()
		r := newRunning(t)
		completed, cancelled := uuid.New(), uuid.New()
		r.awaited(t, completed, "first")
		r.awaited(t, cancelled, "third")
		r.complete(t, completed)
		_, err := r.CancelProcessProcessItems(t.Context(), r.Call, r.process.ID, []uuid.UUID{cancelled})
		require.NoError(t, err)
		r.carryOutAll(t)
		r.awaited(t, completed, "second")
		r.awaited(t, cancelled, "fourth")
		kinds, tokens := r.carryOutAll(t)
		require.Equal(t, []domain.CommandKind{domain.CommandCompleteActivity, domain.CommandCompleteActivity}, kinds)
		require.Equal(t, []string{"second", "fourth"}, tokens)
	})

	t.Run("concurrent creations", func(t *testing.T) {
		t.Parallel()
		r := newRunning(t)
		for range 20 {
			id := uuid.New()
			r.awaited(t, id, "first")
			var group sync.WaitGroup
			var again, complete error
			group.Go(func() { _, _, again = r.CreateProcessItem(t.Context(), r.Call, r.awaiting(id, "second")) })
			group.Go(func() { _, complete = r.CompleteProcessItemTask(t.Context(), r.Call, id) })
			group.Wait()
			require.NoError(t, again)
			require.NoError(t, complete)
			_, tokens := r.carryOutAll(t)
			require.NotEmpty(t, tokens)
			require.Equal(t, "second", tokens[len(tokens)-1], "the attempt under way is not forgotten")
		}
	})
}

func TestActivitiesThatMayNotWait(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	task := r.awaited(t, uuid.New(), "token")

	// The owner of a task may read it, but may not create tasks.
	owner := r.Call
	owner.PrincipalID = uuid.New()
	now := time.Now()
	require.NoError(t, r.db.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.PutApplication(domain.Application{
			Principal: domain.Principal{ID: owner.PrincipalID, Name: "owner"}, TenantID: r.ID, Role: domain.RoleMember,
			Audit: domain.NewAudit(owner.PrincipalID, now),
		})
		return nil
	}))
	_, err := r.AssignProcessItemTask(t.Context(), r.Call, task.ID, app.PrincipalKey{ID: &owner.PrincipalID})
	require.NoError(t, err)
	again := r.awaiting(task.ID, "stolen")
	_, _, err = r.CreateProcessItem(t.Context(), owner, again)
	require.True(t, domain.HasCode(err, domain.CodeAccessDenied), "%v", err)
	again.ActivityToken = nil
	_, created, err := r.CreateProcessItem(t.Context(), owner, again)
	require.NoError(t, err, "a reader of the task may repeat its creation")
	require.False(t, created)

	_, err = r.CompleteProcessItemTask(t.Context(), owner, task.ID)
	require.NoError(t, err)
	_, tokens := r.carryOutAll(t)
	require.Equal(t, []string{"token"}, tokens)
}
