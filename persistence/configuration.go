package persistence

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// Configuration is the result of PrepareConfiguration: the resources of the tenants,
// and the principals with the ids and e-mails of the change.
type Configuration struct {
	// Tenants are the tenants with the codes, locked until the transaction ends.
	Tenants   []domain.Tenant
	Resources []resource.Stored
	// Definitions are the process definitions of the tenants.
	Definitions []DefinitionState
	Items       []ItemDefinitionState
	Groups      []domain.Group
	// Administered are the process definitions on which the caller has the Administrator permission.
	Administered []uuid.UUID
	// Principals are the principals with one of the ids or e-mails, in any tenant.
	Principals []PrincipalState
	// TakenIDs are the ids in use by something other than a principal.
	TakenIDs []uuid.UUID
	// Namespaces are the namespaces of all tenants. No other tenant is created until the transaction ends if the change creates one.
	Namespaces []TakenNamespace
	// Directories are the tenants with a directory that has an active token.
	Directories []uuid.UUID
	// Disabled are the users of the tenants that an operator has disabled in all tenants.
	Disabled []uuid.UUID
}

// TakenNamespace is the Temporal namespace of a tenant, or of several tenants.
type TakenNamespace struct {
	Namespace       string
	Cluster         string
	SharedNamespace bool
}

// DefinitionState is the state of a process definition. Number and Digest describe its latest version; they are 0 and
// nil without one. Used reports whether it has processes.
type DefinitionState struct {
	ID               uuid.UUID
	TenantID         uuid.UUID
	Code             string
	PublishedVersion *uuid.UUID
	Version          *uuid.UUID
	Number           int
	Digest           []byte
	Used             bool
}

// ItemDefinitionState is an item definition that a process definition has or had. Granted reports whether there
// are grants on it.
type ItemDefinitionState struct {
	ID                  uuid.UUID
	ProcessDefinitionID uuid.UUID
	Code                string
	Granted             bool
}

// PrincipalState is a principal, active or not, with its tenants.
type PrincipalState struct {
	ID        uuid.UUID
	Type      domain.PrincipalType
	Email     string
	TenantIDs []uuid.UUID
}

const (
	// configured is true of a tenant t with one of the codes. Only operators find tenants other than their own.
	configured = `t.code = ANY($1) AND ($2 OR t.id = ANY($3))`

	// Changes of one tenant are serialized; its processes continue meanwhile.
	lockTenants = `
SELECT ` + tenantColumns + `
  FROM tenants t
 WHERE ` + configured + `
 ORDER BY t.id
   FOR NO KEY UPDATE`

	resourcesOfTenants = `
SELECT ` + resourceColumns + `
  FROM ` + fromResources + `
 WHERE ` + configured

	definitionsOfTenants = `
SELECT d.id, d.tenant_id, d.code, d.published_version, v.version, coalesce(v.number, 0) AS number, v.digest,
       EXISTS (SELECT 1 FROM processes p WHERE p.process_definition_id = d.id) AS used
  FROM process_definitions d
  JOIN tenants t ON t.id = d.tenant_id
  LEFT JOIN LATERAL (SELECT w.version, w.number, w.digest
                       FROM process_definition_versions w
                      WHERE w.process_definition_id = d.id
                      ORDER BY w.number DESC
                      LIMIT 1) v ON true
 WHERE ` + configured

	groupsOfTenants = `
SELECT ` + groupColumns + `
  FROM groups g
  JOIN tenants t ON t.id = g.tenant_id
 WHERE ` + configured

	itemDefinitionsOfTenants = `
SELECT i.id, i.process_definition_id, i.code,
       EXISTS (SELECT 1 FROM item_definition_grants g WHERE g.item_definition_id = i.id) AS granted
  FROM item_definitions i
  JOIN process_definitions d ON d.id = i.process_definition_id
  JOIN tenants t ON t.id = d.tenant_id
 WHERE ` + configured

	administeredDefinitions = `
SELECT DISTINCT g.process_definition_id
  FROM process_definition_grants g
 WHERE g.permission = 'ADMINISTRATOR' AND ` + access.CallerIsGrantee

	principalsNamed = `
SELECT p.id, p.type, email_key(coalesce(p.email, '')) AS email,
       ARRAY(SELECT u.tenant_id FROM tenant_users u WHERE u.principal_id = p.id
              UNION SELECT p.tenant_id WHERE p.tenant_id IS NOT NULL) AS tenant_ids
  FROM principals p
 WHERE p.id = ANY($1)
    OR email_key(p.email) IN (SELECT email_key(e) FROM unnest($2::text[]) e)`

	takenIDs = `
SELECT t.id FROM tenants t WHERE t.id = ANY($1)
 UNION SELECT g.id FROM groups g WHERE g.id = ANY($1)
 UNION SELECT d.id FROM process_definitions d WHERE d.id = ANY($1)
 UNION SELECT r.id FROM resources r WHERE r.id = ANY($1)`

	disabledUsers = `
SELECT DISTINCT p.id
  FROM principals p
  JOIN tenant_users u ON u.principal_id = p.id
  JOIN tenants t ON t.id = u.tenant_id
 WHERE p.disabled_at IS NOT NULL AND ` + configured + `
 ORDER BY p.id`

	activeDirectories = `
SELECT DISTINCT d.tenant_id
  FROM directory_tokens d
  JOIN tenants t ON t.id = d.tenant_id
 WHERE (d.expires_at IS NULL OR d.expires_at > now()) AND ` + configured + `
 ORDER BY d.tenant_id`

	takenNamespaces = `
SELECT DISTINCT t.namespace, t.cluster, t.shared_namespace FROM tenants t`

	lockNewTenants = `
SELECT pg_advisory_xact_lock(hashtextextended('new tenants', 0))
 WHERE (SELECT count(*) FROM tenants t WHERE t.code = ANY($1)) < cardinality($1::text[])`
)

