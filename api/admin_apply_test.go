package api_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/internal/testkit/contracttest"
)

func TestApplyingAFolderTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	folder := s.folder("north")
	before := s.snapshot()
	again := s.apply(s.as("owner"), folder...)
	require.Len(t, again, len(folder))
	for _, r := range again {
		require.Equal(t, oasadmin.ApplyActionUNCHANGED, r.Action, "%s %s", r.Kind, r.Code)
		require.Equal(t, r.Before, r.After)
	}
	require.Equal(t, before, s.snapshot())

	slices.Reverse(folder)
	for _, r := range s.apply(s.as("owner"), folder...) {
		require.Equal(t, oasadmin.ApplyActionUNCHANGED, r.Action, "%s %s", r.Kind, r.Code)
	}
	require.Equal(t, before, s.snapshot())
}

// Applying a resource as it was read changes nothing.
func TestWhatIsReadCanBeApplied(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	before := s.snapshot()
	page := decode[oasadmin.ResourcePage](t, s.get(200, s.as("owner"), adminAPI+"/resources?size=1000"))
	require.Len(t, page.Content, len(s.folder("north")))
	for _, r := range page.Content {
		read := s.resource(s.as("owner"), "north", string(r.Kind), r.Metadata.Code)
		require.Equal(t, r, read)
		body := s.get(200, s.as("owner"), resourcePath("north", string(r.Kind), r.Metadata.Code, "")).body
		document := body[:strings.LastIndex(body, `,"status":`)] + "}"
		result := s.apply(s.as("owner"), document)
		require.Equal(t, oasadmin.ApplyActionUNCHANGED, result[0].Action, document)
	}
	require.Equal(t, before, s.snapshot())
}

func TestApplyingSaysWhatBecameOfEachDocument(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	id := uuid.New()
	results := s.apply(
		s.as("administrator"),
		document("north", "Group", "REVIEWERS", `{"name":"Reviewers of <loans> & more","members":[{"user":"candidate"}]}`),
		identified("north", "Group", "AUDITORS", id, `{"name":"Auditors","members":[{"application":"worker"}]}`),
		document("north", "Robot", "BOT", `{"name":"Bot"}`),
	)
	require.Equal(t, []oasadmin.ApplyAction{"CONFIGURED", "CREATED", "UNCHANGED"},
		[]oasadmin.ApplyAction{results[0].Action, results[1].Action, results[2].Action})
	require.JSONEq(t, `{"name":"Reviewers","members":[{"user":"candidate"}]}`, string(results[0].Before.Spec))
	require.Contains(t, string(results[0].After.Spec), `"Reviewers of <loans> & more"`)
	require.Nil(t, results[1].Before)
	require.Equal(t, id, results[1].ID)
	require.Equal(t, results[2].Before, results[2].After)

	groups := decode[oasb.GroupPage](t, s.get(200, s.as("stranger"), "/groups?groupCode=AUDITORS"))
	require.Len(t, groups.Content, 1)
	require.Equal(t, id, groups.Content[0].ID)

	auditors := s.resource(s.as("owner"), "north", "Group", "AUDITORS")
	require.Equal(t, s.as("administrator").ID, auditors.Status.CreatedBy)
	require.Equal(t, map[string]string{"app": "test"}, auditors.Metadata.Labels)
	reviewers := s.resource(s.as("owner"), "north", "Group", "REVIEWERS")
	require.Equal(t, s.operator.ID, reviewers.Status.CreatedBy)
	require.Equal(t, s.as("administrator").ID, reviewers.Status.LastModifiedBy)
	require.True(t, reviewers.Status.LastModifiedAt.After(reviewers.Status.CreatedAt))
}

