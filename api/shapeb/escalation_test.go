package shapeb_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// escalation is a definition of two tasks that need different owners. The group has two members who may be their owners.
const escalation = `{"name":"Escalated","items":[
	{"code":"CHECK","type":"TASK","name":"Check","fourEyesWith":["PAY"],"escalation":[{"after":"PT0S","priority":"HIGH"},
		{"after":"PT1H","assign":{"group":"desk"}},{"after":"PT2H","notify":[{"user":"alice"}]}]},
	{"code":"PAY","type":"TASK","name":"Pay","escalation":[{"after":"PT1H","assign":{"group":"desk"}}]}],
	"permissions":{"initiators":[{"user":"alice"}],"managers":[{"user":"alice"}]}}`

// escalated is a service with replicas that have clocks of their own.
type escalated struct {
	*apitest.Service

	clocks   []time.Time
	replicas []*app.Service
}

func newEscalated(t *testing.T, members string) (e *escalated, definition uuid.UUID) {
	t.Helper()
	e, definition = &escalated{Service: apitest.NewService(t), clocks: make([]time.Time, 2)}, uuid.New()
	e.Define(apitest.Document("demo", "Group", "desk", `{"name":"Desk","members":`+members+`}`),
		apitest.Identified("demo", "ProcessDefinition", "ESCALATED", definition, escalation))
	for i := range e.clocks {
		e.clocks[i] = e.Now()
		store := storage.New(storage.Options{DB: e.DB, Clock: func() time.Time { return e.clocks[i] }})
		e.replicas = append(e.replicas, app.New(app.Options{Store: store, TaskLogLimit: app.DefaultTaskLogLimit, CancelGrace: time.Minute}))
	}
	return e, definition
}

// create creates a task that is due at a time.
func (e *escalated) create(process uuid.UUID, code string, due time.Time) oasb.ProcessItem {
	e.T.Helper()
	return apitest.Decode[oasb.ProcessItem](e.T, e.Post(201, demo.Alice(), "/process-items", `{"processId":"`+process.String()+`","type":"TASK",
		"processItemDefinitionCode":"`+code+`","task":{"dueAt":"`+due.Format(time.RFC3339Nano)+`"}}`))
}

// handle has a replica handle the due queue until it is empty.
func (e *escalated) handle(ctx context.Context, replica int) {
	for more := true; more; {
		var err error
		if _, more, err = e.replicas[replica].HandleDeadlines(ctx); ctx.Err() != nil {
			return
		}
		require.NoError(e.T, err)
	}
}

// handleAt has both replicas handle the due queue at the same time, with their clocks at a time and a while before it, until all is done.
// Some transactions are killed.
func (e *escalated) handleAt(at time.Time) {
	e.T.Helper()
	e.clocks[0], e.clocks[1] = at, at.Add(-10*time.Second)
	var running sync.WaitGroup
	for i := range 6 {
		running.Go(func() {
			ctx, kill := context.WithTimeout(e.T.Context(), time.Duration(i+1)*5*time.Millisecond)
			defer kill()
			e.handle(ctx, i%2)
		})
	}
	running.Wait()
	// Rows that a killed transaction still has under lock are left to the next round.
	require.Eventually(e.T, func() bool {
		e.handle(e.T.Context(), 1)
		e.handle(e.T.Context(), 0)
		return e.Count(`SELECT count(*) FROM task_times WHERE next_at <= $1`, at) == 0
	}, time.Minute, 10*time.Millisecond)
}

// countEvents returns the number of tasks with exactly one event of each step of their escalation, and of the due date, and of all
// events.
func (e *escalated) countEvents() (once, all int) {
	const events = `FROM events WHERE type IN ('PROCESS_ITEM.TASK_OVERDUE', 'PROCESS_ITEM.TASK_ESCALATED') AND resource_id IN
		(SELECT id FROM process_items WHERE item_definition_code IN ('CHECK', 'PAY'))`
	return e.Count(`SELECT count(*) FROM (SELECT 1 ` + events + ` GROUP BY resource_id, type, details ->> 'step', details ->> 'dueAt' HAVING count(*) = 1) o`),
		e.Count(`SELECT count(*) ` + events)
}

