package administration_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// rights maps each right, with the code of its item, to the codes of its holders; "INITIATOR" is the initiator of the process.
type rights map[string][]string

func claimKey() administration.ResourceKey {
	return administration.ResourceKey{Tenant: "north", Kind: resource.KindProcessDefinition, Code: "CLAIM"}
}

// randomOffice changes groups, people and the rights of CLAIM at random.
type randomOffice struct {
	*configured
	random *rand.Rand
	people []string
	// process has the items CHECK and EXTRA.
	process uuid.UUID
	items   map[string]uuid.UUID
	temp    bool
}

func newRandomOffice(t *testing.T) *randomOffice {
	t.Helper()
	o := &randomOffice{
		configured: newConfigured(t), random: rand.New(rand.NewPCG(7, 11)),
		people: []string{"p1", "p2", "p3"}, items: map[string]uuid.UUID{},
	}
	for _, code := range append([]string{"temp"}, o.people...) {
		o.apply(system(), user(code, "MEMBER"))
	}
	o.apply(system(), document("Group", "north", "G1", `{"name":"G1"}`), document("Group", "north", "G2", `{"name":"G2"}`))
	o.temp = true
	o.apply(system(), document("Application", "north", "actor", `{"name":"Actor"}`))
	o.apply(system(), o.definition("PUBLISHED", true), document("ProcessDefinition", "north", "OPEN",
		`{"name":"Open","items":[],"permissions":{"initiators":[{"role":"EVERYONE"}]}}`))
	o.process = o.start(o.caller("north", "ines", domain.RoleMember)).ID
	for _, code := range []string{"CHECK", "EXTRA"} {
		item, _, err := o.CreateProcessItem(t.Context(), o.application("worker"), app.NewItem{
			Type: domain.ItemTask, ProcessID: o.process, DefinitionCode: code,
		})
		require.NoError(t, err)
		o.items[code] = item.ID
	}
	return o
}

func (o *randomOffice) application(code string) domain.Call {
	call := o.caller("north", "olga", domain.RoleMember)
	call.PrincipalID, call.Type = o.id(resource.KindApplication, "north", code), domain.PrincipalApplication
	return call
}

// grantees returns some people and groups, and the initiator and everyone where they are allowed.
func (o *randomOffice) grantees(initiator, everyone bool) string {
	choices := []string{`{"group":"G1"}`, `{"group":"G2"}`}
	if everyone {
		choices = append(choices, `{"role":"EVERYONE"}`)
	}
	for _, code := range o.people {
		choices = append(choices, fmt.Sprintf(`{"user":%q}`, code))
	}
	if initiator {
		choices = append(choices, `{"role":"PROCESS_INITIATOR"}`)
	}
	return "[" + o.some(choices, 3) + "]"
}

// initiators returns grantees, and the user who starts the process.
func (o *randomOffice) initiators() string {
	return strings.Replace(strings.TrimSuffix(o.grantees(false, true), "]")+`,{"user":"ines"}]`, "[,", "[", 1)
}

// some returns up to n of the choices.
func (o *randomOffice) some(choices []string, n int) string {
	text := ""
	for i, at := range o.random.Perm(len(choices))[:o.random.IntN(n+1)] {
		if i > 0 {
			text += ","
		}
		text += choices[at]
	}
	return text
}

// definition returns CLAIM with random rights.
func (o *randomOffice) definition(state string, extra bool) json.RawMessage {
	item := func(code string) string {
		return fmt.Sprintf(`{"code":%q,"type":"TASK","name":"Item","candidates":%s,"viewers":%s}`, code, o.grantees(true, true), o.grantees(true, true))
	}
	items := item("CHECK")
	if extra {
		items += "," + item("EXTRA")
	}
	return document("ProcessDefinition", "north", "CLAIM", fmt.Sprintf(`{"name":"Claim","state":%q,
		"engine":{"workflowType":"Claim","taskQueue":"claims","runner":"worker"},"items":[%s],
		"userActions":[{"code":"ACT","name":"Act","type":"START_WORKFLOW","workflowType":"Act","taskQueue":"acts","runner":"actor",
			"permissions":["MANAGER"]}],
		"permissions":{"initiators":%s,"viewers":%s,"managers":%s,"administrators":%s}}`,
		state, items, o.initiators(), o.grantees(false, true), o.grantees(false, true), o.grantees(false, false)))
}

