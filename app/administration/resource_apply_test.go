package administration_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

func TestApplyingTheSameAgainChangesNothing(t *testing.T) {
	t.Parallel()
	c := newConfigured(t)
	before := c.dump()
	for _, action := range c.apply(system(), north()...) {
		require.Equal(t, administration.ApplyUnchanged, action)
	}
	require.Equal(t, before, c.dump())
}

func TestRunningProcessesKeepTheirVersion(t *testing.T) {
	t.Parallel()
	c := newConfigured(t)
	ines := c.caller("north", "ines", domain.RoleMember)
	old := c.start(ines)
	require.Equal(t, []administration.ApplyAction{administration.ApplyConfigured}, c.apply(system(), claim("second")))

	next := c.start(ines)
	require.NotEqual(t, old.Definition.Version, next.Definition.Version)
	require.Equal(t, old.Definition.ID, next.Definition.ID)
	for process, required := range map[*domain.Process]string{old: "/first", next: "/second"} {
		require.False(t, process.Metadata.Valid)
		worker := c.caller("north", "olga", domain.RoleOwner)
		worker.PrincipalID = c.id(resource.KindApplication, "north", "worker")
		changed, err := c.UpdateProcessMetadata(t.Context(), worker, process.ID, json.RawMessage(`{}`))
		require.NoError(t, err)
		require.Equal(t, required, changed.Metadata.Errors[0].PropertyPath)
	}
	versions, err := c.FindDefinitionVersions(t.Context(), c.caller("north", "olga", domain.RoleOwner),
		administration.ResourceKey{Tenant: "north", Kind: resource.KindProcessDefinition, Code: "CLAIM"})
	require.NoError(t, err)
	require.Len(t, versions, 2)
	require.Equal(t, []int{2, 1}, []int{versions[0].Number, versions[1].Number})
	require.Equal(t, []bool{true, false}, []bool{versions[0].Published, versions[1].Published})
	require.Equal(t, []int64{1, 1}, []int64{versions[0].Processes, versions[1].Processes})
}

func TestDraftsAndRetiredDefinitions(t *testing.T) {
	t.Parallel()
	c := newConfigured(t)
	ines := c.caller("north", "ines", domain.RoleMember)
	in := func(state, version string) json.RawMessage {
		return json.RawMessage(strings.Replace(string(claim(version)), `"name":"Claim"`, `"name":"Claim","state":"`+state+`"`, 1))
	}
	first := c.start(ines).Definition.Version
	c.apply(system(), in("DRAFT", "second"))
	require.Equal(t, first, c.start(ines).Definition.Version, "a draft changes nothing that is published")

	c.apply(system(), in("RETIRED", "first"))
	definition := c.id(resource.KindProcessDefinition, "north", "CLAIM")
	_, _, err := c.CreateProcess(t.Context(), ines, app.NewProcess{Definition: app.DefinitionKey{ID: &definition}})
	require.True(t, domain.HasCode(err, domain.CodeDefinitionNotPublished), err)

	c.apply(system(), in("PUBLISHED", "first"))
	require.Equal(t, first, c.start(ines).Definition.Version, "the same again is no new version")
	c.apply(system(), in("PUBLISHED", "second"))
	require.NotEqual(t, first, c.start(ines).Definition.Version)
}

func TestRightsChangeAtOnce(t *testing.T) {
	t.Parallel()
	c := newConfigured(t)
	ines, carl := c.caller("north", "ines", domain.RoleMember), c.caller("north", "carl", domain.RoleMember)
	worker := ines
	worker.PrincipalID = c.id(resource.KindApplication, "north", "worker")
	process := c.start(ines)
	item, _, err := c.CreateProcessItem(t.Context(), worker,
		app.NewItem{Type: domain.ItemTask, ProcessID: process.ID, DefinitionCode: "CHECK"})
	require.NoError(t, err)
	_, err = c.RetrieveProcessItem(t.Context(), carl, item.ID)
	require.NoError(t, err)

	c.apply(system(), document("Group", "north", "CLERKS", `{"name":"Clerks"}`))
	_, err = c.RetrieveProcessItem(t.Context(), carl, item.ID)
	require.True(t, domain.HasCode(err, domain.CodeNotFound), err)

	c.apply(system(), json.RawMessage(strings.Replace(string(claim("first")), `{"group":"CLERKS"}`, `{"user":"carl"}`, 1)))
	_, err = c.RetrieveProcessItem(t.Context(), carl, item.ID)
	require.NoError(t, err)
	require.Equal(t, process.Definition.Version, c.start(ines).Definition.Version, "rights are not pinned")
}

