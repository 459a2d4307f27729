package admin_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/apitest"
)

func TestOnlyOwnersMakeOwners(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	administrator := s.As("administrator")
	role := func(name string, role domain.TenantRole) string { return s.User("north", name, role) }
	boss := apitest.Identified("north", "Application", "boss", uuid.New(), `{"name":"Boss","role":"OWNER"}`)
	for name, document := range map[string]string{
		"itself":             role("administrator", domain.RoleOwner),
		"another principal":  role("viewer", domain.RoleOwner),
		"an application":     boss,
		"take the role":      role("owner", domain.RoleMember),
		"change an owner":    strings.Replace(role("owner", domain.RoleOwner), `"first"`, `"other"`, 1),
		"change the tenant":  strings.Replace(s.Folder("north")[0], "PREMIUM", "UNLIMITED", 1),
		"delete the labels":  strings.Replace(role("owner", domain.RoleOwner), `"app":"test"`, ``, 1),
		"give it a password": strings.Replace(role("owner", domain.RoleOwner), apitest.Declared("first", "north-owner-token"), apitest.Declared("first", "guess"), 1),
	} {
		t.Log(name)
		s.RefusedApply(403, "ACCESS_DENIED", administrator, document)
		s.RefusedApply(403, "ACCESS_DENIED", s.As("viewer"), document)
	}
	before := s.Snapshot()
	s.Refused(403, "ACCESS_DENIED", administrator, http.MethodDelete, apitest.ResourcePath("north", "User", "owner", ""), "")
	s.Refused(403, "ACCESS_DENIED", administrator, http.MethodPost, apitest.ResourcePath("north", "User", "owner", "/secrets"), `{"name":"n"}`)
	s.Refused(403, "ACCESS_DENIED", administrator, http.MethodPost, apitest.ApplyPath,
		apitest.Applying(`"prune":{"tenant":"north","selector":{"app":"test"}},`))
	require.Equal(t, before, s.Snapshot())

	s.Apply(s.As("owner"), role("administrator", domain.RoleOwner), boss)
	s.Ticks.Add(cached)
	s.Apply(s.As("administrator"), role("owner", domain.RoleAdministrator))
	s.Ticks.Add(cached)
	s.RefusedApply(403, "ACCESS_DENIED", s.As("owner"), boss, role("owner", domain.RoleOwner))
	s.Refused(403, "ACCESS_DENIED", s.As("owner"), http.MethodPost, apitest.ResourcePath("north", "Application", "boss", "/secrets"), `{"name":"n"}`)
}

func TestTheLastOwnerCannotBeRemoved(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	s.RefusedApply(409, "CONFLICT", s.As("owner"), s.User("north", "owner", domain.RoleAdministrator))
	s.Apply(s.As("owner"), s.User("north", "viewer", domain.RoleOwner))
	s.Apply(s.As("owner"), s.User("north", "owner", domain.RoleAdministrator))
	s.Ticks.Add(cached)
	s.RefusedApply(403, "ACCESS_DENIED", s.As("owner"), s.User("north", "owner", domain.RoleOwner))
}

func TestOnlyOperatorsMakeTenants(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	tenant := `{"apiVersion":"procession/v1","kind":"Tenant","metadata":{"code":"east"},"spec":{"name":"East"}}`
	s.RefusedApply(400, "VALIDATION", s.As("owner"), tenant)
	owner := apitest.Identified("east", "User", "first", uuid.New(), `{"name":"First","email":"first@east.example","role":"OWNER"}`)
	results := s.Apply(s.Operator, owner, tenant)
	require.Equal(t, map[string]oasadmin.ApplyAction{"User first": "CREATED", "Tenant east": "CREATED"}, actions(results))
	require.Equal(t, "east", results[1].Tenant)
	s.RefusedApply(403, "ACCESS_DENIED", s.As("stranger"), s.Folder("north")[0])
	// No two tenants share a namespace of the engine.
	s.RefusedApply(400, "VALIDATION", s.Operator,
		`{"apiVersion":"procession/v1","kind":"Tenant","metadata":{"code":"west"},"spec":{"name":"West","namespace":"demo"}}`)
}

func TestADefinersRights(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	definer := s.As("definer")
	loan := s.LoanOf("north", "")
	s.Apply(definer, strings.Replace(loan, `"name":"Loan"`, `"name":"Home loan"`, 1))
	page := apitest.Decode[oasadmin.ResourcePage](t, s.Get(200, definer, apitest.AdminAPI+"/resources"))
	require.Len(t, page.Content, 1)
	require.Equal(t, int64(1), page.Metadata.TotalElements)
	require.Equal(t, "LOAN", page.Content[0].Metadata.Code)
	for name, document := range map[string]string{
		"more initiators":  strings.Replace(loan, `[{"user":"initiator"}]`, `[{"user":"initiator"},{"user":"definer"}]`, 1),
		"another manager":  strings.Replace(loan, `[{"user":"manager"}]`, `[{"user":"definer"}]`, 1),
		"another runner":   strings.Replace(loan, `"runner":"worker"`, `"runner":"stranger"`, 1),
		"a new definition": strings.Replace(loan, `"LOAN"`, `"NEW"`, 1),
		"a group":          apitest.Document("north", "Group", "REVIEWERS", `{"name":"Reviewers","members":[{"user":"definer"}]}`),
		"itself":           s.User("north", "definer", domain.RoleAdministrator),
	} {
		t.Log(name)
		s.RefusedApply(403, "ACCESS_DENIED", definer, document)
	}
}

