package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const baselineDatabase = "procession_baseline"

// startBaseline runs another build of the service with a PostgreSQL and a Temporal of its own. Its database has the
// schema that the build makes, and the rows of the measured one in the columns that both have.
func (s *stack) startBaseline(ctx context.Context, binary string, env []string, progress io.Writer) (*stack, error) {
	addresses, err := freeAddresses(ctx, 3)
	if err != nil {
		return nil, err
	}
	other := &stack{
		dir: filepath.Join(s.dir, "baseline"), database: baselineDatabase, system: s.system, sealKey: s.sealKey,
		address: addresses[0], admin: addresses[1], temporal: addresses[2],
	}
	if err := os.Mkdir(other.dir, 0o711); err != nil { //nolint:gosec // PostgreSQL may run as another user below it
		return nil, fmt.Errorf("making a directory: %w", err)
	}
	for _, name := range []string{"server.pem", "server-key.pem", "ca.pem"} {
		if err := os.Link(filepath.Join(s.dir, name), filepath.Join(other.dir, name)); err != nil {
			return nil, fmt.Errorf("sharing a certificate: %w", err)
		}
	}
	if err := other.startPostgres(ctx, false); err != nil {
		return other, err
	}
	env = append(slices.Clone(env), "PROCESSION_DATABASE_URL="+other.cluster.URL(baselineDatabase),
		"PROCESSION_DOCUMENTS_URL=file://"+filepath.Join(other.dir, "documents"))
	migrate := exec.CommandContext(ctx, binary, "migrate")
	migrate.Env = env
	if out, err := migrate.CombinedOutput(); err != nil {
		return other, fmt.Errorf("migrating the database of the baseline: %w\n%s", err, out)
	}
	if err := copyRows(ctx, s.pool, other.pool, "%"); err != nil {
		return other, fmt.Errorf("filling the database of the baseline: %w", err)
	}
	return other, other.startServices(ctx, binary, env, stackOptions{replicas: 1}, progress)
}

// measureBaseline runs a section on the baseline and adds its rows to the report.
func (b *bench) measureBaseline(ctx context.Context, section func(*bench, context.Context) error) error {
	baseline := &bench{options: b.options, stack: b.baseline, progress: b.progress, report: newReport(b.report.began)}
	err := section(baseline, ctx)
	for _, r := range baseline.report.rows {
		b.report.add(row{measure: r.measure + ", baseline", value: r.value, beside: r.beside})
	}
	return err
}

// baselineColumns lists the columns of each table, partitions aside: their rows are rows of the table. The planned removals of old data are
// left out, because each build plans its own.
const baselineColumns = `
SELECT c.table_name, array_agg(c.column_name::text ORDER BY c.ordinal_position)
  FROM information_schema.columns c
  JOIN information_schema.tables t USING (table_schema, table_name)
 WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.is_generated = 'NEVER'
   AND c.table_name NOT LIKE 'goose%' AND c.table_name <> 'retention_turns' AND c.table_name LIKE ANY ($1)
   AND NOT EXISTS (SELECT 1 FROM pg_class p WHERE p.oid = format('%I.%I', c.table_schema, c.table_name)::regclass AND p.relispartition)
 GROUP BY c.table_name`

// copyDefinitions gives the baseline the tenants, definitions and rights of the measured build.
func (b *bench) copyDefinitions(ctx context.Context) error {
	if b.baseline == nil {
		return nil
	}
	return copyRows(ctx, b.pool, b.baseline.pool, "tenants", "%definition%")
}

// copyRows copies the rows of the tables with names like the patterns, in the columns that both databases have.
func copyRows(ctx context.Context, from, to *pgxpool.Pool, patterns ...string) error {
	source, err := tableColumns(ctx, from, patterns)
	if err != nil {
		return err
	}
	target, err := tableColumns(ctx, to, patterns)
	if err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, to, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, trustForeignKeys); err != nil {
			return err
		}
		for table, columns := range target {
			both := slices.DeleteFunc(columns, func(name string) bool { return !slices.Contains(source[table], name) })
			if len(both) == 0 {
				continue
			}
			if err := copyTable(ctx, from, tx, table, both); err != nil {
				return fmt.Errorf("table %s: %w", table, err)
			}
		}
		return nil
	})
}

func tableColumns(ctx context.Context, pool *pgxpool.Pool, patterns []string) (map[string][]string, error) {
	rows, err := pool.Query(ctx, baselineColumns, patterns) //nolint:rowserrcheck // ForEachRow does
	if err != nil {
		return nil, fmt.Errorf("listing columns: %w", err)
	}
	columns := map[string][]string{}
	var table string
	var names []string
	_, err = pgx.ForEachRow(rows, []any{&table, &names}, func() error {
		columns[table] = slices.Clone(names)
		return nil
	})
	return columns, err
}

// copyTable replaces the rows of a table. Migrations have made some already.
func copyTable(ctx context.Context, from *pgxpool.Pool, to pgx.Tx, table string, columns []string) error {
	quoted := make([]string, len(columns))
	for i, name := range columns {
		quoted[i] = pgx.Identifier{name}.Sanitize()
	}
	name, list := pgx.Identifier{table}.Sanitize(), strings.Join(quoted, ", ")
	conn, err := from.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	var rows bytes.Buffer
	if _, err := conn.Conn().PgConn().CopyTo(ctx, &rows, "COPY (SELECT "+list+" FROM "+name+") TO STDOUT"); err != nil {
		return err
	}
	if _, err := to.Exec(ctx, "DELETE FROM "+name); err != nil {
		return err
	}
	_, err = to.Conn().PgConn().CopyFrom(ctx, &rows, "COPY "+name+" ("+list+") FROM STDIN")
	return err
}
