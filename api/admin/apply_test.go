package admin_test

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
	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/contracttest"
)

func TestApplyingAFolderTwiceMakesNoChange(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	folder := s.Folder("north")
	before := s.Snapshot()
	again := s.Apply(s.As("owner"), folder...)
	require.Len(t, again, len(folder))
	for _, r := range again {
		require.Equal(t, oasadmin.ApplyActionUNCHANGED, r.Action, "%s %s", r.Kind, r.Code)
		require.Equal(t, r.Before, r.After)
	}
	require.Equal(t, before, s.Snapshot())

	slices.Reverse(folder)
	for _, r := range s.Apply(s.As("owner"), folder...) {
		require.Equal(t, oasadmin.ApplyActionUNCHANGED, r.Action, "%s %s", r.Kind, r.Code)
	}
	require.Equal(t, before, s.Snapshot())
}

// Applying an unmodified resource makes no change.
func TestReadResourcesCanBeApplied(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	before := s.Snapshot()
	page := apitest.Decode[oasadmin.ResourcePage](t, s.Get(200, s.As("owner"), apitest.AdminAPI+"/resources?size=1000"))
	require.Len(t, page.Content, len(s.Folder("north")))
	for _, r := range page.Content {
		read := s.Resource(s.As("owner"), "north", string(r.Kind), r.Metadata.Code)
		require.Equal(t, r, read)
		body := s.Get(200, s.As("owner"), apitest.ResourcePath("north", string(r.Kind), r.Metadata.Code, "")).Body
		document := body[:strings.LastIndex(body, `,"status":`)] + "}"
		result := s.Apply(s.As("owner"), document)
		require.Equal(t, oasadmin.ApplyActionUNCHANGED, result[0].Action, document)
	}
	require.Equal(t, before, s.Snapshot())
}

func TestApplyingReportsTheResultOfEachDocument(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	id := uuid.New()
	results := s.Apply(
		s.As("administrator"),
		apitest.Document("north", "Group", "REVIEWERS", `{"name":"Reviewers of <loans> & more","members":[{"user":"candidate"}]}`),
		apitest.Identified("north", "Group", "AUDITORS", id, `{"name":"Auditors","members":[{"application":"worker"}]}`),
		apitest.Document("north", "Robot", "BOT", `{"name":"Bot"}`),
	)
	require.Equal(t, []oasadmin.ApplyAction{"CONFIGURED", "CREATED", "UNCHANGED"},
		[]oasadmin.ApplyAction{results[0].Action, results[1].Action, results[2].Action})
	require.JSONEq(t, `{"name":"Reviewers","members":[{"user":"candidate"}]}`, string(results[0].Before.Spec))
	require.Contains(t, string(results[0].After.Spec), `"Reviewers of <loans> & more"`)
	require.Nil(t, results[1].Before)
	require.Equal(t, id, results[1].ID)
	require.Equal(t, results[2].Before, results[2].After)

	groups := apitest.Decode[oasb.GroupPage](t, s.Get(200, s.As("stranger"), "/groups?groupCode=AUDITORS"))
	require.Len(t, groups.Content, 1)
	require.Equal(t, id, groups.Content[0].ID)

	auditors := s.Resource(s.As("owner"), "north", "Group", "AUDITORS")
	require.Equal(t, s.As("administrator").ID, auditors.Status.CreatedBy)
	require.Equal(t, map[string]string{"app": "test"}, auditors.Metadata.Labels)
	reviewers := s.Resource(s.As("owner"), "north", "Group", "REVIEWERS")
	require.Equal(t, s.Operator.ID, reviewers.Status.CreatedBy)
	require.Equal(t, s.As("administrator").ID, reviewers.Status.LastModifiedBy)
	require.True(t, reviewers.Status.LastModifiedAt.After(reviewers.Status.CreatedAt))
}

