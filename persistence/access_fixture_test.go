package persistence_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

// way is how a principal got a permission.
type way int

const (
	notAtAll way = iota
	directly
	throughGroup
	asInitiator
	asEveryone
)

// accessFixture collects all rows needed for callers to be in every relation to processes and items, and stores them
// in a few statements.
type accessFixture struct {
	t      *testing.T
	now    time.Time
	tables map[string]*table
	// tenant is the tenant of all rows, elsewhere another tenant.
	tenant, elsewhere uuid.UUID
	// author is the author of all changes by others than the callers.
	author uuid.UUID
	// inProcess maps items to their processes.
	inProcess map[uuid.UUID]uuid.UUID
}

type table struct {
	columns []string
	rows    [][]any
}

func newAccessFixture(t *testing.T) *accessFixture { //nolint:funlen // most of it is data
	t.Helper()
	s := &accessFixture{
		t: t, now: time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC), tables: map[string]*table{},
		tenant: uuid.New(), elsewhere: uuid.New(), author: uuid.New(),
		inProcess: map[uuid.UUID]uuid.UUID{},
	}
	for name, columns := range map[string][]string{
		"tenants": {
			"id", "code", "name", "plan", "namespace", "created_by", "created_at", "last_modified_by", "last_modified_at",
		},
		"principals":    {"id", "type", "name", "email", "tenant_id", "role", "created_at"},
		"absences":      {"id", "tenant_id", "principal_id", "substitute_id", "starts_at", "ends_at"},
		"groups":        {"id", "tenant_id", "code", "name"},
		"group_members": {"group_id", "principal_id"},
		"tenant_users": {
			"id", "tenant_id", "principal_id", "role", "created_by", "created_at", "last_modified_by", "last_modified_at", "disabled_at",
		},
		"process_definitions": {"id", "tenant_id", "code"},
		"process_definition_versions": {
			"version", "process_definition_id", "name", "workflow_type", "task_queue", "signal_shape", "runner_id", "spec",
			"number", "digest", "created_by", "created_at",
		},
		"item_definitions":          {"id", "process_definition_id", "code"},
		"item_definition_versions":  {"version", "item_definition_id", "process_version", "type", "name", "spec"},
		"process_definition_grants": {"process_definition_id", "permission", "grantee_id"},
		"item_definition_grants":    {"item_definition_id", "permission", "grantee_id"},
		"processes": {
			"id", "tenant_id", "process_definition_id", "process_version", "process_definition_code", "state",
			"initiator_id", "created_by", "created_at", "last_modified_by", "last_modified_at", "subject",
		},
		"process_items": {
			"id", "tenant_id", "process_id", "process_definition_id", "type", "item_definition_id", "item_version",
			"item_definition_code", "owner_id", "task_state", "claimed_at",
			"created_by", "created_at", "last_modified_by", "last_modified_at", "delegator_id", "delegated_at",
			"completed_at", "substitute_id",
		},
		"documents": {
			"id", "tenant_id", "owner_kind", "owner_id", "blob_id", "name", "content_type", "size", "sha256", "created_by", "created_at",
		},
		"events": {
			"id", "tenant_id", "process_id", "type", "resource_kind", "resource_id", "process_item_id", "actor_id", "occurred_at",
		},
		"document_links": {"holder_id", "slot", "document_id", "tenant_id"},
		"process_actions": {
			"id", "tenant_id", "process_id", "type", "status", "action_id", "action_code",
			"created_by", "created_at", "last_modified_by", "last_modified_at", "finished_at",
		},
		"business_artifact_definition_grants": {"business_artifact_definition_id", "permission", "grantee_id"},
		"business_artifacts": {
			"id", "tenant_id", "definition_id", "definition_code",
			"created_by", "created_at", "last_modified_by", "last_modified_at",
		},
		"business_artifact_index": {"business_artifact_id", "definition_id", "created_at", "field", "text_value", "tenant_id"},
		"resources": {
			"tenant_id", "kind", "code", "id", "labels", "spec", "created_by", "created_at", "last_modified_by", "last_modified_at",
		},
	} {
		s.tables[name] = &table{columns: columns}
	}
	for code, id := range map[string]uuid.UUID{"here": s.tenant, "elsewhere": s.elsewhere} {
		s.add("tenants", id, code, code, "FREE", code, s.author, s.now, s.author, s.now)
	}
	s.add("principals", s.author, domain.PrincipalUser, "Author", "author@demo.example", nil, nil, s.now)
	return s
}