// A wrong manifest in a request prevents all from being applied, and the error
// lists all violations.
func TestApplyIsAtomic(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	good := document("north", "Group", "NEW", `{"name":"New"}`)
	const permissions = `"permissions":{"initiators":[{"user":"initiator"}]}`
	for name, c := range map[string]struct{ document, location string }{
		"unknown member of a spec": {
			document("north", "Robot", "BOT", `{"name":"Bot","title":"Bot"}`), "/spec/title",
		},
		"unknown member of a document": {
			strings.Replace(good, `"spec"`, `"sepc":{},"spec"`, 1), "/sepc",
		},
		"unknown kind":    {document("north", "Robots", "BOT", `{"name":"Bot"}`), "/kind"},
		"another version": {strings.Replace(good, "procession/v1", "procession/v9", 1), "/apiVersion"},
		"schema that does not compile": {
			document("north", "DataStructure", "ADDRESS", `{"name":"Address","schema":{"type":"objekt"}}`), "/spec/schema",
		},
		"schema with a remote reference": {
			document("north", "DataStructure", "ADDRESS",
				`{"name":"Address","schema":{"$ref":"https://schemas.example/address.json"}}`), "/spec/schema",
		},
		"schema with a reference to a file": {
			document("north", "DataStructure", "ADDRESS", `{"name":"Address","schema":{"$ref":"file:///etc/passwd"}}`),
			"/spec/schema",
		},
		"missing member of a group": {
			document("north", "Group", "REVIEWERS", `{"name":"Reviewers","members":[{"user":"absent"}]}`),
			"/spec/members/0",
		},
		"missing group of a grant": {
			document("north", "ProcessDefinition", "LOAN",
				`{"name":"Loan","permissions":{"initiators":[{"user":"initiator"},{"group":"NOBODY"}]}}`),
			"/spec/permissions/initiators/1",
		},
		"missing runner": {
			document("north", "ProcessDefinition", "LOAN",
				`{"name":"Loan","engine":{"workflowType":"W","taskQueue":"Q","runner":"absent"},`+permissions+`}`),
			"/spec/engine/runner",
		},
		"published without an initiator": {
			document("north", "ProcessDefinition", "LOAN", `{"name":"Loan"}`), "/spec/permissions/initiators",
		},
		"action with a bad expression": {
			document("north", "ProcessDefinition", "LOAN", `{"name":"Loan","userActions":[{"code":"A","name":"A",`+
				`"type":"DOWNLOADABLE","workflowType":"W","taskQueue":"Q","availability":"${ .process. | }",`+
				`"permissions":["MANAGER"]}],`+permissions+`}`),
			"/spec/userActions/0",
		},
		"tenant of others": {document("south", "Group", "NEW", `{"name":"New"}`), "/metadata/tenant"},
		"unknown tenant":   {document("nowhere", "Group", "NEW", `{"name":"New"}`), "/metadata/tenant"},
	} {
		t.Log(name)
		failure := s.refusedApply(400, "VALIDATION", s.as("owner"), good, c.document)
		require.NotEmpty(t, failure.Errors)
		for _, e := range failure.Errors {
			require.Equal(t, "body", e.LocationType)
		}
		found := slices.ContainsFunc(failure.Errors, func(e contracttest.ErrorInfo) bool {
			return strings.HasPrefix(e.Location, "/documents/1"+c.location)
		})
		require.True(t, found, "%+v", failure.Errors)
	}
	failure := s.refusedApply(
		400, "VALIDATION", s.as("owner"),
		document("north", "Robot", "BOT", `{"name":"Bot","one":1,"two":2}`), good,
		document("north", "Robot", "BAT", `{}`),
	)
	require.GreaterOrEqual(t, len(failure.Errors), 3)
	require.True(t, strings.HasPrefix(failure.Errors[len(failure.Errors)-1].Location, "/documents/2"))
}

func TestADryRunChangesNothing(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	before := s.snapshot()
	answer := decode[oasadmin.ResourceApplyResult](t, s.post(200, s.as("owner"), applyPath, applying(
		`"dryRun":true,"prune":{"tenant":"north","selector":{"app":"test"}},`,
		document("north", "Group", "NEW", `{"name":"New","members":[{"user":"owner"}]}`),
		document("north", "Robot", "BOT", `{"name":"Another bot"}`),
		s.folder("north")[0], s.loanOf("north", ""), document("north", "DataStructure", "ADDRESS", `{"name":"Address","schema":{}}`),
		s.user("north", "owner", "OWNER"), s.user("north", "initiator", "MEMBER"), s.user("north", "viewer", "MEMBER"),
		s.user("north", "manager", "MEMBER"), s.user("north", "definer", "MEMBER"), s.user("north", "candidate", "MEMBER"),
		document("north", "Group", "REVIEWERS", `{"name":"Reviewers","members":[{"user":"candidate"}]}`),
		document("north", "Application", "worker", `{"name":"worker"}`),
	)))
	require.True(t, answer.DryRun)
	done := actions(answer.Results)
	require.Equal(t, oasadmin.ApplyActionCREATED, done["Group NEW"])
	require.Equal(t, oasadmin.ApplyActionCONFIGURED, done["Robot BOT"])
	require.Equal(t, oasadmin.ApplyActionDELETED, done["User administrator"])
	require.Equal(t, before, s.snapshot())
	s.get(404, s.as("owner"), resourcePath("north", "Group", "NEW", ""))
}

