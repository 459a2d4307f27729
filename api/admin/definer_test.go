package admin_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// A definer may not change rights, wherever they are in the definition.
func TestADefinerChangesNoRights(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	definer := s.As("definer")
	const action = `"userActions":[{"code":"A","name":"Act","type":"START_WORKFLOW","permissions":["MANAGER"],"workflowType":"W","taskQueue":"LOANS"}],`
	s.Apply(s.As("owner"),
		apitest.Document("north", "Robot", "BOT", `{"name":"Bot","workflowType":"W","taskQueue":"BOTS","runner":"stranger"}`),
		s.LoanOf("north", action))
	loan := s.LoanOf("north", action)
	replaced := func(old, by string) string {
		require.Contains(t, loan, old)
		return strings.Replace(loan, old, by, 1)
	}
	const (
		candidates = `"candidates":[{"group":"REVIEWERS"}]`
		endOfItem  = candidates + `}`
	)
	for name, c := range map[string]struct{ document, pointer string }{
		"candidate":       {replaced(`{"group":"REVIEWERS"}`, `{"user":"definer"}`), "/items/0/candidates"},
		"one more":        {replaced(`{"group":"REVIEWERS"}`, `{"group":"REVIEWERS"},{"user":"definer"}`), "/items/0/candidates"},
		"no candidates":   {replaced(","+candidates, ``), "/items/0/candidates"},
		"viewer":          {replaced(candidates, candidates+`,"viewers":[{"user":"definer"}]`), "/items/0/viewers"},
		"robot":           {replaced(candidates, candidates+`,"robot":{"code":"BOT","operation":"CHECK"}`), "/items/0/robot"},
		"new item":        {replaced(endOfItem, endOfItem+`,{"code":"NEW","type":"TASK","name":"New",`+endOfItem), "/items/1/candidates"},
		"another code":    {replaced(`"code":"APPROVE"`, `"code":"AGREE"`), "/items/0/candidates"},
		"no items":        {replaced(`{"code":"APPROVE","type":"TASK","name":"Approve","dataSchema":{"type":"object"},`+endOfItem, ``), "/items"},
		"who may act":     {replaced(`["MANAGER"]`, `["MANAGER","VIEWER"]`), "/userActions/0/permissions"},
		"how they act":    {replaced(`"type":"START_WORKFLOW"`, `"type":"DOWNLOADABLE"`), "/userActions/0/type"},
		"no action":       {s.LoanOf("north", ""), "/userActions"},
		"another action":  {replaced(`"code":"A"`, `"code":"B"`), "/userActions/0/type"},
		"runner of it":    {replaced(`"taskQueue":"LOANS"}],`, `"taskQueue":"LOANS","runner":"stranger"}],`), "/userActions/0/runner"},
		"workflow":        {replaced("LoanWorkflow", "Other"), "/engine/workflowType"},
		"runner":          {replaced(`"runner":"worker"`, `"runner":"stranger"`), "/engine/runner"},
		"administrator":   {replaced(`[{"user":"definer"}]`, `[{"user":"definer"},{"user":"viewer"}]`), "/permissions/administrators"},
		"viewer of all":   {replaced(`[{"user":"viewer"}]`, `[{"user":"viewer"},{"user":"definer"}]`), "/permissions/viewers"},
		"one manager out": {replaced(`"managers":[{"user":"manager"}],`, ``), "/permissions/managers"},
	} {
		t.Log(name)
		failure := s.RefusedApply(403, "ACCESS_DENIED", definer, c.document)
		require.Equal(t, "/documents/0/spec"+c.pointer, failure.Errors[0].Location)
		require.Contains(t, failure.Message, "ProcessDefinition LOAN: /spec"+c.pointer)
	}
	// The rest of the definition is the definer's to change.
	s.Apply(definer, replaced(endOfItem, endOfItem+`,{"code":"NEW","type":"TASK","name":"New"}`))
	s.Apply(definer, replaced(`"name":"Approve"`, `"name":"Agree","form":true,"assistance":{"prompt":"?"}`))
	s.Apply(definer, replaced(`"name":"Act"`, `"name":"Do it","availability":"${ true }"`))
}

