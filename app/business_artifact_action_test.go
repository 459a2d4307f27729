package app_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/enginetest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// acting is a service with a business artifact and an action on it with the workflow run "run-1".
type acting struct {
	running

	artifact *domain.BusinessArtifact
	action   *domain.BusinessArtifactAction
}

func newActing(t *testing.T, code string) acting {
	t.Helper()
	db := pgtest.New(t)
	a := acting{running: running{db: db, Tenant: enginetest.Seed(t, db, "tenant", "Loan")}}
	store := storage.New(storage.Options{DB: db, Clock: time.Now})
	a.Service = app.New(app.Options{Store: store, TaskLogLimit: app.DefaultTaskLogLimit, CancelGrace: time.Minute})
	a.administrationService = administration.New(administration.Options{Store: store})
	definition := uuid.New()
	document, err := resource.FromStored(resource.KindBusinessArtifactDefinition,
		resource.Metadata{Code: "CUSTOMER", Tenant: "tenant"}, []byte(`{"name":"Customer","actions":[`+
			`{"code":"STATEMENT","type":"DOWNLOADABLE","workflowType":"Statement","taskQueue":"q","runner":"r"},`+
			`{"code":"RECALCULATE","type":"START_WORKFLOW","workflowType":"Recalculate","taskQueue":"q","runner":"r"}]}`))
	require.NoError(t, err)
	require.NoError(t, db.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.GrantOnArtifact(definition, a.ID, domain.PermissionArtifactManager, a.Call.PrincipalID)
		return tx.PutResource(resource.Stored{
			Document: document, ID: definition, TenantID: a.ID,
			Audit: domain.NewAudit(domain.SystemPrincipalID(), time.Now()),
		})
	}))
	a.artifact, _, err = a.CreateBusinessArtifact(t.Context(), a.Call, app.NewBusinessArtifact{
		Definition: app.DefinitionKey{ID: &definition},
	})
	require.NoError(t, err)
	a.action, _, err = a.CreateBusinessArtifactAction(t.Context(), a.Call, a.artifact.ID,
		app.NewBusinessArtifactAction{Code: code})
	require.NoError(t, err)
	start := a.carryOut(t, "run-1")
	require.Equal(t, domain.CommandStart, start.Kind)
	require.Equal(t, domain.EngineRun{
		ID: start.Run.ID, TenantID: a.ID, Kind: domain.RunKindArtifactAction, OwnerID: a.action.ID, Namespace: "tenant",
		WorkflowID:   "business-artifact-action-" + a.action.ID.String(),
		WorkflowType: start.Run.WorkflowType, TaskQueue: "q", State: domain.RunPending,
		Action: &domain.ActionRequest{
			ArtifactID: a.artifact.ID, Type: string(a.action.Type), Code: code, RequestorID: a.Call.PrincipalID,
		},
	}, start.Run)
	return a
}

func (a acting) end(status domain.EngineRunState, result string) domain.RunEnd {
	c := domain.RunEnd{
		Namespace: a.Namespace, WorkflowID: "business-artifact-action-" + a.action.ID.String(), RunID: "run-1",
		Status: status, ClosedAt: time.Now(),
	}
	switch {
	case status == domain.RunFailed:
		c.Message, c.Failure = "no paper", "at line 1"
	case result != "":
		c.Result = json.RawMessage(result)
	}
	return c
}

// document adds a temporary document to an owner and returns its uri.
func (a acting) document(t *testing.T, kind domain.DocumentOwnerKind, owner uuid.UUID) string {
	t.Helper()
	expiresAt := time.Now().Add(time.Minute)
	d := domain.Document{
		ID: uuid.New(), TenantID: a.ID, OwnerKind: kind, OwnerID: owner, BlobID: uuid.New(), Name: "a;b.csv",
		ContentType: "text/csv", Size: 3, CreatedBy: a.Call.PrincipalID, CreatedAt: time.Now(), ExpiresAt: &expiresAt,
	}
	require.NoError(t, a.db.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.InsertDocument(&d)
		return nil
	}))
	return app.DocumentURI(&d)
}

func delivering(t *testing.T, uri string) string {
	t.Helper()
	result, err := json.Marshal(map[string]any{"message": "done", "downloadable": map[string]any{"documentUri": uri}})
	require.NoError(t, err)
	return string(result)
}

func (a acting) retrieve(t *testing.T) *domain.BusinessArtifactAction {
	t.Helper()
	got, err := a.RetrieveBusinessArtifactAction(t.Context(), a.Call, a.artifact.ID, a.action.ID)
	require.NoError(t, err)
	return got
}

