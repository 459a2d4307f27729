package persistence

import (
	"context"

	"github.com/google/uuid"
)

const (
	// Nobody makes a tenant until the transaction ends, and whoever is making one
	// has ended: reading goes on.
	lockTenantsTable = `
LOCK TABLE tenants IN SHARE ROW EXCLUSIVE MODE`

	anyTenant = `
SELECT EXISTS (SELECT 1 FROM tenants)`

	makeOperator = `
UPDATE principals
   SET operator = true
 WHERE id = $1`
)

// LockTenants keeps tenants from being made by others, and reports whether there
// are any.
func (tx *Tx) LockTenants(ctx context.Context) (bool, error) {
	var found bool
	err := tx.read(ctx, query{lockTenantsTable, nil, none}, query{anyTenant, nil, one(&found)})
	return found, translate("looking for tenants", err)
}

// MakeOperator lets a principal make tenants and administer all of them.
func (tx *Tx) MakeOperator(principal uuid.UUID) { tx.queue(makeOperator, principal) }
