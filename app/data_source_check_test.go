package app_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/enginetest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// checking is a service with the data source GOODS and schemas that name it. Its clock is behind, so that staged
// commands are due.
type checking struct {
	running

	artifacts uuid.UUID
	ahead     atomic.Int64
}

const goodsSchema = `{"type":"object","properties":{"LIST":{"items":` + goodsFormat + `}},"additionalProperties":` + goodsFormat + `}`

const goodsFormat = `{"anyOf":[{"type":["boolean","array"]},{"type":"string","format":"kuflow-data-source","dataSource":"GOODS"}]}`

func newChecking(t *testing.T) *checking {
	t.Helper()
	db := pgtest.New(t)
	c := &checking{running: running{db: db, Tenant: enginetest.Seed(t, db, "tenant")}, artifacts: uuid.New()}
	begin := time.Now().Add(-time.Hour)
	clock := func() time.Time { return begin.Add(time.Duration(c.ahead.Load())) }
	store := storage.New(storage.Options{DB: db, Clock: clock})
	c.Service = app.New(app.Options{Store: store, TaskLogLimit: app.DefaultTaskLogLimit, CancelGrace: time.Minute})
	artifacts, err := resource.FromStored(resource.KindBusinessArtifactDefinition,
		resource.Metadata{Code: "BOX", Tenant: "tenant"}, []byte(`{"name":"Box","dataSchema":`+goodsSchema+`}`))
	require.NoError(t, err)
	definition := domain.DefinitionRef{ID: uuid.New(), Version: uuid.New(), Code: "ORDER"}
	task := domain.DefinitionRef{ID: uuid.New(), Version: uuid.New(), Code: enginetest.TaskCode}
	runner := c.Call.PrincipalID
	require.NoError(t, db.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.PutDataSource(domain.DataSource{ID: uuid.New(), TenantID: c.ID, Code: "GOODS", TaskQueue: "goods", RunnerID: runner}, nil)
		tx.PublishVersion(persistence.DefinitionVersion{
			DefinitionRef: definition, TenantID: c.ID, Number: 1, Name: translation.Name{Source: "Order"},
			Spec: json.RawMessage(`{"metadataSchema":` + goodsSchema +
				`,"entitySchema":` + strings.ReplaceAll(goodsSchema, "GOODS", "GONE") + `}`),
			Items: []persistence.ItemDefinitionVersion{{
				DefinitionRef: task, Type: domain.ItemTask, Name: translation.Name{Source: "Task"},
				Spec: json.RawMessage(`{"requireValidDataOnComplete":true,"dataSchema":` + goodsSchema + `}`),
			}},
		}, runner, time.Now())
		tx.GrantOnProcess(definition.ID, domain.PermissionManager, runner)
		tx.GrantOnItem(task.ID, domain.PermissionCandidate, domain.Grantee{ID: runner})
		tx.GrantOnArtifact(c.artifacts, c.ID, domain.PermissionArtifactManager, runner)
		return tx.PutResource(resource.Stored{
			Document: artifacts, ID: c.artifacts, TenantID: c.ID, Audit: domain.NewAudit(domain.SystemPrincipalID(), time.Now()),
		})
	}))
	c.process = c.Create(t, c.Service, "ORDER")
	return c
}

func goodsItem(n int) string {
	return fmt.Sprintf("kuflow-data-source:id=01970000-0000-7000-8000-%012d;", n)
}

// values returns an object with references by the names of its members.
func values(t *testing.T, references map[string]any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(references)
	require.NoError(t, err)
	return text
}

// save replaces the metadata of the process.
func (c *checking) save(t *testing.T, references map[string]any) *domain.JSONValue {
	t.Helper()
	p, err := c.UpdateProcessMetadata(t.Context(), c.Call, c.process.ID, values(t, references))
	require.NoError(t, err)
	return p.Metadata
}

func (c *checking) metadata(t *testing.T) *domain.JSONValue {
	t.Helper()
	p, err := c.RetrieveProcess(t.Context(), c.Call, c.process.ID)
	require.NoError(t, err)
	return p.Metadata
}

// asked returns the check that was staged, of the references to these items.
func (c *checking) asked(t *testing.T, items ...int) uuid.UUID {
	t.Helper()
	start := c.carryOut(t, "run")
	require.NotNil(t, start)
	require.Equal(t, domain.DataSourceValidateActivity, start.Run.DataSource.Activity)
	require.Equal(t, "goods", start.Run.DataSource.TaskQueue)
	var request struct {
		TenantID uuid.UUID `json:"tenantId"`
		Code     string    `json:"code"`
		Values   []string  `json:"values"`
	}
	require.NoError(t, json.Unmarshal(start.Run.DataSource.Request, &request))
	require.Equal(t, c.ID, request.TenantID)
	require.Equal(t, "GOODS", request.Code)
	want := make([]string, 0, len(items))
	for _, n := range items {
		want = append(want, goodsItem(n))
	}
	require.Equal(t, want, request.Values)
	return start.Run.OwnerID
}

