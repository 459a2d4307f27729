package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/domain"
)

func TestOnlyOwnersMakeOwners(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	administrator := s.as("administrator")
	role := func(name string, role domain.TenantRole) string { return s.user("north", name, role) }
	boss := identified("north", "Application", "boss", uuid.New(), `{"name":"Boss","role":"OWNER"}`)
	for name, document := range map[string]string{
		"itself":             role("administrator", domain.RoleOwner),
		"another principal":  role("viewer", domain.RoleOwner),
		"an application":     boss,
		"take the role":      role("owner", domain.RoleMember),
		"change an owner":    strings.Replace(role("owner", domain.RoleOwner), `"first"`, `"other"`, 1),
		"change the tenant":  strings.Replace(s.folder("north")[0], "PREMIUM", "UNLIMITED", 1),
		"delete the labels":  strings.Replace(role("owner", domain.RoleOwner), `"app":"test"`, ``, 1),
		"give it a password": strings.Replace(role("owner", domain.RoleOwner), declared("first", "north-owner-token"), declared("first", "guess"), 1),
	} {
		t.Log(name)
		s.refusedApply(403, "ACCESS_DENIED", administrator, document)
		s.refusedApply(403, "ACCESS_DENIED", s.as("viewer"), document)
	}
	before := s.snapshot()
	s.refused(403, "ACCESS_DENIED", administrator, http.MethodDelete, resourcePath("north", "User", "owner", ""), "")
	s.refused(403, "ACCESS_DENIED", administrator, http.MethodPost, resourcePath("north", "User", "owner", "/secrets"), `{"name":"n"}`)
	s.refused(403, "ACCESS_DENIED", administrator, http.MethodPost, applyPath,
		applying(`"prune":{"tenant":"north","selector":{"app":"test"}},`))
	require.Equal(t, before, s.snapshot())

	s.apply(s.as("owner"), role("administrator", domain.RoleOwner), boss)
	s.ticks.Add(cached)
	s.apply(s.as("administrator"), role("owner", domain.RoleAdministrator))
	s.ticks.Add(cached)
	s.refusedApply(403, "ACCESS_DENIED", s.as("owner"), boss, role("owner", domain.RoleOwner))
	s.refused(403, "ACCESS_DENIED", s.as("owner"), http.MethodPost, resourcePath("north", "Application", "boss", "/secrets"), `{"name":"n"}`)
}

func TestTheLastOwnerStays(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	s.refusedApply(409, "CONFLICT", s.as("owner"), s.user("north", "owner", domain.RoleAdministrator))
	s.apply(s.as("owner"), s.user("north", "viewer", domain.RoleOwner))
	s.apply(s.as("owner"), s.user("north", "owner", domain.RoleAdministrator))
	s.ticks.Add(cached)
	s.refusedApply(403, "ACCESS_DENIED", s.as("owner"), s.user("north", "owner", domain.RoleOwner))
}

func TestOnlyOperatorsMakeTenants(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	tenant := `{"apiVersion":"procession/v1","kind":"Tenant","metadata":{"code":"east"},"spec":{"name":"East"}}`
	s.refusedApply(400, "VALIDATION", s.as("owner"), tenant)
	owner := identified("east", "User", "first", uuid.New(), `{"name":"First","email":"first@east.example","role":"OWNER"}`)
	results := s.apply(s.operator, owner, tenant)
	require.Equal(t, map[string]oasadmin.ApplyAction{"User first": "CREATED", "Tenant east": "CREATED"}, actions(results))
	require.Equal(t, "east", results[1].Tenant)
	s.refusedApply(403, "ACCESS_DENIED", s.as("stranger"), s.folder("north")[0])
	// No two tenants share a namespace of the engine.
	s.refusedApply(400, "VALIDATION", s.operator,
		`{"apiVersion":"procession/v1","kind":"Tenant","metadata":{"code":"west"},"spec":{"name":"West","namespace":"demo"}}`)
}

