package persistence

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsontext"
)

func readElements(stored []byte) (domain.ElementValues, error) {
	if stored == nil {
		return nil, nil
	}
	var values domain.ElementValues
	if err := json.Unmarshal(stored, &values); err != nil {
		return nil, fmt.Errorf("reading stored elements: %w", err)
	}
	return values, nil
}

// storeElements is the reverse of readElements. The text of the values is preserved.
func storeElements(values domain.ElementValues) ([]byte, error) {
	if len(values) == 0 {
		return nil, nil
	}
	text, err := jsontext.Marshal(values)
	if err != nil {
		return nil, fmt.Errorf("writing elements: %w", err)
	}
	return text, nil
}

const (
	updateProcessElements = `
UPDATE processes
   SET element_values = $2, last_modified_by = $3, last_modified_at = $4
 WHERE id = $1`

	updateTaskElements = `
UPDATE process_items
   SET element_values = $2, last_modified_by = $3, last_modified_at = $4
 WHERE id = $1`
)

// UpdateProcessElements stores the values of the elements of a process that is
// under lock.
func (tx *Tx) UpdateProcessElements(p *domain.Process) error {
	elements, err := storeElements(p.Elements)
	if err != nil {
		return err
	}
	tx.queue(updateProcessElements, p.ID, elements, p.LastModifiedBy, p.LastModifiedAt)
	return nil
}

// UpdateTaskElements stores the values of the elements of a task that is under
// lock.
func (tx *Tx) UpdateTaskElements(i *domain.ProcessItem) error {
	elements, err := storeElements(i.Task.Elements)
	if err != nil {
		return err
	}
	tx.queue(updateTaskElements, i.ID, elements, i.LastModifiedBy, i.LastModifiedAt)
	return nil
}

// TenantPrincipal is a principal in a tenant: one of its users or applications, or the service's own.
type TenantPrincipal struct {
	TenantID uuid.UUID
	domain.Principal
}

const selectTenantPrincipals = `
SELECT t.id, p.id, p.type,
       coalesce((SELECT n.name FROM person_names n WHERE n.tenant_id = t.id AND n.principal_id = p.id), p.name),
       coalesce(p.email, '')
  FROM principals p
  JOIN unnest($1::uuid[]) t (id) ON (p.type = 'SYSTEM' OR p.tenant_id = t.id
    OR EXISTS (SELECT 1 FROM tenant_users u WHERE u.principal_id = p.id AND u.tenant_id = t.id))
 WHERE p.id = ANY($2)`

func (t *Targets) scanNamed(rows pgx.Rows) (err error) {
	t.named, err = pgx.CollectRows(rows, scanTenantPrincipal)
	return err
}

func scanTenantPrincipal(row pgx.CollectableRow) (p TenantPrincipal, err error) {
	return p, row.Scan(&p.TenantID, &p.ID, &p.Type, &p.Name, &p.Email)
}

// Named returns a principal of the tenant with its name.
func (t *Targets) Named(tenant, id uuid.UUID) (domain.Principal, bool) {
	i := slices.IndexFunc(t.named, func(p TenantPrincipal) bool { return p.TenantID == tenant && p.ID == id })
	if i < 0 {
		return domain.Principal{}, false
	}
	return t.named[i].Principal, true
}
