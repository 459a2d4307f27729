package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"

	"github.com/procession-dev/procession/devstack/child"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

// goodsDocuments contains the data source of the example, and a similar one with encrypted payloads.
const goodsDocuments = `
apiVersion: procession/v1
kind: DataSource
metadata: {code: GOODS, tenant: demo}
spec: {name: Goods, taskQueue: QUEUE_GOODS, runner: loan-worker, permissions: {queriers: [{user: bob}]}}
---
apiVersion: procession/v1
kind: DataSource
metadata: {code: SECRETS, tenant: demo}
spec:
  name: Secrets
  taskQueue: QUEUE_GOODS
  runner: loan-worker
  encryptionKey: demo-key
  permissions: {queriers: [{user: bob}]}
---
apiVersion: procession/v1
kind: ProcessDefinition
metadata: {code: ORDER, tenant: demo}
spec:
  name: Order
  metadataSchema:
    properties:
      GOODS: {type: string, title: Goods, format: kuflow-data-source, dataSource: GOODS}
      OTHERS: {items: {type: string, format: kuflow-data-source, dataSource: GOODS}}
      SECRET: {type: string, format: kuflow-data-source, dataSource: SECRETS}
  permissions: {initiators: [{user: alice}, {user: bob}], managers: [{user: alice}]}
`

func TestDataSourceEndToEnd(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	documents := filepath.Join(t.TempDir(), "goods.yaml")
	require.NoError(t, os.WriteFile(documents, []byte(goodsDocuments), 0o600))
	printed(t, append([]string{"apply", "-f", documents}, s.asking(demo.Alice())...)...)
	s.startDataSourceWorker()

	runQuery := func(query map[string]any) map[string]any {
		t.Helper()
		status, run := s.call(demo.Bob(), http.MethodPost, "/data-source-queries", query)
		require.Equal(t, http.StatusAccepted, status, run)
		path := "/data-source-queries/" + field[string](t, run, "id")
		s.await("the data source to answer", func() bool {
			status, run = s.call(demo.Bob(), http.MethodGet, path, nil)
			require.Equal(t, http.StatusOK, status, run)
			return run["state"] != "PENDING"
		})
		return run
	}
	for _, code := range []string{"GOODS", "SECRETS"} {
		run := runQuery(map[string]any{"dataSourceCode": code, "query": "m4", "pageNumber": 1, "pageSize": 2})
		require.Equal(t, "COMPLETED", run["state"], run)
		page := field[map[string]any](t, run, "page")
		require.Equal(t, map[string]any{"size": 2.0, "page": 1.0, "totalElements": 3.0, "totalPages": 2.0}, page["metadata"])
		require.Equal(t, []any{map[string]any{
			"value": "kuflow-data-source:id=01970000-0000-7000-8000-00000000d004;name=Washer%20M4;",
			"properties": map[string]any{
				"id": "01970000-0000-7000-8000-00000000d004", "label": "Washer M4", "price": 0.05,
			},
		}}, page["content"])
		if code == "SECRETS" {
			s.requireDataSourceHidden(field[string](t, run, "id"))
		}
	}
	errorBody := runQuery(map[string]any{"dataSourceCode": "GOODS", "filter": "cheap"})
	require.Equal(t, []any{"FAILED", "REFUSED", "goods cannot be filtered"},
		[]any{errorBody["state"], errorBody["errorCode"], errorBody["errorMessage"]})
	s.orderInABrowser()
	s.requireGoodsChecked()
	s.await("all runs of data sources to end", func() bool {
		var open int
		s.query("SELECT count(*) FROM engine_runs WHERE kind = 'DATA_SOURCE' AND closed_at IS NULL", &open)
		return open == 0
	})
}

