package persistence_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// seedFailures makes 10,000 failed processes with an incident each, of three causes.
const seedFailures = `
WITH made AS (
    INSERT INTO processes (id, tenant_id, process_definition_id, process_version, process_definition_code, state, subject,
                           initiator_id, created_by, created_at, last_modified_by, last_modified_at)
    SELECT gen_random_uuid(), d.tenant_id, d.id, d.published_version, d.code, 'RUNNING', 'P', v.id, v.id, now(), v.id, now()
      FROM process_definitions d, (SELECT id FROM principals WHERE email LIKE 'carol@%' LIMIT 1) v, generate_series(1, 10000) n
     WHERE d.id = $1
    RETURNING *
), runs AS (
    INSERT INTO engine_runs (id, tenant_id, kind, owner_id, namespace, workflow_id, run_id, workflow_type, task_queue, state, created_at,
                             last_active_at, closed_at)
    SELECT gen_random_uuid(), m.tenant_id, 'PROCESS', m.id, 'demo', 'process-' || m.id, 'r', 'W', 'Q', 'FAILED', now(), now(), now() FROM made m
    RETURNING *)
INSERT INTO incidents (id, tenant_id, process_id, engine_run_id, message, failure, fingerprint, run_id, state, created_at)
SELECT gen_random_uuid(), r.tenant_id, r.owner_id, r.id, 'the bank is closed', repeat('at Workflow.run ', 50),
       row_number() OVER () % 3, r.run_id, 'OPEN', now() - row_number() OVER () * interval '1 second'
  FROM runs r`

