package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/devstack/demo"
)

// The checks of foreign keys cost more than the rows that are loaded here, and
// all references of these rows exist.
const trustForeignKeys = `SET LOCAL session_replication_role = 'replica'`

// inOne executes statements with the same arguments in one transaction.
func (s *stack) inOne(ctx context.Context, args []any, statements ...string) error {
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, trustForeignKeys); err != nil {
			return err
		}
		for _, sql := range statements {
			if _, err := tx.Exec(ctx, sql, args...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("loading data: %w", err)
	}
	return nil
}

const (
	loadProcesses = `
INSERT INTO processes (id, tenant_id, process_definition_id, process_version, process_definition_code, state, subject,
                       initiator_id, created_by, created_at, last_modified_by, last_modified_at)
SELECT ($1::text || n)::uuid, d.tenant_id, d.id, d.published_version, d.code, 'RUNNING', d.code, $3, $3, now(), $3, now()
  FROM process_definitions d, generate_series($5::bigint, $6::bigint) lane,
       LATERAL (SELECT $7 + lane * $8 + i AS n FROM generate_series(1, $9::bigint) i) numbers
 WHERE d.id = $4 AND $2::text <> ''`

	loadReadyTasks = `
INSERT INTO process_items (id, tenant_id, process_id, process_definition_id, type, item_definition_id, item_version,
                           item_definition_code, task_state, created_by, created_at, last_modified_by, last_modified_at)
SELECT ($2::text || n)::uuid, d.tenant_id, ($1::text || n)::uuid, d.id, 'TASK', i.id, v.version, i.code, 'READY',
       $3, now(), $3, now()
  FROM process_definitions d
  JOIN item_definitions i ON i.process_definition_id = d.id AND i.code = 'CHECKLIST'
  JOIN item_definition_versions v ON v.item_definition_id = i.id AND v.process_version = d.published_version,
       generate_series($5::bigint, $6::bigint) lane,
       LATERAL (SELECT $7 + lane * $8 + i AS n FROM generate_series(1, $9::bigint) i) numbers
 WHERE d.id = $4`
)

// loadTasks creates tasks that are ready to be claimed, each in a process of its
// own, in as many lanes as there are clients.
func (s *stack) loadTasks(ctx context.Context, lane, clients, perClient int) error {
	err := s.inOne(ctx, []any{
		idPrefix(kindTaskProcess), idPrefix(kindItem), demo.Alice().ID, demo.Onboarding(),
		lane, lane + clients - 1, int64(subjectBase), int64(subjectStride), perClient,
	}, loadProcesses, loadReadyTasks)
	if err != nil {
		return err
	}
	return s.vacuumTables(ctx)
}

// recount counts the rows that were loaded, for builds that keep counts.
const recount = `DO $$ BEGIN
    IF to_regprocedure('recount_lists()') IS NOT NULL THEN PERFORM recount_lists(); END IF;
END $$`

// vacuumTables leaves the tables as they are when the server has had time to look
// after them.
func (s *stack) vacuumTables(ctx context.Context) error {
	for _, sql := range []string{"VACUUM (ANALYZE) processes", "VACUUM (ANALYZE) process_items", recount, "CHECKPOINT"} {
		if _, err := s.pool.Exec(ctx, sql); err != nil {
			return fmt.Errorf("vacuuming: %w", err)
		}
	}
	return nil
}

const (
	// The engine is idle when this is called. The trigger that keeps events is off.
	forgetProcesses = `TRUNCATE processes, process_items, task_logs, events, engine_runs, engine_commands, incidents CASCADE`

	loadListProcesses = `
INSERT INTO processes (id, tenant_id, process_definition_id, process_version, process_definition_code, state, subject,
                       initiator_id, created_by, created_at, last_modified_by, last_modified_at)
SELECT ($1::text || $7 + n)::uuid, d.tenant_id, d.id, d.published_version, d.code, 'RUNNING', d.code,
       CASE WHEN d.id = $5 THEN $10::uuid ELSE $3 END, $3, timestamptz '2026-01-01Z' + n * interval '1 second', $3, timestamptz '2026-01-01Z' + n * interval '1 second'
  FROM generate_series($8::bigint, $9::bigint, 10) n
  JOIN process_definitions d ON d.id = CASE WHEN n / 10 % 100 = 0 THEN $5::uuid ELSE $4::uuid END
 WHERE $2::text <> '' AND $6 > 0`

	// Ten items to a process; of every thousand eight are reviews of loans, two are for
	// their initiators, the rest are checklists; six of ten are open. They are changed in another order than they
	// are made.
	loadListItems = `
INSERT INTO process_items (id, tenant_id, process_id, process_definition_id, type, item_definition_id, item_version,
                           item_definition_code, owner_id, task_state, claimed_at, completed_at,
                           created_by, created_at, last_modified_by, last_modified_at)
SELECT ($2::text || $7 + n)::uuid, d.tenant_id, ($1::text || $7 + n / 10 * 10)::uuid, d.id, 'TASK', i.id, v.version, i.code,
       CASE WHEN n % 10 >= 6 THEN $3::uuid END, CASE WHEN n % 10 >= 6 THEN 'COMPLETED' ELSE 'READY' END,
       CASE WHEN n % 10 >= 6 THEN t.at END, CASE WHEN n % 10 >= 6 THEN t.at END,
       $3, t.at, $3, t.at + (n * 7919 % 1000003) * interval '1 second'
  FROM generate_series($8::bigint, $9::bigint) n
  JOIN process_definitions d ON d.id = CASE WHEN n / 10 % 100 = 0 THEN $5::uuid ELSE $4::uuid END
  JOIN item_definitions i ON i.process_definition_id = d.id AND i.code = CASE
       WHEN n / 10 % 100 > 0 THEN 'CHECKLIST' WHEN n % 5 = 0 THEN 'NOTIFICATION_GRANTED' ELSE 'APPROVE_LOAN' END
  JOIN item_definition_versions v ON v.item_definition_id = i.id AND v.process_version = d.published_version
 CROSS JOIN LATERAL (SELECT timestamptz '2026-01-01Z' + n * interval '1 second' AS at) t
 WHERE $6 > 0 AND $10::uuid IS NOT NULL`
)

// loadList brings the number of items from one number to another, both
// multiples of ten.
func (s *stack) loadList(ctx context.Context, from, to int) error {
	if from == 0 {
		if err := s.inOne(ctx, nil, forgetProcesses); err != nil {
			return err
		}
	}
	err := s.inOne(ctx, []any{
		idPrefix(kindListProcess), idPrefix(kindListItem), demo.Alice().ID, demo.Onboarding(), demo.Loan(),
		to, int64(subjectBase), from, to - 1, demo.Carol().ID,
	}, loadListProcesses, loadListItems)
	if err != nil {
		return err
	}
	return s.vacuumTables(ctx)
}

// countRows returns the one number that a query has as its result.
func (s *stack) countRows(ctx context.Context, sql string, args ...any) (int64, error) {
	var n int64
	if err := s.pool.QueryRow(ctx, sql, args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("counting: %w", err)
	}
	return n, nil
}