// Applying a manifest cannot take over principals of other tenants.
func TestApplyKeepsPrincipalsOfOtherTenants(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	victim, program := s.Of("south", "owner"), s.Of("south", "worker")
	const guess = `"accessTokens":[{"name":"mine","sha256":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}]`
	const secrets = `"secrets":[{"name":"mine","sha256":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}]`
	southGroup := *s.Resource(victim, "south", "Group", "REVIEWERS").Metadata.ID
	southLoan := s.Definition("south")
	for name, document := range map[string]string{
		"user by id":          apitest.Identified("north", "User", "mallory", victim.ID, `{"name":"M","email":"mallory@north.example",`+guess+`}`),
		"application as user": apitest.Identified("north", "User", "mallory", program.ID, `{"name":"M","email":"mallory@north.example",`+guess+`}`),
		"application by id":   apitest.Identified("north", "Application", "mallory", program.ID, `{"name":"M",`+secrets+`}`),
		"user as application": apitest.Identified("north", "Application", "mallory", victim.ID, `{"name":"M",`+secrets+`}`),
		"group by id":         apitest.Identified("north", "Group", "MALLORY", southGroup, `{"name":"M","members":[{"user":"owner"}]}`),
		"definition by id": apitest.Identified("north", "ProcessDefinition", "MALLORY", southLoan,
			`{"name":"M","permissions":{"initiators":[{"user":"owner"}],"managers":[{"user":"owner"}]}}`),
		"the system": apitest.Identified("north", "Application", "mallory", domain.SystemPrincipalID(), `{"name":"M",`+secrets+`}`),
		"another application of the tenant": apitest.Identified("north", "Application", "mallory", s.As("worker").ID,
			`{"name":"M",`+secrets+`}`),
		"another user of the tenant": apitest.Document("north", "User", "mallory",
			`{"name":"M","email":"`+s.As("viewer").Email+`",`+guess+`}`),
	} {
		t.Log(name)
		failure := s.RefusedApply(400, "VALIDATION", s.As("owner"), document)
		require.Contains(t, []string{"/documents/0/metadata/id", "/documents/0/spec/email"}, failure.Errors[0].Location)
	}
}

// Whether a person is a user of another tenant shows neither in a dry run nor in a
// refusal, which leave no trace.
func TestUsersOfOtherTenantsDoNotShow(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	victim, chosen := s.Of("south", "owner"), uuid.New()
	invite := func(email string) string {
		return apitest.Document("north", "User", "guest", `{"name":"Guest","email":"`+email+`"}`)
	}
	inviteAs := func(id uuid.UUID, email string) string {
		return apitest.Identified("north", "User", "guest", id, `{"name":"Guest","email":"`+email+`"}`)
	}
	before := s.Snapshot()
	for _, email := range []string{victim.Email, strings.ToUpper(victim.Email), "absent@nowhere.example"} {
		first, second := s.ApplyWith(s.As("owner"), `"dryRun":true,`, invite(email)), s.ApplyWith(s.As("owner"), `"dryRun":true,`, invite(email))
		require.Equal(t, oasadmin.ApplyActionCREATED, first[0].Action)
		require.NotEqual(t, victim.ID, first[0].ID)
		require.NotEqual(t, first[0].ID, second[0].ID)
		require.NotContains(t, string(first[0].After.Spec), victim.ID.String())
		require.Equal(t, chosen, s.ApplyWith(s.As("owner"), `"dryRun":true,`, inviteAs(chosen, email))[0].ID)

		failure := s.RefusedApply(400, "VALIDATION", s.As("owner"), inviteAs(chosen, email),
			apitest.Document("north", "Group", "G", `{"name":"G","members":[{"user":"absent"}]}`))
		require.Len(t, failure.Errors, 1)
		require.Contains(t, failure.Errors[0].Location, "/documents/1/")
	}
	require.Equal(t, before, s.Snapshot())

	// A member of the tenant keeps its id, and its identity is visible to an
	// operator.
	require.Equal(t, s.As("viewer").ID,
		s.ApplyWith(s.As("owner"), `"dryRun":true,`, s.User("north", "viewer", "MEMBER"))[0].ID)
	require.Equal(t, victim.ID, s.ApplyWith(s.Operator, `"dryRun":true,`, invite(victim.Email))[0].ID)
	// The change itself, which is recorded, names the person, whatever id was chosen.
	require.Equal(t, victim.ID, s.Apply(s.As("owner"), inviteAs(chosen, victim.Email))[0].ID)
	require.Zero(t, s.Count("SELECT count(*) FROM principals WHERE id = $1", chosen))
}

