package main

import (
	"context"
	"fmt"
)

// frozenDatabase has the schema that pgbench works on. Schema and scripts do not change
// with the service, so that a better schema shows in the ratio of service and pgbench.
const frozenDatabase = "procession_frozen"

// frozenStack returns the database for pgbench, with the definitions and rights of the service's database.
func (s *stack) frozenStack(ctx context.Context) (*stack, error) {
	if s.frozen != nil {
		return s.frozen, nil
	}
	schema, err := scripts.ReadFile("scripts/schema.sql")
	if err != nil {
		return nil, fmt.Errorf("reading the frozen schema: %w", err)
	}
	frozen := &stack{dir: s.dir, cluster: s.cluster, database: frozenDatabase}
	s.onStop(func(context.Context) error { return frozen.stop() })
	if err := frozen.openDatabase(ctx); err != nil {
		return nil, err
	}
	if _, err := frozen.pool.Exec(ctx, string(schema)); err != nil {
		return nil, fmt.Errorf("making the frozen schema: %w", err)
	}
	if err := copyRows(ctx, s.pool, frozen.pool, "%"); err != nil {
		return nil, fmt.Errorf("filling the frozen schema: %w", err)
	}
	s.frozen = frozen
	return frozen, nil
}
