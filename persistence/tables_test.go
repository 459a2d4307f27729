package persistence_test

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/test/kit/pgtest"
)

// tableKind is the part of an installation that a table belongs to.
type tableKind string

const (
	// control tables contain identities, keys, definitions and rights: few rows, changed by administrators.
	control tableKind = "control"
	// data tables contain the data of tenants. Each has a tenant_id, and a key with it that is usable as replica identity.
	data tableKind = "data"
	// local tables contain the state of one database, or are derived from its data. They are never copied.
	local tableKind = "local"
)

// tables lists each table with its kind and the reason.
func tables() map[string]tableKind {
	return map[string]tableKind{
		"absences":                            control, // derived from manifests
		"business_artifact_definition_grants": control, // rights of definitions
		"cloud_keys":                          control, // secrets of workers
		"cloud_workers":                       control, // service accounts of workers
		"console_sessions":                    control, // sessions of principals
		"credentials":                         control, // secrets of principals
		"data_source_grants":                  control, // rights on data sources
		"data_sources":                        control, // derived from manifests
		"directory_tokens":                    control, // credentials of directories
		"encryption_key_reads":                control, // follows encryption_keys
		"encryption_keys":                     control, // keys
		"engine_grants":                       control, // issued credentials, revoked by administrators
		"group_members":                       control, // identities
		"groups":                              control, // identities
		"item_definition_grants":              control, // rights of definitions
		"item_definition_versions":            control, // definitions
		"item_definitions":                    control, // definitions
		"manifest_history":                    control, // manifests
		"manifest_history_starts":             control, // follows manifest_history
		"notification_choices":                control, // choices of principals
		"notification_receivers":              control, // derived from manifests
		"oidc_subjects":                       control, // identities
		"person_names":                        control, // identities
		"principals":                          control, // identities
		"process_definition_grants":           control, // rights of definitions
		"process_definition_indexes":          control, // definitions
		"process_definition_versions":         control, // definitions
		"process_definitions":                 control, // definitions
		"resources":                           control, // manifests
		"robot_environment":                   control, // configuration of robots
		"robot_grants":                        control, // rights on robots
		"robots":                              control, // derived from manifests
		"signing_keys":                        control, // keys
		"tenant_users":                        control, // identities
		"tenants":                             control, // identities
		"version_needs":                       control, // derived from definitions
		"webhook_endpoints":                   control, // derived from manifests
		"webhook_secrets":                     control, // secrets of manifests

		"assistance_calls":          data, // grows with items
		"assistance_usage":          data, // written by requests
		"availability_faults":       data, // refers to processes
		"bulk_operation_items":      data, // grows with bulk operations
		"bulk_operations":           data, // refers to resources of a tenant
		"business_artifact_actions": data, // grows with artifacts
		"business_artifact_index":   data, // grows with artifacts
		"business_artifacts":        data, // the work itself
		"data_source_runs":          data, // written by requests
		"document_embeddings":       data, // grows with documents
		"document_links":            data, // grows with documents
		"documents":                 data, // the work itself
		"engine_commands":           data, // written with processes
		"engine_runs":               data, // grows with processes
		"events":                    data, // grows with all writes
		"incident_comments":         data, // grows with incidents
		"incident_mutes":            data, // refers to incidents of a tenant
		"incidents":                 data, // grows with runs
		"item_assistance":           data, // grows with items
		"claimable_marks":           data, // follows claimable_tasks
		"claimable_tasks":           data, // written with items
		"notification_problems":     data, // refers to resources of a tenant
		"notification_turns":        data, // refers to receivers
		"outbox_messages":           data, // grows with events
		"person_notifications":      data, // grows with events
		"process_actions":           data, // grows with processes
		"process_index":             data, // grows with processes
		"process_items":             data, // the work itself
		"process_relations":         data, // grows with processes
		"processes":                 data, // the work itself
		"repairs":                   data, // grows with processes
		"retention_turns":           data, // progress of a tenant's removals
		"robot_files":               data, // refers to documents
		"task_logs":                 data, // grows with items
		"task_times":                data, // grows with items
		"task_queue_observations":   data, // observed for a tenant
		"webhook_attempts":          data, // grows with events
		"webhook_backlogs":          data, // refers to the events of a tenant
		"webhook_deliveries":        data, // grows with events
		"worker_queues":             data, // written by workers
		"workers":                   data, // written by workers

		"artifact_counts":            local, // derived from events
		"cloud_changes":              local, // tenants to compare with Temporal Cloud
		"cloud_namespaces":           local, // state of Temporal Cloud
		"installation_certificates":  local, // state of one installation
		"notification_cursor":        local, // position in the event log
		"person_notification_cursor": local, // position in the event log
		"counted_until":              local, // position in the event log
		"engine_watermarks":          local, // state of scans
		"event_ledger":               local, // the current era
		"event_partitions":           local, // the eras of the event log
		"goose_db_version":           local, // the version of the schema
		"item_counts":                local, // derived from events
		"process_counts":             local, // derived from events
		"removed_events":             local, // position in the event log
		"webhook_cursor":             local, // position in the event log
	}
}