// The first page of 10,500 incidents, their causes and their numbers read few rows besides small indexes, also for the administrator
// of the definition of the 500 oldest. A search reads incidents and a bounded number of subjects.
func TestManyIncidentsAreReadByIndexes(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	url := pgtest.URL(t)
	require.NoError(t, demo.Load(t.Context(), pgtest.Open(t, url), nil, time.Now()))
	conn := connect(t, url)
	_, err := conn.Exec(t.Context(), seedFailures, demo.Loan())
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), `INSERT INTO process_definition_grants (process_definition_id, permission, grantee_id) VALUES ($1, 'ADMINISTRATOR', $2)`,
		demo.Inspection(), demo.Bob().ID)
	require.NoError(t, err)
	// The incidents of the other definition are the oldest.
	_, err = conn.Exec(t.Context(), strings.NewReplacer("P'", "Flat 7'", "the bank", "the gate", "now() - row", "now() - interval '1 day' - row", "10000", "500").Replace(seedFailures),
		demo.Inspection())
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), "VACUUM ANALYZE", pgx.QueryExecModeSimpleProtocol)
	require.NoError(t, err)
	bob := domain.Caller{
		PrincipalID: demo.Bob().ID, Type: domain.PrincipalUser,
		Memberships: []domain.Membership{{TenantID: demo.TenantDemo(), Namespace: "demo", Role: domain.RoleMember, AdministersDefinitions: true}},
	}
	single := persistence.AdministrationOf(bob)
	alice := domain.Caller{
		PrincipalID: demo.Alice().ID, Type: domain.PrincipalUser,
		Memberships: []domain.Membership{{TenantID: demo.TenantDemo(), Namespace: "demo", Role: domain.RoleOwner}},
	}
	scope, open := persistence.AdministrationOf(alice), persistence.IncidentFilter{States: []domain.IncidentState{domain.IncidentOpen}}
	searchFor := func(text string) persistence.IncidentFilter {
		f := open
		f.Search = text
		return f
	}
	newest := []domain.SortKey{{Property: "createdAt", Descending: true}, {Property: "id", Descending: true}}
	for name, c := range map[string]struct {
		atMost map[string]int64
		read   func(r *persistence.Reader)
	}{
		"page": {map[string]int64{"incidents": 200, "engine_runs": 100, "processes": 100}, func(r *persistence.Reader) {
			found, err := r.ListIncidentReports(t.Context(), alice, scope, open, domain.PageRequest{Size: 25}, newest)
			require.NoError(t, err)
			require.Len(t, found.Items, 25)
			require.EqualValues(t, 10_500, found.Total)
		}},
		"page of the API": {map[string]int64{"incidents": 100, "engine_runs": 100}, func(r *persistence.Reader) {
			found, err := r.ListIncidents(t.Context(), alice, scope, open, domain.PageRequest{Size: 25}, nil)
			require.NoError(t, err)
			require.EqualValues(t, 10_500, found.Total)
		}},
		"causes": {map[string]int64{"incidents": 10, "processes": 10}, func(r *persistence.Reader) {
			found, err := r.ListIncidentGroups(t.Context(), alice, scope, open, 2, 100)
			require.NoError(t, err)
			require.Len(t, found, 3)
			require.Equal(t, 3501, found[0].Count)
		}},
		"navigation": {map[string]int64{"incidents": 1000, "engine_runs": 1100, "processes": 1100}, func(r *persistence.Reader) {
			found, err := r.CountAttention(t.Context(), alice, scope, time.Now())
			require.NoError(t, err)
			require.Equal(t, domain.AttentionCounts{Processes: domain.AttentionLimit, Incidents: domain.AttentionLimit}, found)
		}},
		"page of one definition": {map[string]int64{"incidents": 100, "engine_runs": 100, "processes": 100}, func(r *persistence.Reader) {
			found, err := r.ListIncidentReports(t.Context(), bob, single, open, domain.PageRequest{Size: 25}, newest)
			require.NoError(t, err)
			require.Len(t, found.Items, 25)
			require.EqualValues(t, 500, found.Total)
		}},
		"causes of one definition": {map[string]int64{"incidents": 10, "processes": 10}, func(r *persistence.Reader) {
			found, err := r.ListIncidentGroups(t.Context(), bob, single, open, 2, 100)
			require.NoError(t, err)
			require.Len(t, found, 3)
			require.Equal(t, 167, found[0].Count)
		}},
		"navigation of one definition": {map[string]int64{"incidents": 11_000}, func(r *persistence.Reader) {
			found, err := r.CountAttention(t.Context(), bob, single, time.Now())
			require.NoError(t, err)
			require.EqualValues(t, 500, found.Incidents)
		}},
		"search for a message": {map[string]int64{"engine_runs": 100, "processes": 2100}, func(r *persistence.Reader) {
			found, err := r.ListIncidentReports(t.Context(), alice, scope, searchFor("GATE is"), domain.PageRequest{Size: 25}, newest)
			require.NoError(t, err)
			require.Len(t, found.Items, 25)
			require.EqualValues(t, 500, found.Total)
		}},
		"search for a subject": {map[string]int64{"processes": 3100}, func(r *persistence.Reader) {
			found, err := r.ListIncidentReports(t.Context(), alice, scope, searchFor("flat"), domain.PageRequest{Size: 25}, newest)
			require.NoError(t, err)
			require.Empty(t, found.Items, "the subjects of the newest incidents are searched")
			found, err = r.ListIncidentReports(t.Context(), bob, single, searchFor("flat"), domain.PageRequest{Size: 25}, newest)
			require.NoError(t, err)
			require.Zero(t, found.Total, "the subjects are not visible to the administrator of the definition")
		}},
		"metrics": {map[string]int64{"incidents": 0}, func(r *persistence.Reader) {
			found, err := r.CountOpenIncidents(t.Context(), time.Now())
			require.NoError(t, err)
			require.Equal(t, []persistence.OpenIncidents{{Kind: domain.IncidentFailure, Open: 10_500}}, found)
		}},
	} {
		for table, atMost := range c.atMost {
			require.LessOrEqual(t, rowsRead(t, url, conn, table, c.read), atMost, "%s of the %s", table, name)
		}
	}
}
