package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/devstack/demo"
)

const (
	// bulkTarget is the longest time for a bulk operation on 10,000 incidents.
	bulkTarget = 5 * time.Minute
	bulkPoll   = 100 * time.Millisecond

	appoint = `
INSERT INTO process_definition_grants (process_definition_id, permission, grantee_id)
VALUES ($1, 'ADMINISTRATOR', $2)`
	dismiss = `
DELETE FROM process_definition_grants
 WHERE process_definition_id = $1 AND permission = 'ADMINISTRATOR' AND grantee_id = $2`

	failRuns = `
UPDATE engine_runs SET state = 'FAILED', closed_at = now()
 WHERE workflow_type = $2 AND id::text LIKE $1::text || '%'`

	loadIncidents = `
INSERT INTO incidents (id, tenant_id, process_id, engine_run_id, message, failure, fingerprint, run_id, state, created_at)
SELECT gen_random_uuid(), r.tenant_id, r.owner_id, r.id, 'the bank is closed', repeat('at Workflow.run ', 50), 'bench', r.run_id, 'OPEN', now()
  FROM engine_runs r
 WHERE r.workflow_type = $2 AND r.id::text LIKE $1::text || '%'`
)

// measureBulk measures the page of many incidents, and a bulk operation that retries all of them.
func (b *bench) measureBulk(ctx context.Context) error {
	prefix := uuid.NewString()[:len("00000000-0000-0000-0000-")]
	for _, load := range []struct {
		statement string
		args      []any
	}{
		{loadOpenProcesses, []any{prefix, definitionID(codeWait), demo.Alice().ID, b.incidents}},
		{loadOpenWorkflows, []any{prefix, definitionID(codeWait), workflowWait, taskQueue}},
		{failRuns, []any{prefix, workflowWait}},
		{loadIncidents, []any{prefix, workflowWait}},
	} {
		if err := b.inOne(ctx, load.args, load.statement); err != nil {
			return err
		}
	}
	if err := b.vacuumTables(ctx); err != nil {
		return err
	}
	if err := b.measureIncidentPages(ctx); err != nil {
		return err
	}
	return b.measureRetry(ctx)
}

// measureIncidentPages measures the first page of many incidents, of an administrator of all and of one of their definition, and
// searches.
func (b *bench) measureIncidentPages(ctx context.Context) error {
	appointed := []any{definitionID(codeWait), demo.Bob().ID}
	if err := b.inOne(ctx, appointed, appoint); err != nil {
		return err
	}
	for _, page := range []struct {
		of   demo.Account
		name string
		path string
	}{
		{demo.Alice(), "first page of %d incidents", "incidents"},
		{demo.Bob(), "the same for an administrator of their definition", "incidents"},
		{demo.Alice(), "search for a word of all messages", "incidents?q=bank"},
		{demo.Alice(), "search for a word of no message", "incidents?q=unheard"},
		{demo.Bob(), "the same for an administrator of their definition", "incidents?q=unheard"},
	} {
		browser, err := b.signIn(ctx, page.of)
		if err != nil {
			return err
		}
		took, err := b.timeFirstPage(ctx, browser, page.path)
		if err = errors.Join(err, browser.Close()); err != nil {
			return err
		}
		name := page.name
		if strings.Contains(name, "%d") {
			name = fmt.Sprintf(name, b.incidents)
		}
		b.report.add(row{
			measure: name, value: formatLatency(took),
			limit: "p99 ≤ " + formatMilliseconds(administrationTarget), missed: percentileOf(took, 0.99) > administrationTarget,
		})
	}
	return b.inOne(ctx, appointed, dismiss)
}

// measureRetry measures the time and the processor time until a bulk operation has retried all open incidents, and until Temporal has
// all commands.
func (b *bench) measureRetry(ctx context.Context) error {
	alice, err := b.dial(ctx, demo.Alice())
	if err != nil {
		return err
	}
	defer func() { _ = alice.Close() }()
	var operation struct {
		ID, State               string
		Selected, Done, Refused int
	}
	call := func(method, path, body string, status int) error {
		answer, err := alice.sendRequest(method, administrationPath+"/bulk-operations"+path, body, status)
		if err != nil {
			return err
		}
		return json.Unmarshal(answer, &operation)
	}
	began := time.Now()
	if err := call(http.MethodPost, "", `{"kind":"RETRY_INCIDENTS","filter":{"states":["OPEN"]}}`, http.StatusCreated); err != nil {
		return err
	}
	previewed := time.Since(began)
	before, err := b.processorTimes(ctx)
	if err != nil {
		return err
	}
	began = time.Now()
	if err := call(http.MethodPost, "/"+operation.ID+"/~actions/start", `{"reason":"the bank is open"}`, http.StatusOK); err != nil {
		return err
	}
	for operation.State == "RUNNING" {
		if err := waitFor(ctx, bulkPoll); err != nil {
			return err
		}
		if err := call(http.MethodGet, "/"+operation.ID, "", http.StatusOK); err != nil {
			return err
		}
	}
	took := time.Since(began)
	if err := b.awaitNoCommands(ctx); err != nil {
		return err
	}
	all := time.Since(began)
	after, err := b.processorTimes(ctx)
	if err != nil {
		return err
	}
	spent := func(of string) float64 { return (after[of] - before[of]).Seconds() }
	b.report.add(row{
		measure: fmt.Sprintf("bulk retry of %d incidents", operation.Selected),
		value:   fmt.Sprintf("%.0f s, %d changed, %d refused", took.Seconds(), operation.Done, operation.Refused),
		limit:   fmt.Sprintf("≤ %.0f s", bulkTarget.Seconds()), missed: took > bulkTarget,
		beside: fmt.Sprintf("preview %.1f s; workflows started after %.0f s; CPU: service %.0f s, its database %.0f s, Temporal %.0f s, Temporal's databases %.0f s",
			previewed.Seconds(), all.Seconds(), spent(ofService), spent(ofDatabase), spent(ofTemporal), spent(ofOthers)),
	})
	return nil
}

// awaitNoCommands returns when Temporal has all commands of the service.
func (b *bench) awaitNoCommands(ctx context.Context) error {
	for {
		if err := waitFor(ctx, bulkPoll); err != nil {
			return err
		}
		var commands int
		if err := b.pool.QueryRow(ctx, "SELECT count(*) FROM engine_commands").Scan(&commands); err != nil {
			return fmt.Errorf("counting commands: %w", err)
		}
		if commands == 0 {
			return nil
		}
	}
}