func TestDataStructureChangeRepublishesDefinitions(t *testing.T) {
	t.Parallel()
	c := newConfigured(t)
	ines := c.caller("north", "ines", domain.RoleMember)
	old := c.start(ines).Definition.Version
	c.apply(system(), document("DataStructure", "north", "ADDRESS", `{"name":"Address","schema":{"type":"object","required":["street"]}}`))
	next := c.start(ines).Definition.Version
	require.NotEqual(t, old, next)
	require.Equal(t, 1, c.count(`SELECT count(*) FROM process_definition_versions
		WHERE version = $1 AND spec::jsonb #>> '{dataStructures,ADDRESS,required,0}' = 'street'`, next))
}

func TestUserMetadataFollowsTheSchemaOfTheTenant(t *testing.T) {
	t.Parallel()
	c := newConfigured(t)
	require.Equal(t, 5, c.count(`SELECT count(*) FROM tenant_users WHERE NOT metadata_valid`))
	c.apply(system(), document("Tenant", "", "north", `{"name":"North","userMetadataSchema":{"type":"object"}}`))
	require.Equal(t, 0, c.count(`SELECT count(*) FROM tenant_users WHERE NOT metadata_valid`))
}

func TestWhoMayApply(t *testing.T) {
	t.Parallel()
	c := newConfigured(t)
	owner, administrator := c.caller("north", "olga", domain.RoleOwner), c.caller("north", "anna", domain.RoleAdministrator)
	member, ada := c.caller("north", "ines", domain.RoleMember), c.caller("north", "ada", domain.RoleMember)
	stranger := c.caller("south", "erik", domain.RoleOwner)
	tenant := document("Tenant", "", "north", `{"name":"Septentrion"}`)
	group := document("Group", "north", "NEW", `{"name":"New"}`)
	otherPermissions := json.RawMessage(strings.Replace(string(claim("second")), `"initiators":[{"user":"ines"}]`,
		`"initiators":[{"user":"ada"}]`, 1))
	otherRunner := json.RawMessage(strings.Replace(string(claim("second")), `"taskQueue":"claims"`, `"taskQueue":"others"`, 1))

	for _, test := range []struct {
		name     string
		caller   domain.Call
		document json.RawMessage
	}{
		{"a member", member, group},
		{"a member, of a definition", member, claim("second")},
		{"the administrator of a definition, of something else", ada, group},
		{"the administrator of a definition, of its permissions", ada, otherPermissions},
		{"the administrator of a definition, of its engine", ada, otherRunner},
		{"an administrator, of the tenant", administrator, tenant},
		{"an administrator, making an owner", administrator, user("anna", "OWNER")},
		{"an administrator, unmaking one", administrator, user("olga", "MEMBER")},
		{
			"an administrator, with an application that owns", administrator,
			document("Application", "north", "boss", `{"name":"Boss","role":"OWNER"}`),
		},
	} {
		t.Log(test.name)
		c.requireRefusal(domain.CodeAccessDenied, test.caller, test.document)
	}
	foreign := c.requireRefusal(domain.CodeValidation, stranger, group)
	absent := c.requireRefusal(domain.CodeValidation, stranger, json.RawMessage(strings.ReplaceAll(string(group), "north", "nowhere")))
	require.Equal(t, strings.ReplaceAll(foreign[0].Message, "north", "nowhere"), absent[0].Message)
	require.Equal(t, "/documents/0/metadata/tenant", foreign[0].Location)
	c.requireRefusal(domain.CodeValidation, owner, document("Tenant", "", "west", `{"name":"West"}`))
	c.requireRefusal(domain.CodeValidation, owner, document("Tenant", "", "south", `{"name":"South"}`))

	require.Equal(t, []administration.ApplyAction{administration.ApplyConfigured}, c.apply(ada, claim("second")))
	require.Equal(t, []administration.ApplyAction{administration.ApplyCreated}, c.apply(administrator, group))
	require.Equal(t, []administration.ApplyAction{administration.ApplyConfigured}, c.apply(owner, tenant))
	require.Equal(t, []administration.ApplyAction{administration.ApplyConfigured}, c.apply(owner, user("anna", "OWNER")))
}