// A wrong manifest in a request prevents all from being applied, and the error
// lists all violations.
func TestApplyIsAtomic(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	s := apitest.NewAdministered(t)
	good := apitest.Document("north", "Group", "NEW", `{"name":"New"}`)
	const permissions = `"permissions":{"initiators":[{"user":"initiator"}]}`
	for name, c := range map[string]struct{ document, location string }{
		"unknown member of a spec": {
			apitest.Document("north", "Robot", "BOT", `{"name":"Bot","title":"Bot"}`), "/spec/title",
		},
		"unknown member of a document": {
			strings.Replace(good, `"spec"`, `"sepc":{},"spec"`, 1), "/sepc",
		},
		"unknown kind":    {apitest.Document("north", "Robots", "BOT", `{"name":"Bot"}`), "/kind"},
		"another version": {strings.Replace(good, "procession/v1", "procession/v9", 1), "/apiVersion"},
		"schema that does not compile": {
			apitest.Document("north", "DataStructure", "ADDRESS", `{"name":"Address","schema":{"type":"objekt"}}`), "/spec/schema",
		},
		"schema with a remote reference": {
			apitest.Document("north", "DataStructure", "ADDRESS",
				`{"name":"Address","schema":{"$ref":"https://schemas.example/address.json"}}`), "/spec/schema",
		},
		"schema with a reference to a file": {
			apitest.Document("north", "DataStructure", "ADDRESS", `{"name":"Address","schema":{"$ref":"file:///etc/passwd"}}`),
			"/spec/schema",
		},
		"missing member of a group": {
			apitest.Document("north", "Group", "REVIEWERS", `{"name":"Reviewers","members":[{"user":"absent"}]}`),
			"/spec/members/0",
		},
		"missing group of a grant": {
			apitest.Document("north", "ProcessDefinition", "LOAN",
				`{"name":"Loan","permissions":{"initiators":[{"user":"initiator"},{"group":"NOBODY"}]}}`),
			"/spec/permissions/initiators/1",
		},
		"missing runner": {
			apitest.Document("north", "ProcessDefinition", "LOAN",
				`{"name":"Loan","engine":{"workflowType":"W","taskQueue":"Q","runner":"absent"},`+permissions+`}`),
			"/spec/engine/runner",
		},
		"published without an initiator": {
			apitest.Document("north", "ProcessDefinition", "LOAN", `{"name":"Loan"}`), "/spec/permissions/initiators",
		},
		"action with a bad expression": {
			apitest.Document("north", "ProcessDefinition", "LOAN", `{"name":"Loan","userActions":[{"code":"A","name":"A",`+
				`"type":"DOWNLOADABLE","workflowType":"W","taskQueue":"Q","availability":"${ .process. | }",`+
				`"permissions":["MANAGER"]}],`+permissions+`}`),
			"/spec/userActions/0",
		},
		"tenant of others": {apitest.Document("south", "Group", "NEW", `{"name":"New"}`), "/metadata/tenant"},
		"unknown tenant":   {apitest.Document("nowhere", "Group", "NEW", `{"name":"New"}`), "/metadata/tenant"},
	} {
		t.Log(name)
		failure := s.RefusedApply(400, "VALIDATION", s.As("owner"), good, c.document)
		require.NotEmpty(t, failure.Errors)
		for _, e := range failure.Errors {
			require.Equal(t, "body", e.LocationType)
		}
		found := slices.ContainsFunc(failure.Errors, func(e contracttest.ErrorInfo) bool {
			return strings.HasPrefix(e.Location, "/documents/1"+c.location)
		})
		require.True(t, found, "%+v", failure.Errors)
	}
	failure := s.RefusedApply(
		400, "VALIDATION", s.As("owner"),
		apitest.Document("north", "Robot", "BOT", `{"name":"Bot","one":1,"two":2}`), good,
		apitest.Document("north", "Robot", "BAT", `{}`),
	)
	require.GreaterOrEqual(t, len(failure.Errors), 3)
	require.True(t, strings.HasPrefix(failure.Errors[len(failure.Errors)-1].Location, "/documents/2"))
}

