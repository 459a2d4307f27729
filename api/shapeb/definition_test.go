package shapeb_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// visits is a process definition with parts for different callers: carol may start
// processes, alice manages them, dora views them, bob is a candidate of FILL and erin a
// viewer of READ.
type visits struct {
	id                            uuid.UUID
	dora, erin                    demo.Account
	manager, initiator, candidate demo.Account
}

const visitItems = `[{"code":"FILL","type":"TASK","name":"Fill","description":"Fill it in","requireValidDataOnComplete":true,"form":true,` +
	`"elements":[{"code":"CHOICE","name":"Choice","type":"DECISION","mandatory":true,"options":[{"code":"Y","name":"Yes"}]},{"code":"BY","name":"By","type":"PRINCIPAL"}],` +
	`"dataSchema":{"type":"object","properties":{"A":{"type":"number","maximum":1E400}}},"uiSchema":{"type":"VerticalLayout"},` +
	`"contextDataSchema":{"type":"object","title":"beside"},"candidates":[{"user":"bob"}]},` +
	`{"code":"MINE","type":"TASK","name":"Mine","candidates":[{"role":"PROCESS_INITIATOR"}]},` +
	`{"code":"NOTE","type":"MESSAGE","name":"Note"},` +
	`{"code":"READ","type":"TASK","name":"Read","viewers":[{"user":"erin"}],"assistance":{"prompt":"secret prompt"}}]`

func newVisits(s *apitest.Service) visits {
	s.T.Helper()
	person := func(name string) demo.Account {
		return demo.Account{Name: name, ID: uuid.New(), Email: name + "@demo.example", Secret: name + "-token"}
	}
	v := visits{
		id: uuid.New(), dora: person("dora"), erin: person("erin"),
		manager: demo.Alice(), initiator: demo.Carol(), candidate: demo.Bob(),
	}
	documents := []string{
		apitest.Document("demo", "DataStructure", "ADDRESS", `{"name":"Address","schema":{"type":"object","title":"address"}}`),
		v.document(`"name":"Visit","description":"Ask for a visit"`),
	}
	for _, a := range []demo.Account{v.dora, v.erin} {
		documents = append(documents, apitest.Identified("demo", "User", a.Name, a.ID,
			`{"name":"`+a.Name+`","email":"`+a.Email+`","accessTokens":[`+apitest.Declared("first", a.Secret)+`]}`))
	}
	s.Define(documents...)
	return v
}

// document returns the definition with some more members.
func (v visits) document(more string) string {
	return apitest.Identified("demo", "ProcessDefinition", "VISIT", v.id, `{`+more+`,"dataStructures":["ADDRESS"],`+
		`"engine":{"workflowType":"VisitWorkflow","taskQueue":"VISITS","runner":"loan-worker"},`+
		`"elements":[{"code":"COSTS","name":"Costs","type":"FIELD","fieldType":"NUMBER","multiple":true}],`+
		`"subjectTemplate":"Visit of {{ WHO }}","metadataSchema":{"type":"object","title":"metadata"},`+
		`"metadataUiSchema":{"type":"Group"},"entitySchema":{"type":"object","title":"entity"},"entityUiSchema":{"type":"Category"},`+
		`"items":`+visitItems+`,"userActions":[`+
		`{"code":"REPORT","name":"Report","type":"DOWNLOADABLE","permissions":["MANAGER"],"workflowType":"W","taskQueue":"VISITS"},`+
		`{"code":"NUDGE","name":"Nudge","type":"START_WORKFLOW","permissions":["INITIATOR"],"workflowType":"W","taskQueue":"VISITS"},`+
		`{"code":"SIGNAL","name":"Signal","type":"SEND_WORKFLOW_SIGNAL","permissions":["VIEWER"],"signalName":"S"},`+
		`{"code":"AGAIN","name":"Again","type":"START_RELATED_PROCESS","permissions":["MANAGER"],"processDefinition":"ONBOARDING"},`+
		`{"code":"HIDDEN","name":"Hidden","type":"START_RELATED_PROCESS","permissions":["MANAGER"],"processDefinition":"VISIT"},`+
		`{"code":"MORE","name":"More","type":"CREATE_TASK","permissions":["MANAGER"],"availability":"${ .process.state == \"RUNNING\" }","item":"FILL"}],`+
		`"permissions":{"initiators":[{"user":"carol"}],"viewers":[{"user":"dora"}],"managers":[{"user":"alice"}]}}`)
}