// orderInABrowser starts a process with one of the goods that the data source finds.
func (s *testStack) orderInABrowser() {
	s.t.Helper()
	bob := s.browse(demo.Bob().Secret)
	bob.open("start?q=order")
	bob.Click("main .tile .row-link")
	bob.Type("#f-metadata-GOODS", "m4")
	const washer = `[data-choose$=";name=Washer%20M4;"]`
	bob.Await("document.querySelector('" + washer + "')")
	require.Equal(s.t, []string{"Bolt M4", "Nut M4", "Washer M4"}, browsertest.Eval[[]string](bob.Tab,
		`[...document.querySelectorAll("[data-choose]")].map((button) => button.innerText)`))
	bob.Click(washer)
	bob.Await(`document.querySelector("#f-metadata-GOODS").value === "Washer M4" && !document.querySelector(".is-invalid")`)
	bob.Click("[data-complete]")
	bob.AwaitText("started by Bob")
	bob.AwaitText("Washer M4")
	path := "/processes/" + filepath.Base(bob.Path())
	s.await("the data source to check what was chosen", func() bool {
		status, process := s.call(demo.Bob(), http.MethodGet, path, nil)
		require.Equal(s.t, http.StatusOK, status, process)
		require.Equal(s.t, map[string]any{"GOODS": "kuflow-data-source:id=01970000-0000-7000-8000-00000000d004;name=Washer%20M4;"},
			field[map[string]any](s.t, process, "metadata", "value"))
		return field[bool](s.t, process, "metadata", "valid")
	})
}

// requireGoodsChecked requires that the references in a value are checked by the data
// sources that its schema names.
func (s *testStack) requireGoodsChecked() {
	s.t.Helper()
	const existing, unknown = "kuflow-data-source:id=01970000-0000-7000-8000-00000000d001;", "kuflow-data-source:id=01970000-0000-7000-8000-00000000ffff;"
	metadataOf := func(process map[string]any) (bool, []any) {
		metadata := field[map[string]any](s.t, process, "metadata")
		errors, _ := metadata["errors"].([]any)
		return field[bool](s.t, metadata, "valid"), errors
	}
	status, process := s.call(demo.Alice(), http.MethodPost, "/processes", map[string]any{
		"tenantId": demo.TenantDemo(), "processDefinitionCode": "ORDER",
		"metadata": map[string]any{"value": map[string]any{"GOODS": existing, "OTHERS": []string{existing, unknown}, "SECRET": existing}},
	})
	require.Equal(s.t, http.StatusCreated, status, process)
	valid, errors := metadataOf(process)
	require.False(s.t, valid)
	require.Len(s.t, errors, 4)
	require.Equal(s.t, map[string]any{
		"propertyPath": "/GOODS", "type": "dataSourcePending", "message": "is being checked by the data source GOODS",
	}, errors[0])
	path := "/processes/" + field[string](s.t, process, "id")
	settled := func() {
		s.await("the data sources to check the value", func() bool {
			_, process = s.call(demo.Alice(), http.MethodGet, path, nil)
			valid, errors = metadataOf(process)
			return valid || len(errors) == 1 && field[string](s.t, errors[0], "type") != "dataSourcePending"
		})
	}
	settled()
	require.Equal(s.t, []any{map[string]any{
		"propertyPath": "/OTHERS/1", "type": "dataSourceInvalid", "message": "there are no such goods",
	}}, errors)
	status, process = s.call(demo.Alice(), http.MethodPut, path+"/metadata", map[string]any{
		"metadata": map[string]any{"value": map[string]any{"GOODS": existing, "OTHERS": []string{existing}, "SECRET": existing}},
	})
	require.Equal(s.t, http.StatusOK, status, process)
	valid, errors = metadataOf(process)
	require.True(s.t, valid, errors)
}

// requireDataSourceHidden requires that the questions to a data source and its answers are encrypted in
// Temporal.
func (s *testStack) requireDataSourceHidden(run string) {
	s.t.Helper()
	history := s.systemClient().GetWorkflowHistory(s.t.Context(), "data-source-"+run, "", false,
		enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	require.True(s.t, history.HasNext())
	for history.HasNext() {
		event, err := history.Next()
		require.NoError(s.t, err)
		require.NotContains(s.t, event.String(), "Washer")
		require.NotContains(s.t, event.String(), `\"m4\"`)
	}
}

// startDataSourceWorker runs the example worker of data sources.
func (s *testStack) startDataSourceWorker() {
	s.t.Helper()
	account := demo.LoanWorker()
	cmd := exec.Command(example(s.t, "data-source"))
	cmd.Env = append(os.Environ(), "DATA_SOURCE_ENDPOINT="+s.url(), "DATA_SOURCE_TEMPORAL_ADDRESS="+s.config.TemporalAddress,
		"DATA_SOURCE_CLIENT_ID="+account.ID.String(), "DATA_SOURCE_CLIENT_SECRET="+account.Secret)
	log := s.logTo("data-source-worker.log")
	cmd.Stdout, cmd.Stderr = log, log
	p, err := child.Start(cmd, syscall.SIGKILL)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { s.stopProcess(p, syscall.SIGKILL) })
}
