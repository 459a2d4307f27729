package persistence_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// PostgreSQL's error codes of violated constraints.
const (
	notNull    = "23502"
	foreignKey = "23503"
	unique     = "23505"
	denied     = "42501"
	checked    = "23514"
)

// The database enforces the rules of the domain too, against defects and manual statements.
func TestConstraintsRefuseWhatTheDomainRefuses(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	url := pgtest.URL(t)
	db := pgtest.Open(t, url)
	require.NoError(t, demo.Load(t.Context(), db, nil, time.Now()))
	service := app.New(app.Options{Store: storage.New(storage.Options{DB: db, Clock: time.Now}), TaskLogLimit: 10})
	alice := domain.Caller{
		PrincipalID: demo.Alice().ID, Type: domain.PrincipalUser,
		Memberships: []domain.Membership{{TenantID: demo.TenantDemo(), Namespace: "demo"}},
	}
	loan := demo.Loan()
	process, _, err := service.CreateProcess(t.Context(), domain.Call{Caller: alice}, app.NewProcess{Definition: app.DefinitionKey{ID: &loan}})
	require.NoError(t, err)
	task, _, err := service.CreateProcessItem(t.Context(), domain.Call{Caller: alice}, app.NewItem{
		Type: domain.ItemTask, ProcessID: process.ID, DefinitionCode: "APPROVE_LOAN",
	})
	require.NoError(t, err)

	artifact, _, err := service.CreateBusinessArtifact(t.Context(), domain.Call{Caller: alice}, app.NewBusinessArtifact{
		Definition: app.DefinitionKey{Code: "CUSTOMER"},
	})
	require.NoError(t, err)
	const eventRow = `INSERT INTO events (id, tenant_id, actor_id, occurred_at, resource_kind, type, resource_id)
		SELECT gen_random_uuid(), tenant_id, actor_id, occurred_at, resource_kind, `
	report, _, err := service.CreateProcessAction(t.Context(), domain.Call{Caller: alice}, process.ID, app.NewProcessAction{Code: "REPORT"})
	require.NoError(t, err)
	const artifactIndexRow = `INSERT INTO business_artifact_index (business_artifact_id, tenant_id, definition_id, created_at, field,
		text_value, text_rest, number_value, date_value) SELECT id, tenant_id, definition_id, created_at, 'F', `

	pool, err := pgxpool.New(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	for name, c := range map[string]struct {
		code, sql string
		args      []any
	}{
		"a process in no state":           {checked, "UPDATE processes SET state = 'PAUSED' WHERE id = $1", []any{process.ID}},
		"metadata that is no object":      {checked, "UPDATE processes SET metadata = '[]' WHERE id = $1", []any{process.ID}},
		"a value without validation":      {checked, "UPDATE processes SET entity = '{}' WHERE id = $1", []any{process.ID}},
		"a READY task with an owner":      {checked, "UPDATE process_items SET owner_id = $2 WHERE id = $1", []any{task.ID, alice.PrincipalID}},
		"a CLAIMED task without an owner": {checked, "UPDATE process_items SET task_state = 'CLAIMED' WHERE id = $1", []any{task.ID}},
		"a CANCELLED task without a time": {checked, "UPDATE process_items SET task_state = 'CANCELLED' WHERE id = $1", []any{task.ID}},
		"a COMPLETED task without a time": {
			checked, "UPDATE process_items SET task_state = 'COMPLETED', owner_id = $2 WHERE id = $1",
			[]any{task.ID, alice.PrincipalID},
		},
		"a task without a state":           {checked, "UPDATE process_items SET task_state = NULL WHERE id = $1", []any{task.ID}},
		"a task with a text":               {checked, "UPDATE process_items SET message_text = 'x' WHERE id = $1", []any{task.ID}},
		"a task without definition":        {checked, "UPDATE process_items SET item_definition_id = NULL, item_version = NULL, item_definition_code = NULL WHERE id = $1", []any{task.ID}},
		"a message that is empty":          {checked, "UPDATE process_items SET type = 'MESSAGE', task_state = NULL, task_data = NULL, task_data_valid = NULL, task_data_errors = NULL WHERE id = $1", []any{task.ID}},
		"a thread in a thread":             {checked, "UPDATE process_items SET type = 'THREAD', task_state = NULL, task_data = NULL, task_data_valid = NULL, task_data_errors = NULL, thread_id = id WHERE id = $1", []any{task.ID}},
		"a deleted process that runs":      {checked, "UPDATE processes SET deleted_at = now(), deleted_by = $2 WHERE id = $1", []any{process.ID, alice.PrincipalID}},
		"a deleted task that is open":      {checked, "UPDATE process_items SET deleted_at = now(), deleted_by = $2 WHERE id = $1", []any{task.ID, alice.PrincipalID}},
		"an artifact without a deleter":    {checked, "UPDATE business_artifacts SET deleted_at = now() WHERE id = $1", []any{artifact.ID}},
		"no version of a used definition":  {foreignKey, "DELETE FROM process_definition_versions WHERE process_definition_id = $1", []any{loan}},
		"an item of another tenant":        {foreignKey, "UPDATE process_items SET tenant_id = $2 WHERE id = $1", []any{task.ID, demo.TenantOther()}},
		"a second run of a process":        {unique, "INSERT INTO engine_runs SELECT $2, tenant_id, kind, owner_id, namespace, 'x', run_id, workflow_type, task_queue, state, created_at, last_active_at, closed_at FROM engine_runs WHERE owner_id = $1", []any{process.ID, uuid.New()}},
		"a running run without id":         {checked, "UPDATE engine_runs SET state = 'RUNNING' WHERE owner_id = $1", []any{process.ID}},
		"a closed run without time":        {checked, "UPDATE engine_runs SET state = 'COMPLETED' WHERE owner_id = $1", []any{process.ID}},
		"two tenants, one namespace":       {unique, "UPDATE tenants SET namespace = 'other' WHERE id = $1", []any{demo.TenantDemo()}},
		"the service's namespace":          {checked, "UPDATE tenants SET namespace = 'procession' WHERE id = $1", []any{demo.TenantDemo()}},
		"Temporal's namespace":             {checked, "UPDATE tenants SET namespace = 'temporal-system' WHERE id = $1", []any{demo.TenantDemo()}},
		"a namespace with a colon":         {checked, "UPDATE tenants SET namespace = 'a:b' WHERE id = $1", []any{demo.TenantDemo()}},
		"a user without e-mail":            {checked, "UPDATE principals SET email = NULL WHERE id = $1", []any{alice.PrincipalID}},
		"two users, one e-mail":            {unique, "UPDATE principals SET email = 'BOB@demo.example' WHERE id = $1", []any{alice.PrincipalID}},
		"a free application":               {checked, "UPDATE principals SET tenant_id = NULL WHERE id = $1", []any{demo.Reader().ID}},
		"a secret in the clear":            {checked, "UPDATE credentials SET secret_sha256 = 'secret' WHERE principal_id = $1", []any{demo.Reader().ID}},
		"half an engine":                   {checked, "UPDATE process_definition_versions SET task_queue = NULL WHERE process_definition_id = $1", []any{loan}},
		"an unknown right":                 {checked, "UPDATE process_definition_grants SET permission = 'ANYTHING' WHERE process_definition_id = $1", []any{loan}},
		"a process from itself":            {checked, "INSERT INTO process_relations SELECT tenant_id, id, id FROM processes WHERE id = $1", []any{process.ID}},
		"a process from nowhere":           {foreignKey, "INSERT INTO process_relations SELECT tenant_id, $2, id FROM processes WHERE id = $1", []any{process.ID, uuid.New()}},
		"a relation between tenants":       {foreignKey, "INSERT INTO process_relations SELECT $2, $3, id FROM processes WHERE id = $1", []any{process.ID, demo.TenantOther(), task.ID}},
		"an index of two types":            {checked, "INSERT INTO process_index SELECT id, process_definition_id, 'F', 'x', NULL, NULL, 1, NULL, NULL, tenant_id FROM processes WHERE id = $1", []any{process.ID}},
		"an index of no value":             {checked, "INSERT INTO process_index SELECT id, process_definition_id, 'F', NULL, NULL, NULL, NULL, NULL, NULL, tenant_id FROM processes WHERE id = $1", []any{process.ID}},
		"an artifact's index of two types": {checked, artifactIndexRow + "'x', NULL, 1, NULL FROM business_artifacts WHERE id = $1", []any{artifact.ID}},
		"an artifact's index of no value":  {checked, artifactIndexRow + "NULL, NULL, NULL, NULL FROM business_artifacts WHERE id = $1", []any{artifact.ID}},
		"an index of too long a text":      {checked, artifactIndexRow + "repeat('x', 201), NULL, NULL, NULL FROM business_artifacts WHERE id = $1", []any{artifact.ID}},
		"the rest of a short text":         {checked, artifactIndexRow + "'x', 'y', NULL, NULL FROM business_artifacts WHERE id = $1", []any{artifact.ID}},
		"data that are no object":          {checked, "UPDATE business_artifacts SET data = '[]' WHERE id = $1", []any{artifact.ID}},
		"data without validation":          {checked, "UPDATE business_artifacts SET data_valid = NULL WHERE id = $1", []any{artifact.ID}},
		"an unknown right on artifacts":    {checked, "UPDATE business_artifact_definition_grants SET permission = 'ANYTHING'", nil},
		"an event of no type":              {notNull, eventRow + "NULL, process_id FROM events WHERE process_id = $1", []any{process.ID}},
		"an event of nothing":              {notNull, eventRow + "type, NULL FROM events WHERE process_id = $1", []any{process.ID}},
		"another event":                    {denied, "UPDATE events SET type = 'OTHER' WHERE process_id = $1", []any{process.ID}},
		"a user action of no type":         {checked, "UPDATE process_actions SET type = 'START_PROCESS' WHERE id = $1", []any{report.ID}},
		"a user action without its end":    {checked, "UPDATE process_actions SET status = 'COMPLETED' WHERE id = $1", []any{report.ID}},
		"a task that is yet to be created": {checked, "UPDATE process_actions SET type = 'CREATE_TASK' WHERE id = $1", []any{report.ID}},
		"a document without a name":        {checked, "UPDATE process_actions SET document_id = $1 WHERE id = $1", []any{report.ID}},
		"a failure of what goes well":      {checked, "UPDATE process_actions SET error = 'x' WHERE id = $1", []any{report.ID}},
		"a user action of another tenant":  {foreignKey, "UPDATE process_actions SET tenant_id = $2 WHERE id = $1", []any{report.ID, demo.TenantOther()}},
		"a run of an unknown action":       {checked, "UPDATE engine_runs SET action = NULL WHERE owner_id = $1", []any{report.ID}},
		"a signal of an action of no name": {checked, "UPDATE engine_commands SET kind = 'SIGNAL_ACTION' WHERE engine_run_id = (SELECT id FROM engine_runs WHERE owner_id = $1)", []any{report.ID}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := pool.Exec(t.Context(), c.sql, c.args...)
			var pgErr *pgconn.PgError
			require.ErrorAs(t, err, &pgErr)
			require.Equal(t, c.code, pgErr.Code, pgErr.Message)
		})
	}
}