func definitionOf(s *apitest.Service, as demo.Account, id uuid.UUID, rest string) oasb.ProcessDefinition {
	s.T.Helper()
	return apitest.Decode[oasb.ProcessDefinition](s.T, s.Get(200, as, apitest.DefinitionPath(id, rest)))
}

// listsDefinition reports whether the list has the definition.
func listsDefinition(s *apitest.Service, as demo.Account, id uuid.UUID, query string) bool {
	s.T.Helper()
	return slices.Contains(s.List(as, "/process-definitions?size=1000&"+query).IDs(), id)
}

func TestProcessDefinitionVisibility(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	v := newVisits(s)
	all := []string{"FILL", "MINE", "NOTE", "READ"}
	for name, c := range map[string]struct {
		caller                demo.Account
		items, actions        []string
		processes, structures bool
		startable             bool
	}{
		"initiator":   {v.initiator, []string{"MINE"}, []string{"NUDGE"}, true, false, true},
		"viewer":      {v.dora, all, []string{"SIGNAL"}, true, true, false},
		"manager":     {v.manager, all, []string{"REPORT", "NUDGE", "AGAIN", "MORE"}, true, true, true},
		"runner":      {demo.LoanWorker(), all, []string{"REPORT", "NUDGE", "MORE"}, true, true, true},
		"candidate":   {v.candidate, []string{"FILL"}, nil, true, false, false},
		"item viewer": {v.erin, []string{"READ"}, nil, false, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := s.In(t)
			got := definitionOf(s, c.caller, v.id, "")
			var items, actions []string
			for _, item := range got.ProcessItemDefinitions {
				items = append(items, item.Code)
			}
			for _, action := range got.ProcessActionDefinitions {
				actions = append(actions, action.Code)
			}
			require.Equal(t, c.items, items)
			require.Equal(t, c.actions, actions)
			require.Equal(t, c.startable, got.Startable)
			require.True(t, got.Published)
			require.Equal(t, c.structures, len(got.DataStructureDataDefinitions) > 0)
			for _, schema := range [][]byte{got.MetadataSchema, got.MetadataUISchema, got.EntitySchema, got.EntityUISchema} {
				require.Equal(t, c.processes, schema != nil)
			}
			require.Equal(t, c.processes, got.SubjectTemplate != nil)
			require.Equal(t, c.processes, got.ElementDefinitions != nil)
			require.True(t, listsDefinition(s, c.caller, v.id, ""))
			require.Equal(t, c.startable, listsDefinition(s, c.caller, v.id, "startable=true"))
			require.Equal(t, !c.startable, listsDefinition(s, c.caller, v.id, "startable=false"))
		})
	}
	for _, stranger := range []demo.Account{demo.Stranger(), demo.Reader(), demo.OtherWorker()} {
		s.Refused(404, "NOT_FOUND", stranger, http.MethodGet, apitest.DefinitionPath(v.id, ""), "")
		require.False(t, listsDefinition(s, stranger, v.id, ""))
	}
}

