package app_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/storage"
	blobs "github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/enginetest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// invoked is a service with a manual process and a user action on it with the workflow run "run-1".
type invoked struct {
	running

	action *domain.ProcessAction
}

func newInvoked(t *testing.T, code string) invoked {
	t.Helper()
	db := pgtest.New(t)
	i := invoked{running: running{db: db, Tenant: enginetest.Seed(t, db, "tenant")}}
	store, err := blobs.Open(t.Context(), "file://"+t.TempDir()+"?fsync=off")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	shared := storage.New(storage.Options{DB: db, Clock: time.Now})
	i.Service = app.New(app.Options{
		Store: shared, TaskLogLimit: app.DefaultTaskLogLimit, CancelGrace: time.Minute, Documents: store,
	})
	i.administrationService = administration.New(administration.Options{Store: shared})
	definition := domain.DefinitionRef{ID: uuid.New(), Version: uuid.New(), Code: "MANUAL"}
	require.NoError(t, db.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.PublishVersion(persistence.DefinitionVersion{
			DefinitionRef: definition, TenantID: i.ID, Number: 1, Name: translation.Name{Source: "Manual"},
			Spec: json.RawMessage(`{"userActions":[` +
				`{"code":"REPORT","name":"R","type":"DOWNLOADABLE","permissions":["MANAGER"],"workflowType":"Report","taskQueue":"q"},` +
				`{"code":"NUDGE","name":"N","type":"START_WORKFLOW","permissions":["MANAGER"],"workflowType":"Nudge","taskQueue":"q"},` +
				`{"code":"ODD","name":"O","type":"START_WORKFLOW","permissions":["MANAGER"],"availability":"${ env }"}]}`),
		}, i.Call.PrincipalID, time.Now())
		tx.GrantOnProcess(definition.ID, domain.PermissionManager, i.Call.PrincipalID)
		return nil
	}))
	i.process = i.Create(t, i.Service, "MANUAL")
	i.action, _, err = i.CreateProcessAction(t.Context(), i.Call, i.process.ID, app.NewProcessAction{Code: code})
	require.NoError(t, err)
	start := i.carryOut(t, "run-1")
	require.Equal(t, domain.CommandStart, start.Kind)
	require.Equal(t, domain.EngineRun{
		ID: start.Run.ID, TenantID: i.ID, Kind: domain.RunKindProcessAction, OwnerID: i.action.ID, Namespace: "tenant",
		WorkflowID:   "process-action-" + i.action.ID.String(),
		WorkflowType: start.Run.WorkflowType, TaskQueue: "q", State: domain.RunPending,
		Action: &domain.ActionRequest{
			ProcessID: i.process.ID, Type: string(i.action.Type), Code: code, RequestorID: i.Call.PrincipalID,
		},
	}, start.Run)
	return i
}

func (i invoked) recordEnd(t *testing.T, status domain.EngineRunState) bool {
	t.Helper()
	c := i.end("run-1", status)
	c.WorkflowID = "process-action-" + i.action.ID.String()
	if status != domain.RunFailed {
		c.Message, c.Failure = "", ""
	}
	return i.record(t, c)
}

func (i invoked) retrieve(t *testing.T) *domain.ProcessAction {
	t.Helper()
	got, err := i.RetrieveProcessAction(t.Context(), i.Call, i.process.ID, i.action.ID)
	require.NoError(t, err)
	return got
}

func (i invoked) upload(t *testing.T) bool {
	t.Helper()
	_, taken, err := i.UploadProcessActionDocument(t.Context(), i.Call, i.process.ID, i.action.ID, storage.File{
		Name: "a.txt", ContentType: "text/plain", Body: strings.NewReader("text"),
	})
	require.NoError(t, err)
	return taken
}