func (s *accessFixture) add(name string, row ...any) {
	s.tables[name].rows = append(s.tables[name].rows, row)
}

// principal creates a caller that is in a group of the tenant.
func (s *accessFixture) principal(kind domain.PrincipalType) (caller domain.Caller, group uuid.UUID) {
	caller = domain.Caller{
		PrincipalID: uuid.New(), Type: kind, Memberships: []domain.Membership{{TenantID: s.tenant, Role: domain.RoleMember}},
	}
	if kind == domain.PrincipalApplication {
		s.add("principals", caller.PrincipalID, kind, "Application", nil, s.tenant, domain.RoleMember, s.now)
	} else {
		s.add("principals", caller.PrincipalID, kind, "User", caller.PrincipalID.String()+"@demo.example", nil, nil, s.now)
	}
	return caller, s.groupOf(caller.PrincipalID, s.tenant)
}

// groupOf creates a group of a tenant with one member.
func (s *accessFixture) groupOf(member, tenant uuid.UUID) uuid.UUID {
	group := uuid.New()
	s.add("groups", group, tenant, group.String(), "Group")
	s.add("group_members", group, member)
	return group
}

// processKind is a process definition with two item definitions.
type processKind struct {
	id, version uuid.UUID
	code        string
	// item is the item definition with grants, other the one without.
	item, other domain.DefinitionRef
}

// define creates a definition with an optional runner.
func (s *accessFixture) define(runner *uuid.UUID) *processKind {
	k := &processKind{
		id: uuid.New(), version: uuid.New(), code: fmt.Sprintf("D%d", len(s.tables["process_definitions"].rows)),
		item:  domain.DefinitionRef{ID: uuid.New(), Version: uuid.New(), Code: "ITEM"},
		other: domain.DefinitionRef{ID: uuid.New(), Version: uuid.New(), Code: "OTHER"},
	}
	s.add("process_definitions", k.id, s.tenant, k.code)
	var workflow, queue, shape any
	if runner != nil {
		workflow, queue, shape = "Workflow", "queue", "B"
	}
	s.add("process_definition_versions", k.version, k.id, k.code, workflow, queue, shape, runner, []byte("{}"),
		1, []byte{}, s.author, s.now)
	for _, item := range []domain.DefinitionRef{k.item, k.other} {
		s.add("item_definitions", item.ID, k.id, item.Code)
		s.add("item_definition_versions", item.Version, item.ID, k.version, domain.ItemTask, item.Code, []byte("{}"))
	}
	return k
}

// grant grants the caller a permission on a process definition in a way.
func (s *accessFixture) grant(
	k *processKind, permission domain.ProcessPermission, w way, caller domain.Caller, group uuid.UUID,
) {
	switch w {
	case directly:
		s.add("process_definition_grants", k.id, permission, caller.PrincipalID)
	case throughGroup:
		s.add("process_definition_grants", k.id, permission, group)
	case asEveryone:
		s.add("process_definition_grants", k.id, permission, s.tenant)
	case notAtAll, asInitiator:
	}
}

// grantItem grants the caller, or the initiator, a permission on the item of a process definition in a way.
func (s *accessFixture) grantItem(
	k *processKind, permission domain.ItemPermission, w way, caller domain.Caller, group uuid.UUID,
) {
	switch w {
	case directly:
		s.add("item_definition_grants", k.item.ID, permission, caller.PrincipalID)
	case throughGroup:
		s.add("item_definition_grants", k.item.ID, permission, group)
	case asInitiator:
		s.add("item_definition_grants", k.item.ID, permission, nil)
	case asEveryone:
		s.add("item_definition_grants", k.item.ID, permission, s.tenant)
	case notAtAll:
	}
}