func (c *checking) answer(t *testing.T, run uuid.UUID, answer string) {
	t.Helper()
	require.NoError(t, c.FinishDataSourceRun(t.Context(), run, json.RawMessage(answer), ""))
}

// errorsOf lists errors as "pointer type".
func errorsOf(v *domain.JSONValue) []string {
	list := []string{}
	for _, e := range v.Errors {
		list = append(list, e.PropertyPath+" "+e.Type)
	}
	return list
}

func requireErrors(t *testing.T, v *domain.JSONValue, want ...string) {
	t.Helper()
	require.Equal(t, append([]string{}, want...), errorsOf(v))
	require.Equal(t, len(want) == 0, v.Valid)
}

const accepted = `{"validations":[{"valid":true}]}`

func TestReferencesAreCheckedByDataSources(t *testing.T) { //nolint:funlen // one story, from the reference to its value
	t.Parallel()
	c := newChecking(t)

	// New references are pending until the verdicts are noted.
	requireErrors(t, c.save(t, map[string]any{"A": goodsItem(1), "B/": goodsItem(2)}), "/A dataSourcePending", "/B~1 dataSourcePending")
	first := c.asked(t, 1, 2)
	c.answer(t, first, `{"validations":[{"valid":true},{"valid":false,"message":"sold out\u0000"}]}`)
	noted := c.metadata(t)
	requireErrors(t, noted, "/B~1 dataSourceInvalid")
	require.Contains(t, noted.Errors[0].Message, "sold out")
	p, err := c.RetrieveProcess(t.Context(), c.Call, c.process.ID)
	require.NoError(t, err)
	require.Equal(t, domain.SystemPrincipalID(), p.LastModifiedBy)
	c.answer(t, first, accepted)
	requireErrors(t, c.metadata(t), "/B~1 dataSourceInvalid")

	// Verdicts stay with references that do not change.
	requireErrors(t, c.save(t, map[string]any{"A": goodsItem(1), "B/": goodsItem(2), "C": true}), "/B~1 dataSourceInvalid")
	require.Nil(t, c.take(t))
	// The same item elsewhere is another reference.
	requireErrors(t, c.save(t, map[string]any{"B/": goodsItem(1)}), "/B~1 dataSourcePending")
	c.answer(t, c.asked(t, 1), accepted)
	requireErrors(t, c.metadata(t))

	// A pending reference is checked once, and its verdict reaches the later save.
	c.save(t, map[string]any{"A": goodsItem(3)})
	pending := c.asked(t, 3)
	requireErrors(t, c.save(t, map[string]any{"A": goodsItem(3), "C": true}), "/A dataSourcePending")
	require.Nil(t, c.take(t))
	c.answer(t, pending, accepted)
	requireErrors(t, c.metadata(t))

	// A verdict about a removed reference is ignored.
	c.save(t, map[string]any{"A": goodsItem(4)})
	old := c.asked(t, 4)
	saved := c.save(t, map[string]any{"A": goodsItem(5)})
	latest := c.asked(t, 5)
	c.answer(t, old, `{"validations":[{"valid":false}]}`)
	require.Equal(t, errorsOf(saved), errorsOf(c.metadata(t)))

	// Without an answer, saving again asks again.
	require.NoError(t, c.FailDataSourceRun(t.Context(), latest, domain.DataSourceTimedOut))
	requireErrors(t, c.metadata(t), "/A dataSourceUnavailable")
	for _, bad := range []string{`{"validations":[]}`, `{"validations":[{}]}`, `{"error":"no"}`, `[]`} {
		requireErrors(t, c.save(t, map[string]any{"A": goodsItem(5)}), "/A dataSourcePending")
		c.answer(t, c.asked(t, 5), bad)
		requireErrors(t, c.metadata(t), "/A dataSourceUnavailable")
	}
	// Saving a reference with an overdue verdict checks it again; the overdue verdict is ignored.
	c.save(t, map[string]any{"A": goodsItem(5)})
	late := c.asked(t, 5)
	c.ahead.Add(int64(domain.DataSourceQueryTime))
	c.save(t, map[string]any{"A": goodsItem(5)})
	again := c.asked(t, 5)
	c.answer(t, late, accepted)
	requireErrors(t, c.metadata(t), "/A dataSourcePending")
	c.answer(t, again, accepted)
	requireErrors(t, c.metadata(t))

	// At most 100 are asked at once. The others are asked by the next save.
	list := make([]any, 120)
	for i := range list {
		list[i] = goodsItem(100 + i)
	}
	require.Len(t, c.save(t, map[string]any{"LIST": list}).Errors, 120)
	start := c.carryOut(t, "run")
	require.Equal(t, 100, strings.Count(string(start.Run.DataSource.Request), "kuflow-data-source"))
	c.answer(t, start.Run.OwnerID, `{"validations":[`+strings.Repeat(`{"valid":true},`, 99)+`{"valid":true}]}`)
	require.Len(t, c.metadata(t).Errors, 20)
	c.save(t, map[string]any{"LIST": list})
	require.Equal(t, 20, strings.Count(string(c.carryOut(t, "run").Run.DataSource.Request), "kuflow-data-source"))
	_, err = c.UpdateProcessMetadata(t.Context(), c.Call, c.process.ID,
		values(t, map[string]any{"LIST": make([]any, 0), "A": goodsItem(1) + strings.Repeat("x=1;", 3000)}))
	require.NoError(t, err)
	requireErrors(t, c.metadata(t), "/A dataSourceInvalid")
	require.Nil(t, c.take(t))

	// A data source that is not there cannot be asked.
	p, err = c.UpdateProcessEntity(t.Context(), c.Call, c.process.ID, values(t, map[string]any{"A": goodsItem(1)}))
	require.NoError(t, err)
	requireErrors(t, p.Entity, "/A dataSourceUnavailable")
	require.Nil(t, c.take(t))
}

