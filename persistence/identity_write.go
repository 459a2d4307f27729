package persistence

import (
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

const (
	putApplication = `
INSERT INTO principals (id, type, name, tenant_id, role, disabled_at, created_at)
VALUES ($1, 'APPLICATION', $2, $3, $4, CASE WHEN $5 THEN $6::timestamptz END, $6)
ON CONFLICT (id) DO UPDATE
   SET name = excluded.name, role = excluded.role,
       disabled_at = CASE WHEN $5 THEN coalesce(principals.disabled_at, $6) END
 WHERE principals.type = 'APPLICATION' AND principals.tenant_id = excluded.tenant_id`

	// The name and the e-mail of the person stay unchanged if it is also a member of other tenants.
	putUser = `
INSERT INTO principals (id, type, name, email, created_at)
VALUES ($1, 'USER', $2, $3, $4)
ON CONFLICT (id) DO UPDATE
   SET name = excluded.name, email = excluded.email
 WHERE principals.type = 'USER'
   AND NOT EXISTS (SELECT 1 FROM tenant_users u WHERE u.principal_id = $1 AND u.tenant_id <> $5)`

	// The name in the tenant is of this tenant alone.
	putPersonName = `
INSERT INTO person_names (tenant_id, principal_id, name)
VALUES ($1, $2, $3)
ON CONFLICT (tenant_id, principal_id) DO UPDATE SET name = excluded.name`

	putTenantUser = `
INSERT INTO tenant_users (id, tenant_id, principal_id, role, metadata, metadata_valid, metadata_errors,
                          created_by, created_at, last_modified_by, last_modified_at, disabled_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, CASE WHEN $12 THEN $11::timestamptz END)
ON CONFLICT (tenant_id, principal_id) DO UPDATE
   SET role = excluded.role, metadata = excluded.metadata, metadata_valid = excluded.metadata_valid,
       metadata_errors = excluded.metadata_errors,
       last_modified_by = excluded.last_modified_by, last_modified_at = excluded.last_modified_at,
       disabled_at = CASE WHEN $12 THEN coalesce(tenant_users.disabled_at, excluded.disabled_at) END`

	putGroup = `
INSERT INTO groups (id, tenant_id, code, name)
VALUES ($1, $2, $3, $4)
ON CONFLICT (id) DO UPDATE
   SET name = excluded.name
 WHERE groups.tenant_id = excluded.tenant_id`

	deleteOtherGroupMembers = `
DELETE FROM group_members
 WHERE group_id = $1 AND principal_id <> ALL($2)`

	insertGroupMembers = `
INSERT INTO group_members (group_id, principal_id, claimed)
SELECT $1, unnest($2::uuid[]), $3
ON CONFLICT (principal_id, group_id) DO UPDATE
   SET claimed = excluded.claimed
 WHERE group_members.claimed <> excluded.claimed`
)

// PutApplication stores an application.
func (tx *Tx) PutApplication(a domain.Application) {
	tx.queue(putApplication, a.ID, a.Name, a.TenantID, a.Role, a.Disabled, a.LastModifiedAt)
}

// PutTenantUser stores a user, its membership of a tenant and its name there. Other tenants keep the names that they
// give it.
func (tx *Tx) PutTenantUser(u domain.TenantUser) error {
	metadata, err := store(u.Metadata)
	if err != nil {
		return err
	}
	tx.queue(putUser, u.Principal.ID, u.Principal.Name, u.Principal.Email, u.CreatedAt, u.TenantID)
	tx.queue(putPersonName, u.TenantID, u.Principal.ID, u.Principal.Name)
	tx.queue(putTenantUser, u.ID, u.TenantID, u.Principal.ID, u.Role, metadata.document, metadata.valid, metadata.errors,
		u.CreatedBy, u.CreatedAt, u.LastModifiedBy, u.LastModifiedAt, u.Disabled)
	return nil
}

// PutGroup stores a group with exactly these members. Claimants are the members by sign-ins alone.
func (tx *Tx) PutGroup(g domain.Group, members []uuid.UUID, claimants ...uuid.UUID) {
	tx.queue(putGroup, g.ID, g.TenantID, g.Code, g.Name)
	tx.queue(deleteOtherGroupMembers, g.ID, append(append([]uuid.UUID{}, members...), claimants...))
	tx.queue(insertGroupMembers, g.ID, members, false)
	if len(claimants) > 0 {
		tx.queue(insertGroupMembers, g.ID, claimants, true)
	}
}

const (
	disableApplication = `
UPDATE principals
   SET disabled_at = $2
 WHERE id = $1 AND disabled_at IS NULL`

	deleteTenantUser = `
DELETE FROM tenant_users
 WHERE principal_id = $1 AND tenant_id = $2`

	deleteGroup = `
DELETE FROM groups
 WHERE id = $1`

	deleteGroupMemberships = `
DELETE FROM group_members m
 USING groups g
 WHERE g.id = m.group_id AND m.principal_id = $1 AND g.tenant_id = $2`

	deleteProcessGrantsTo = `
DELETE FROM process_definition_grants g
 USING process_definitions d
 WHERE d.id = g.process_definition_id AND g.grantee_id = $1 AND d.tenant_id = $2`

	deleteArtifactGrantsTo = `
DELETE FROM business_artifact_definition_grants g
 USING resources r
 WHERE r.kind = 'BusinessArtifactDefinition' AND r.id = g.business_artifact_definition_id
   AND g.grantee_id = $1 AND r.tenant_id = $2`

	deleteItemGrantsTo = `
DELETE FROM item_definition_grants g
 USING item_definitions i
  JOIN process_definitions d ON d.id = i.process_definition_id
 WHERE i.id = g.item_definition_id AND g.grantee_id = $1 AND d.tenant_id = $2`
)

// RemoveApplication disables an application for good and deletes its secrets and grants. Records of its past
// actions still name it.
func (tx *Tx) RemoveApplication(tenant, p uuid.UUID, now time.Time) {
	tx.removeRights(tenant, p)
	tx.queue(deleteCredentialsOf, p, nil)
	tx.queue(disableApplication, p, now)
}

// RemoveTenantUser ends a user's membership of a tenant and deletes its grants and access tokens there.
func (tx *Tx) RemoveTenantUser(tenant, p uuid.UUID) {
	tx.removeRights(tenant, p)
	tx.queue(deleteCredentialsOf, p, tenant)
	tx.queue(deleteTenantUser, p, tenant)
}

// RemoveGroup deletes a group and its grants.
func (tx *Tx) RemoveGroup(tenant, group uuid.UUID) {
	tx.removeRights(tenant, group)
	tx.queue(deleteOtherGroupMembers, group, []uuid.UUID{})
	tx.queue(deleteGroup, group)
}

func (tx *Tx) removeRights(tenant, grantee uuid.UUID) {
	tx.queue(deleteGroupMemberships, grantee, tenant)
	tx.queue(deleteProcessGrantsTo, grantee, tenant)
	tx.queue(deleteItemGrantsTo, grantee, tenant)
	tx.queue(deleteArtifactGrantsTo, grantee, tenant)
}
