package shapeb_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// Differences of stored counts and rows in one snapshot.
const wrongCounts = `
WITH t AS (SELECT array_agg(id) AS ids FROM tenants),
items AS (
  SELECT c.* FROM t, item_counts_now(t.ids) c
   UNION ALL
  SELECT i.tenant_id, i.process_definition_id, p.process_version, i.item_definition_id, i.item_definition_code, i.type,
         i.task_state, -1
    FROM process_items i JOIN processes p ON p.id = i.process_id WHERE i.deleted_at IS NULL),
every_process AS (
  SELECT c.tenant_id, c.process_definition_id, c.process_definition_code, c.process_version, c.state, c.item_definition_ids, c.n
    FROM t, process_counts_now(t.ids) c
   UNION ALL
  SELECT p.tenant_id, p.process_definition_id, p.process_definition_code, p.process_version, p.state,
         ARRAY(SELECT DISTINCT i.item_definition_id FROM process_items i
                WHERE i.process_id = p.id AND i.item_definition_id IS NOT NULL ORDER BY 1), -1
    FROM processes p WHERE p.deleted_at IS NULL),
artifacts AS (
  SELECT c.* FROM t, artifact_counts_now(t.ids) c
   UNION ALL
  SELECT a.tenant_id, a.definition_id, a.definition_code, -1 FROM business_artifacts a WHERE a.deleted_at IS NULL)
SELECT 'items ' || i.type || coalesce(i.task_state, ''), sum(i.n)::int FROM items i
 GROUP BY i.tenant_id, i.process_definition_id, i.process_version, i.item_definition_id, i.item_definition_code, i.type,
          i.task_state HAVING sum(i.n) <> 0
 UNION ALL
SELECT 'processes ' || p.state, sum(p.n)::int FROM every_process p
 GROUP BY p.tenant_id, p.process_definition_id, p.process_definition_code, p.process_version, p.state,
          p.item_definition_ids HAVING sum(p.n) <> 0
 UNION ALL
SELECT 'artifacts', sum(a.n)::int FROM artifacts a GROUP BY a.tenant_id, a.definition_id HAVING sum(a.n) <> 0`

// Gives Carol more tasks that are done than an inbox counts.
const giveCarolDoneTasks = `
INSERT INTO process_items
SELECT (jsonb_populate_record(i, jsonb_build_object(
           'id', gen_random_uuid(), 'task_state', 'COMPLETED', 'owner_id', (SELECT id FROM principals WHERE name = 'Carol'),
           'claimed_at', (i).created_at, 'completed_at', (i).created_at, 'cancelled_at', NULL))).*
  FROM (SELECT i FROM process_items i WHERE i.type = 'TASK' AND i.deleted_at IS NULL LIMIT 1) x (i), generate_series(1, 120)`