func TestDataOfTasksAndArtifactsIsCheckedByDataSources(t *testing.T) {
	t.Parallel()
	c := newChecking(t)
	data := values(t, map[string]any{"A": goodsItem(1)})

	task, _, err := c.CreateProcessItem(t.Context(), c.Call, app.NewItem{
		Type: domain.ItemTask, ProcessID: c.process.ID, DefinitionCode: enginetest.TaskCode, Data: data,
		Owner: app.PrincipalKey{ID: &c.Call.PrincipalID},
	})
	require.NoError(t, err)
	requireErrors(t, task.Task.Data, "/A dataSourcePending")
	_, err = c.CompleteProcessItemTask(t.Context(), c.Call, task.ID)
	require.True(t, domain.HasCode(err, domain.CodeTaskDataInvalid), "%v", err)
	c.answer(t, c.asked(t, 1), accepted)
	task, err = c.CompleteProcessItemTask(t.Context(), c.Call, task.ID)
	require.NoError(t, err)
	requireErrors(t, task.Task.Data)

	artifact, _, err := c.CreateBusinessArtifact(t.Context(), c.Call, app.NewBusinessArtifact{
		Definition: app.DefinitionKey{ID: &c.artifacts}, Data: data,
	})
	require.NoError(t, err)
	requireErrors(t, artifact.Data, "/A dataSourcePending")
	c.answer(t, c.asked(t, 1), `{"validations":[{"valid":false}]}`)
	artifact, err = c.RetrieveBusinessArtifact(t.Context(), c.Call, artifact.ID)
	require.NoError(t, err)
	requireErrors(t, artifact.Data, "/A dataSourceInvalid")
	require.Equal(t, string(data), string(artifact.Data.Value))

	// The metadata of a new process is checked, too.
	other, _, err := c.CreateProcess(t.Context(), c.Call, app.NewProcess{
		Definition: persistence.DefinitionKey{TenantID: &c.ID, Code: "ORDER"}, Metadata: data,
	})
	require.NoError(t, err)
	requireErrors(t, other.Metadata, "/A dataSourcePending")
	run := c.asked(t, 1)
	c.save(t, map[string]any{"A": goodsItem(2)})
	stale := c.asked(t, 2)

	// A check without a verdict is kept while Temporal is down, but not forever.
	expire := func(after time.Duration) {
		c.ahead.Add(int64(after))
		_, err := c.ExpireRegistrations(t.Context(), 1000)
		require.NoError(t, err)
	}
	expire(2 * time.Hour)
	c.answer(t, run, accepted)
	other, err = c.RetrieveProcess(t.Context(), c.Call, other.ID)
	require.NoError(t, err)
	requireErrors(t, other.Metadata)
	require.Equal(t, domain.SystemPrincipalID(), other.LastModifiedBy)
	expire(8 * 24 * time.Hour)
	c.answer(t, stale, accepted)
	requireErrors(t, c.metadata(t), "/A dataSourcePending")
}