// change makes a random change.
func (o *randomOffice) change() {
	o.t.Helper()
	member := func(code string) string { return fmt.Sprintf(`{"user":%q}`, code) }
	switch o.random.IntN(6) {
	case 0, 1:
		members := []string{member("p1"), member("p2"), member("p3"), `{"application":"actor"}`}
		if o.temp {
			members = append(members, member("temp"))
		}
		code := []string{"G1", "G2"}[o.random.IntN(2)]
		o.apply(system(), document("Group", "north", code, fmt.Sprintf(`{"name":%q,"members":[%s]}`, code, o.some(members, 3))))
	case 2:
		code := o.people[o.random.IntN(len(o.people))]
		o.apply(system(), document("User", "north", code,
			fmt.Sprintf(`{"name":%q,"email":%q,"disabled":%t}`, code, code+"@north.example", o.random.IntN(2) == 0)))
	case 3:
		_, err := o.DisablePerson(o.t.Context(), o.people[o.random.IntN(len(o.people))]+"@north.example", o.random.IntN(2) == 0)
		require.NoError(o.t, err)
	case 4:
		if o.temp = !o.temp; o.temp {
			o.apply(system(), user("temp", "MEMBER"))
			return
		}
		o.apply(system(), document("Group", "north", "G1", `{"name":"G1"}`), document("Group", "north", "G2", `{"name":"G2"}`))
		require.NoError(o.t, o.DeleteResource(o.t.Context(), system(),
			resource.Key{Tenant: "north", Kind: resource.KindUser, Code: "temp"}, "left", &domain.HandOver{Keep: true}))
	case 5:
		state := []string{"PUBLISHED", "DRAFT", "RETIRED"}[o.random.IntN(3)]
		o.apply(system(), o.definition(state, o.random.IntN(3) > 0))
	}
}

// enforcedRights returns the rights that the service enforces now: the outcome of operations of everybody who can authenticate.
func (o *randomOffice) enforcedRights() rights {
	o.t.Helper()
	found := rights{}
	ask := func(right, item, who string, err error) {
		if err == nil {
			found[right+" "+item] = append(found[right+" "+item], who)
		}
	}
	ctx, definition := o.t.Context(), o.id(resource.KindProcessDefinition, "north", "CLAIM")
	calls := map[string]domain.Call{"worker": o.application("worker"), "actor": o.application("actor")}
	for _, code := range append([]string{"temp"}, o.people...) {
		if o.count(`SELECT count(*) FROM tenant_users u JOIN principals p ON p.id = u.principal_id JOIN tenants t ON t.id = u.tenant_id
			WHERE t.code = 'north' AND p.email = $1 AND u.disabled_at IS NULL AND p.disabled_at IS NULL`, code+"@north.example") == 1 {
			calls[code] = o.caller("north", code, domain.RoleMember)
		}
	}
	for who, call := range calls {
		_, _, err := o.CreateProcess(ctx, call, app.NewProcess{Definition: app.DefinitionKey{ID: &definition}})
		ask(resource.MayStartProcesses, "", who, err)
		_, err = o.UpdateProcessMetadata(ctx, call, o.process, json.RawMessage(`{}`))
		ask(resource.MayManageProcesses, "", who, err)
		for code, item := range o.items {
			_, err := o.RetrieveProcessItem(ctx, call, item)
			ask(resource.MaySee, code, who, err)
			ask(resource.MayClaim, code, who, o.claims(call, item))
		}
	}
	for code, item := range o.items {
		ask(resource.MayClaim, code, "INITIATOR", o.claims(o.caller("north", "ines", domain.RoleMember), item))
	}
	for _, holders := range found {
		slices.Sort(holders)
	}
	return found
}

// claims claims an item, and releases it.
func (o *randomOffice) claims(call domain.Call, item uuid.UUID) error {
	o.t.Helper()
	_, err := o.ClaimProcessItemTask(o.t.Context(), call, item)
	if err == nil {
		_, release := o.ReleaseProcessItemTask(o.t.Context(), call, item)
		require.NoError(o.t, release)
	}
	return err
}