func TestProcessDefinitionHoldsFormsAndNoSecrets(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	v := newVisits(s)
	got := s.Get(200, v.manager, apitest.DefinitionPath(v.id, ""))
	d := apitest.Decode[oasb.ProcessDefinition](t, got)
	fill := d.ProcessItemDefinitions[0]
	require.Contains(t, got.Body, `"dataSchema":{"type":"object","properties":{"A":{"type":"number","maximum":1E400}}}`)
	require.JSONEq(t, `{"type":"VerticalLayout"}`, string(fill.UISchema))
	require.JSONEq(t, `{"type":"object","title":"beside"}`, string(fill.ContextDataSchema))
	require.True(t, *fill.RequireValidDataOnComplete)
	require.True(t, *fill.Form)
	require.False(t, *d.ProcessItemDefinitions[1].Form)
	require.Nil(t, d.ProcessItemDefinitions[2].Form, "a message")
	require.Equal(t, []oasb.ElementDefinition{{
		Code: "CHOICE", Name: "Choice", Type: oasb.ElementDefinitionTypeDECISION, Mandatory: true,
		Options: []oasb.ElementOption{{Code: "Y", Name: "Yes"}},
	}, {Code: "BY", Name: "By", Type: oasb.ElementDefinitionTypePRINCIPAL}}, fill.ElementDefinitions)
	require.Equal(t, []oasb.ElementDefinition{{
		Code: "COSTS", Name: "Costs", Type: oasb.ElementDefinitionTypeFIELD, Multiple: true,
		FieldType: new(oasb.ElementDefinitionFieldTypeNUMBER),
	}}, d.ElementDefinitions)
	require.Equal(t, "ADDRESS", d.DataStructureDataDefinitions[0].Code)
	require.JSONEq(t, `{"type":"object","title":"address"}`, string(d.DataStructureDataDefinitions[0].DataSchema))
	require.Equal(t, demo.Onboarding(), *d.ProcessActionDefinitions[2].ProcessDefinitionID)
	require.Equal(t, "FILL", *d.ProcessActionDefinitions[3].ProcessItemDefinitionCode)
	for _, hidden := range []string{
		"VisitWorkflow", "VISITS", "runner", "loan-worker", "secret prompt", "candidates", "robot", "signalName", "availability",
		demo.LoanWorker().ID.String(), demo.Bob().ID.String(),
	} {
		require.NotContains(t, got.Body, hidden)
	}

	// The references of resources to their definition lead here.
	process := s.Process(v.manager, v.id)
	require.Equal(t, oasb.ProcessDefinitionRef{ID: d.ID, Version: d.Version, Code: d.Code}, *process.ProcessDefinitionRef)
	item := apitest.Decode[oasb.ProcessItem](t, s.Post(201, v.manager, "/process-items",
		`{"type":"TASK","processId":"`+process.ID.String()+`","processItemDefinitionCode":"FILL"}`))
	for _, available := range apitest.Decode[oasb.AvailableProcessActions](t, s.Get(200, v.manager, apitest.ProcessPath(process.ID, "/actions/~available"))).Content {
		if i := slices.IndexFunc(d.ProcessActionDefinitions, func(a oasb.ProcessActionDefinition) bool { return a.Code == available.Code }); i >= 0 {
			require.Equal(t, d.ProcessActionDefinitions[i].ProcessActionDefinitionRef, available.ProcessActionDefinitionRef)
			require.Equal(t, d.Version, available.ProcessActionDefinitionRef.Version)
		}
	}
	invoked := s.Invoke(v.manager, process.ID, apitest.InvokeUserAction("MORE"))
	require.Equal(t, d.ProcessActionDefinitions[3].ProcessActionDefinitionRef, invoked.ProcessActionDefinitionRef)
	require.Equal(t, invoked, retrieveUserAction(s, process.ID, invoked.ID))
	require.Equal(t, oasb.ProcessItemDefinitionRef{ID: fill.ID, Version: fill.Version, Code: "FILL"}, *item.ProcessItemDefinitionRef)
}

