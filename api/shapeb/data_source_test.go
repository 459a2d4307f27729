package shapeb_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/apitest"
)

func TestQueriesOfDataSources(t *testing.T) { //nolint:funlen // one story, from the query to its removal
	t.Parallel()
	s := apitest.NewService(t)
	s.PutDataSource(demo.TenantDemo(), demo.LoanWorker(), demo.Reviewers())
	bob := demo.Bob()
	got := s.Post(202, bob, "/data-source-queries",
		`{"dataSourceCode":"GOODS","query":"bolt","context":{"CURRENCY":"EUR"},"pageNumber":2,"pageSize":5}`)
	query := apitest.Decode[oasb.DataSourceQuery](t, got)
	require.Equal(t, "data-source-queries/"+query.ID.String(), got.Header.Get("Location"))
	require.Equal(t, oasb.DataSourceQueryStatePENDING, query.State)
	require.NotNil(t, query.RetryAfterSeconds)

	conn := s.Connect()
	defer func() { _ = conn.Close(t.Context()) }()
	var request string
	var workflowType, queue string
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT workflow_type, task_queue, data_source->>'request'
		FROM engine_runs r JOIN engine_commands c ON c.engine_run_id = r.id WHERE owner_id = $1 AND c.kind = 'START'`,
		query.ID).Scan(&workflowType, &queue, &request))
	require.Equal(t, domain.DataSourceWorkflow+" "+domain.DataSourceTaskQueue, workflowType+" "+queue)
	require.JSONEq(t, `{"tenantId":"`+demo.TenantDemo().String()+`","code":"GOODS","query":"bolt","pageNumber":2,"pageSize":5,`+
		`"context":{"CURRENCY":"EUR"}}`, request)

	path := func(id uuid.UUID) string { return "/data-source-queries/" + id.String() }
	read := func(id uuid.UUID) oasb.DataSourceQuery {
		t.Helper()
		return apitest.Decode[oasb.DataSourceQuery](t, s.Get(200, bob, path(id)))
	}
	finish := func(id uuid.UUID, answer, problem string) oasb.DataSourceQuery {
		t.Helper()
		require.NoError(t, s.App.FinishDataSourceRun(t.Context(), id, json.RawMessage(answer), problem))
		return read(id)
	}
	done := finish(query.ID, `{"pageNumber":2,"pageSize":5,"totalElements":12,"totalPages":3,"items":[
		{"id":"01970000-0000-7000-8000-00000000d001","label":"Bolt; M4","price":1.50},
		{"id":"prod-1","name":"Nut"}]}`, "")
	require.Equal(t, oasb.DataSourceQueryStateCOMPLETED, done.State)
	require.Equal(t, oasb.PageMetadata{Size: 5, Page: 2, TotalElements: 12, TotalPages: 3}, done.Page.Metadata)
	require.Equal(t, "kuflow-data-source:id=01970000-0000-7000-8000-00000000d001;name=Bolt%3B%20M4;", *done.Page.Content[0].Value)
	require.Contains(t, string(done.Page.Content[0].Properties), `"price":1.50`)
	require.Nil(t, done.Page.Content[1].Value, "an item without a UUID")
	require.Equal(t, done, finish(query.ID, `{"error":"late"}`, ""), "the first answer stays")
	require.Equal(t, 0, s.Count("SELECT count(*) FROM engine_runs WHERE owner_id = $1 AND closed_at IS NULL", query.ID))
	require.NoError(t, s.App.FinishDataSourceRun(t.Context(), uuid.New(), nil, ""), "a run that was removed")

	for name, c := range map[string]struct{ answer, problem, code, message string }{
		"error":     {`{"error":"no such filter"}`, "", "REFUSED", "no such filter"},
		"no object": {`[]`, "", "INVALID_ANSWER", "not an object"},
		"negative":  {`{"pageNumber":-1}`, "", "INVALID_ANSWER", "negative"},
		"no item":   {`{"items":[null]}`, "", "INVALID_ANSWER", "item 0 is not an object"},
		"unread":    {``, "cannot be decrypted", "INVALID_ANSWER", "cannot be decrypted"},
	} {
		failed := finish(queryGoods(s, bob), c.answer, c.problem)
		require.Equal(t, oasb.DataSourceQueryStateFAILED, failed.State, name)
		require.Equal(t, oasb.DataSourceQueryErrorCode(c.code), *failed.ErrorCode, name)
		require.Contains(t, *failed.ErrorMessage, c.message, name)
	}

	broken := queryGoods(s, bob)
	require.NoError(t, s.App.FailDataSourceRun(t.Context(), broken, domain.DataSourceBroken))
	require.Equal(t, oasb.DataSourceQueryErrorCodeFAILED, *read(broken).ErrorCode)

	s.Refused(404, "NOT_FOUND", demo.Alice(), "POST", "/data-source-queries", `{"dataSourceCode":"GOODS"}`)
	s.Refused(404, "NOT_FOUND", demo.Alice(), "GET", path(query.ID), "")
	large := make([]byte, domain.MaxDataSourceRequest)
	for i := range large {
		large[i] = 'x'
	}
	s.Refused(400, "VALIDATION", bob, "POST", "/data-source-queries", `{"dataSourceCode":"GOODS","context":{"A":"`+string(large)+`"}}`)

	var last uuid.UUID
	for range domain.MaxDataSourceQueries {
		last = queryGoods(s, bob)
	}
	s.Refused(409, "CONFLICT", bob, "POST", "/data-source-queries", `{"dataSourceCode":"GOODS"}`)
	s.Ticks.Add(domain.DataSourceQueryTime.Milliseconds())
	late := read(last)
	require.Equal(t, oasb.DataSourceQueryErrorCodeTIMEOUT, *late.ErrorCode)
	for range 6 {
		queryGoods(s, bob)
	}
	s.Ticks.Add(domain.DataSourceQueryTime.Milliseconds())
	queryGoods(s, bob)
	require.Equal(t, domain.MaxDataSourceResults, s.Count(
		"SELECT count(*) FROM data_source_runs WHERE state <> 'PENDING' OR deadline < $1", s.Now()), "no more are kept")
	s.Get(404, bob, path(query.ID))
	s.Ticks.Add(domain.DataSourceResultLifetime.Milliseconds())
	s.Get(404, bob, path(last))
	s.Ticks.Add(time.Hour.Milliseconds())
	_, err := s.App.ExpireRegistrations(t.Context(), 1000)
	require.NoError(t, err)
	for _, table := range []string{"data_source_runs", "engine_runs WHERE kind = 'DATA_SOURCE'"} {
		require.Equal(t, 0, s.Count("SELECT count(*) FROM "+table), table)
	}
	require.Equal(t, 0, s.Count("SELECT count(*) FROM engine_commands"), "nothing waits for an answer any more")
}

// The errors of a value contain the message of the data source about a reference.
func TestReferencesToDataSourcesHaveMessages(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	id := uuid.New()
	s.Define(apitest.Document("demo", "DataSource", "GOODS", `{"name":"Goods","taskQueue":"QUEUE_GOODS","runner":"loan-worker"}`), apitest.Identified("demo", "ProcessDefinition", "ORDER", id, `{"name":"Order",`+
		`"metadataSchema":{"type":"object","properties":{"GOOD":{"type":"string","format":"kuflow-data-source","dataSource":"GOODS"}}},`+
		`"items":[],"permissions":{"initiators":[{"user":"alice"}],"managers":[{"user":"alice"}]}}`))
	created := apitest.Decode[oasb.Process](t, s.Post(201, demo.Alice(), "/processes", `{"processDefinitionId":"`+id.String()+`",`+
		`"metadata":{"value":{"GOOD":"kuflow-data-source:id=01970000-0000-7000-8000-00000000d001;"}}}`))
	require.False(t, *created.Metadata.Valid)
	failure := created.Metadata.Errors[0]
	require.Equal(t, "/GOOD dataSourcePending", *failure.PropertyPath+" "+*failure.Type)
	require.Contains(t, *failure.Message, "GOODS")
}

// queryGoods asks the data source GOODS of the tenant Demo.
func queryGoods(s *apitest.Service, as demo.Account) uuid.UUID {
	s.T.Helper()
	return apitest.Decode[oasb.DataSourceQuery](s.T, s.Post(202, as, "/data-source-queries", `{"dataSourceCode":"GOODS"}`)).ID
}
