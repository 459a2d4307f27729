package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/jackc/pgx/v5"
)

// statementSettings returns the settings with which PostgreSQL adds up the time of each statement, also within functions.
func statementSettings() []string {
	return []string{"shared_preload_libraries=pg_stat_statements", "pg_stat_statements.track=all", "pg_stat_statements.track_planning=on"}
}

// slowStatements lists the statements with the longest total time in the databases of the service and the baseline. The
// time of a statement within a function is also part of the statement that calls the function.
const slowStatements = `
SELECT d.datname, s.toplevel, s.calls, s.total_plan_time, s.total_plan_time + s.total_exec_time, s.wal_bytes::bigint,
       left(regexp_replace(s.query, '\s+', ' ', 'g'), 150)
  FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
 WHERE d.datname = ANY($1)
 ORDER BY d.datname, 5 DESC`

// printStatements prints the statements that took longest since it was last called, for each build of the service.
func (b *bench) printStatements(ctx context.Context) error {
	if b.statements == 0 {
		return nil
	}
	if _, err := b.pool.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS pg_stat_statements"); err != nil {
		return fmt.Errorf("reading the statements: %w", err)
	}
	rows, err := b.pool.Query(ctx, slowStatements, []string{mainDatabase, baselineDatabase}) //nolint:rowserrcheck // ForEachRow returns it
	if err != nil {
		return fmt.Errorf("reading the statements: %w", err)
	}
	printed := map[string]int{}
	table := tabwriter.NewWriter(b.progress, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "database\tcalls\tms\tµs each\tof it planning\tWAL bytes each\t  statement")
	var database, text string
	var top bool
	var calls, wal int64
	var planning, total float64
	_, err = pgx.ForEachRow(rows, []any{&database, &top, &calls, &planning, &total, &wal, &text}, func() error {
		if printed[database]++; printed[database] <= b.statements {
			within := "  "
			if !top {
				within = "  within a function: "
			}
			fmt.Fprintf(table, "%s\t%d\t%.0f\t%.0f\t%.0f\t%d\t%s\n", database, calls, total, 1000*total/float64(calls),
				1000*planning/float64(calls), wal/calls,
				within+strings.TrimSpace(text))
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading the statements: %w", err)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("printing the statements: %w", err)
	}
	if _, err := b.pool.Exec(ctx, "SELECT pg_stat_statements_reset()"); err != nil {
		return fmt.Errorf("forgetting the statements: %w", err)
	}
	return nil
}