func TestProcessDefinitionVersions(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	v := newVisits(s)
	first := definitionOf(s, v.manager, v.id, "")
	process := s.Process(v.manager, v.id)
	s.Post(200, v.manager, apitest.ProcessPath(process.ID, apitest.ChangeInitiator), `{"initiatorEmail":"`+v.erin.Email+`"}`)
	s.Define(v.document(`"name":"Visit 2"`))
	second := definitionOf(s, v.manager, v.id, "")
	require.Equal(t, "Visit 2", second.Name)
	require.NotEqual(t, first.Version, second.Version)
	old := definitionOf(s, v.manager, v.id, "?version="+first.Version.String())
	require.Equal(t, "Visit", old.Name)
	require.False(t, old.Published)
	s.Refused(404, "NOT_FOUND", v.manager, http.MethodGet, apitest.DefinitionPath(v.id, "?version="+uuid.NewString()), "")

	// A participant of processes of the first version reads that version only.
	s.Define(strings.Replace(v.document(`"name":"Visit 3"`), `"viewers":[{"user":"erin"}],`, "", 1))
	listed := apitest.Decode[oasb.ProcessDefinitionPage](t, s.Get(200, v.erin, "/process-definitions")).Content
	require.Len(t, listed, 1)
	require.Equal(t, first.Version, listed[0].Version)
	require.False(t, listed[0].Published)
	mine := definitionOf(s, v.erin, v.id, "")
	require.Equal(t, first.Version, mine.Version)
	require.Equal(t, "NUDGE", mine.ProcessActionDefinitions[0].Code)
	s.Refused(404, "NOT_FOUND", v.erin, http.MethodGet, apitest.DefinitionPath(v.id, "?version="+second.Version.String()), "")

	// A retired definition is not startable, and is shown in its newest
	// version.
	s.Define(v.document(`"name":"Visit 4","state":"RETIRED"`))
	retired := definitionOf(s, v.initiator, v.id, "")
	require.Equal(t, "Visit 3", retired.Name)
	require.False(t, retired.Published || retired.Startable)
	require.False(t, listsDefinition(s, v.initiator, v.id, "startable=true"))
}

func TestProcessDefinitionIsNotSentTwice(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	v := newVisits(s)
	for _, path := range []string{apitest.DefinitionPath(v.id, ""), "/business-artifact-definitions/" + apitest.Customers().String()} {
		conditional := func(tag string) apitest.Answer {
			r := apitest.Request(t, demo.Alice(), http.MethodGet, path, "")
			r.Header.Set("If-None-Match", tag)
			return s.Send(r)
		}
		first := s.Get(200, demo.Alice(), path)
		tag := first.Header.Get("ETag")
		require.Regexp(t, `^"[0-9a-f]{16}"$`, tag)
		for _, match := range []string{tag, "*", `"other", W/` + tag} {
			got := conditional(match)
			require.Equal(t, 304, got.Status, match)
			require.Empty(t, got.Body)
			require.Equal(t, tag, got.Header.Get("ETag"))
		}
		require.Equal(t, first.Body, conditional(`"other"`).Body)
	}
	// The ETag differs between callers to whom different parts are visible.
	require.NotEqual(t, s.Get(200, v.manager, apitest.DefinitionPath(v.id, "")).Header.Get("ETag"),
		s.Get(200, v.initiator, apitest.DefinitionPath(v.id, "")).Header.Get("ETag"))
}