func TestEndOfTheWorkflowOfAUserAction(t *testing.T) { //nolint:funlen // its subtests share one set-up
	t.Parallel()

	t.Run("a completed one completes START_WORKFLOW", func(t *testing.T) {
		t.Parallel()
		i := newInvoked(t, "NUDGE")
		require.True(t, i.recordEnd(t, domain.RunCompleted))
		require.False(t, i.recordEnd(t, domain.RunCompleted))
		got := i.retrieve(t)
		require.Equal(t, domain.ActionCompleted, got.Status)
		require.Equal(t, domain.SystemPrincipalID(), got.LastModifiedBy)
		require.NotNil(t, got.FinishedAt)
		require.Empty(t, i.incidents(t))
		i.requireState(t, domain.ProcessRunning)
	})

	t.Run("one that uploaded nothing is an error", func(t *testing.T) {
		t.Parallel()
		i := newInvoked(t, "REPORT")
		require.True(t, i.recordEnd(t, domain.RunCompleted))
		got := i.retrieve(t)
		require.Equal(t, domain.ActionError, got.Status)
		require.Equal(t, "the workflow ended without uploading a document", got.Failure)
		require.Equal(t, got.Failure, i.incidents(t)[0].Message)
		require.False(t, i.upload(t), "it is too late")
	})

	t.Run("the end of one that uploaded its document is no news to the action", func(t *testing.T) {
		t.Parallel()
		for _, status := range []domain.EngineRunState{domain.RunCompleted, domain.RunFailed, domain.RunCancelled} {
			i := newInvoked(t, "REPORT")
			require.True(t, i.upload(t))
			completed := i.retrieve(t)
			require.Equal(t, domain.ActionCompleted, completed.Status)
			require.True(t, i.recordEnd(t, status))
			require.Equal(t, completed, i.retrieve(t))
			require.Empty(t, i.incidents(t))
		}
	})

	t.Run("a failed one is an error and leaves an incident that can only be dismissed", func(t *testing.T) {
		t.Parallel()
		i := newInvoked(t, "REPORT")
		require.True(t, i.recordEnd(t, domain.RunFailed))
		got := i.retrieve(t)
		require.Equal(t, domain.ActionError, got.Status)
		require.Equal(t, "no funds", got.Failure)
		incidents := i.incidents(t)
		require.Len(t, incidents, 1)
		require.Equal(t, domain.Incident{
			ID: incidents[0].ID, TenantID: i.ID, ProcessID: &i.process.ID, ActionID: &i.action.ID,
			RunID: incidents[0].RunID, EngineRun: "run-1", Fingerprint: incidents[0].Fingerprint,
			Problem: domain.Problem{Kind: domain.IncidentFailure, Attempts: 1, Message: "no funds", Failure: "at line 1"},
			State:   domain.IncidentOpen, CreatedAt: incidents[0].CreatedAt,
		}, incidents[0])
		found, err := i.ListIncidents(t.Context(), i.Call, administration.IncidentFilter{ProcessIDs: []uuid.UUID{i.process.ID}},
			domain.PageRequest{Size: 10}, nil)
		require.NoError(t, err)
		require.Equal(t, incidents, found.Items)
		_, err = i.RetryIncident(t.Context(), i.Call, incidents[0].ID)
		require.True(t, domain.HasCode(err, domain.CodeInvalidState), "%v", err)
		dismissed, err := i.DismissIncident(t.Context(), i.Call, incidents[0].ID)
		require.NoError(t, err)
		require.Equal(t, domain.IncidentDismissed, dismissed.State)
		require.Nil(t, i.take(t))
		i.requireState(t, domain.ProcessRunning)
	})

	t.Run("terminated in Temporal cancels the action", func(t *testing.T) {
		t.Parallel()
		i := newInvoked(t, "NUDGE")
		require.True(t, i.recordEnd(t, domain.RunCancelled))
		require.Equal(t, domain.ActionCanceled, i.retrieve(t).Status)
		require.Empty(t, i.incidents(t))
	})

	t.Run("what comes after the cancellation is dropped", func(t *testing.T) {
		t.Parallel()
		for _, status := range []domain.EngineRunState{domain.RunCompleted, domain.RunFailed, domain.RunCancelled} {
			i := newInvoked(t, "REPORT")
			canceled, err := i.CancelProcessAction(t.Context(), i.Call, i.process.ID, i.action.ID)
			require.NoError(t, err)
			require.Equal(t, domain.CommandCancel, i.take(t).Kind)
			require.False(t, i.upload(t))
			require.True(t, i.recordEnd(t, status))
			require.Equal(t, canceled.FinishedAt, i.retrieve(t).FinishedAt)
			require.Equal(t, domain.ActionCanceled, i.retrieve(t).Status)
			require.Empty(t, i.incidents(t))
		}
	})
}

// An expression that is not allowed any longer hides its own action only.
func TestMalformedExpressionHidesAction(t *testing.T) {
	t.Parallel()
	i := newInvoked(t, "NUDGE")
	available, err := i.FindAvailableProcessActions(t.Context(), i.Call, i.process.ID)
	require.NoError(t, err)
	require.Len(t, available, 2)
	_, _, err = i.CreateProcessAction(t.Context(), i.Call, i.process.ID, app.NewProcessAction{Code: "ODD"})
	require.True(t, domain.HasCode(err, domain.CodeAccessDenied), "%v", err)
	faults, err := i.ListAvailabilityFaults(t.Context(), i.Call, nil, domain.PageRequest{Size: 10})
	require.NoError(t, err)
	require.Len(t, faults.Items, 1)
	require.Contains(t, faults.Items[0].Message, "column 4: env is not a function")
}