func TestADefinersRights(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	definer := s.as("definer")
	loan := s.loanOf("north", "")
	s.apply(definer, strings.Replace(loan, `"name":"Loan"`, `"name":"Home loan"`, 1))
	page := decode[oasadmin.ResourcePage](t, s.get(200, definer, adminAPI+"/resources"))
	require.Len(t, page.Content, 1)
	require.Equal(t, int64(1), page.Metadata.TotalElements)
	require.Equal(t, "LOAN", page.Content[0].Metadata.Code)
	for name, document := range map[string]string{
		"more initiators":  strings.Replace(loan, `[{"user":"initiator"}]`, `[{"user":"initiator"},{"user":"definer"}]`, 1),
		"another manager":  strings.Replace(loan, `[{"user":"manager"}]`, `[{"user":"definer"}]`, 1),
		"another runner":   strings.Replace(loan, `"runner":"worker"`, `"runner":"stranger"`, 1),
		"a new definition": strings.Replace(loan, `"LOAN"`, `"NEW"`, 1),
		"a group":          document("north", "Group", "REVIEWERS", `{"name":"Reviewers","members":[{"user":"definer"}]}`),
		"itself":           s.user("north", "definer", domain.RoleAdministrator),
	} {
		t.Log(name)
		s.refusedApply(403, "ACCESS_DENIED", definer, document)
	}
}

// Applying a manifest cannot take over principals of other tenants.
func TestApplyKeepsPrincipalsOfOtherTenants(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	victim, program := s.of("south", "owner"), s.of("south", "worker")
	const guess = `"accessTokens":[{"name":"mine","sha256":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}]`
	const secrets = `"secrets":[{"name":"mine","sha256":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}]`
	southGroup := *s.resource(victim, "south", "Group", "REVIEWERS").Metadata.ID
	southLoan := s.definition("south")
	for name, document := range map[string]string{
		"user by id":          identified("north", "User", "mallory", victim.ID, `{"name":"M","email":"mallory@north.example",`+guess+`}`),
		"application as user": identified("north", "User", "mallory", program.ID, `{"name":"M","email":"mallory@north.example",`+guess+`}`),
		"application by id":   identified("north", "Application", "mallory", program.ID, `{"name":"M",`+secrets+`}`),
		"user as application": identified("north", "Application", "mallory", victim.ID, `{"name":"M",`+secrets+`}`),
		"group by id":         identified("north", "Group", "MALLORY", southGroup, `{"name":"M","members":[{"user":"owner"}]}`),
		"definition by id": identified("north", "ProcessDefinition", "MALLORY", southLoan,
			`{"name":"M","permissions":{"initiators":[{"user":"owner"}],"managers":[{"user":"owner"}]}}`),
		"the system": identified("north", "Application", "mallory", domain.SystemPrincipalID(), `{"name":"M",`+secrets+`}`),
		"another application of the tenant": identified("north", "Application", "mallory", s.as("worker").ID,
			`{"name":"M",`+secrets+`}`),
		"another user of the tenant": document("north", "User", "mallory",
			`{"name":"M","email":"`+s.as("viewer").Email+`",`+guess+`}`),
	} {
		t.Log(name)
		failure := s.refusedApply(400, "VALIDATION", s.as("owner"), document)
		require.Contains(t, []string{"/documents/0/metadata/id", "/documents/0/spec/email"}, failure.Errors[0].Location)
	}
}

// Whether a person is a user of another tenant shows neither in a dry run nor in a
// refusal, which leave no trace.
func TestUsersOfOtherTenantsDoNotShow(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	victim, chosen := s.of("south", "owner"), uuid.New()
	invite := func(email string) string {
		return document("north", "User", "guest", `{"name":"Guest","email":"`+email+`"}`)
	}
	inviteAs := func(id uuid.UUID, email string) string {
		return identified("north", "User", "guest", id, `{"name":"Guest","email":"`+email+`"}`)
	}
	before := s.snapshot()
	for _, email := range []string{victim.Email, strings.ToUpper(victim.Email), "absent@nowhere.example"} {
		first, second := s.applyWith(s.as("owner"), `"dryRun":true,`, invite(email)), s.applyWith(s.as("owner"), `"dryRun":true,`, invite(email))
		require.Equal(t, oasadmin.ApplyActionCREATED, first[0].Action)
		require.NotEqual(t, victim.ID, first[0].ID)
		require.NotEqual(t, first[0].ID, second[0].ID)
		require.NotContains(t, string(first[0].After.Spec), victim.ID.String())
		require.Equal(t, chosen, s.applyWith(s.as("owner"), `"dryRun":true,`, inviteAs(chosen, email))[0].ID)

		failure := s.refusedApply(400, "VALIDATION", s.as("owner"), inviteAs(chosen, email),
			document("north", "Group", "G", `{"name":"G","members":[{"user":"absent"}]}`))
		require.Len(t, failure.Errors, 1)
		require.Contains(t, failure.Errors[0].Location, "/documents/1/")
	}
	require.Equal(t, before, s.snapshot())

	// A member of the tenant keeps its id, and its identity is visible to an
	// operator.
	require.Equal(t, s.as("viewer").ID,
		s.applyWith(s.as("owner"), `"dryRun":true,`, s.user("north", "viewer", "MEMBER"))[0].ID)
	require.Equal(t, victim.ID, s.applyWith(s.operator, `"dryRun":true,`, invite(victim.Email))[0].ID)
	// The change itself, which is recorded, names the person, whatever id was chosen.
	require.Equal(t, victim.ID, s.apply(s.as("owner"), inviteAs(chosen, victim.Email))[0].ID)
	require.Zero(t, s.count("SELECT count(*) FROM principals WHERE id = $1", chosen))
}

