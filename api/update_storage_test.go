package api_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// Updates of items and processes are heap-only: they write no index. Exceptions are deletions, which lists of deleted
// resources select by index, and changes of the initiator.
func TestUpdatesWriteNoIndex(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	worker := demo.LoanWorker()
	process := s.Loan()
	put := func(path, body string) { s.Call(200, worker, http.MethodPut, path, body) }
	const data = `{"data":{"value":{"AMOUNT":1}}}`
	for _, take := range []func(path string){
		func(path string) { s.Post(200, worker, path+apitest.Claim, "") },
		func(path string) { s.Post(200, worker, path+apitest.Assign, `{"ownerId":"`+worker.ID.String()+`"}`) },
	} {
		item := s.Item(process.ID, "LOAN_APPLICATION", "")
		path := apitest.ItemPath(item.ID, "")
		put(path+"/task/data", data)
		take(path)
		put(path+"/task/context-data", data)
		s.Post(200, worker, path+apitest.LogEntry, `{"message":"seen","level":"INFO"}`)
		s.Post(200, worker, path+apitest.Complete, "")
	}
	s.Item(process.ID, "LOAN_APPLICATION", "")
	s.Post(200, worker, apitest.ProcessPath(process.ID, apitest.CancelItems), "")
	put(apitest.ProcessPath(process.ID, "/metadata"), apitest.MetadataOfBody)
	put(apitest.ProcessPath(process.ID, "/entity"), `{"entity":{"value":{"AMOUNT":1}}}`)
	s.Post(200, worker, apitest.ProcessPath(process.ID, apitest.Finish), "")

	// Connections report their updates when they end.
	execute(s, `SELECT pg_terminate_backend(a.pid, 10000) FROM pg_stat_activity a
                 WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()`)
	for table, atLeast := range map[string]int{"process_items": 11, "processes": 3} {
		const updates = "SELECT n_tup_upd FROM pg_stat_user_tables WHERE relname = $1"
		require.Eventually(t, func() bool { return s.Count(updates, table) >= atLeast }, 30*time.Second, 10*time.Millisecond, table)
		require.Zero(t, s.Count("SELECT n_tup_upd - n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = $1", table), table)
	}
}
