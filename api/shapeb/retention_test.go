package shapeb_test

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/maintenance"
	"github.com/procession-dev/procession/persistence/retention"
	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// finishProcess creates a process of a tenant that has a completed task and is finished.
func finishProcess(s *apitest.Administered, tenant string) uuid.UUID {
	s.T.Helper()
	worker := s.Of(tenant, "worker")
	process := s.Process(s.Of(tenant, "initiator"), s.Definition(tenant)).ID
	task := apitest.Decode[oasb.ProcessItem](s.T, s.Post(201, worker, "/process-items",
		`{"type":"TASK","processId":"`+process.String()+`","processItemDefinitionCode":"APPROVE"`+apitest.OwnedBy(worker)+`}`)).ID
	s.Upload(worker, apitest.ProcessPath(process, ""), "text")
	s.Post(200, worker, apitest.ItemPath(task, "/task/~actions/complete"), "")
	s.Post(200, worker, apitest.ProcessPath(process, "/~actions/complete"), "")
	return process
}

// Several replicas remove the expired data of a tenant in the background. Younger and unfinished data and other tenants are
// kept, totals stay exact, and a dry run reports the amounts beforehand.
func TestDataIsRemovedByAge(t *testing.T) { //nolint:funlen // one story
	t.Parallel()
	s := apitest.NewAdministered(t)
	const bounds = `"retention":{"events":30,"processes":20,"deleted":20,"deliveries":20,"assistanceCalls":20},"plan"`
	tenant := strings.Replace(s.Folder("north")[0], `"plan"`, bounds, 1)
	s.RefusedApply(400, "VALIDATION", s.As("owner"), strings.Replace(tenant, `"events":30`, `"events":29`, 1))
	s.RefusedApply(403, "ACCESS_DENIED", s.As("administrator"), tenant)
	s.Apply(s.As("owner"), tenant)

	start, err := s.App.FeedStart(t.Context())
	require.NoError(t, err)
	old, others := finishProcess(s, "north"), finishProcess(s, "south")
	dead := []uuid.UUID{s.WebhookWithDeadDelivery("north", "DEAD"), s.WebhookWithDeadDelivery("south", "DEAD")}
	open := s.Process(s.As("initiator"), s.Definition("north")).ID
	conn := s.Connect()
	defer func() { _ = conn.Close(t.Context()) }()
	exec := func(sql string) {
		t.Helper()
		_, err := conn.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	exec(`INSERT INTO assistance_calls (item_id, run, tenant_id, request_id, requested_by, request, messages, asked_at)
SELECT i.id, 1, i.tenant_id, i.id, i.owner_id, '{}', '[]', i.created_at FROM process_items i`)
	exec(`UPDATE engine_runs r SET state = 'COMPLETED', run_id = 'run', closed_at = r.created_at
  FROM processes p WHERE p.id = r.owner_id AND p.state <> 'RUNNING'`)
	s.Settle()
	middle, err := s.App.FeedStart(t.Context())
	require.NoError(t, err)
	s.Advance(40 * 24 * time.Hour)
	young := finishProcess(s, "north")
	s.PassLog()

	db, removed := pgtest.Open(t, s.URL), map[domain.RetentionKind]int64{}
	turns, err := retention.Turns(t.Context(), db.Reader(), nil, s.Now())
	require.NoError(t, err)
	for _, turn := range turns {
		if turn.Before.IsZero() {
			continue
		}
		require.Equal(t, "north", turn.Tenant)
		if turn.Kind == domain.RetainEvents {
			continue
		}
		found, err := retention.Find(t.Context(), db.Reader(), turn)
		require.NoError(t, err)
		removed[turn.Kind] = found.Count
	}
	require.Equal(t, map[domain.RetentionKind]int64{
		domain.RetainProcesses: 1, domain.RetainDeleted: 0, domain.RetainDeliveries: 1, domain.RetainAssistanceCalls: 1,
	}, removed)
	ofSouth := `SELECT count(*) FROM events e JOIN tenants t ON t.id = e.tenant_id WHERE t.code = 'south'`
	south := s.Count(ofSouth)

	// A role that may not remove events leaves them to others.
	limited := removeInBackground(s, s.DB)
	require.EqualValues(t, 1, limited.Faults())
	// The calls went with the process.
	require.EqualValues(t, 1, limited.Removed(domain.RetainProcesses))
	require.EqualValues(t, 1, limited.Removed(domain.RetainDeliveries))
	require.Zero(t, limited.Removed(domain.RetainEvents))
	s.Advance(2 * time.Hour)
	s.PassLog()
	require.Positive(t, removeInBackground(s, db).Removed(domain.RetainEvents))

	s.Get(404, s.As("manager"), apitest.ProcessPath(old, ""))
	for _, tenant := range []string{"north", "south"} {
		want := map[string][]uuid.UUID{"north": {open, young}, "south": {others}}[tenant]
		require.ElementsMatch(t, want, s.List(s.Of(tenant, "manager"), "/processes").IDs())
		require.Len(t, want, s.Total(s.Of(tenant, "manager"), "/processes?size=0"))
	}
	requireCounted(t, conn)
	for sql, want := range map[string]int{
		`SELECT count(*) FROM webhook_deliveries WHERE id = $1`:                                                 0,
		`SELECT count(*) FROM webhook_deliveries WHERE id <> $1`:                                                1,
		`SELECT count(*) FROM assistance_calls WHERE item_id <> $1`:                                             1,
		`SELECT count(*) FROM documents WHERE id <> $1`:                                                         2,
		`SELECT count(*) FROM events WHERE type = 'PROCESSES.REMOVED' AND details->>'count' = '1' AND id <> $1`: 1,
		`SELECT count(*) FROM events WHERE type = 'EVENTS.REMOVED' AND id <> $1`:                                1,
	} {
		require.Equal(t, want, s.Count(sql, dead[0]), sql)
	}
	require.Equal(t, south, s.Count(ofSouth))
	s.PassLog()
	s.Refused(400, "VALIDATION", s.As("manager"), http.MethodGet, "/events?follow=false&after="+start.String(), "")
	s.Refused(400, "VALIDATION", s.As("owner"), http.MethodGet, apitest.AdminAPI+"/events?order=OLDEST_FIRST&after="+start.String(), "")
	later := s.Get(200, s.As("manager"), "/events?follow=false&after="+middle.String()).Body
	require.Contains(t, later, young.String())
	require.NotContains(t, later, old.String())
}

// removeInBackground runs the job until no turn is due.
func removeInBackground(s *apitest.Administered, db *persistence.DB) *maintenance.Remover {
	s.T.Helper()
	remover := maintenance.NewRemover(maintenance.RemoverOptions{DB: db, Clock: s.Now, Logger: slog.New(slog.DiscardHandler)})
	ctx, cancel := context.WithCancel(s.T.Context())
	var running sync.WaitGroup
	running.Go(func() { remover.Run(ctx) })
	require.Eventually(s.T, func() bool {
		return s.Count(`SELECT count(*) FROM retention_turns`) == 5 &&
			s.Count(`SELECT count(*) FROM retention_turns WHERE due_at <= $1`, s.Now()) == 0
	}, apitest.Patience, time.Millisecond)
	cancel()
	running.Wait()
	return remover
}

// No column contains the name, the address or other personal data of an erased person; the person's events remain.
func TestAPersonIsErased(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	const marker, email = "Marguerite", "marguerite@north.example"
	person := demo.Account{ID: uuid.New(), Email: email, Secret: "north-newcomer-token"}
	user := apitest.Identified("north", "User", "newcomer", person.ID, `{"name":"`+marker+`","email":"`+email+
		`","metadata":{"FLOOR":1,"NICK":"`+marker+`"},"accessTokens":[`+apitest.Declared(marker, person.Secret)+`]}`)
	s.Apply(s.As("owner"), strings.Replace(user, `"app":"test"`, `"app":"`+marker+`"`, 1),
		apitest.Document("north", "Group", "REVIEWERS", `{"name":"Reviewers","members":[{"user":"newcomer"}]}`))
	process := s.Process(s.As("initiator"), s.Definition("north")).ID
	task := apitest.Decode[oasb.ProcessItem](t, s.Post(201, s.As("worker"), "/process-items",
		`{"type":"TASK","processId":"`+process.String()+`","processItemDefinitionCode":"APPROVE"}`)).ID
	s.Post(200, person, apitest.ItemPath(task, "/task/~actions/claim"), "")
	s.Post(200, person, apitest.ItemPath(task, "/task/~actions/complete"), "")
	conn := s.Connect()
	defer func() { _ = conn.Close(t.Context()) }()
	for _, sql := range []string{
		`INSERT INTO oidc_subjects (issuer, subject, principal_id, linked_at) VALUES ('https://issuer.example', '` + marker + `', $1, now())`,
		`INSERT INTO console_sessions (id, secret_sha256, principal_id, issuer, subject, user_agent, created_at, last_used_at, expires_at)
VALUES (gen_random_uuid(), sha256('s'), $1, 'https://issuer.example', '` + marker + `', '` + marker + `', now(), now(), now() + interval '1 day')`,
	} {
		tag, err := conn.Exec(t.Context(), sql, person.ID)
		require.NoError(t, err)
		require.Positive(t, tag.RowsAffected())
	}
	holding := func() (tables []string) {
		for _, word := range []string{marker, email} {
			for table, n := range s.Holding(word) {
				if n > 0 && !slices.Contains(tables, table) {
					tables = append(tables, table)
				}
			}
		}
		return tables
	}
	require.ElementsMatch(t, []string{
		"principals", "person_names", "tenant_users", "resources", "credentials", "oidc_subjects", "console_sessions",
	}, holding())

	before := s.Snapshot()
	_, err := s.Administration.ErasePerson(t.Context(), email)
	require.True(t, domain.HasCode(err, domain.CodeConflict), "%v", err)
	require.Equal(t, before, s.Snapshot())
	_, err = s.Administration.DisablePerson(t.Context(), email, true)
	require.NoError(t, err)
	_, err = s.Administration.ErasePerson(t.Context(), email)
	require.NoError(t, err)
	require.Empty(t, holding())
	require.Equal(t, 2, s.Count(`SELECT count(*) FROM events WHERE type = 'PERSON.ERASED' AND resource_id = $1 AND details IS NULL`, person.ID))

	done := apitest.Decode[oasb.ProcessItem](t, s.Get(200, s.As("manager"), apitest.ItemPath(task, "")))
	require.Equal(t, person.ID, *done.OwnerID)
	shown := s.Resource(s.As("owner"), "north", "User", "newcomer")
	require.Equal(t, person.ID, *shown.Metadata.ID)
	require.Contains(t, s.Get(200, s.As("owner"), "/principals/"+person.ID.String()).Body, "Erased user")
	require.Contains(t, s.Get(200, s.As("owner"), "/principals/"+s.As("viewer").ID.String()).Body, "viewer")
	s.Advance(time.Minute) // for which credentials are remembered
	s.Get(401, person, "/processes")
}