// Totals equal the number of rows at every moment, while several clients change rows, events are counted, all rows are
// counted again, rows are removed and connections to the database break.
func TestTotalsAreExact(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	var clients, others sync.WaitGroup
	for n := range 3 {
		clients.Go(func() { changeAtRandom(s, rand.New(rand.NewPCG(1, uint64(n)))) })
	}
	over := make(chan struct{})
	go func() { clients.Wait(); close(over) }()
	watching, killing := s.Connect(), s.Connect()
	var removed removals
	others.Go(func() {
		for ended := false; !ended; {
			select {
			case <-over:
				ended = true
			default:
			}
			requireCounted(t, watching)
			removed.remove(t, watching, 3)
			_, err := watching.Exec(t.Context(), `SELECT count_events($1)`, 1+rand.IntN(200))
			requireTried(t, err)
			if rand.IntN(4) == 0 {
				_, err = watching.Exec(t.Context(), `SELECT recount_lists()`)
				requireTried(t, err)
			}
		}
	})
	others.Go(func() {
		for {
			select {
			case <-over:
				return
			default:
			}
			_, err := killing.Exec(t.Context(), `SELECT pg_terminate_backend(a.pid), pg_sleep(0.05) FROM pg_stat_activity a
                WHERE a.datname = current_database() AND a.pid <> ALL($1) AND a.state <> 'idle' ORDER BY random() LIMIT 1`,
				[]int32{int32(watching.PgConn().PID()), int32(killing.PgConn().PID())})
			requireTried(t, err)
		}
	})
	others.Wait()
	if t.Failed() {
		return
	}
	// Changes of each kind succeed at least once without faults.
	changeAtRandom(s, rand.New(rand.NewPCG(1, 4)))
	requireCounted(t, watching)
	for what, sql := range map[string]string{
		"completed tasks":   `SELECT count(*) FROM events WHERE task_state = 'COMPLETED'`,
		"cancelled tasks":   `SELECT count(*) FROM events WHERE task_state = 'CANCELLED'`,
		"deleted processes": `SELECT count(*) FROM events WHERE type = 'PROCESS.DELETED'`,
		"artifacts":         `SELECT count(*) FROM business_artifacts`,
	} {
		require.Positive(t, s.Count(sql), what)
	}
	removed.removeRest(s, watching)
	for _, sql := range []string{giveCarolDoneTasks, `SELECT recount_lists()`} {
		_, err := watching.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	requireTotalsListed(t, s)
}

// removals counts removed rows.
type removals struct{ finished, deleted int }

// remove removes some finished or deleted rows. Without webhooks and Temporal, all events count as delivered, and all
// workflows of finished processes as ended.
func (r *removals) remove(t *testing.T, conn *pgx.Conn, atMost int) {
	t.Helper()
	for _, sql := range []string{
		`UPDATE webhook_cursor SET xid = '18446744073709551615'`,
		`UPDATE engine_runs r SET state = 'CANCELLED', closed_at = r.created_at
           FROM processes p WHERE p.id = r.owner_id AND p.state <> 'RUNNING' AND r.closed_at IS NULL`,
	} {
		_, err := conn.Exec(t.Context(), sql)
		requireTried(t, err)
	}
	var finished, processes, artifacts int
	requireTried(t, conn.QueryRow(t.Context(), `SELECT n FROM old_processes($1, now(), coalesce(
            (SELECT created_at - interval '1 ms' FROM processes WHERE $2 < 1000 ORDER BY random() LIMIT 1), '-infinity'), $1, $2, true)`,
		demo.TenantDemo(), atMost).Scan(&finished))
	requireTried(t, conn.QueryRow(t.Context(), `SELECT processes, artifacts FROM old_deleted($1, now(), 1, true)`,
		demo.TenantDemo()).Scan(&processes, &artifacts))
	r.finished, r.deleted = r.finished+finished, r.deleted+processes+artifacts
}

// removeRest removes all that is finished, and requires that there was something of each.
func (r *removals) removeRest(s *apitest.Service, conn *pgx.Conn) {
	s.T.Helper()
	s.PassLog()
	r.remove(s.T, conn, 1000)
	requireCounted(s.T, conn)
	require.Positive(s.T, min(r.finished, r.deleted))
}

func requireTotalsListed(t *testing.T, s *apitest.Service) {
	t.Helper()
	for _, who := range []demo.Account{demo.Alice(), demo.Bob(), demo.Carol(), demo.LoanWorker()} {
		for _, path := range []string{
			"/process-items?", "/process-items?taskState=READY&", "/process-items?taskState=COMPLETED&type=TASK&",
			"/processes?", "/processes?state=RUNNING&", "/business-artifacts?",
		} {
			listed := s.List(who, path+"size=1000")
			require.Len(t, listed.IDs(), s.Total(who, path+"size=0"), "%s %s", who.Name, path)
		}
		requireInboxCounted(t, s, who)
	}
}

// requireInboxCounted requires that the inbox of a user has as many tasks in each view, and of each definition in it, as it
// says, and that it counts a bounded number of own tasks for the views that it does not show.
func requireInboxCounted(t *testing.T, s *apitest.Service, who demo.Account) {
	t.Helper()
	caller := domain.Caller{PrincipalID: who.ID, Type: domain.PrincipalUser, Memberships: []domain.Membership{{TenantID: who.Tenant}}}
	done := s.Count(`SELECT count(*) FROM process_items
                      WHERE task_state = 'COMPLETED' AND owner_id = $1 AND deleted_at IS NULL`, who.ID)
	for _, view := range domain.InboxViews() {
		inbox, err := s.App.ReadInbox(t.Context(), domain.Call{Caller: caller}, app.InboxFilter{View: view}, domain.PageRequest{Size: 1000}, nil)
		require.NoError(t, err)
		require.EqualValues(t, len(inbox.Items), inbox.Total, "%s %s", who.Name, view)
		require.Equal(t, inbox.Total, inbox.Counts[view])
		var ofDefinitions int64
		for _, d := range inbox.Definitions {
			narrowed, err := s.App.ReadInbox(t.Context(), domain.Call{Caller: caller},
				app.InboxFilter{View: view, ProcessDefinitionIDs: []uuid.UUID{d.ID}}, domain.PageRequest{Size: 1000}, nil)
			require.NoError(t, err)
			require.NotEmpty(t, d.Name)
			require.EqualValues(t, len(narrowed.Items), d.Tasks)
			require.Equal(t, d.Tasks, narrowed.Total)
			ofDefinitions += d.Tasks
		}
		require.Equal(t, inbox.Total, ofDefinitions)
		if view != domain.InboxDone {
			require.EqualValues(t, min(done, domain.InboxCountLimit), inbox.Counts[domain.InboxDone])
		}
	}
}

// requireTried requires no error that one of the callers' own statements may have.
func requireTried(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

func requireCounted(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	rows, err := conn.Query(t.Context(), wrongCounts)
	if err != nil {
		t.Error(err)
		return
	}
	wrong, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		var what string
		var by int
		err := row.Scan(&what, &by)
		return fmt.Sprintf("%s by %d", what, by), err
	})
	if err != nil || len(wrong) > 0 {
		t.Error(wrong, err)
	}
}