func TestWhatIsWrongChangesNothing(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	c := newConfigured(t)
	erik := c.id(resource.KindUser, "south", "erik")
	good := document("Group", "north", "GOOD", `{"name":"Good"}`)
	for _, wrong := range []struct {
		name, location string
		document       json.RawMessage
	}{
		{
			"a missing reference", "/documents/1/spec/members/0/user",
			document("Group", "north", "BAD", `{"name":"Bad","members":[{"user":"absent"}]}`),
		},
		{
			"a reference into another tenant", "/documents/1/spec/members/0/user",
			document("Group", "north", "BAD", `{"name":"Bad","members":[{"user":"erik"}]}`),
		},
		{
			"the id of something else", "/documents/1/metadata/id",
			identified(document("Group", "north", "BAD", `{"name":"Bad"}`), c.id(resource.KindGroup, "north", "CLERKS")),
		},
		{
			"the id of a principal of another tenant", "/documents/1/metadata/id",
			identified(document("Application", "north", "bad", `{"name":"Bad"}`), erik),
		},
		{"the id of a user of another tenant", "/documents/1/metadata/id", identified(user("bad", "MEMBER"), erik)},
		{
			"another id", "/documents/1/metadata/id",
			identified(document("Group", "north", "CLERKS", `{"name":"Clerks"}`), uuid.New()),
		},
		{
			"another e-mail", "/documents/1/spec/email",
			document("User", "north", "carl", `{"name":"Carl","email":"other@north.example"}`),
		},
		{
			"an e-mail twice", "/documents/1/spec/email",
			document("User", "north", "carl2", `{"name":"Carl","email":"CARL@north.example"}`),
		},
		{
			"another namespace", "/documents/1/spec/namespace",
			document("Tenant", "", "north", `{"name":"North","namespace":"elsewhere"}`),
		},
		{
			"another cluster", "/documents/1/spec/cluster",
			document("Tenant", "", "north", `{"name":"North","cluster":"cloud"}`),
		},
		{
			"a cluster that is not configured", "/documents/1/spec/cluster",
			document("Tenant", "", "west", `{"name":"West","cluster":"moon"}`),
		},
		{"a namespace of no account", "/documents/1/spec/namespace", cloudTenant("west")},
		{"a namespace with a long name", "/documents/1/spec/namespace", cloudTenant(strings.Repeat("w", 40) + ".a1b2c")},
		{
			"a time zone that is none", "/documents/1/spec/timeZone",
			document("Tenant", "", "north", `{"name":"North","timeZone":"Mars/Olympus"}`),
		},
		{
			"a namespace that becomes shared", "/documents/1/spec/sharedNamespace",
			document("Tenant", "", "north", `{"name":"North","namespace":"`+c.namespace("north")+`","sharedNamespace":true}`),
		},
		{
			"a shared namespace without a name", "/documents/1/spec/namespace",
			document("Tenant", "", "west", `{"name":"West","sharedNamespace":true}`),
		},
		{
			"a shared namespace of a tenant that does not share it", "/documents/1/spec/namespace",
			document("Tenant", "", "west", `{"name":"West","namespace":"`+c.namespace("south")+`","sharedNamespace":true}`),
		},
		{
			"a namespace of another tenant", "/documents/1/spec/namespace",
			document("Tenant", "", "west", `{"name":"West","namespace":"`+c.namespace("south")+`"}`),
		},
	} {
		details := c.requireRefusal(domain.CodeValidation, system(), good, wrong.document)
		require.Len(t, details, 1, wrong.name)
		require.Equal(t, wrong.location, details[0].Location, details[0].Message)
	}
}

func TestAPersonOfSeveralTenantsIsOnePrincipal(t *testing.T) {
	t.Parallel()
	c := newConfigured(t)
	erik := c.id(resource.KindUser, "south", "erik")
	c.apply(c.caller("north", "olga", domain.RoleOwner), document("User", "north", "guest",
		`{"name":"An Impostor","email":"Erik@South.example","accessTokens":[{"name":"t","sha256":"`+strings.Repeat("ab", 32)+`"}]}`))
	require.Equal(t, erik, c.id(resource.KindUser, "north", "guest"))
	require.Equal(t, 1, c.count(`SELECT count(*) FROM principals WHERE id = $1 AND name = 'Erik' AND email = 'erik@south.example'`, erik))
	require.Equal(t, 1, c.count(`SELECT count(*) FROM credentials WHERE principal_id = $1 AND tenant_id = $2`,
		erik, c.id(resource.KindTenant, "north", "north")), "a token of one tenant is none of another")

	require.NoError(t, c.DeleteResource(t.Context(), c.caller("north", "olga", domain.RoleOwner),
		administration.ResourceKey{Kind: resource.KindUser, Code: "guest"}, "", nil))
	require.Equal(t, 1, c.count(`SELECT count(*) FROM tenant_users WHERE principal_id = $1`, erik))
	require.Equal(t, 0, c.count(`SELECT count(*) FROM credentials WHERE principal_id = $1`, erik))
}