func TestTablesAreDeclared(t *testing.T) {
	t.Parallel()
	conn := connect(t, pgtest.URL(t))
	found := collect(t, conn, `
SELECT relname::text FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace`)
	declared := tables()
	for _, table := range found {
		require.Contains(t, declared, table, "declare the table as control, data or local")
	}
	require.Len(t, declared, len(found))
}

func TestKeysOfDataContainTheTenant(t *testing.T) {
	t.Parallel()
	conn := connect(t, pgtest.URL(t))
	keyed := collect(t, conn, `
SELECT i.indrelid::regclass::text
  FROM pg_index i
 WHERE i.indisunique AND i.indimmediate AND i.indpred IS NULL AND i.indexprs IS NULL
   AND EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = i.indrelid AND a.attname = 'tenant_id' AND a.attnum = ANY(i.indkey))
   AND NOT EXISTS (SELECT 1 FROM pg_attribute a
                    WHERE a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey) AND NOT a.attnotnull)`)
	for table, kind := range tables() {
		if kind == data {
			require.Contains(t, keyed, table, "no unique key with tenant_id identifies a row")
		}
	}
}

// Foreign keys between data tables, and from them to control tables, compare the tenants. None leads to tenants,
// principals or groups, where it would lock rows that all writes share.
func TestForeignKeysOfDataStayWithinTheTenant(t *testing.T) {
	t.Parallel()
	conn := connect(t, pgtest.URL(t))
	rows, err := conn.Query(t.Context(), `
SELECT k.conrelid::regclass::text, k.confrelid::regclass::text, k.conname::text,
       EXISTS (SELECT 1 FROM unnest(k.conkey, k.confkey) u (child, parent)
                 JOIN pg_attribute c ON c.attrelid = k.conrelid AND c.attnum = u.child AND c.attname = 'tenant_id'
                 JOIN pg_attribute p ON p.attrelid = k.confrelid AND p.attnum = u.parent AND p.attname = 'tenant_id')
  FROM pg_constraint k
 WHERE k.contype = 'f' AND k.connamespace = 'public'::regnamespace AND k.conparentid = 0`)
	require.NoError(t, err)
	kinds := tables()
	var child, parent, name string
	var compared bool
	_, err = pgx.ForEachRow(rows, []any{&child, &parent, &name, &compared}, func() error {
		require.NotEqual(t, local, kinds[child], name)
		require.NotEqual(t, local, kinds[parent], name)
		if kinds[child] == data {
			require.NotContains(t, []string{"tenants", "principals", "groups"}, parent, name)
			require.True(t, compared, "%s does not compare tenants", name)
		} else {
			require.Equal(t, control, kinds[parent], "%s leads from a control table to data", name)
		}
		return nil
	})
	require.NoError(t, err)
	require.NoError(t, rows.Err())
}

// requireSeparateTenants checks that rows of one tenant cannot refer to rows of another one, in a database with
// testdata/baseline_rows.sql.
func requireSeparateTenants(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	const other = `'000000a1-0000-4000-8000-000000000002'`
	for _, table := range []string{
		"task_logs", "process_index", "business_artifact_index", "document_links", "process_actions", "business_artifact_actions",
		"availability_faults", "engine_commands", "incidents", "worker_queues", "robot_files", "item_assistance", "assistance_calls",
		"webhook_deliveries", "webhook_attempts", "webhook_backlogs", "process_items",
	} {
		_, err := conn.Exec(t.Context(), `UPDATE `+table+` SET tenant_id = `+other+` WHERE tenant_id <> `+other)
		requireRefused(t, foreignKey, err)
	}
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	return conn
}

// collect returns the sorted first column of the result of a query.
func collect(t *testing.T, conn *pgx.Conn, sql string, args ...any) []string {
	t.Helper()
	rows, err := conn.Query(t.Context(), sql, args...)
	require.NoError(t, err)
	values, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	slices.Sort(values)
	return values
}
