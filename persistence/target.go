package persistence

import (
	"maps"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// TargetIDs are the ids named by references in JSON values.
type TargetIDs struct {
	Documents, Principals, Groups, Processes, Artifacts []uuid.UUID
}

// Add adds the id named by a reference of the kind. Kinds that are not looked up are ignored.
func (t *TargetIDs) Add(kind kuflowref.Kind, id uuid.UUID) {
	switch kind {
	case kuflowref.KindFile:
		t.Documents = append(t.Documents, id)
	case kuflowref.KindPrincipal:
		t.Principals = append(t.Principals, id)
	case kuflowref.KindGroup:
		t.Groups = append(t.Groups, id)
	case kuflowref.KindProcess:
		t.Processes = append(t.Processes, id)
	case kuflowref.KindBusinessArtifact:
		t.Artifacts = append(t.Artifacts, id)
	case kuflowref.KindDataSource:
	}
}

// Targets are the targets of references that exist for the caller.
type Targets struct {
	// Links are the documents that the values of the holder refer to, visible to the caller or not.
	Links Links

	documents                             map[uuid.UUID]domain.Document
	principals, groups, processes, things map[target]bool
	named                                 []TenantPrincipal
	sources                               []AskedDataSource
}

// target identifies a resource in a tenant.
type target struct{ tenant, id uuid.UUID }

// NewTargets returns empty Targets.
func NewTargets() *Targets {
	return &Targets{
		Links: Links{}, documents: map[uuid.UUID]domain.Document{}, principals: map[target]bool{}, groups: map[target]bool{},
		processes: map[target]bool{}, things: map[target]bool{},
	}
}

// Document returns a document of the tenant.
func (t *Targets) Document(tenant, id uuid.UUID) (domain.Document, bool) {
	d, ok := t.documents[id]
	return d, ok && d.TenantID == tenant
}

// Add adds a document that is about to be stored.
func (t *Targets) Add(d domain.Document) { t.documents[d.ID] = d }

// Merge adds the results of another look-up.
func (t *Targets) Merge(found *Targets) {
	maps.Copy(t.Links, found.Links)
	maps.Copy(t.documents, found.documents)
	maps.Copy(t.principals, found.principals)
	maps.Copy(t.groups, found.groups)
	maps.Copy(t.processes, found.processes)
	maps.Copy(t.things, found.things)
	t.named = append(t.named, found.named...)
	t.sources = append(t.sources, found.sources...)
}

// Principal reports whether the tenant has the principal.
func (t *Targets) Principal(tenant, id uuid.UUID) bool { return t.principals[target{tenant, id}] }

// Group reports whether the tenant has the group.
func (t *Targets) Group(tenant, id uuid.UUID) bool { return t.groups[target{tenant, id}] }

// Process reports whether the tenant has the process.
func (t *Targets) Process(tenant, id uuid.UUID) bool { return t.processes[target{tenant, id}] }

// Artifact reports whether the tenant has the business artifact.
func (t *Targets) Artifact(tenant, id uuid.UUID) bool { return t.things[target{tenant, id}] }

const (
	// The lock keeps a document from being deleted before the reference to it is stored. It does not block other
	// references.
	lockTargetDocuments = `
SELECT ` + documentColumns + `
  FROM documents d
 WHERE d.id = ANY($3) AND d.tenant_id = ANY($2) AND (d.expires_at IS NULL OR d.expires_at > $4)
   AND CASE d.owner_kind
       WHEN 'PROCESS' THEN ` + access.VisibleDocument + `
       WHEN 'PROCESS_ACTION' THEN ` + access.VisibleDocument + `
       WHEN 'BUSINESS_ARTIFACT' THEN
           EXISTS (SELECT 1 FROM business_artifacts a
                    WHERE a.id = d.owner_id AND ` + access.VisibleArtifact + ` AND ` + access.VisibleArtifactDocument + `)
       WHEN 'BUSINESS_ARTIFACT_ACTION' THEN
           EXISTS (SELECT 1 FROM business_artifact_actions x JOIN business_artifacts a ON a.id = x.business_artifact_id
                    WHERE x.id = d.owner_id AND ` + access.VisibleArtifact + `)
       END
 ORDER BY d.id
   FOR KEY SHARE OF d`

	selectTargetPrincipals = `
SELECT t.id, p.id
  FROM principals p
  JOIN unnest($1::uuid[]) t (id) ON (p.type = 'SYSTEM' OR p.tenant_id = t.id
    OR EXISTS (SELECT 1 FROM tenant_users u WHERE u.principal_id = p.id AND u.tenant_id = t.id))
 WHERE p.id = ANY($2)`

	selectTargetGroups = `
SELECT g.tenant_id, g.id
  FROM groups g
 WHERE g.tenant_id = ANY($1) AND g.id = ANY($2)`

	selectTargetProcesses = `
SELECT p.tenant_id, p.id
  FROM processes p
 WHERE p.id = ANY($3) AND p.tenant_id = ANY($2) AND p.deleted_at IS NULL AND ` + access.VisibleProcess

	selectTargetArtifacts = `
SELECT a.tenant_id, a.id
  FROM business_artifacts a
 WHERE a.id = ANY($3) AND a.tenant_id = ANY($2) AND a.deleted_at IS NULL AND ` + access.VisibleArtifact
)

// LookUps contains the references in values that have to be looked up.
type LookUps struct {
	TargetIDs
	// Named are principals of whom the names are read, too.
	Named []uuid.UUID
	// Holder is the resource to read links of, nil for none. It is under lock by then.
	Holder *uuid.UUID
	// Sources is set to read all data sources of the caller's tenants, even if the caller may not query them.
	Sources bool
}

// LookUp finds the requested resources that are visible to the caller. Expired documents are left out. Documents that are found are kept
// until the transaction ends.
func LookUp(caller domain.Caller, requested LookUps, now time.Time) Read[*Targets] {
	t := NewTargets()
	who, tenants := caller.PrincipalID, caller.TenantIDs()
	var queries []pg.Query
	ask := func(requested bool, sql string, scan func(pgx.Rows) error, args ...any) {
		if requested {
			queries = append(queries, pg.Q(sql, args, scan))
		}
	}
	ids := requested.TargetIDs
	ask(len(ids.Documents) > 0, lockTargetDocuments, t.scanDocuments, who, tenants, ids.Documents, now)
	ask(len(ids.Principals) > 0, selectTargetPrincipals, eachTarget(t.principals), tenants, ids.Principals)
	ask(len(ids.Groups) > 0, selectTargetGroups, eachTarget(t.groups), tenants, ids.Groups)
	ask(len(ids.Processes) > 0, selectTargetProcesses, eachTarget(t.processes), who, tenants, ids.Processes)
	ask(len(ids.Artifacts) > 0, selectTargetArtifacts, eachTarget(t.things), who, tenants, ids.Artifacts)
	ask(requested.Sources, dataSourcesOfTenants, pg.Into(&t.sources), tenants)
	ask(requested.Holder != nil, selectLinks, t.scanLinks, requested.Holder)
	ask(len(requested.Named) > 0, selectTenantPrincipals, t.scanNamed, tenants, requested.Named)
	return Read[*Targets]{queries, func(*Tx) (*Targets, error) { return t, nil }}
}

// Empty reports whether no resource is wanted.
func (l LookUps) Empty() bool {
	ids := l.TargetIDs
	return len(ids.Documents)+len(ids.Principals)+len(ids.Groups)+len(ids.Processes)+len(ids.Artifacts)+len(l.Named) == 0 &&
		l.Holder == nil && !l.Sources
}

func (t *Targets) scanDocuments(rows pgx.Rows) error {
	found, err := pgx.CollectRows(rows, scanDocument)
	for _, d := range found {
		t.documents[d.ID] = d
	}
	return err
}

func eachTarget(into map[target]bool) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		var found target
		_, err := pgx.ForEachRow(rows, []any{&found.tenant, &found.id}, func() error {
			into[found] = true
			return nil
		})
		return err
	}
}