func TestDeleting(t *testing.T) {
	t.Parallel()
	c := newConfigured(t)
	owner := c.caller("north", "olga", domain.RoleOwner)
	remove := func(caller domain.Call, kind resource.Kind, code string) error {
		return c.DeleteResource(t.Context(), caller, administration.ResourceKey{Tenant: "north", Kind: kind, Code: code}, "", nil)
	}
	for kind, code := range map[resource.Kind]string{
		resource.KindGroup: "CLERKS", resource.KindApplication: "worker", resource.KindDataStructure: "ADDRESS",
		resource.KindTenant: "north",
	} {
		require.True(t, domain.HasCode(remove(owner, kind, code), domain.CodeConflict), code)
	}
	require.True(t, domain.HasCode(remove(owner, resource.KindUser, "olga"), domain.CodeConflict), "the last owner")
	for _, unauthorized := range []domain.Call{
		c.caller("north", "ines", domain.RoleMember), c.caller("south", "erik", domain.RoleOwner),
	} {
		require.True(t, domain.HasCode(remove(unauthorized, resource.KindGroup, "CLERKS"), domain.CodeNotFound))
	}
	require.True(t, domain.HasCode(remove(c.caller("north", "ada", domain.RoleMember), resource.KindProcessDefinition, "CLAIM"),
		domain.CodeAccessDenied))

	c.start(c.caller("north", "ines", domain.RoleMember))
	require.True(t, domain.HasCode(remove(owner, resource.KindProcessDefinition, "CLAIM"), domain.CodeConflict), "it has processes")
	c.apply(system(), document("ProcessDefinition", "north", "UNUSED", `{"name":"Unused",
		"items":[{"code":"T","type":"TASK","name":"T","candidates":[{"group":"CLERKS"}]}],"permissions":{"initiators":[{"user":"ines"}]}}`))
	require.NoError(t, remove(owner, resource.KindProcessDefinition, "UNUSED"))
	require.Equal(t, 0, c.count(`SELECT count(*) FROM process_definitions WHERE code = 'UNUSED'`))

	c.apply(system(), document("Application", "north", "spare", `{"name":"Spare"}`))
	spare := c.id(resource.KindApplication, "north", "spare")
	require.NoError(t, remove(owner, resource.KindApplication, "spare"))
	require.Equal(t, 1, c.count(`SELECT count(*) FROM principals WHERE id = $1 AND disabled_at IS NOT NULL`, spare))
	c.apply(system(), identified(document("Application", "north", "spare", `{"name":"Spare"}`), spare))
	require.Equal(t, 1, c.count(`SELECT count(*) FROM principals WHERE id = $1 AND disabled_at IS NULL`, spare))
}

func TestPruning(t *testing.T) {
	t.Parallel()
	c := newConfigured(t)
	mine := func(code string) json.RawMessage {
		return labelled(document("Group", "north", code, `{"name":"G"}`), "team", "x")
	}
	c.apply(system(), mine("KEPT"), mine("GONE"), labelled(document("Group", "south", "THERE", `{"name":"G"}`), "team", "x"))
	request := administration.ApplyRequest{
		Documents: []json.RawMessage{mine("KEPT")}, DryRun: true,
		Prune: &administration.Prune{Tenant: "north", Selector: resource.Selector{"team": "x"}},
	}
	before := c.dump()
	tried, err := c.ApplyResources(t.Context(), system(), request)
	require.NoError(t, err)
	require.Equal(t, before, c.dump())
	request.DryRun = false
	done, err := c.ApplyResources(t.Context(), system(), request)
	require.NoError(t, err)
	require.Equal(t, tried, done)
	require.Len(t, done, 2)
	require.Equal(t, administration.ApplyUnchanged, done[0].Action)
	require.Equal(t, resource.Key{Tenant: "north", Kind: resource.KindGroup, Code: "GONE"}, done[1].Key)
	require.Equal(t, administration.ApplyDeleted, done[1].Action)
	require.Equal(t, 1, c.count(`SELECT count(*) FROM resources WHERE code = 'THERE'`))
	require.Equal(t, 0, c.count(`SELECT count(*) FROM groups WHERE code = 'GONE'`))

	request.Prune.Selector = nil
	_, err = c.ApplyResources(t.Context(), system(), request)
	require.True(t, domain.HasCode(err, domain.CodeValidation), err)
}

