package administration_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

const loginIssuer = "https://login.example"

// tenantWithRule returns the manifest of north with a rule for sign-ins.
func tenantWithRule(rule string) []byte {
	return document("Tenant", "", "north", fmt.Sprintf(`{"name":"North","provisioning":{"signIn":[{"issuer":%q,%s}]}}`, loginIssuer, rule))
}

const (
	mapping  = `"groups":[{"value":"staff-1","group":"CLERKS"},{"value":"staff-2","group":"TEAM"}]`
	creation = `"create":{"emailDomains":["north.example"],"groups":["TEAM"]}`
)

func newSignIns(t *testing.T, rule string) *configured {
	t.Helper()
	c := newConfigured(t)
	c.apply(system(), document("Group", "north", "TEAM", `{"name":"Team"}`), document("Group", "south", "TEAM", `{"name":"Team"}`))
	c.apply(system(), tenantWithRule(rule))
	return c
}

// signIn settles a sign-in of a user of north with groups, and returns the outcome.
func (c *configured) signIn(code string, groups ...string) domain.SignInOutcome {
	c.t.Helper()
	in := domain.PersonSignIn{Issuer: loginIssuer, Subject: code, Email: code + "@north.example", Name: "Ms " + code, Groups: groups}
	in.PrincipalID = c.ids[resource.Key{Tenant: "north", Kind: resource.KindUser, Code: code}]
	outcome, err := c.SettleSignIn(c.t.Context(), in)
	require.NoError(c.t, err)
	return outcome
}

// groupsOf returns the codes of the groups of a user, with "*" for memberships by sign-ins alone.
func (c *configured) groupsOf(user string) []string {
	c.t.Helper()
	rows, err := c.connect().Query(c.t.Context(), `SELECT t.code || '/' || g.code || CASE WHEN m.claimed THEN '*' ELSE '' END
	  FROM group_members m JOIN groups g ON g.id = m.group_id JOIN tenants t ON t.id = g.tenant_id
	  JOIN principals p ON p.id = m.principal_id WHERE p.email = $1 ORDER BY 1`, user+"@north.example")
	require.NoError(c.t, err)
	codes, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(c.t, err)
	return codes
}

func TestClaimedGroupsFollowTheClaim(t *testing.T) {
	t.Parallel()
	c := newSignIns(t, mapping+`,"groupsByCode":true`)
	for _, step := range []struct {
		values []string
		want   []string
	}{
		{[]string{"staff-1"}, []string{"north/CLERKS*"}},
		{[]string{"staff-1", "staff-2", "unknown"}, []string{"north/CLERKS*", "north/TEAM*"}},
		{[]string{"TEAM"}, []string{"north/TEAM*"}},
		{nil, nil},
		{[]string{"CLERKS", "staff-1"}, []string{"north/CLERKS*"}},
	} {
		require.Equal(t, domain.SignInOutcome{}, c.signIn("ada", step.values...))
		require.ElementsMatch(t, step.want, c.groupsOf("ada"), step.values)
		before := c.dump()
		c.signIn("ada", step.values...)
		require.Equal(t, before, c.dump(), "the same claim changes nothing")
	}
	require.Equal(t, 1, c.count(`SELECT count(*) FROM events WHERE type = 'RESOURCE.CHANGED' AND actor_id = $1
		AND details->>'reason' = 'sign-in at login.example' AND details->>'code' = 'ada'
		AND occurred_at = (SELECT max(occurred_at) FROM events WHERE actor_id = $1)`, domain.SignInPrincipalID()))
}

func TestClaimedGroupsAndManifests(t *testing.T) {
	t.Parallel()
	c := newSignIns(t, mapping)
	c.signIn("carl", "staff-1", "staff-2")
	require.Equal(t, []string{"north/CLERKS", "north/TEAM*"}, c.groupsOf("carl"), "the manifest names carl in CLERKS")

	owner := c.caller("north", "olga", domain.RoleOwner)
	require.Equal(t, []string{"UNCHANGED", "UNCHANGED"}, texts(c.apply(owner, user("carl", "MEMBER"), document("Group", "north", "TEAM", `{"name":"Team"}`))))
	c.apply(owner, document("Group", "north", "TEAM", `{"name":"The team"}`), document("Group", "north", "CLERKS", `{"name":"Clerks"}`))
	require.Equal(t, []string{"north/CLERKS*", "north/TEAM*"}, c.groupsOf("carl"), "sign-ins keep what manifests end")
	c.apply(owner, document("Group", "north", "CLERKS", `{"name":"Clerks","members":[{"user":"carl"}]}`))
	c.signIn("carl")
	require.Equal(t, []string{"north/CLERKS"}, c.groupsOf("carl"), "manifests keep what sign-ins end")

	c.signIn("carl", "staff-2")
	c.signIn("ada", "staff-2", "staff-1")
	c.apply(owner, tenantWithRule(`"groups":[{"value":"staff-1","group":"TEAM"}]`), user("carl", "MEMBER"))
	require.Equal(t, []string{"north/CLERKS"}, c.groupsOf("carl"), "without the mapping there is no membership")
	require.Empty(t, c.groupsOf("ada"))

	forged := document("User", "north", "ada", fmt.Sprintf(
		`{"name":"ada","email":"ada@north.example","claimedGroups":[{"issuer":%q,"value":"staff-1","group":"TEAM"}]}`, loginIssuer))
	require.Equal(t, []string{"UNCHANGED"}, texts(c.apply(owner, forged)))
	require.Empty(t, c.groupsOf("ada"), "no manifest claims a group")
}