func TestDryRunMakesNoChange(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	before := s.Snapshot()
	answer := apitest.Decode[oasadmin.ResourceApplyResult](t, s.Post(200, s.As("owner"), apitest.ApplyPath, apitest.Applying(
		`"dryRun":true,"prune":{"tenant":"north","selector":{"app":"test"}},`,
		apitest.Document("north", "Group", "NEW", `{"name":"New","members":[{"user":"owner"}]}`),
		apitest.Document("north", "Robot", "BOT", `{"name":"Another bot"}`),
		s.Folder("north")[0], s.LoanOf("north", ""), apitest.Document("north", "DataStructure", "ADDRESS", `{"name":"Address","schema":{}}`),
		s.User("north", "owner", "OWNER"), s.User("north", "initiator", "MEMBER"), s.User("north", "viewer", "MEMBER"),
		s.User("north", "manager", "MEMBER"), s.User("north", "definer", "MEMBER"), s.User("north", "candidate", "MEMBER"),
		apitest.Document("north", "Group", "REVIEWERS", `{"name":"Reviewers","members":[{"user":"candidate"}]}`),
		apitest.Document("north", "Application", "worker", `{"name":"worker"}`),
	)))
	require.True(t, answer.DryRun)
	done := actions(answer.Results)
	require.Equal(t, oasadmin.ApplyActionCREATED, done["Group NEW"])
	require.Equal(t, oasadmin.ApplyActionCONFIGURED, done["Robot BOT"])
	require.Equal(t, oasadmin.ApplyActionDELETED, done["User administrator"])
	require.Equal(t, before, s.Snapshot())
	s.Get(404, s.As("owner"), apitest.ResourcePath("north", "Group", "NEW", ""))
}

func TestPruneDeletesSelectedResourcesOnly(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	labelled := func(code, label string) string {
		return strings.Replace(apitest.Document("north", "Robot", code, `{"name":"Bot"}`), `"app":"test"`, label, 1)
	}
	s.Apply(
		s.As("owner"), labelled("KEPT", `"app":"bots"`), labelled("GONE", `"app":"bots","more":"x"`),
		labelled("OTHER", `"app":"others"`), labelled("BARE", ``),
	)
	south := s.Apply(s.Of("south", "owner"), strings.Replace(labelled("GONE", `"app":"bots"`), "north", "south", 1))
	results := s.ApplyWith(s.As("administrator"), `"prune":{"tenant":"north","selector":{"app":"bots"}},`,
		labelled("KEPT", `"app":"bots"`))
	require.Equal(t, map[string]oasadmin.ApplyAction{"Robot KEPT": "UNCHANGED", "Robot GONE": "DELETED"}, actions(results))
	require.Nil(t, results[1].After)
	require.JSONEq(t, `{"name":"Bot","sourceType":"PACKAGE"}`, string(results[1].Before.Spec))
	var left []string
	for _, r := range apitest.Decode[oasadmin.ResourcePage](t, s.Get(200, s.As("owner"), apitest.AdminAPI+"/resources?kind=Robot&sort=code")).Content {
		left = append(left, r.Metadata.Code)
	}
	require.Equal(t, []string{"BARE", "BOT", "KEPT", "OTHER"}, left)
	require.Equal(t, south[0].ID, *s.Resource(s.Of("south", "owner"), "south", "Robot", "GONE").Metadata.ID)

	refusedPrune(s, 400, "VALIDATION", s.As("owner"), "south")
	refusedPrune(s, 400, "VALIDATION", s.As("owner"), "nowhere")
	refusedPrune(s, 403, "ACCESS_DENIED", s.As("definer"), "north")
	// The definition is applied, and pruning would delete its references.
	errorBody := s.Refused(400, "VALIDATION", s.As("owner"), http.MethodPost, apitest.ApplyPath, apitest.Applying(
		`"prune":{"tenant":"north","selector":{"app":"test"}},`, s.LoanOf("north", "")))
	require.Contains(t, errorBody.Errors[0].Message, "which would be pruned")
	refusedPrune(s, 403, "ACCESS_DENIED", s.As("stranger"), "north")
	// The reviewers are needed by a definition that another label keeps from
	// the prune.
	s.Apply(s.As("owner"), strings.Replace(s.LoanOf("north", ""), `"app":"test"`, `"app":"kept"`, 1))
	refusedPrune(s, 409, "CONFLICT", s.As("owner"), "north")
}

// refusedPrune requires that deleting everything of a tenant is refused.
func refusedPrune(s *apitest.Administered, status int, code string, as demo.Account, tenant string) {
	s.T.Helper()
	before := s.Snapshot()
	s.Refused(status, code, as, http.MethodPost, apitest.ApplyPath,
		apitest.Applying(`"prune":{"tenant":"`+tenant+`","selector":{"app":"test"}},`))
	require.Equal(s.T, before, s.Snapshot())
}