// A person can be a user of several tenants. A tenant can neither read nor
// change what the person is in another.
func TestApplyInvitesUserOfAnotherTenant(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	victim := s.of("south", "owner")
	results := s.apply(s.as("owner"), document("north", "User", "guest",
		`{"name":"Guest","email":"`+strings.ToUpper(victim.Email)+`","accessTokens":[`+declared("mine", "guess-of-north")+`]}`))
	require.Equal(t, victim.ID, results[0].ID)
	principal := decode[oasb.Principal](t, s.get(200, victim, "/principals/"+victim.ID.String()))
	require.Equal(t, "owner", *principal.Name)
	require.Equal(t, victim.Email, *principal.User.Email)

	identity := decode[oasadmin.Identity](t, s.get(200, victim, adminAPI+"/identity"))
	for _, m := range identity.Memberships {
		require.Equal(t, "south", m.TenantCode, "the token of a tenant is good for that tenant only")
	}
	guest := victim
	guest.Secret = "guess-of-north"
	identity = decode[oasadmin.Identity](t, s.get(200, guest, adminAPI+"/identity"))
	require.Equal(t, victim.ID, identity.Principal.ID)
	require.Len(t, identity.Memberships, 1)
	require.Equal(t, "north", identity.Memberships[0].TenantCode)
	require.Equal(t, oasadmin.TenantRoleMEMBER, identity.Memberships[0].Role)
	s.get(404, guest, resourcePath("south", "ProcessDefinition", "LOAN", ""))
	require.Empty(t, s.list(guest, adminAPI+"/resources").Content)
	require.Equal(t, []uuid.UUID{identity.Memberships[0].TenantID}, s.list(guest, "/tenants").ids())

	before := s.count(`SELECT count(*) FROM credentials WHERE principal_id = $1`, victim.ID)
	s.call(204, s.as("owner"), http.MethodDelete, resourcePath("north", "User", "guest", ""), "")
	require.Equal(t, before-1, s.count(`SELECT count(*) FROM credentials WHERE principal_id = $1`, victim.ID))
	s.get(200, victim, adminAPI+"/identity")
	s.ticks.Add(cached)
	s.get(401, guest, adminAPI+"/identity")
}

// A token of one tenant reaches no definition of another, even if its owner
// administers that too.
func TestTokenOfTenantReachesNoOtherDefinition(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	definer := s.as("definer")
	s.apply(s.of("south", "owner"), document("south", "User", "guest",
		`{"name":"Guest","email":"`+definer.Email+`","accessTokens":[`+declared("there", "token-of-south")+`]}`))
	s.get(200, definer, resourcePath("north", "ProcessDefinition", "LOAN", ""))
	guest := definer
	guest.Secret = "token-of-south"
	require.Empty(t, s.list(guest, adminAPI+"/resources").Content)
	s.get(404, guest, resourcePath("north", "ProcessDefinition", "LOAN", ""))
	s.get(404, guest, versionsPath("north", "LOAN"))
	s.refusedApply(400, "VALIDATION", guest, s.loanOf("north", ""))
	require.Empty(t, s.list(guest, "/processes").Content)
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	north := *s.resource(s.as("owner"), "north", "Tenant", "north").Metadata.ID
	identity := decode[oasadmin.Identity](t, s.get(200, s.as("administrator"), adminAPI+"/identity"))
	require.Equal(t, oasadmin.Identity{
		Principal: oasadmin.IdentityPrincipal{
			ID: s.as("administrator").ID, Type: oasadmin.PrincipalTypeUSER, Name: "administrator",
		},
		Memberships: []oasadmin.Membership{{
			TenantID: north, TenantCode: "north", TenantName: "north", Role: oasadmin.TenantRoleADMINISTRATOR,
		}},
	}, identity)
	identity = decode[oasadmin.Identity](t, s.get(200, s.operator, adminAPI+"/identity"))
	require.True(t, identity.Operator)
	require.Equal(t, oasadmin.PrincipalTypeUSER, identity.Principal.Type)
	require.Len(t, identity.Memberships, 1)
}