func (s *accessFixture) process(k *processKind, initiator uuid.UUID) uuid.UUID {
	id := uuid.New()
	s.add("processes", id, s.tenant, k.id, k.version, k.code, domain.ProcessRunning,
		initiator, s.author, s.now, s.author, s.now, "A process")
	s.happened(domain.EventProcessCreated, domain.ResourceProcess, id, id)
	return id
}

// itemOf creates a task of a process, with an optional owner.
func (s *accessFixture) itemOf(process uuid.UUID, k *processKind, item domain.DefinitionRef, owner *uuid.UUID) uuid.UUID {
	return s.delegatedItemOf(process, k, item, owner, nil)
}

// delegatedItemOf creates a task of a process, with an optional owner and a delegator.
func (s *accessFixture) delegatedItemOf(
	process uuid.UUID, k *processKind, item domain.DefinitionRef, owner, delegator *uuid.UUID,
) uuid.UUID {
	id := uuid.New()
	var delegatedAt *time.Time
	if delegator != nil {
		delegatedAt = &s.now
	}
	state, claimed := domain.TaskReady, (*time.Time)(nil)
	if owner != nil {
		state, claimed = domain.TaskClaimed, &s.now
	}
	s.add("process_items", id, s.tenant, process, k.id, domain.ItemTask, item.ID, item.Version, item.Code,
		owner, state, claimed, s.author, s.now, s.author, s.now, delegator, delegatedAt, nil, nil)
	s.inProcess[id] = process
	s.happened(domain.EventItemCreated, domain.ResourceItem, process, id)
	return id
}

// absent creates a user who is absent from one hour after now to another, and whom the substitute represents in a tenant.
func (s *accessFixture) absent(tenant, substitute uuid.UUID, from, until time.Duration) uuid.UUID {
	id := uuid.New()
	s.add("principals", id, domain.PrincipalUser, "Absent", id.String()+"@demo.example", nil, nil, s.now)
	s.add("absences", uuid.New(), tenant, id, substitute, time.Now().Add(from), time.Now().Add(until))
	return id
}

// completedItemOf creates a task of a process that the substitute completed for its owner.
func (s *accessFixture) completedItemOf(process uuid.UUID, k *processKind, owner, substitute uuid.UUID) uuid.UUID {
	id := s.itemOf(process, k, k.item, &owner)
	row := s.tables["process_items"].rows[len(s.tables["process_items"].rows)-1]
	row[9], row[17], row[18] = domain.TaskCompleted, &s.now, &substitute
	return id
}

// store inserts all rows into the database at url.
func (s *accessFixture) store(url string) {
	s.t.Helper()
	conn, err := pgx.Connect(s.t.Context(), url)
	require.NoError(s.t, err)
	defer func() { require.NoError(s.t, conn.Close(s.t.Context())) }()
	for _, name := range []string{
		"tenants", "principals", "absences", "groups", "group_members", "tenant_users", "process_definitions", "process_definition_versions",
		"item_definitions", "item_definition_versions", "process_definition_grants", "item_definition_grants",
		"processes", "process_items", "resources", "business_artifact_definition_grants", "business_artifacts",
		"business_artifact_index", "documents", "document_links", "process_actions", "events",
	} {
		t := s.tables[name]
		_, err := conn.CopyFrom(s.t.Context(), pgx.Identifier{name}, t.columns, pgx.CopyFromRows(t.rows))
		require.NoError(s.t, err, name)
	}
	_, err = conn.Exec(s.t.Context(), `
		UPDATE process_definitions d SET published_version = v.version
		  FROM process_definition_versions v WHERE v.process_definition_id = d.id`)
	require.NoError(s.t, err)
	_, err = conn.Exec(s.t.Context(), `SELECT recount_lists()`)
	require.NoError(s.t, err)
	_, err = conn.Exec(s.t.Context(), `ANALYZE`)
	require.NoError(s.t, err)
}