func (a acting) requireStatus(t *testing.T, want domain.ActionStatus) {
	t.Helper()
	require.Equal(t, want, a.retrieve(t).Status)
}

func TestEndOfTheWorkflowOfAnAction(t *testing.T) { //nolint:funlen // its subtests share one set-up
	t.Parallel()

	t.Run("a completed one completes it", func(t *testing.T) {
		t.Parallel()
		for _, result := range []string{"", `{"message":"m"}`, `["odd"]`} {
			a := newActing(t, "RECALCULATE")
			require.True(t, a.record(t, a.end(domain.RunCompleted, result)), result)
			require.False(t, a.record(t, a.end(domain.RunCompleted, result)), result)
			got := a.retrieve(t)
			require.Equal(t, domain.ActionCompleted, got.Status, result)
			require.Equal(t, domain.SystemPrincipalID(), got.LastModifiedBy)
			require.NotNil(t, got.FinishedAt)
			require.Empty(t, a.incidents(t))
			require.Nil(t, a.take(t))
		}
	})

	t.Run("a completed one delivers its document, which is kept for a week", func(t *testing.T) {
		t.Parallel()
		a := newActing(t, "STATEMENT")
		uri := a.document(t, domain.DocumentOfArtifact, a.artifact.ID)
		require.True(t, a.record(t, a.end(domain.RunCompleted, delivering(t, uri))))
		got := a.retrieve(t)
		require.Equal(t, domain.ActionCompleted, got.Status)
		require.Equal(t, uri, got.DocumentURI)
		require.False(t, got.DocumentExpired)
		document, err := a.db.Reader().GetDocumentOfBusinessArtifact(t.Context(), a.Call.Caller, a.artifact.ID, *got.DocumentID, time.Now())
		require.NoError(t, err)
		require.WithinDuration(t, time.Now().Add(7*24*time.Hour), *document.ExpiresAt, time.Minute)

		late := app.New(app.Options{Store: storage.New(storage.Options{
			DB: a.db, Clock: func() time.Time { return time.Now().Add(8 * 24 * time.Hour) },
		})})
		got, err = late.RetrieveBusinessArtifactAction(t.Context(), a.Call, a.artifact.ID, a.action.ID)
		require.NoError(t, err)
		require.True(t, got.DocumentExpired)
		require.Equal(t, uri, got.DocumentURI)
		expired, err := a.db.ExpireDocuments(t.Context(), time.Now().Add(8*24*time.Hour), 10)
		require.NoError(t, err)
		require.Len(t, expired, 1)
		require.True(t, a.retrieve(t).DocumentExpired)
	})

	t.Run("a delivery without the artifact is an error", func(t *testing.T) {
		t.Parallel()
		a := newActing(t, "STATEMENT")
		another := a.another(t)
		for name, result := range map[string]string{
			"nothing": "", "text": `"done"`, "no document": `{"message":"m"}`, "null": `{"downloadable":null}`,
			"a number":     `{"downloadable":{"documentUri":1}}`,
			"no uri":       delivering(t, "document"),
			"unknown":      delivering(t, "ku:business-artifact/"+a.artifact.ID.String()+"/document/"+uuid.NewString()),
			"another's":    delivering(t, a.document(t, domain.DocumentOfArtifact, another)),
			"a process's":  delivering(t, a.document(t, domain.DocumentOfProcess, a.artifact.ID)),
			"another name": delivering(t, strings.ReplaceAll(a.document(t, domain.DocumentOfArtifact, a.artifact.ID), a.artifact.ID.String(), another.String())),
		} {
			var err error
			a.action, _, err = a.CreateBusinessArtifactAction(t.Context(), a.Call, a.artifact.ID,
				app.NewBusinessArtifactAction{Code: "STATEMENT"})
			require.NoError(t, err)
			a.carryOut(t, "run-1")
			require.True(t, a.record(t, a.end(domain.RunCompleted, result)), name)
			got := a.retrieve(t)
			require.Equal(t, domain.ActionError, got.Status, name)
			require.Equal(t, "the workflow returned no document of the business artifact", got.Failure, name)
			require.Empty(t, got.DocumentURI, name)
			require.Equal(t, got.Failure, a.incidents(t)[0].Message, name)
		}
	})

	t.Run("a failed one is an error and leaves an incident that can only be dismissed", func(t *testing.T) {
		t.Parallel()
		a := newActing(t, "RECALCULATE")
		require.True(t, a.record(t, a.end(domain.RunFailed, "")))
		require.False(t, a.record(t, a.end(domain.RunFailed, "")))
		got := a.retrieve(t)
		require.Equal(t, domain.ActionError, got.Status)
		require.Equal(t, "no paper", got.Failure)
		incidents := a.incidents(t)
		require.Len(t, incidents, 1)
		require.Equal(t, domain.Incident{
			ID: incidents[0].ID, TenantID: a.ID, RunID: incidents[0].RunID, EngineRun: "run-1", Fingerprint: incidents[0].Fingerprint,
			Problem: domain.Problem{Kind: domain.IncidentFailure, Attempts: 1, Message: "no paper", Failure: "at line 1"},
			State:   domain.IncidentOpen, CreatedAt: incidents[0].CreatedAt,
			ArtifactID: &a.artifact.ID, ActionID: &a.action.ID,
		}, incidents[0])
		_, err := a.RetryIncident(t.Context(), a.Call, incidents[0].ID)
		require.True(t, domain.HasCode(err, domain.CodeInvalidState), "%v", err)
		dismissed, err := a.DismissIncident(t.Context(), a.Call, incidents[0].ID)
		require.NoError(t, err)
		require.Equal(t, domain.IncidentDismissed, dismissed.State)
		require.Nil(t, a.take(t))
		a.requireStatus(t, domain.ActionError)
	})

	t.Run("a cancelled one cancels it", func(t *testing.T) {
		t.Parallel()
		a := newActing(t, "STATEMENT")
		require.True(t, a.record(t, a.end(domain.RunCancelled, "")))
		a.requireStatus(t, domain.ActionCanceled)
		require.Empty(t, a.incidents(t))
	})

	t.Run("one that comes after the cancellation is dropped", func(t *testing.T) {
		t.Parallel()
		for _, status := range []domain.EngineRunState{domain.RunCompleted, domain.RunFailed, domain.RunCancelled} {
			a := newActing(t, "STATEMENT")
			canceled, err := a.CancelBusinessArtifactAction(t.Context(), a.Call, a.artifact.ID, a.action.ID)
			require.NoError(t, err)
			require.Equal(t, domain.ActionCanceled, canceled.Status)
			require.Equal(t, domain.CommandCancel, a.carryOut(t, "").Kind)
			require.Nil(t, a.take(t), "the termination waits for the grace period")
			uri := a.document(t, domain.DocumentOfArtifact, a.artifact.ID)
			require.True(t, a.record(t, a.end(status, delivering(t, uri))))
			after := a.retrieve(t)
			require.Equal(t, domain.ActionCanceled, after.Status)
			require.Empty(t, after.DocumentURI)
			require.Equal(t, a.Call.PrincipalID, after.LastModifiedBy)
			require.Empty(t, a.incidents(t))
		}
	})

	t.Run("one that outlives its artifact is noted", func(t *testing.T) {
		t.Parallel()
		a := newActing(t, "STATEMENT")
		require.NoError(t, a.DeleteBusinessArtifact(t.Context(), a.Call, a.artifact.ID))
		c := a.carryOut(t, "")
		require.Equal(t, domain.CommandCancel, c.Kind)
		require.Equal(t, a.artifact.ID, c.Run.Action.ArtifactID)
		require.True(t, a.record(t, a.end(domain.RunFailed, "")))
		require.Empty(t, a.incidents(t))
	})

	t.Run("many observers and a cancellation agree", func(t *testing.T) {
		t.Parallel()
		a := newActing(t, "RECALCULATE")
		var wg sync.WaitGroup
		news, errs := make([]bool, 8), make([]error, 9)
		for i := range news {
			wg.Go(func() {
				news[i], errs[i] = a.RecordEnd(t.Context(), a.end(domain.RunCompleted, ""))
			})
		}
		wg.Go(func() {
			_, errs[8] = a.CancelBusinessArtifactAction(t.Context(), a.Call, a.artifact.ID, a.action.ID)
		})
		wg.Wait()
		count := 0
		for _, first := range news {
			if first {
				count++
			}
		}
		for _, err := range errs {
			require.NoError(t, err)
		}
		require.Equal(t, 1, count)
		require.Contains(t, []domain.ActionStatus{domain.ActionCompleted, domain.ActionCanceled}, a.retrieve(t).Status)
	})
}

// another creates another artifact of the same definition.
func (a acting) another(t *testing.T) uuid.UUID {
	t.Helper()
	made, _, err := a.CreateBusinessArtifact(t.Context(), a.Call, app.NewBusinessArtifact{
		Definition: app.DefinitionKey{ID: &a.artifact.Definition.ID},
	})
	require.NoError(t, err)
	return made.ID
}
