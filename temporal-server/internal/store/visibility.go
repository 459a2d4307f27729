package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// partialIndexes limits the indexes of search attributes to the rows that have the attribute, as long as the table is empty. Temporal's own
// indexes contain every row: each start, update and end of a workflow would write some sixty entries without a value. Every query
// asks for rows without the attribute TemporalNamespaceDivision, whose index stays.
const partialIndexes = `
DO $$
DECLARE
    found record;
BEGIN
    IF EXISTS (SELECT FROM executions_visibility) THEN
        RETURN;
    END IF;
    FOR found IN
        SELECT i.indexrelid::regclass AS name, pg_get_indexdef(i.indexrelid) AS definition, a.attname AS attribute
          FROM pg_index i
          JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[1]
         WHERE i.indrelid = 'executions_visibility'::regclass AND i.indpred IS NULL
           AND a.attgenerated = 's' AND a.attname <> 'temporalnamespacedivision'
    LOOP
        EXECUTE format('DROP INDEX %s', found.name);
        EXECUTE format('%s WHERE %I IS NOT NULL', found.definition, found.attribute);
    END LOOP;
END $$`

// limitIndexes executes partialIndexes in the visibility database at a URL.
func limitIndexes(ctx context.Context, databaseURL string) error {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, partialIndexes); err != nil {
		return fmt.Errorf("limiting the indexes of search attributes: %w", err)
	}
	return nil
}