func TestPruneDeletesSelectedResourcesOnly(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	labelled := func(code, label string) string {
		return strings.Replace(document("north", "Robot", code, `{"name":"Bot"}`), `"app":"test"`, label, 1)
	}
	s.apply(
		s.as("owner"), labelled("KEPT", `"app":"bots"`), labelled("GONE", `"app":"bots","more":"x"`),
		labelled("OTHER", `"app":"others"`), labelled("BARE", ``),
	)
	south := s.apply(s.of("south", "owner"), strings.Replace(labelled("GONE", `"app":"bots"`), "north", "south", 1))
	results := s.applyWith(s.as("administrator"), `"prune":{"tenant":"north","selector":{"app":"bots"}},`,
		labelled("KEPT", `"app":"bots"`))
	require.Equal(t, map[string]oasadmin.ApplyAction{"Robot KEPT": "UNCHANGED", "Robot GONE": "DELETED"}, actions(results))
	require.Nil(t, results[1].After)
	require.JSONEq(t, `{"name":"Bot","sourceType":"PACKAGE"}`, string(results[1].Before.Spec))
	var left []string
	for _, r := range decode[oasadmin.ResourcePage](t, s.get(200, s.as("owner"), adminAPI+"/resources?kind=Robot&sort=code")).Content {
		left = append(left, r.Metadata.Code)
	}
	require.Equal(t, []string{"BARE", "BOT", "KEPT", "OTHER"}, left)
	require.Equal(t, south[0].ID, *s.resource(s.of("south", "owner"), "south", "Robot", "GONE").Metadata.ID)

	s.refusedPrune(400, "VALIDATION", s.as("owner"), "south")
	s.refusedPrune(400, "VALIDATION", s.as("owner"), "nowhere")
	s.refusedPrune(403, "ACCESS_DENIED", s.as("definer"), "north")
	s.refusedPrune(403, "ACCESS_DENIED", s.as("stranger"), "north")
	// The reviewers are needed by a definition that another label keeps from
	// the prune.
	s.apply(s.as("owner"), strings.Replace(s.loanOf("north", ""), `"app":"test"`, `"app":"kept"`, 1))
	s.refusedPrune(409, "CONFLICT", s.as("owner"), "north")
}

// refusedPrune requires that deleting everything of a tenant is refused.
func (s *administered) refusedPrune(status int, code string, as demo.Account, tenant string) {
	s.t.Helper()
	before := s.snapshot()
	s.refused(status, code, as, http.MethodPost, applyPath,
		applying(`"prune":{"tenant":"`+tenant+`","selector":{"app":"test"}},`))
	require.Equal(s.t, before, s.snapshot())
}

func TestWhatSomethingNeedsIsNotDeleted(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	process := s.process(s.as("initiator"), s.definition("north"))
	before := s.snapshot()
	for _, path := range []string{
		resourcePath("north", "Group", "REVIEWERS", ""),
		resourcePath("north", "User", "candidate", ""),
		resourcePath("north", "User", "initiator", ""),
		resourcePath("north", "Application", "worker", ""),
		resourcePath("north", "DataStructure", "ADDRESS", ""),
		resourcePath("north", "ProcessDefinition", "LOAN", ""),
		resourcePath("north", "User", "owner", ""),
		resourcePath("north", "Tenant", "north", ""),
	} {
		s.refused(409, "CONFLICT", s.as("owner"), http.MethodDelete, path, "")
	}
	require.Equal(t, before, s.snapshot())

	// Action definitions cannot start processes of a retired definition.
	s.apply(s.as("owner"), s.loanOf("north", `"state":"RETIRED",`))
	s.refused(409, "DEFINITION_NOT_PUBLISHED", s.as("initiator"), http.MethodPost, "/processes",
		`{"processDefinitionId":"`+process.ProcessDefinitionRef.ID.String()+`"}`)
	for _, path := range []string{
		resourcePath("north", "Robot", "BOT", ""), resourcePath("north", "User", "administrator", ""),
		resourcePath("north", "Application", "stranger", ""), resourcePath("north", "WebhookSubscription", "EVENTS", ""),
	} {
		s.call(204, s.as("owner"), http.MethodDelete, path, "")
		s.get(404, s.as("owner"), path)
	}
	for _, name := range []string{"administrator", "stranger"} {
		s.ticks.Add(cached)
		s.get(401, s.as(name), adminAPI+"/identity")
	}
}