// The attack: the maintainer of a definition becomes a candidate of a task of a
// process that runs.
func TestADefinerCannotBecomeACandidate(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	definer := s.As("definer")
	process := s.Process(s.As("initiator"), s.Definition("north"))
	task := apitest.Decode[oasb.ProcessItem](t, s.Post(201, s.As("worker"), "/process-items",
		`{"type":"TASK","processId":"`+process.ID.String()+`","processItemDefinitionCode":"APPROVE"}`)).ID
	s.Get(404, definer, apitest.ItemPath(task, ""))
	s.RefusedApply(403, "ACCESS_DENIED", definer,
		strings.Replace(s.LoanOf("north", ""), `[{"group":"REVIEWERS"}]`, `[{"group":"REVIEWERS"},{"user":"definer"}]`, 1))
	s.Get(404, definer, apitest.ItemPath(task, ""))
	s.Refused(404, "NOT_FOUND", definer, http.MethodPost, apitest.ItemPath(task, "/task/~actions/claim"), "")
}

// An item keeps its rights in the processes that still have it. A definer who
// adds it to the definition again does not remove them.
func TestADefinerTakesNoRightsOfFormerItems(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	process := s.Process(s.As("initiator"), s.Definition("north"))
	task := apitest.Decode[oasb.ProcessItem](t, s.Post(201, s.As("worker"), "/process-items",
		`{"type":"TASK","processId":"`+process.ID.String()+`","processItemDefinitionCode":"APPROVE"}`)).ID
	loan := s.LoanOf("north", "")
	items := loan[strings.Index(loan, `"items"`):strings.Index(loan, `"permissions"`)]
	s.Apply(s.As("owner"), strings.Replace(loan, items, "", 1))
	s.Get(200, s.As("candidate"), apitest.ItemPath(task, ""))

	failure := s.RefusedApply(403, "ACCESS_DENIED", s.As("definer"),
		strings.Replace(loan, `,"candidates":[{"group":"REVIEWERS"}]`, "", 1))
	require.Equal(t, "/documents/0/spec/items/0", failure.Errors[0].Location)
	s.Get(200, s.As("candidate"), apitest.ItemPath(task, ""))
	s.Apply(s.As("definer"), strings.Replace(loan, items, `"items":[{"code":"OTHER","type":"TASK","name":"Other"}],`, 1))
}

// Of each list, a definer gets the part that belongs to its definition.
func TestADefinerSeesItsDefinitionOnly(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	owner, definer := s.As("owner"), s.As("definer")
	id := uuid.New()
	other := strings.NewReplacer(`"code":"LOAN"`, `"code":"OTHER","id":"`+id.String()+`"`, `"LOANS"`, `"OTHERS"`,
		`,"administrators":[{"user":"definer"}]`, ``).Replace(s.LoanOf("north", ""))
	s.Apply(owner, other)
	mine, theirs := s.Incident("north"), s.IncidentOf("north", id)
	at := func(id uuid.UUID, rest string) string { return apitest.AdminAPI + "/incidents/" + id.String() + rest }
	get := func(path string) string { return s.Get(200, definer, apitest.AdminAPI+path).Body }

	for path, codes := range map[string]struct{ has, hasNot string }{
		"/resources":             {`"LOAN"`, `"OTHER"`},
		"/task-queues":           {`"LOANS"`, `"OTHERS"`},
		"/rights":                {`"LOAN"`, `"OTHER"`},
		"/rights.csv":            {`,LOAN,`, `,OTHER,`},
		"/incidents":             {mine.String(), theirs.String()},
		"/incident-groups":       {mine.String(), theirs.String()},
		"/events":                {s.Definition("north").String(), id.String()},
		"/unowned-work":          {`[]`, `OTHER`},
		"/webhooks":              {`[]`, `OTHER`},
		"/notification-messages": {`[]`, `OTHER`},
	} {
		body := get(path)
		require.Contains(t, body, codes.has, path)
		require.NotContains(t, body, codes.hasNot, path)
	}
	require.NotContains(t, get("/rights"), "administer the tenant")

	s.Refused(404, "NOT_FOUND", definer, http.MethodGet, at(theirs, ""), "")
	s.Refused(404, "NOT_FOUND", definer, http.MethodPost, at(theirs, "/~actions/retry"), "")
	for action, body := range map[string]string{
		"acknowledge": `{"cause":true}`, "assign": `{"cause":true}`, "unmute": `{"cause":true}`,
		"mute": `{"until":"` + s.Now().Add(time.Hour).Format(time.RFC3339) + `","cause":true}`,
	} {
		s.Refused(403, "ACCESS_DENIED", definer, http.MethodPost, at(mine, "/~actions/"+action), body)
	}
	assign := `{"assigneeId":"` + definer.ID.String() + `"}`
	s.Post(200, owner, at(mine, "/~actions/assign"), assign)
	s.Refused(400, "VALIDATION", owner, http.MethodPost, at(theirs, "/~actions/assign"), assign)
	s.Post(200, definer, at(mine, "/~actions/retry"), "")
}
