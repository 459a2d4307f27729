package persistence_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/test/kit/pgtest"
)

// Each rule of items refuses a row by itself. The rows that the cases change satisfy all rules.
func TestItemRules(t *testing.T) { //nolint:funlen,tparallel // a table, whose cases share a connection
	t.Parallel()
	conn := connect(t, pgtest.URL(t))
	_, err := conn.Exec(t.Context(), `
CREATE TABLE samples (LIKE process_items INCLUDING CONSTRAINTS);
INSERT INTO samples (id, tenant_id, process_id, process_definition_id, type, item_definition_id, item_version, item_definition_code,
                     owner_id, task_state, task_data, task_data_valid, claimed_at, completed_at, message_text, message_data,
                     message_data_valid, message_data_code, created_by, created_at, last_modified_by, last_modified_at)
SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), s.type, gen_random_uuid(), gen_random_uuid(), 'X',
       s.owner, s.state, s.task, s.task IS NOT NULL OR NULL, s.claimed, s.completed, s.text, s.message,
       s.message IS NOT NULL OR NULL, CASE WHEN s.message IS NOT NULL THEN 'X' END, s.id, now(), s.id, now()
  FROM (VALUES ('TASK', NULL, 'READY', '{}'::json, NULL, NULL, NULL, NULL::json, gen_random_uuid()),
               ('TASK', gen_random_uuid(), 'COMPLETED', NULL, now(), now(), NULL, NULL, gen_random_uuid()),
               ('MESSAGE', NULL, NULL, NULL, NULL, NULL, 'Text', '{}', gen_random_uuid()),
               ('THREAD', NULL, NULL, NULL, NULL, NULL, NULL, NULL, gen_random_uuid()))
       s (type, owner, state, task, claimed, completed, text, message, id)`)
	require.NoError(t, err)
	const ready, completed, message, thread = "task_state = 'READY'", "task_state = 'COMPLETED'", "type = 'MESSAGE'", "type = 'THREAD'"
	for _, c := range []struct{ rows, change string }{ //nolint:paralleltest // one table in one session
		{thread, "type = 'NOTE'"},
		{ready, "task_state = 'OPEN'"},
		{ready, "task_state = NULL"},
		{thread, "task_state = 'CANCELLED', cancelled_at = now()"},
		{thread, "item_definition_id = NULL, item_version = NULL, item_definition_code = NULL"},
		{message, "item_version = NULL"},
		{thread, "thread_id = id"},
		{message, "deleted_at = now()"},
		{message, "deleted_by = id"},
		{ready, "deleted_at = now(), deleted_by = id"},
		{message, "task_data = '{}', task_data_valid = true"},
		{message, "context_data = '{}', context_data_valid = true"},
		{message, "claimed_at = now()"},
		{message, "completed_at = now()"},
		{message, "cancelled_at = now()"},
		{message, "element_values = '{}'"},
		{message, "activity_token = 'x'"},
		{ready, "owner_id = id"},
		{completed, "delegator_id = id"},
		{completed, "delegated_at = now()"},
		{completed, "delegation_note = 'x'"},
		{completed, "owner_id = NULL"},
		{completed, "task_state = 'CLAIMED', owner_id = NULL"},
		{completed, "completed_at = NULL"},
		{ready, "task_state = 'CANCELLED'"},
		{ready, "activity_token = ''"},
		{ready, "activity_token = convert_to(repeat('x', 16385), 'UTF8')"},
		{thread, "message_text = 'x'"},
		{thread, "message_data = '{}', message_data_valid = true, message_data_code = 'X'"},
		{message, "message_text = NULL, message_data = NULL, message_data_valid = NULL, message_data_code = NULL"},
		{message, "message_data_code = NULL"},
		{message, "message_data_valid = NULL"},
		{ready, "task_data_valid = NULL"},
		{ready, "context_data_valid = true"},
		{ready, "task_data = '[]'"},
		{ready, "context_data = '[]', context_data_valid = true"},
		{message, "message_data = '[]'"},
		{ready, "element_values = '[]'"},
	} {
		t.Run(c.rows+" "+c.change, func(t *testing.T) {
			_, err := conn.Exec(t.Context(), fmt.Sprintf(`UPDATE samples SET %s WHERE %s`, c.change, c.rows))
			requireRefused(t, checked, err)
		})
	}
}

// One CHECK is cheaper than many, which PostgreSQL prepares again for each statement.
func TestItemsHaveOneCheck(t *testing.T) {
	t.Parallel()
	conn := connect(t, pgtest.URL(t))
	require.Equal(t, []string{"process_items_valid"}, collect(t, conn,
		`SELECT conname::text FROM pg_constraint WHERE contype = 'c' AND conrelid = 'process_items'::regclass`))
}