func TestReferencedResourcesAreNotDeleted(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	process := s.Process(s.As("initiator"), s.Definition("north"))
	before := s.Snapshot()
	for _, path := range []string{
		apitest.ResourcePath("north", "Group", "REVIEWERS", ""),
		apitest.ResourcePath("north", "User", "candidate", ""),
		apitest.ResourcePath("north", "User", "initiator", ""),
		apitest.ResourcePath("north", "Application", "worker", ""),
		apitest.ResourcePath("north", "DataStructure", "ADDRESS", ""),
		apitest.ResourcePath("north", "ProcessDefinition", "LOAN", ""),
		apitest.ResourcePath("north", "User", "owner", ""),
		apitest.ResourcePath("north", "Tenant", "north", ""),
	} {
		s.Refused(409, "CONFLICT", s.As("owner"), http.MethodDelete, path, "")
	}
	require.Equal(t, before, s.Snapshot())

	// Action definitions cannot start processes of a retired definition.
	s.Apply(s.As("owner"), s.LoanOf("north", `"state":"RETIRED",`))
	s.Refused(409, "DEFINITION_NOT_PUBLISHED", s.As("initiator"), http.MethodPost, "/processes",
		`{"processDefinitionId":"`+process.ProcessDefinitionRef.ID.String()+`"}`)
	for _, path := range []string{
		apitest.ResourcePath("north", "Robot", "BOT", ""), apitest.ResourcePath("north", "User", "administrator", ""),
		apitest.ResourcePath("north", "Application", "stranger", ""), apitest.ResourcePath("north", "WebhookSubscription", "EVENTS", ""),
	} {
		s.Call(204, s.As("owner"), http.MethodDelete, path, "")
		s.Get(404, s.As("owner"), path)
	}
	for _, name := range []string{"administrator", "stranger"} {
		s.Ticks.Add(cached)
		s.Get(401, s.As(name), apitest.AdminAPI+"/identity")
	}
}

// A running process stays with the version that it was started with; the next
// one starts with the version published since.
func TestPublishingChangesTheNextProcessOnly(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	definition := s.Definition("north")
	old := s.Process(s.As("initiator"), definition)
	strict := strings.Replace(s.LoanOf("north", ""), `"metadataSchema":{"type":"object"}`,
		`"metadataSchema":{"type":"object","required":["AMOUNT"]}`, 1)
	require.Equal(t, oasadmin.ApplyActionCONFIGURED, s.Apply(s.As("definer"), strict)[0].Action)
	next := s.Process(s.As("initiator"), definition)

	require.Equal(t, definition, next.ProcessDefinitionRef.ID)
	require.NotEqual(t, old.ProcessDefinitionRef.Version, next.ProcessDefinitionRef.Version)
	read := apitest.Decode[oasb.Process](t, s.Get(200, s.As("manager"), apitest.ProcessPath(old.ID, "")))
	require.Equal(t, old.ProcessDefinitionRef, read.ProcessDefinitionRef)
	for process, valid := range map[uuid.UUID]bool{old.ID: true, next.ID: false} {
		saved := apitest.Decode[oasb.Process](t, s.Call(200, s.As("manager"), http.MethodPut, apitest.ProcessPath(process, "/metadata"),
			`{"metadata":{"value":{}}}`))
		require.Equal(t, valid, *saved.Metadata.Valid)
	}

	versions := apitest.Decode[oasadmin.DefinitionVersionList](t,
		s.Get(200, s.As("definer"), apitest.VersionsPath("north", "LOAN"))).Content
	require.Len(t, versions, 2)
	require.Equal(t, []int{2, 1}, []int{versions[0].Number, versions[1].Number})
	require.Equal(t, []bool{true, false}, []bool{versions[0].Published, versions[1].Published})
	require.Equal(t, []int64{1, 1}, []int64{versions[0].Processes, versions[1].Processes})
	require.Equal(t, s.As("definer").ID, versions[0].CreatedBy)
	require.Equal(t, s.Operator.ID, versions[1].CreatedBy)
	shown := s.Resource(s.As("definer"), "north", "ProcessDefinition", "LOAN")
	require.Equal(t, versions[0].Version, *shown.Status.PublishedVersion)
	require.Equal(t, versions[0].Version, next.ProcessDefinitionRef.Version)
}