// Two replicas, with killed transactions and clocks that step, report each due date once and take each step of the
// escalation once. Opposed tasks get different owners.
func TestEscalationsHappenOnce(t *testing.T) {
	t.Parallel()
	e, definition := newEscalated(t, `[{"user":"bob"},{"user":"carol"}]`)
	const pairs = 40
	due := e.Now().Add(time.Hour).Truncate(time.Second)
	for range pairs {
		process := e.Process(demo.Alice(), definition).ID
		e.create(process, "CHECK", due)
		e.create(process, "PAY", due)
	}
	expect := func(want int) {
		t.Helper()
		once, all := e.countEvents()
		require.Equal(t, want, once)
		require.Equal(t, want, all, "each once")
	}
	e.handleAt(due.Add(-time.Second))
	expect(0)
	e.handleAt(due.Add(time.Second))
	expect(3 * pairs) // twice the due date, and the priority
	e.handleAt(due.Add(-time.Hour))
	e.handleAt(due.Add(3 * time.Hour))
	expect(6 * pairs)
	e.handleAt(due.Add(time.Minute))
	e.handleAt(due.Add(4 * time.Hour))
	expect(6 * pairs)

	require.Equal(t, 2*pairs, e.Count(`SELECT count(*) FROM process_items WHERE item_definition_code IN ('CHECK', 'PAY') AND task_state = 'CLAIMED'`))
	require.Equal(t, pairs, e.Count(`SELECT count(*) FROM process_items c JOIN process_items p ON p.process_id = c.process_id
		WHERE c.item_definition_code = 'CHECK' AND p.item_definition_code = 'PAY' AND c.owner_id <> p.owner_id`), "four eyes")
	require.Equal(t, pairs, e.Count(`SELECT count(*) FROM task_times WHERE priority = 3`))
	require.Equal(t, 0, e.Count(`SELECT count(*) FROM task_times WHERE next_at IS NOT NULL`))
}

// A step signals the running workflow of the process once, with the due date. A process without a workflow has no signal.
func TestEscalationSignalsTheWorkflow(t *testing.T) {
	t.Parallel()
	e, manual := newEscalated(t, `[{"user":"bob"}]`)
	const steps = `"items":[{"code":"CHECK","type":"TASK","name":"Check","escalation":[{"after":"PT1H","signal":true}]}],
		"permissions":{"initiators":[{"user":"alice"}],"managers":[{"user":"alice"}]}`
	served := uuid.New()
	e.Define(apitest.Identified("demo", "ProcessDefinition", "ESCALATED", manual, `{"name":"Manual",`+steps+`}`),
		apitest.Identified("demo", "ProcessDefinition", "SERVED", served,
			`{"name":"Served","engine":{"workflowType":"W","taskQueue":"Q","runner":"loan-worker"},`+steps+`}`))
	due := e.Now().Add(time.Hour).Truncate(time.Second)
	e.create(e.Process(demo.Alice(), manual).ID, "CHECK", due)
	task := e.create(e.Process(demo.Alice(), served).ID, "CHECK", due)
	signals := func(condition string, args ...any) int {
		return e.Count(`SELECT count(*) FROM engine_commands WHERE kind = 'SIGNAL_OVERDUE'`+condition, args...)
	}
	e.handleAt(due.Add(time.Minute))
	require.Zero(t, signals(""))
	e.handleAt(due.Add(2 * time.Hour))
	require.Equal(t, 1, signals(""))
	require.Equal(t, 1, signals(` AND item_id = $1 AND item_code = 'CHECK' AND (parameters ->> 'dueAt')::timestamptz = $2 AND parameters ->> 'step' = '1'`,
		task.ID, due))
}

// Escalations never give one person two opposed tasks, also in one transaction, and begin again with another due date.
func TestEscalationKeepsFourEyes(t *testing.T) {
	t.Parallel()
	e, definition := newEscalated(t, `[{"user":"bob"}]`)
	process := e.Process(demo.Alice(), definition).ID
	due := e.Now().Add(time.Hour).Truncate(time.Second)
	tasks := []oasb.ProcessItem{e.create(process, "CHECK", due), e.create(process, "PAY", due)}
	e.clocks[0] = due.Add(2 * time.Hour)
	e.handle(t.Context(), 0)
	var owned, free []oasb.ProcessItem
	for _, task := range tasks {
		if found := apitest.Decode[oasb.ProcessItem](t, e.Get(200, demo.Alice(), apitest.ItemPath(task.ID, ""))); found.OwnerID == nil {
			free = append(free, found)
		} else {
			require.Equal(t, demo.Bob().ID, *found.OwnerID)
			owned = append(owned, found)
		}
	}
	require.Len(t, owned, 1)
	require.Len(t, free, 1)
	_, all := e.countEvents()
	require.Equal(t, 6, all)

	later := due.Add(24 * time.Hour)
	e.Call(200, demo.Alice(), http.MethodPut, apitest.ItemPath(tasks[0].ID, planning), `{"dueAt":"`+later.Format(time.RFC3339)+`"}`)
	e.clocks[0] = later.Add(2 * time.Hour)
	e.handle(t.Context(), 0)
	_, all = e.countEvents()
	require.Equal(t, 10, all)
}