// recordedRights returns the rights of the history at a time, as far as enforcedRights asks for them.
func (o *randomOffice) recordedRights(at time.Time) rights {
	o.t.Helper()
	found := rights{}
	for _, item := range []string{"", "CHECK", "EXTRA"} {
		past, err := o.FindPastRights(o.t.Context(), system(), claimKey(), item, &at)
		require.NoError(o.t, err)
		for _, right := range past.Rights {
			if right.May == resource.MaySeeProcesses || right.May == resource.MayChangeDefinition || right.Item != item {
				continue
			}
			name := right.May + " " + right.Item
			for _, h := range right.Holders {
				if h.Code != "ines" {
					found[name] = append(found[name], h.Code)
				}
			}
			if right.Everyone {
				found[name] = append(found[name], o.everyone(at)...)
			}
			if (right.Initiator || right.Everyone) && right.May == resource.MayClaim {
				found[name] = append(found[name], "INITIATOR")
			}
			slices.Sort(found[name])
			found[name] = slices.Compact(found[name])
		}
	}
	maps.DeleteFunc(found, func(_ string, holders []string) bool { return len(holders) == 0 })
	return found
}

// everyone returns the people who could start processes of OPEN as everyone at a time.
func (o *randomOffice) everyone(at time.Time) []string {
	o.t.Helper()
	report, err := o.FindRights(o.t.Context(), system(), administration.RightFilter{Tenant: "north", Resource: "OPEN", At: &at})
	require.NoError(o.t, err)
	found := []string{}
	require.NoError(o.t, report.Each(func(e *administration.RightEntry) error {
		require.Equal(o.t, domain.TenantRole(resource.RoleEveryone), e.Role)
		if e.HolderCode == "temp" || slices.Contains(o.people, e.HolderCode) {
			found = append(found, e.HolderCode)
		}
		return nil
	}))
	return found
}

// The rights of a past time are those that the service enforced then.
func TestPastRightsAreThoseThatWereEnforced(t *testing.T) {
	t.Parallel()
	const changes = 40
	o := newRandomOffice(t)
	var times []time.Time
	var answers []rights
	for range changes {
		o.change()
		answers = append(answers, o.enforcedRights())
		times = append(times, time.Now())
	}
	distinct := map[string]bool{}
	for i, at := range times {
		require.Equal(t, answers[i], o.recordedRights(at), "after change %d", i)
		distinct[fmt.Sprint(answers[i])] = true
	}
	require.Greater(t, len(distinct), changes/3)
}

func TestPastRightsBeforeTheHistory(t *testing.T) {
	t.Parallel()
	c := newConfigured(t)
	owner, ago := c.caller("north", "olga", domain.RoleOwner), time.Now().Add(-time.Hour)
	ask := func(call domain.Call, key administration.ResourceKey, item string, at time.Time) error {
		_, err := c.FindPastRights(t.Context(), call, key, item, &at)
		return err
	}
	require.ErrorContains(t, ask(owner, claimKey(), "", ago), "VALIDATION")
	var failure *domain.Error
	require.ErrorAs(t, ask(owner, claimKey(), "", ago), &failure)
	require.Contains(t, failure.Details[0].Message, "is before the recorded history of the tenant, which begins at ")
	require.True(t, domain.HasCode(ask(owner, claimKey(), "", time.Now().Add(time.Hour)), domain.CodeValidation))
	other := claimKey()
	other.Code = "OTHER"
	err := ask(owner, other, "", time.Now())
	require.True(t, domain.HasCode(err, domain.CodeNotFound), "%v", err)
	require.True(t, domain.HasCode(ask(owner, claimKey(), "OTHER", time.Now()), domain.CodeNotFound))
	err = ask(c.caller("south", "erik", domain.RoleOwner), claimKey(), "", time.Now())
	require.True(t, domain.HasCode(err, domain.CodeNotFound), err)
	require.True(t, domain.HasCode(ask(c.caller("north", "carl", domain.RoleMember), claimKey(), "", time.Now()), domain.CodeNotFound))
	require.NoError(t, ask(c.caller("north", "ada", domain.RoleMember), claimKey(), "", time.Now()), "ada administers the definition")
	short := claimKey()
	short.Tenant = ""
	require.NoError(t, ask(owner, short, "CHECK", time.Now()))
	require.True(t, domain.HasCode(ask(system(), short, "", time.Now()), domain.CodeValidation))

	require.NoError(t, c.DeleteResource(t.Context(), owner, claimKey(), "", nil))
	require.True(t, domain.HasCode(ask(owner, claimKey(), "", time.Now()), domain.CodeNotFound))
}