// changeAtRandom attempts a random change of the lists.
func changeAtRandom(s *apitest.Service, random *rand.Rand) {
	var processes, items, artifacts []uuid.UUID
	send := func(who demo.Account, method, path, body string) {
		_, _ = s.Exchange(apitest.Request(s.T, who, method, path, body))
	}
	pick := func(from []uuid.UUID) uuid.UUID {
		if len(from) == 0 {
			return uuid.New()
		}
		return from[random.IntN(len(from))]
	}
	for range 120 {
		id := uuid.New()
		switch random.IntN(12) {
		case 0, 1:
			send(demo.Alice(), http.MethodPost, "/processes", `{`+apitest.WithID(id)+`,"processDefinitionId":"`+demo.Onboarding().String()+`"}`)
			processes = append(processes, id)
		case 2, 3, 4:
			send(demo.Alice(), http.MethodPost, "/process-items", `{`+apitest.WithID(id)+`,"type":"TASK","processId":"`+
				pick(processes).String()+`","processItemDefinitionCode":"CHECKLIST"}`)
			items = append(items, id)
		case 5:
			send(demo.Alice(), http.MethodPost, "/process-items", `{`+apitest.WithID(id)+`,"type":"MESSAGE","processId":"`+
				pick(processes).String()+`","message":{"text":"seen"}}`)
		case 6:
			item := pick(items)
			send(demo.Alice(), http.MethodPost, apitest.ItemPath(item, "/task/~actions/assign"), `{"ownerId":"`+demo.Carol().ID.String()+`"}`)
			send(demo.Carol(), http.MethodPost, apitest.ItemPath(item, "/task/~actions/complete"), "")
		case 7:
			send(demo.Alice(), http.MethodPost, apitest.ItemPath(pick(items), "/task/~actions/claim"), "")
		case 8:
			send(demo.Alice(), http.MethodPost, apitest.ProcessPath(pick(processes), "/~actions/cancel"), "")
		case 9:
			process := pick(processes)
			send(demo.Alice(), http.MethodPost, apitest.ProcessPath(process, "/~actions/complete"), "")
			send(demo.Alice(), http.MethodDelete, apitest.ProcessPath(process, ""), "")
		case 10:
			send(demo.LoanWorker(), http.MethodPost, "/business-artifacts", apitest.CustomerBody(`{"name":"Ann"}`, apitest.WithID(id)))
			artifacts = append(artifacts, id)
		case 11:
			artifact := pick(artifacts)
			send(demo.LoanWorker(), http.MethodDelete, apitest.ArtifactPath(artifact, ""), "")
			if random.IntN(2) == 0 {
				send(demo.LoanWorker(), http.MethodPost, apitest.ArtifactPath(artifact, "/~actions/restore"), "")
			}
		}
	}
}