func TestAppliersOfOneTenantTakeTurns(t *testing.T) {
	t.Parallel()
	c := newConfigured(t)
	var appliers sync.WaitGroup
	for i := range 8 {
		appliers.Go(func() {
			_, err := c.ApplyResources(t.Context(), system(), administration.ApplyRequest{
				Documents: []json.RawMessage{claim(fmt.Sprintf("version-%d", i))},
			})
			if err != nil {
				t.Errorf("applying version %d: %v", i, err)
			}
		})
	}
	appliers.Wait()
	require.Equal(t, 9, c.count(`SELECT count(DISTINCT number) FROM process_definition_versions`))
	require.Equal(t, 1, c.count(`SELECT count(*) FROM process_definitions d
		JOIN process_definition_versions v ON v.version = d.published_version
		JOIN resources r ON r.id = d.id
		WHERE v.number = 9 AND v.spec::jsonb -> 'metadataSchema' = r.spec::jsonb -> 'metadataSchema'`))
}

// The rows of the service follow from the documents alone.
func TestApplyingElsewhereGivesTheSame(t *testing.T) {
	t.Parallel()
	c := newConfigured(t)
	c.apply(system(), claim("second"))
	var page domain.Page[resource.Stored]
	err := c.FindResources(t.Context(), system(), administration.ResourceFilter{}, domain.PageRequest{Size: 100}, nil,
		func(found *domain.Listing[resource.Stored]) error {
			page = found.Page
			return nil
		})
	require.NoError(t, err)
	documents := make([]json.RawMessage, len(page.Items))
	for i := range page.Items {
		documents[i], err = page.Items[i].MarshalJSON()
		require.NoError(t, err)
	}
	elsewhere := &configured{t: t, url: pgtest.URL(t), ids: map[resource.Key]uuid.UUID{}}
	elsewhere.db = pgtest.Open(t, elsewhere.url)
	elsewhere.serve(storage.Options{Clock: time.Now}, nil, nil)
	elsewhere.apply(system(), documents...)
	for _, action := range elsewhere.apply(system(), documents...) {
		require.Equal(t, administration.ApplyUnchanged, action)
	}
	for _, query := range []string{
		`SELECT string_agg(concat_ws(' ', id, code, name, plan, time_zone), E'\n' ORDER BY id) FROM tenants`,
		`SELECT string_agg(concat_ws(' ', id, type, name, email, tenant_id, role, disabled_at), E'\n' ORDER BY id) FROM principals`,
		`SELECT string_agg(concat_ws(' ', tenant_id, principal_id, role, metadata, metadata_valid), E'\n' ORDER BY tenant_id, principal_id) FROM tenant_users`,
		`SELECT string_agg(concat_ws(' ', group_id, principal_id), E'\n' ORDER BY group_id, principal_id) FROM group_members`,
		`SELECT string_agg(concat_ws(' ', process_definition_id, permission, grantee_id), E'\n'
		          ORDER BY process_definition_id, permission, grantee_id) FROM process_definition_grants`,
		`SELECT string_agg(concat_ws(' ', i.code, g.permission, g.grantee_id), E'\n' ORDER BY i.code, g.permission, g.grantee_id)
		   FROM item_definition_grants g JOIN item_definitions i ON i.id = g.item_definition_id`,
		`SELECT string_agg(concat_ws(' ', d.id, d.code, v.name, v.task_queue, v.runner_id, v.spec), E'\n' ORDER BY d.id)
		   FROM process_definitions d JOIN process_definition_versions v ON v.version = d.published_version`,
	} {
		var here, there string
		require.NoError(t, c.connect().QueryRow(t.Context(), query).Scan(&here))
		require.NoError(t, elsewhere.connect().QueryRow(t.Context(), query).Scan(&there))
		require.Equal(t, here, there)
	}
}