// Rights change at once, for processes that run as well, and make no version.
func TestRightsChangeAtOnce(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	process := s.Process(s.As("initiator"), s.Definition("north"))
	s.Get(404, s.As("stranger"), apitest.ProcessPath(process.ID, ""))
	s.Apply(s.As("owner"), strings.Replace(s.LoanOf("north", ""), `"viewers":[{"user":"viewer"}]`,
		`"viewers":[{"application":"stranger"}]`, 1))
	s.Get(200, s.As("stranger"), apitest.ProcessPath(process.ID, ""))
	s.Get(404, s.As("viewer"), apitest.ProcessPath(process.ID, ""))
	versions := apitest.Decode[oasadmin.DefinitionVersionList](t,
		s.Get(200, s.As("owner"), apitest.VersionsPath("north", "LOAN")))
	require.Len(t, versions.Content, 1)
}

// A draft leaves the published version unchanged.
func TestADraftIsNotPublished(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	draft := strings.Replace(s.LoanOf("north", `"state":"DRAFT",`), `"name":"Loan"`, `"name":"Draft"`, 1)
	published := s.Resource(s.As("owner"), "north", "ProcessDefinition", "LOAN").Status.PublishedVersion
	s.Apply(s.As("owner"), draft)
	shown := s.Resource(s.As("owner"), "north", "ProcessDefinition", "LOAN")
	require.Equal(t, "Draft", specMember[string](t, shown, "name"))
	require.Equal(t, published, shown.Status.PublishedVersion)
	process := s.Process(s.As("initiator"), *shown.Metadata.ID)
	require.Equal(t, *published, process.ProcessDefinitionRef.Version)

	s.Apply(s.As("owner"), strings.Replace(draft, `"LOAN"`, `"NEW"`, 1))
	created := s.Resource(s.As("owner"), "north", "ProcessDefinition", "NEW")
	require.Nil(t, created.Status.PublishedVersion)
	require.Empty(t, apitest.Decode[oasadmin.DefinitionVersionList](t,
		s.Get(200, s.As("owner"), apitest.VersionsPath("north", "NEW"))).Content)
	s.Refused(409, "DEFINITION_NOT_PUBLISHED", s.As("initiator"), http.MethodPost, "/processes",
		`{"processDefinitionId":"`+created.Metadata.ID.String()+`"}`)
}

// JSON of users comes back as it was sent.
func TestTheTextOfSchemasIsKept(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	const schema = `{"z":1,"a":"<&>","type":"object","properties":{"N":{"maximum":100000000000000000000000000000000000000001}},"minimum":-0.0}`
	s.Apply(s.As("owner"), apitest.Document("north", "DataStructure", "TEXT", `{"name":"Text","schema":`+schema+`}`))
	body := s.Get(200, s.As("owner"), apitest.ResourcePath("north", "DataStructure", "TEXT", "")).Body
	require.Contains(t, body, schema)
}

// actions returns the results of applying, by kind and code.
func actions(results []oasadmin.AppliedResource) map[string]oasadmin.ApplyAction {
	done := map[string]oasadmin.ApplyAction{}
	for _, r := range results {
		done[string(r.Kind)+" "+r.Code] = r.Action
	}
	return done
}

// specMember returns a member of a spec.
func specMember[T any](t *testing.T, r oasadmin.Resource, name string) T {
	t.Helper()
	var members map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(r.Spec, &members))
	var value T
	require.NoError(t, json.Unmarshal(members[name], &value), "%s of %s", name, r.Spec)
	return value
}

// The answers of apply and of its dry run list the warnings about the documents.
func TestApplyWarns(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	document := `{"apiVersion":"procession/v1","kind":"ProcessDefinition","metadata":{"code":"DOUBTFUL","tenant":"north"},"spec":{` +
		`"name":"Doubtful","permissions":{"initiators":[{"user":"owner"}]},"items":[{"code":"LONE","type":"TASK","name":"Lone"}]}}`
	for _, dryRun := range []string{`"dryRun":true,`, ""} {
		answer := s.Post(200, s.As("owner"), apitest.ApplyPath, apitest.Applying(dryRun, document))
		warnings := apitest.Decode[oasadmin.ResourceApplyResult](t, answer).Warnings
		require.Len(t, warnings, 1)
		require.Equal(t, "NO_CANDIDATES", warnings[0].Code)
		require.Equal(t, "/documents/0/spec/items/0", *warnings[0].Path)
	}
}
