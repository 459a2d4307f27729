package persistence

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/persistence/internal/pg"
)

// Person is a user of the service across tenants.
type Person struct {
	ID         uuid.UUID
	Name       string
	Email      string
	Operator   bool
	DisabledAt *time.Time
}

const (
	listOperators = `
SELECT p.id, p.name, p.email, p.operator, p.disabled_at
  FROM principals p
 WHERE p.operator
 ORDER BY email_key(p.email)`

	// Changes of operators are serialized.
	lockPeople = `
SELECT p.id, p.name, p.email, p.operator, p.disabled_at
  FROM principals p
 WHERE p.type = 'USER' AND (p.operator OR email_key(p.email) = email_key($1))
 ORDER BY p.id
   FOR NO KEY UPDATE`

	tenantsOfPerson = `
SELECT u.tenant_id
  FROM tenant_users u
  JOIN principals p ON p.id = u.principal_id
 WHERE p.type = 'USER' AND email_key(p.email) = email_key($1)`

	removeOperator = `
UPDATE principals
   SET operator = false
 WHERE id = $1`

	// erasePerson removes personal data from the rows that stay.
	erasePerson = `
WITH person AS (
    UPDATE principals SET name = $2, email = $3 WHERE id = $1
), names AS (
    UPDATE person_names SET name = $2 WHERE principal_id = $1
), users AS (
    UPDATE tenant_users SET metadata = NULL, metadata_valid = NULL, metadata_errors = NULL WHERE principal_id = $1
), documents AS (
    UPDATE resources r
       SET labels = '{}', external_id = NULL, directory = NULL,
           spec = (r.spec::jsonb - ARRAY['metadata', 'accessTokens']
                   || jsonb_build_object('name', $2::text, 'email', $3::text, 'disabled', true))::json
     WHERE r.kind = 'User' AND r.id = $1
), secrets AS (
    DELETE FROM credentials WHERE principal_id = $1
), subjects AS (
    DELETE FROM oidc_subjects WHERE principal_id = $1
), registered AS (
    DELETE FROM workers WHERE principal_id = $1
)
DELETE FROM console_sessions WHERE principal_id = $1`

	// eraseManifests follows erasePerson, which records no history.
	eraseManifests = `SELECT erase_manifests($1, $2, $3)`

	listMemberships = `
SELECT u.principal_id, t.code
  FROM principals p
  JOIN tenant_users u ON u.principal_id = p.id
  JOIN tenants t ON t.id = u.tenant_id
 WHERE p.type = 'USER' AND email_key(p.email) = email_key($1)
 ORDER BY t.code`

	disablePerson = `
UPDATE principals
   SET disabled_at = $2
 WHERE id = $1`
)

// ListOperators returns all operators in the order of their addresses.
func (r *Reader) ListOperators(ctx context.Context) ([]Person, error) {
	var found []Person
	err := r.Read(ctx, pg.Q(listOperators, nil, pg.Into(&found)))
	return found, pg.Translate("listing operators", err)
}

// PersonMembership is a tenant of a person.
type PersonMembership struct {
	PrincipalID uuid.UUID
	Code        string
}

// ListMemberships returns the tenants of the person with the e-mail address, in the order of their codes.
func (r *Reader) ListMemberships(ctx context.Context, email string) ([]PersonMembership, error) {
	var found []PersonMembership
	err := r.Read(ctx, pg.Q(listMemberships, []any{email}, pg.Into(&found)))
	return found, pg.Translate("listing the tenants of a person", err)
}

// LockPeople locks all operators and the person with the e-mail address, and
// returns them with the tenants of that person.
func (tx *Tx) LockPeople(ctx context.Context, email string) (people []Person, tenants []uuid.UUID, err error) {
	var found []struct{ TenantID uuid.UUID }
	err = tx.Read(ctx, pg.Q(lockPeople, []any{email}, pg.Into(&people)), pg.Q(tenantsOfPerson, []any{email}, pg.Into(&found)))
	for _, t := range found {
		tenants = append(tenants, t.TenantID)
	}
	return people, tenants, pg.Translate("reading operators", err)
}

// RemoveOperator turns an operator into an ordinary user and deletes the tokens that were valid in all tenants.
func (tx *Tx) RemoveOperator(person uuid.UUID) {
	tx.queue(removeOperator, person)
	tx.queue(deleteCredentialsOf, person, nil)
}

// ErasePerson gives a person a neutral name and address, and deletes its metadata, its labels, its
// credentials, its links to issuers, its sessions and the workers that it registered.
func (tx *Tx) ErasePerson(person uuid.UUID, name, email string) {
	tx.queue(erasePerson, person, name, email)
	tx.queue(eraseManifests, person, name, email)
}

// DisablePerson disables a person in all tenants, or with a nil time enables it.
func (tx *Tx) DisablePerson(person uuid.UUID, at *time.Time) { tx.queue(disablePerson, person, at) }
