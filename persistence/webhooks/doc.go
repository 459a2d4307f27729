// Package webhooks stores the endpoints of webhook subscriptions and the deliveries to them.
package webhooks

import (
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// exec has a statement without a result carried out with the commit.
func exec(tx *persistence.Tx, sql string, args ...any) { tx.QueueQuery(pg.Q(sql, args, pg.None)) }