// A running process stays with the version that it was started with; the next
// one starts with the version published since.
func TestPublishingChangesTheNextProcessOnly(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	definition := s.definition("north")
	old := s.process(s.as("initiator"), definition)
	strict := strings.Replace(s.loanOf("north", ""), `"metadataSchema":{"type":"object"}`,
		`"metadataSchema":{"type":"object","required":["AMOUNT"]}`, 1)
	require.Equal(t, oasadmin.ApplyActionCONFIGURED, s.apply(s.as("definer"), strict)[0].Action)
	next := s.process(s.as("initiator"), definition)

	require.Equal(t, definition, next.ProcessDefinitionRef.ID)
	require.NotEqual(t, old.ProcessDefinitionRef.Version, next.ProcessDefinitionRef.Version)
	read := decode[oasb.Process](t, s.get(200, s.as("manager"), processPath(old.ID, "")))
	require.Equal(t, old.ProcessDefinitionRef, read.ProcessDefinitionRef)
	for process, valid := range map[uuid.UUID]bool{old.ID: true, next.ID: false} {
		saved := decode[oasb.Process](t, s.call(200, s.as("manager"), http.MethodPut, processPath(process, "/metadata"),
			`{"metadata":{"value":{}}}`))
		require.Equal(t, valid, *saved.Metadata.Valid)
	}

	versions := decode[oasadmin.DefinitionVersionList](t,
		s.get(200, s.as("definer"), versionsPath("north", "LOAN"))).Content
	require.Len(t, versions, 2)
	require.Equal(t, []int{2, 1}, []int{versions[0].Number, versions[1].Number})
	require.Equal(t, []bool{true, false}, []bool{versions[0].Published, versions[1].Published})
	require.Equal(t, []int64{1, 1}, []int64{versions[0].Processes, versions[1].Processes})
	require.Equal(t, s.as("definer").ID, versions[0].CreatedBy)
	require.Equal(t, s.operator.ID, versions[1].CreatedBy)
	shown := s.resource(s.as("definer"), "north", "ProcessDefinition", "LOAN")
	require.Equal(t, versions[0].Version, *shown.Status.PublishedVersion)
	require.Equal(t, versions[0].Version, next.ProcessDefinitionRef.Version)
}

// Rights change at once, for processes that run as well, and make no version.
func TestRightsChangeAtOnce(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	process := s.process(s.as("initiator"), s.definition("north"))
	s.get(404, s.as("stranger"), processPath(process.ID, ""))
	s.apply(s.as("owner"), strings.Replace(s.loanOf("north", ""), `"viewers":[{"user":"viewer"}]`,
		`"viewers":[{"application":"stranger"}]`, 1))
	s.get(200, s.as("stranger"), processPath(process.ID, ""))
	s.get(404, s.as("viewer"), processPath(process.ID, ""))
	versions := decode[oasadmin.DefinitionVersionList](t,
		s.get(200, s.as("owner"), versionsPath("north", "LOAN")))
	require.Len(t, versions.Content, 1)
}

// A draft changes nothing about what is published.
func TestADraftIsNotPublished(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	draft := strings.Replace(s.loanOf("north", `"state":"DRAFT",`), `"name":"Loan"`, `"name":"Draft"`, 1)
	published := s.resource(s.as("owner"), "north", "ProcessDefinition", "LOAN").Status.PublishedVersion
	s.apply(s.as("owner"), draft)
	shown := s.resource(s.as("owner"), "north", "ProcessDefinition", "LOAN")
	require.Equal(t, "Draft", specMember[string](t, shown, "name"))
	require.Equal(t, published, shown.Status.PublishedVersion)
	process := s.process(s.as("initiator"), *shown.Metadata.ID)
	require.Equal(t, *published, process.ProcessDefinitionRef.Version)

	s.apply(s.as("owner"), strings.Replace(draft, `"LOAN"`, `"NEW"`, 1))
	created := s.resource(s.as("owner"), "north", "ProcessDefinition", "NEW")
	require.Nil(t, created.Status.PublishedVersion)
	require.Empty(t, decode[oasadmin.DefinitionVersionList](t,
		s.get(200, s.as("owner"), versionsPath("north", "NEW"))).Content)
	s.refused(409, "DEFINITION_NOT_PUBLISHED", s.as("initiator"), http.MethodPost, "/processes",
		`{"processDefinitionId":"`+created.Metadata.ID.String()+`"}`)
}

// JSON of users comes back as it was sent.
func TestTheTextOfSchemasIsKept(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	const schema = `{"z":1,"a":"<&>","type":"object","properties":{"N":{"maximum":100000000000000000000000000000000000000001}},"minimum":-0.0}`
	s.apply(s.as("owner"), document("north", "DataStructure", "TEXT", `{"name":"Text","schema":`+schema+`}`))
	body := s.get(200, s.as("owner"), resourcePath("north", "DataStructure", "TEXT", "")).body
	require.Contains(t, body, schema)
}

// actions are what became of resources, by kind and code.
func actions(results []oasadmin.AppliedResource) map[string]oasadmin.ApplyAction {
	done := map[string]oasadmin.ApplyAction{}
	for _, r := range results {
		done[string(r.Kind)+" "+r.Code] = r.Action
	}
	return done
}

// specMember is a member of a spec.
func specMember[T any](t *testing.T, r oasadmin.Resource, name string) T {
	t.Helper()
	var members map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(r.Spec, &members))
	var value T
	require.NoError(t, json.Unmarshal(members[name], &value), "%s of %s", name, r.Spec)
	return value
}