func TestBusinessArtifactDefinitionVisibility(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	id := uuid.New()
	s.Define(apitest.Identified("demo", "BusinessArtifactDefinition", "HOUSE", id, `{"name":"House",`+
		`"dataSchema":{"type":"object","title":"house"},"uiSchema":{"type":"Group"},"actions":[`+
		`{"code":"PLAN","name":"Plan","type":"DOWNLOADABLE","inputSchema":{"type":"object","title":"plan"},`+
		`"workflowType":"PlanWorkflow","taskQueue":"PLANS","runner":"loan-worker"},`+
		`{"code":"LEND","name":"Lend","type":"START_PROCESS","processDefinition":"LOAN"},`+
		`{"code":"COPY","name":"Copy","type":"CREATE_BUSINESS_ARTIFACT","businessArtifactDefinition":"HOUSE","prefill":{"a":"a"}}],`+
		`"permissions":{"viewers":[{"user":"bob"}],"editors":[{"user":"carol"},{"application":"reader"}],"managers":[{"user":"alice"}]}}`))
	path := "/business-artifact-definitions/" + id.String()
	for name, c := range map[string]struct {
		caller    demo.Account
		actions   []string
		creatable bool
	}{
		"manager":                   {demo.Alice(), []string{"PLAN", "LEND", "COPY"}, true},
		"editor":                    {demo.Carol(), []string{"PLAN", "LEND", "COPY"}, true},
		"editor who starts no loan": {demo.Reader(), []string{"PLAN", "COPY"}, true},
		"viewer":                    {demo.Bob(), nil, false},
	} {
		got := s.Get(200, c.caller, path)
		d := apitest.Decode[oasb.BusinessArtifactDefinition](t, got)
		var actions []string
		for _, a := range d.BusinessArtifactActionDefinitions {
			actions = append(actions, a.Code)
			switch a.Code {
			case "PLAN":
				require.JSONEq(t, `{"type":"object","title":"plan"}`, string(a.InputSchema))
			case "LEND":
				require.Equal(t, demo.Loan(), *a.ProcessDefinitionID)
			case "COPY":
				require.Equal(t, id, *a.BusinessArtifactDefinitionID)
			}
		}
		require.Equal(t, c.actions, actions, name)
		require.Equal(t, c.creatable, d.Creatable, name)
		require.JSONEq(t, `{"type":"object","title":"house"}`, string(d.DataSchema))
		require.JSONEq(t, `{"type":"Group"}`, string(d.UISchema))
		for _, hidden := range []string{"PlanWorkflow", "PLANS", "loan-worker", "prefill", "runner"} {
			require.NotContains(t, got.Body, hidden)
		}
		for query, listed := range map[string]bool{"": true, "creatable=true": c.creatable, "creatable=false": !c.creatable} {
			require.Equal(t, listed, slices.Contains(s.List(c.caller, "/business-artifact-definitions?"+query).IDs(), id), name+query)
		}
	}
	for _, stranger := range []demo.Account{demo.Stranger(), demo.OtherWorker()} {
		s.Refused(404, "NOT_FOUND", stranger, http.MethodGet, path, "")
		require.NotContains(t, s.List(stranger, "/business-artifact-definitions").IDs(), id)
	}
	names := []string{}
	for _, d := range s.List(demo.Alice(), "/business-artifact-definitions?sort=name,desc").Content {
		names = append(names, d.Name)
	}
	require.Equal(t, []string{"House", "Customer"}, names)
}

func TestListingProcessDefinitions(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	names := func(as demo.Account, query string) []string {
		found := []string{}
		for _, d := range s.List(as, "/process-definitions?"+query).Content {
			found = append(found, d.Name)
		}
		return found
	}
	require.Equal(t, []string{"Expenses", "Inspection", "Loan", "Onboarding"}, names(demo.Alice(), "sort=name"))
	require.Equal(t, []string{"Onboarding", "Loan"}, names(demo.Alice(), "sort=name,desc&size=2&startable=true"))
	require.Equal(t, []string{"Loan", "Onboarding"}, names(demo.Alice(), "sort=name&size=2&page=1"))
	require.Equal(t, []string{"Loan"}, names(demo.Alice(), "processDefinitionCode=LOAN&processDefinitionCode=NONE"))
	require.Empty(t, names(demo.Alice(), "tenantId="+demo.TenantOther().String()))
	require.Len(t, names(demo.Alice(), "tenantId="+demo.TenantDemo().String()), 4)
	require.Equal(t, []uuid.UUID{demo.Loan(), demo.Onboarding(), demo.Inspection()}, s.List(demo.Alice(), "/process-definitions").IDs()[:3])
	require.Equal(t, 4, s.Total(demo.Alice(), "/process-definitions?size=0"))
	require.Equal(t, []string{"Loan"}, names(demo.Carol(), "startable=true"))
}
