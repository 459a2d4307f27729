package persistence

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/persistence/internal/pg"
)

// adoptEvents begins a new era of the event log if the database has moved to another cluster since the last
// event. Until then new events might sort before older ones.
func (db *DB) adoptEvents(ctx context.Context) error {
	adopted, err := db.eventsAdopted(ctx)
	if err != nil || adopted {
		return err
	}
	_, err = db.pools.background.Exec(ctx, `SELECT begin_event_era()`)
	return pg.Translate("looking where the ledger of events comes from", err)
}

// eventsAdopted reports whether adoptEvents would change no rows.
func (db *DB) eventsAdopted(ctx context.Context) (bool, error) {
	var moved bool
	err := db.Reader().Read(ctx, pg.Q(`SELECT events_moved()`, nil, pg.One(&moved)))
	return !moved, pg.Translate("looking where the ledger of events comes from", err)
}

// grants are the privileges of the role that the service uses. On the event log and the history of manifests these are only
// to read and to insert, and none on the partitions of the log. The role may begin an era, which removes no events, and erase
// the personal data of a user.
const grants = `
GRANT USAGE ON SCHEMA {schema} TO {role};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role};
GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {role};
REVOKE UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER ON events, event_ledger FROM {role};
REVOKE INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER ON event_partitions FROM {role};
REVOKE INSERT ON event_ledger FROM {role};
REVOKE UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER ON manifest_history, manifest_history_starts FROM {role};
REVOKE INSERT ON manifest_history_starts FROM {role};
DO $grants$
DECLARE
    partition regclass;
BEGIN
    FOR partition IN SELECT i.inhrelid FROM pg_inherits i WHERE i.inhparent = 'events'::regclass LOOP
        EXECUTE format('REVOKE ALL ON %s FROM %I', partition, {role name});
    END LOOP;
END
$grants$;
GRANT EXECUTE ON FUNCTION add_event_partition(interval) TO {role};
GRANT EXECUTE ON FUNCTION erase_manifests(uuid, text, text) TO {role};
REVOKE INSERT, UPDATE, DELETE ON goose_db_version FROM {role};`

// GrantTo grants a role the privileges that the service needs, but not to alter the schema or recorded events.
// The owner of the database calls it after each migration: it does not cover tables that are added later.
func (db *DB) GrantTo(ctx context.Context, role string) error {
	var schema string
	if err := db.Reader().Read(ctx, pg.Q(`SELECT current_schema()::text`, nil, pg.One(&schema))); err != nil {
		return pg.Translate("finding the schema", err)
	}
	fill := strings.NewReplacer("{schema}", pgx.Identifier{schema}.Sanitize(), "{role}", pgx.Identifier{role}.Sanitize(),
		"{role name}", "'"+strings.ReplaceAll(role, "'", "''")+"'")
	// The statements run one after the other, in one transaction.
	_, err := db.pools.background.Exec(ctx, fill.Replace(grants), pgx.QueryExecModeSimpleProtocol)
	return pg.Translate("granting rights to a role", err)
}
