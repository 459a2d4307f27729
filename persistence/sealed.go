package persistence

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/persistence/internal/pg"
)

// sealedTable describes a table with sealed secrets. The fields are SQL over its rows.
type sealedTable struct {
	name   string
	column string
	// purpose and record are bound to the sealed secret of a row. The record identifies the row.
	purpose, record string
}

// sealedTables lists every table with sealed secrets. Secrets in a table that is missing here cannot be opened
// after a change of the seal key.
func sealedTables() []sealedTable {
	return []sealedTable{
		{name: "signing_keys", column: "sealed_private", purpose: "s.purpose", record: "s.id"},
		{name: "webhook_secrets", column: "sealed", purpose: "'WEBHOOK_SECRET'", record: "s.id::text"},
		{name: "encryption_keys", column: "sealed_value", purpose: "'ENCRYPTION_KEY'", record: "s.id::text"},
		{name: "cloud_keys", column: "sealed", purpose: "'" + CloudKeyPurpose + "'", record: "s.id"},
		{name: "robot_environment", column: "sealed", purpose: "'ROBOT_ENVIRONMENT'", record: "s.robot_id || '/' || s.name"},
	}
}

// SealedTables names the tables that hold sealed secrets.
func SealedTables() []string {
	var names []string
	for _, t := range sealedTables() {
		names = append(names, t.name)
	}
	return names
}

// SealedSecret is a sealed secret with the purpose and record that are bound to it.
type SealedSecret struct {
	Purpose string
	Record  string
	Sealed  []byte
}

const (
	listSealed = `
SELECT %[3]s AS purpose, %[4]s AS record, s.%[2]s AS sealed
  FROM %[1]s s
 WHERE %[4]s > $1
   AND s.%[2]s IS NOT NULL
 ORDER BY %[4]s
 LIMIT $2`

	// A secret that was changed meanwhile was sealed with the current key.
	replaceSealed = `
UPDATE %[1]s s
   SET %[2]s = $3
 WHERE %[4]s = $1
   AND s.%[2]s = $2`
)

// ListSealed returns up to limit secrets of one of SealedTables, in the order of their records, after the record
// after, which may be empty.
func (r *Reader) ListSealed(ctx context.Context, table, after string, limit int) ([]SealedSecret, error) {
	statement, err := sealedStatement(listSealed, table)
	if err != nil {
		return nil, err
	}
	var secrets []SealedSecret
	err = r.Read(ctx, pg.Q(statement, []any{after, limit}, pg.Into(&secrets)))
	return secrets, pg.Translate("listing sealed secrets", err)
}

// ReplaceSealed replaces a secret of one of SealedTables by resealed, unless it was changed or deleted
// meanwhile.
func (tx *Tx) ReplaceSealed(table string, before SealedSecret, resealed []byte) error {
	statement, err := sealedStatement(replaceSealed, table)
	if err != nil {
		return err
	}
	tx.queue(statement, before.Record, before.Sealed, resealed)
	return nil
}

func sealedStatement(pattern, table string) (string, error) {
	for _, t := range sealedTables() {
		if t.name == table {
			return fmt.Sprintf(pattern, t.name, t.column, t.purpose, t.record), nil
		}
	}
	return "", fmt.Errorf("no table %q holds sealed secrets", table)
}

// applicationPrefix begins the name of the connections of the service. The seal keys of the process follow.
const applicationPrefix = "procession"

// applicationName names the connections of a process by its seal keys.
func applicationName(sealKeys []string) string {
	return strings.Join(append([]string{applicationPrefix}, sealKeys...), " ")
}

// A SealKeyHolder is a process that is connected to the database, by the address that the database sees, with the names
// of its seal keys. Processes that name the same keys from one address are one.
type SealKeyHolder struct {
	Address string
	Keys    []string
}

const listSealKeyHolders = `
SELECT DISTINCT coalesce(host(a.client_addr), 'the database''s machine'), a.application_name
  FROM pg_stat_activity a
 WHERE a.datname = current_database() AND starts_with(a.application_name, $1) AND a.pid <> pg_backend_pid()
 ORDER BY 1, 2`

// ListSealKeyHolders returns the processes of the service that are connected to the database. A process of a build that
// does not name its seal keys has none.
func (r *Reader) ListSealKeyHolders(ctx context.Context) ([]SealKeyHolder, error) {
	var holders []SealKeyHolder
	err := r.Read(ctx, pg.Q(listSealKeyHolders, []any{applicationPrefix}, func(rows pgx.Rows) error {
		var address, name string
		_, err := pgx.ForEachRow(rows, []any{&address, &name}, func() error {
			holders = append(holders, SealKeyHolder{Address: address, Keys: strings.Fields(name)[1:]})
			return nil
		})
		return err
	}))
	return holders, pg.Translate("listing connections", err)
}