// A person can be a user of several tenants. A tenant can neither read nor change the
// memberships of the person in other tenants.
func TestApplyInvitesUserOfAnotherTenant(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	victim := s.Of("south", "owner")
	results := s.Apply(s.As("owner"), apitest.Document("north", "User", "guest",
		`{"name":"Guest","email":"`+strings.ToUpper(victim.Email)+`","accessTokens":[`+apitest.Declared("mine", "guess-of-north")+`]}`))
	require.Equal(t, victim.ID, results[0].ID)
	principal := apitest.Decode[oasb.Principal](t, s.Get(200, victim, "/principals/"+victim.ID.String()))
	require.Equal(t, "owner", *principal.Name)
	require.Equal(t, victim.Email, *principal.User.Email)

	identity := apitest.Decode[oasadmin.Identity](t, s.Get(200, victim, apitest.AdminAPI+"/identity"))
	for _, m := range identity.Memberships {
		require.Equal(t, "south", m.TenantCode, "the token of a tenant is valid in that tenant only")
	}
	guest := victim
	guest.Secret = "guess-of-north"
	identity = apitest.Decode[oasadmin.Identity](t, s.Get(200, guest, apitest.AdminAPI+"/identity"))
	require.Equal(t, victim.ID, identity.Principal.ID)
	require.Len(t, identity.Memberships, 1)
	require.Equal(t, "north", identity.Memberships[0].TenantCode)
	require.Equal(t, oasadmin.TenantRoleMEMBER, identity.Memberships[0].Role)
	s.Get(404, guest, apitest.ResourcePath("south", "ProcessDefinition", "LOAN", ""))
	require.Empty(t, s.List(guest, apitest.AdminAPI+"/resources").Content)
	require.Equal(t, []uuid.UUID{identity.Memberships[0].TenantID}, s.List(guest, "/tenants").IDs())

	before := s.Count(`SELECT count(*) FROM credentials WHERE principal_id = $1`, victim.ID)
	s.Call(204, s.As("owner"), http.MethodDelete, apitest.ResourcePath("north", "User", "guest", ""), "")
	require.Equal(t, before-1, s.Count(`SELECT count(*) FROM credentials WHERE principal_id = $1`, victim.ID))
	s.Get(200, victim, apitest.AdminAPI+"/identity")
	s.Ticks.Add(cached)
	s.Get(401, guest, apitest.AdminAPI+"/identity")
}

// A token of one tenant reaches no definition of another, even if its owner
// administers that too.
func TestTokenOfTenantReachesNoOtherDefinition(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	definer := s.As("definer")
	s.Apply(s.Of("south", "owner"), apitest.Document("south", "User", "guest",
		`{"name":"Guest","email":"`+definer.Email+`","accessTokens":[`+apitest.Declared("there", "token-of-south")+`]}`))
	s.Get(200, definer, apitest.ResourcePath("north", "ProcessDefinition", "LOAN", ""))
	guest := definer
	guest.Secret = "token-of-south"
	require.Empty(t, s.List(guest, apitest.AdminAPI+"/resources").Content)
	s.Get(404, guest, apitest.ResourcePath("north", "ProcessDefinition", "LOAN", ""))
	s.Get(404, guest, apitest.VersionsPath("north", "LOAN"))
	s.RefusedApply(400, "VALIDATION", guest, s.LoanOf("north", ""))
	require.Empty(t, s.List(guest, "/processes").Content)
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	north := *s.Resource(s.As("owner"), "north", "Tenant", "north").Metadata.ID
	identity := apitest.Decode[oasadmin.Identity](t, s.Get(200, s.As("administrator"), apitest.AdminAPI+"/identity"))
	require.Equal(t, oasadmin.Identity{
		Principal: oasadmin.IdentityPrincipal{
			ID: s.As("administrator").ID, Type: oasadmin.PrincipalTypeUSER, Name: "administrator",
		},
		Memberships: []oasadmin.Membership{{
			TenantID: north, TenantCode: "north", TenantName: "north", Role: oasadmin.TenantRoleADMINISTRATOR,
		}},
	}, identity)
	identity = apitest.Decode[oasadmin.Identity](t, s.Get(200, s.Operator, apitest.AdminAPI+"/identity"))
	require.True(t, identity.Operator)
	require.Equal(t, oasadmin.PrincipalTypeUSER, identity.Principal.Type)
	require.Len(t, identity.Memberships, 1)
}
