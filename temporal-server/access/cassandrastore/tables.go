package cassandrastore

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/server/common/persistence/nosql/nosqlplugin/cassandra/gocql"
)

// agreementWait bounds the time until all nodes have the same tables.
const agreementWait = time.Minute

// statements creates the tables. Temporal and its schema tool ignore them.
//
//   - procession_queue_owner is changed by lightweight transactions only: these decide who owns a queue.
//   - procession_subject_queue has the queues of a subject, for their number.
//   - procession_renewal has the claims of each hour, and procession_renewal_hour the hours, so that forgetting reads old claims only.
var statements = []string{ //nolint:gochecknoglobals // a table that is never changed
	`CREATE TABLE IF NOT EXISTS procession_seal_key (only_row boolean PRIMARY KEY, key blob)`,
	`CREATE TABLE IF NOT EXISTS procession_queue_owner (
		namespace text, queue text, subject text, renewed_at timestamp, PRIMARY KEY ((namespace, queue)))`,
	`CREATE TABLE IF NOT EXISTS procession_subject_queue (
		namespace text, subject text, queue text, PRIMARY KEY ((namespace, subject), queue))`,
	`CREATE TABLE IF NOT EXISTS procession_renewal (
		hour timestamp, namespace text, queue text, subject text, PRIMARY KEY (hour, namespace, queue, subject))`,
	`CREATE TABLE IF NOT EXISTS procession_renewal_hour (only_row boolean, hour timestamp, PRIMARY KEY (only_row, hour))`,
}

// Tables returns the names of the tables.
func Tables() []string {
	return []string{
		"procession_seal_key", "procession_queue_owner", "procession_subject_queue", "procession_renewal", "procession_renewal_hour",
	}
}

// CreateTables creates the missing tables in the keyspace of the session. Cassandra requires that only one process changes the tables of a
// keyspace at a time.
func CreateTables(ctx context.Context, session gocql.Session) error {
	for _, statement := range statements {
		if err := session.Query(statement).WithContext(ctx).Exec(); err != nil {
			return fmt.Errorf("creating the tables of the access rules: %w", err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, agreementWait)
	defer cancel()
	if err := session.AwaitSchemaAgreement(ctx); err != nil {
		return fmt.Errorf("waiting until all nodes of Cassandra have the tables: %w", err)
	}
	return nil
}
