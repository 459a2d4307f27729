package main

import (
	"net/http"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/browsertest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// holdEvents opens a transaction that records events, and one in another database, which has no effect.
func (f *faultTest) holdEvents() (mend func()) {
	f.t.Helper()
	foreign, err := pgx.Connect(f.t.Context(), pgtest.URL(f.t))
	require.NoError(f.t, err)
	f.t.Cleanup(func() { _ = foreign.Close(f.t.Context()) })
	_, err = foreign.Exec(f.t.Context(), "BEGIN; SELECT pg_current_xact_id()")
	require.NoError(f.t, err)
	f.createLoan(uuid.New())
	f.await("no delay by a transaction in another database", func() bool { return f.number("procession_event_lag_seconds") == 0 })
	conn := f.connect()
	_, err = conn.Exec(f.t.Context(), "BEGIN; SELECT event_transaction()")
	require.NoError(f.t, err)
	f.createLoan(uuid.New())
	return func() { _, _ = conn.Exec(f.t.Context(), "ROLLBACK"); _, _ = foreign.Exec(f.t.Context(), "ROLLBACK") }
}

// breakDatabase begins a fault of the database, and requires that changes are refused with 503. A person who sends a form is told
// so, and keeps the input until it can be sent.
func (f *faultTest) breakDatabase(fault pgtest.Fault) (mend func()) {
	f.t.Helper()
	comment := "the rates are on their way " + uuid.NewString()
	f.alice.open("incidents/" + f.queried(`SELECT id::text FROM incidents WHERE state = 'OPEN' ORDER BY created_at LIMIT 1`))
	f.alice.Type("textarea[name=text]", comment)
	end := fault.Apply(f.t, f.database())
	f.await("a refused change", func() bool {
		status, _ := f.call(demo.Carol(), http.MethodPost, "/processes", map[string]any{"id": uuid.New(), "processDefinitionId": demo.Loan()})
		return status == http.StatusServiceUnavailable
	})
	f.alice.Click("form[action$=comment] button")
	f.alice.AwaitText("Nothing was changed.")
	f.alice.RequireAccessible()
	require.Equal(f.t, comment, browsertest.Eval[string](f.alice.Tab, `document.querySelector("textarea[name=text]").value`))
	return func() {
		end()
		f.await("the service to be ready", func() bool { return f.number("readyz") == 0 })
		f.alice.Click("form[action$=comment] button")
		f.alice.Await(`[...document.querySelectorAll(".prose")].some((p) => p.textContent === ` + strconv.Quote(comment) + `)`)
	}
}

// breakTemporal stops Temporal and starts a process.
func (f *faultTest) breakTemporal() (mend func()) {
	f.t.Helper()
	f.stopTemporal()
	f.createLoan(uuid.New())
	return f.startTemporal
}