// The address of a linked user may have changed at the issuer, even to the address of another user.
func TestClaimsAreOfTheLinkedUser(t *testing.T) {
	t.Parallel()
	c := newSignIns(t, mapping)
	for range 5 {
		for _, groups := range [][]string{{"staff-2"}, nil} {
			_, err := c.SettleSignIn(t.Context(), domain.PersonSignIn{
				Issuer: loginIssuer, Subject: "ada", PrincipalID: c.id(resource.KindUser, "north", "ada"), Email: "ines@north.example", Groups: groups,
			})
			require.NoError(t, err)
			require.Len(t, c.groupsOf("ada"), len(groups))
			require.Empty(t, c.groupsOf("ines"))
		}
	}
}

func texts[T ~string](values []T) []string {
	var all []string
	for _, v := range values {
		all = append(all, string(v))
	}
	return all
}

func TestClaimedGroupsGiveRights(t *testing.T) {
	t.Parallel()
	c := newSignIns(t, mapping)
	owner := c.caller("north", "olga", domain.RoleOwner)
	c.signIn("ada", "staff-1")
	past, err := c.FindPastRights(t.Context(), owner, claimKey(), "CHECK", nil)
	require.NoError(t, err)
	var holders []string
	for _, h := range past.Rights[0].Holders {
		holders = append(holders, h.Code+" by "+h.Group)
	}
	require.ElementsMatch(t, []string{"carl by CLERKS", "ada by CLERKS"}, holders)
	key := claimKey()
	key.Kind, key.Code = resource.KindUser, "ada"
	holder, err := c.RetrieveHolder(t.Context(), owner, key)
	require.NoError(t, err)
	require.Len(t, holder.Groups, 1)
	require.True(t, slices.ContainsFunc(holder.Rights, func(r administration.HeldRight) bool {
		return r.May == resource.MayClaim && r.Group == "CLERKS"
	}))
}

func TestFirstSignInCreatesAPerson(t *testing.T) {
	t.Parallel()
	c := newSignIns(t, mapping+","+creation)
	require.Equal(t, domain.SignInOutcome{Created: true}, c.signIn("nora", "staff-1"))
	require.Equal(t, []string{"north/CLERKS*", "north/TEAM*"}, c.groupsOf("nora"))
	require.Equal(t, 1, c.count(`SELECT count(*) FROM resources WHERE source = 'SIGN_IN' AND spec->>'name' = 'Ms nora'
		AND spec->>'role' = 'MEMBER' AND created_by = $1`, domain.SignInPrincipalID()))
	before := c.dump()
	require.Equal(t, domain.SignInOutcome{}, c.signIn("nora", "staff-1"), "a subject without a link changes no user")
	require.Equal(t, before, c.dump())
}

func TestSignInWithoutAUserIsRefused(t *testing.T) {
	t.Parallel()
	c := newSignIns(t, mapping+","+creation)
	outcome, err := c.SettleSignIn(t.Context(), domain.PersonSignIn{Issuer: loginIssuer, Subject: "x", Email: "x@south.example"})
	require.NoError(t, err)
	require.Equal(t, domain.SignInOutcome{Refusal: domain.SignInNotEligible, TenantCodes: []string{"north"}}, outcome)
	for name, in := range map[string]domain.PersonSignIn{
		"no verified address":            {Issuer: loginIssuer, Subject: "y"},
		"another issuer":                 {Issuer: "https://other.example", Subject: "y", Email: "y@north.example"},
		"an issuer of another tenant":    {Issuer: loginIssuer, Subject: "y", Email: "y@north.example", TenantCodes: []string{"south"}},
		"a user of another subject":      {Issuer: loginIssuer, Subject: "y", Email: "ada@north.example"},
		"a linked user, another address": {Issuer: loginIssuer, Subject: "y", Email: "y@north.example", PrincipalID: c.id(resource.KindUser, "south", "erik")},
	} {
		before := c.dump()
		outcome, err := c.SettleSignIn(t.Context(), in)
		require.NoError(t, err, name)
		require.Equal(t, domain.SignInOutcome{}, outcome, name)
		require.Equal(t, before, c.dump(), name)
	}
}

func TestConcurrentSignInsCreateAPersonOnce(t *testing.T) {
	t.Parallel()
	c := newSignIns(t, mapping+","+creation)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			_, err := c.SettleSignIn(t.Context(), domain.PersonSignIn{Issuer: loginIssuer, Subject: "m", Email: "mia@north.example"})
			require.NoError(t, err)
		})
	}
	all.Wait()
	require.Equal(t, 1, c.count(`SELECT count(*) FROM resources WHERE spec->>'email' = 'mia@north.example'`))
}

func TestDisabledAndDeletedPeopleAreNotCreatedAgain(t *testing.T) {
	t.Parallel()
	c := newSignIns(t, creation)
	owner := c.caller("north", "olga", domain.RoleOwner)
	c.signIn("nora")
	key := resource.Key{Tenant: "north", Kind: resource.KindUser, Code: "nora"}
	c.ids[key] = uuid.Nil
	disabled := document("User", "north", "nora", `{"name":"Nora","email":"nora@north.example","disabled":true}`)
	c.apply(owner, disabled)
	before := c.dump()
	require.Equal(t, domain.SignInOutcome{}, c.signIn("nora"))
	require.Equal(t, before, c.dump())
	require.Equal(t, 1, c.count(`SELECT count(*) FROM resources WHERE code = 'nora' AND source = 'SIGN_IN'`), "a manifest keeps the source")

	require.NoError(t, c.DeleteResource(t.Context(), owner, key, "", &domain.HandOver{Keep: true}))
	delete(c.ids, key)
	before = c.dump()
	require.Equal(t, domain.SignInOutcome{Refusal: domain.SignInDeleted, TenantCodes: []string{"north"}}, c.signIn("nora"))
	require.Equal(t, before, c.dump())
}
