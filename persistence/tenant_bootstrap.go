package persistence

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	// The lock waits for transactions that create tenants and blocks new ones until this one ends; reads are not
	// blocked.
	lockTenantsTable = `
LOCK TABLE tenants IN SHARE ROW EXCLUSIVE MODE`

	anyTenant = `
SELECT EXISTS (SELECT 1 FROM tenants)`

	makeOperator = `
UPDATE principals
   SET operator = true
 WHERE id = $1`
)

// LockTenants blocks the creation of tenants by other transactions, and reports whether there are any tenants.
func (tx *Tx) LockTenants(ctx context.Context) (bool, error) {
	var found bool
	err := tx.Read(ctx, pg.Q(lockTenantsTable, nil, pg.None), pg.Q(anyTenant, nil, pg.One(&found)))
	return found, pg.Translate("looking for tenants", err)
}

// MakeOperator makes a principal an operator, who may create tenants and administer all of them.
func (tx *Tx) MakeOperator(principal uuid.UUID) { tx.queue(makeOperator, principal) }