// PrepareConfiguration reads the rows that a change of the tenants' resources depends on, and blocks
// other changes of them until the transaction ends. ids and emails occur in the change.
func (tx *Tx) PrepareConfiguration(
	ctx context.Context, caller domain.Caller, tenants []string, ids []uuid.UUID, emails []string,
) (*Configuration, error) {
	c := &Configuration{}
	scope := []any{tenants, caller.Operator, caller.TenantIDs()}
	err := tx.Read(ctx,
		pg.Q(lockTenants, scope, func(rows pgx.Rows) (err error) {
			c.Tenants, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (t domain.Tenant, err error) {
				return t, row.Scan(tenantFields(&t)...)
			})
			return err
		}),
		pg.Q(resourcesOfTenants, scope, func(rows pgx.Rows) (err error) {
			c.Resources, err = pgx.CollectRows(rows, scanResource)
			return err
		}),
		pg.Q(definitionsOfTenants, scope, pg.Into(&c.Definitions)),
		pg.Q(itemDefinitionsOfTenants, scope, pg.Into(&c.Items)),
		pg.Q(groupsOfTenants, scope, func(rows pgx.Rows) (err error) {
			c.Groups, err = pgx.CollectRows(rows, scanGroup)
			return err
		}),
		pg.Q(administeredDefinitions, []any{caller.PrincipalID}, func(rows pgx.Rows) (err error) {
			c.Administered, err = pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
			return err
		}),
		pg.Q(principalsNamed, []any{ids, emails}, pg.Into(&c.Principals)),
		pg.Q(takenIDs, []any{ids}, func(rows pgx.Rows) (err error) {
			c.TakenIDs, err = pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
			return err
		}),
		pg.Q(disabledUsers, scope, func(rows pgx.Rows) (err error) {
			c.Disabled, err = pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
			return err
		}),
		pg.Q(activeDirectories, scope, func(rows pgx.Rows) (err error) {
			c.Directories, err = pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
			return err
		}),
		pg.Q(lockNewTenants, []any{tenants}, pg.None),
		pg.Q(takenNamespaces, nil, pg.Into(&c.Namespaces)))
	return c, pg.Translate("reading the configuration", err)
}
