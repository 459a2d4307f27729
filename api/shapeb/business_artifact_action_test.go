package shapeb_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/contracttest"
)

// action invokes an action as the loan worker.
func action(s *apitest.Service, artifact uuid.UUID, body string) oasb.BusinessArtifactAction {
	s.T.Helper()
	return apitest.Decode[oasb.BusinessArtifactAction](s.T, s.Post(201, demo.LoanWorker(), apitest.ArtifactPath(artifact, "/actions"), body))
}

func retrieveAction(s *apitest.Service, artifact, action uuid.UUID) oasb.BusinessArtifactAction {
	s.T.Helper()
	return apitest.Decode[oasb.BusinessArtifactAction](s.T, s.Get(200, demo.LoanWorker(), apitest.ActionPath(artifact, action, "")))
}

// commands counts the commands to Temporal for an action.
func commands(s *apitest.Service, action uuid.UUID, kind string) int {
	s.T.Helper()
	return s.Count(`SELECT count(*) FROM engine_commands c JOIN engine_runs r ON r.id = c.engine_run_id
		WHERE r.owner_id = $1 AND c.kind = $2`, action, kind)
}

func TestInvokeHandsTheActionToAWorker(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	artifact := s.Customer(`{"name":"Acme"}`).ID
	for code, body := range map[string]string{
		"STATEMENT":   `"downloadable":{"input":{"month":"2026-03","limit":1E22}},"startWorkflow":{"input":{"ignored":true}}`,
		"RECALCULATE": `"startWorkflow":{"input":{"month":"2026-03","limit":1E22}},"downloadable":{}`,
	} {
		id := uuid.New()
		path := apitest.ArtifactPath(artifact, "/actions")
		first := s.Post(201, demo.LoanWorker(), path, apitest.InvokeAction(code, apitest.WithID(id), body))
		require.Contains(t, first.Body, `"input":{"valid":true,"value":{"month":"2026-03","limit":1E22}}`)
		got := apitest.Decode[oasb.BusinessArtifactAction](t, first)
		require.Equal(t, id, got.ID)
		require.EqualValues(t, "REQUESTED", got.Status)
		require.Equal(t, demo.LoanWorker().ID, *got.CreatedBy)
		require.Equal(t, oasb.BusinessArtifactActionDefinitionRef{
			ID: domain.NewActionDefinitionRef(apitest.Customers(), code).ID, Code: code,
		}, got.BusinessArtifactActionDefinitionRef)
		require.NotContains(t, first.Body, "document")
		require.Equal(t, 1, commands(s, id, "START"))

		before := s.Snapshot()
		require.Equal(t, first.Body, s.Get(200, demo.LoanWorker(), apitest.ActionPath(artifact, id, "")).Body)
		require.Equal(t, first.Body, s.Post(200, demo.LoanWorker(), path, apitest.InvokeAction(code, apitest.WithID(id))).Body, "repeated")
		require.Equal(t, before, s.Snapshot())
	}
	s.Get(404, demo.LoanWorker(), apitest.ActionPath(s.Customer(`{"name":"B"}`).ID, uuid.New(), ""))
}

func TestConcurrentInvocationsWithOneIDAreOne(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	artifact, id := s.Customer(`{"name":"Acme"}`).ID, uuid.New()
	for _, body := range []string{
		apitest.InvokeAction("STATEMENT", apitest.WithID(id), `"downloadable":{"input":{"month":"m"}}`),
		apitest.InvokeAction("OPEN_LOAN", apitest.WithID(uuid.New())), apitest.InvokeAction("CLONE", apitest.WithID(uuid.New())),
	} {
		statuses := make([]int, 16)
		var wg sync.WaitGroup
		for i := range statuses {
			wg.Go(func() {
				got, err := s.Exchange(apitest.Request(t, demo.LoanWorker(), "POST", apitest.ArtifactPath(artifact, "/actions"), body))
				if err == nil {
					statuses[i] = got.Status
				}
			})
		}
		wg.Wait()
		count := map[int]int{}
		for _, status := range statuses {
			count[status]++
		}
		require.Equal(t, map[int]int{201: 1, 200: len(statuses) - 1}, count, body)
	}
	require.Equal(t, 1, commands(s, id, "START"))
	require.Equal(t, 1, s.Count("SELECT count(*) FROM processes"))
	require.Equal(t, 2, s.Count("SELECT count(*) FROM business_artifacts"))
}

// Input that violates its schema is stored, with the action in ERROR.
func TestInvocationsThatFail(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	artifact := s.Customer(`{"name":"Acme"}`).ID
	path := apitest.ArtifactPath(artifact, "/actions")
	document := `kuflow-file:uri=ku:business-artifact/` + artifact.String() + `/document/` + uuid.NewString() +
		`;type=text/plain;size=1;name=a;`
	before := s.Snapshot()
	failure := s.Refused(404, "DEFINITION_NOT_FOUND", demo.LoanWorker(), "POST", path, apitest.InvokeAction("NONE"))
	require.Equal(t, "/businessArtifactActionDefinitionCode", failure.Errors[0].Location)
	require.Equal(t, before, s.Snapshot())
	for name, c := range map[string]struct {
		code, block string
		locations   []string
	}{
		"no input where one is required": {"STATEMENT", `"downloadable":{}`, []string{"/downloadable/input/month"}},
		"input of another type":          {"STATEMENT", `"startWorkflow":{"input":{"month":"m"}}`, []string{"/downloadable/input/month"}},
		"several faults": {
			"STATEMENT", `"downloadable":{"input":{"month":1,"file":"` + document + `"}}`,
			[]string{"/downloadable/input/file", "/downloadable/input/month"},
		},
		"a document that there is not": {
			"RECALCULATE", `"startWorkflow":{"input":{"a":["` + document + `"]}}`, []string{"/startWorkflow/input/a/0"},
		},
		"a number that cannot be compared": {
			"STATEMENT", `"downloadable":{"input":{"month":"m","n":1e999999999}}`, []string{"/downloadable/input/n"},
		},
		"metadata with such a number": {
			"OPEN_LOAN", `"startProcess":{"metadata":{"n":1e999999999}}`, []string{"/startProcess/metadata/n"},
		},
	} {
		got := requireFailed(s, demo.LoanWorker(), path, apitest.InvokeAction(c.code, apitest.WithID(uuid.New()), c.block), c.locations...)
		action := apitest.Decode[oasb.BusinessArtifactAction](t, got)
		input := c.locations[0][:strings.Index(c.locations[0], "input")+len("input")]
		if block := action.Downloadable; block != nil && block.Input != nil {
			require.False(t, *block.Input.Valid, name)
			require.Len(t, block.Input.Errors, len(c.locations), name)
			require.Equal(t, c.locations[0], input+*block.Input.Errors[0].PropertyPath, name)
		}
	}
	require.Zero(t, s.Count("SELECT count(*) FROM engine_runs"))
}

func TestInputKeepsItsDocuments(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	artifact, process := s.Customer(`{"name":"Acme"}`).ID, s.Loan().ID
	own := s.Upload(demo.LoanWorker(), apitest.ArtifactPath(artifact, ""), "own")
	foreign := s.Upload(demo.LoanWorker(), apitest.ProcessPath(process, ""), "foreign")
	got := action(s, artifact, apitest.InvokeAction("RECALCULATE", `"startWorkflow":{"input":{"a":"`+own+`","b":"`+foreign+`"}}`))
	values := apitest.Decode[map[string]string](t, apitest.Answer{Body: string(got.StartWorkflow.Input.Value)})
	require.Equal(t, own, values["a"])
	require.NotEqual(t, foreign, values["b"])
	require.Equal(t, "foreign", s.Download(demo.LoanWorker(), apitest.ArtifactPath(artifact, ""), values["b"]))
	require.Equal(t, 2, s.Count("SELECT count(*) FROM documents d JOIN document_links l ON l.document_id = d.id WHERE d.expires_at IS NULL AND l.holder_id = $1", got.ID))
}

func TestInvokeStartProcess(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	artifact := s.Customer(`{"name":"Acme"}`).ID
	path := apitest.ArtifactPath(artifact, "/actions")
	body := apitest.InvokeAction("OPEN_LOAN", apitest.WithID(uuid.New()), `"startProcess":{"metadata":{"FIRST_NAME":"A","n":1.50},"entity":{"x":-0}}`)
	first := s.Post(201, demo.LoanWorker(), path, body)
	got := apitest.Decode[oasb.BusinessArtifactAction](t, first)
	require.EqualValues(t, "COMPLETED", got.Status)
	require.Equal(t, demo.Loan(), got.StartProcess.ProcessDefinitionID)
	started := s.Get(200, demo.LoanWorker(), apitest.ProcessPath(got.StartProcess.ProcessID, ""))
	require.Contains(t, started.Body, `"value":{"FIRST_NAME":"A","n":1.50}`)
	require.Contains(t, started.Body, `"value":{"x":-0}`)
	process := apitest.Decode[oasb.Process](t, started)
	require.EqualValues(t, "RUNNING", process.State)
	require.Equal(t, demo.LoanWorker().ID, *process.InitiatorID)
	require.Equal(t, 2, s.Events(process.ID))
	require.Equal(t, 1, commands(s, process.ID, "START"))

	before := s.Snapshot()
	require.Equal(t, first.Body, s.Post(200, demo.LoanWorker(), path, body).Body)
	require.Equal(t, first.Body, s.Post(200, demo.LoanWorker(), apitest.ActionPath(artifact, got.ID, "/~actions/cancel"), "").Body)
	require.Equal(t, before, s.Snapshot())
}

func TestInvokeRequiresTheRightsOfItsEffect(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	artifact := s.Customer(`{"name":"Acme"}`).ID
	// An Editor of CUSTOMER who may start no LOAN, and a definition that is
	// visible to no caller.
	editor := editor(s)
	addDefinition(s, "HIDDEN", `{"name":"Hidden"}`)
	addDefinition(s, "SOURCE", `{"name":"Source","actions":[`+
		`{"code":"MAKE","name":"Make","type":"CREATE_BUSINESS_ARTIFACT","businessArtifactDefinition":"HIDDEN"},`+
		`{"code":"INSPECT","name":"Inspect","type":"START_PROCESS","processDefinition":"INSPECTION"}]}`, editor)
	source := apitest.Decode[oasb.BusinessArtifact](t, s.Post(201, editor, "/business-artifacts", `{"businessArtifactDefinitionCode":"SOURCE"}`)).ID
	before := s.Snapshot()
	for path, body := range map[string]string{
		apitest.ArtifactPath(artifact, "/actions"):                        apitest.InvokeAction("OPEN_LOAN"),
		apitest.ArtifactPath(source, "/actions"):                          apitest.InvokeAction("MAKE", `"createArtifact":{"value":{"a":1}}`),
		apitest.ArtifactPath(source, "/actions") + "?":                    apitest.InvokeAction("INSPECT"),
		apitest.ArtifactPath(source, "/~actions/prepare-create-artifact"): apitest.InvokeAction("MAKE"),
	} {
		s.Refused(403, "ACCESS_DENIED", editor, "POST", path, body)
	}
	require.Equal(t, before, s.Snapshot())

	_, err := s.Connect().Exec(t.Context(), `UPDATE process_definitions SET published_version = NULL WHERE id = $1`, demo.Loan())
	require.NoError(t, err)
	processes := s.Count("SELECT count(*) FROM processes")
	requireFailed(s, demo.LoanWorker(), apitest.ArtifactPath(artifact, "/actions"), apitest.InvokeAction("OPEN_LOAN", apitest.WithID(uuid.New())), "")
	require.Equal(t, processes, s.Count("SELECT count(*) FROM processes"))
}

// addDefinition adds a business artifact definition to the tenant Demo with artifacts
// visible to the editors only.
func addDefinition(s *apitest.Service, code, spec string, editors ...demo.Account) {
	s.T.Helper()
	d, err := resource.FromStored(resource.KindBusinessArtifactDefinition, resource.Metadata{Code: code, Tenant: "demo"}, []byte(spec))
	require.NoError(s.T, err)
	id := uuid.New()
	require.NoError(s.T, s.DB.Write(s.T.Context(), func(tx *persistence.Tx) error {
		for _, editor := range editors {
			tx.GrantOnArtifact(id, demo.TenantDemo(), domain.PermissionArtifactEditor, editor.ID)
		}
		return tx.PutResource(resource.Stored{
			Document: d, ID: id, TenantID: demo.TenantDemo(), Audit: domain.NewAudit(domain.SystemPrincipalID(), s.Now()),
		})
	}))
}

func TestInvokeCreateArtifact(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	for name, c := range map[string]struct{ source, block, value, prepared string }{
		"from the value that was sent": {
			`{"name":"Acme"}`, `"createArtifact":{"value":{"name":"Sent","balance":1E2}}`, `{"name":"Sent","balance":1E2}`,
			`{"name":"Acme"}`,
		},
		"from the prefilled value": {
			`{"notes":"n","tier":"GOLD","balance":1,"name":"Ac\u006de"}`, `"createArtifact":{}`,
			`{"name":"Ac\u006de","tier":"GOLD"}`, `{"name":"Ac\u006de","tier":"GOLD"}`,
		},
		"from nothing": {`{}`, `"startWorkflow":{}`, `{}`, `{}`},
	} {
		artifact := s.Customer(c.source).ID
		before := s.Snapshot()
		prepared := s.Post(200, demo.LoanWorker(), apitest.ArtifactPath(artifact, "/~actions/prepare-create-artifact"), apitest.InvokeAction("CLONE"))
		require.Equal(t, `{"businessArtifactDefinitionRef":{"code":"CUSTOMER","id":"`+apitest.Customers().String()+`"},"value":`+c.prepared+"}",
			strings.TrimSpace(prepared.Body), name)
		require.Equal(t, before, s.Snapshot(), name)

		first := s.Post(201, demo.LoanWorker(), apitest.ArtifactPath(artifact, "/actions"), apitest.InvokeAction("CLONE", c.block))
		require.Contains(t, first.Body, `"value":`+c.value, name)
		got := apitest.Decode[oasb.BusinessArtifactAction](t, first)
		require.EqualValues(t, "COMPLETED", got.Status)
		require.Equal(t, oasb.BusinessArtifactDefinitionRef{ID: apitest.Customers(), Code: "CUSTOMER"}, got.CreateArtifact.BusinessArtifactDefinitionRef)
		created := s.Get(200, demo.LoanWorker(), apitest.ArtifactPath(*got.CreateArtifact.BusinessArtifactID, ""))
		require.Contains(t, created.Body, `"value":`+c.value, name)
		require.Equal(t, first.Body, s.Get(200, demo.LoanWorker(), apitest.ActionPath(artifact, got.ID, "")).Body)
	}
}

func TestPrepareIsForActionsThatCreate(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	path := apitest.ArtifactPath(s.Customer(`{"name":"Acme"}`).ID, "/~actions/prepare-create-artifact")
	for _, code := range []string{"STATEMENT", "RECALCULATE", "OPEN_LOAN"} {
		s.Refused(409, "INVALID_STATE", demo.LoanWorker(), "POST", path, apitest.InvokeAction(code))
	}
	failure := s.Refused(404, "DEFINITION_NOT_FOUND", demo.LoanWorker(), "POST", path, apitest.InvokeAction("NONE"))
	require.Equal(t, "/businessArtifactActionDefinitionCode", failure.Errors[0].Location)
	absent := s.Call(404, demo.LoanWorker(), "POST", apitest.ArtifactPath(uuid.New(), "/~actions/prepare-create-artifact"), apitest.InvokeAction("CLONE"))
	require.Equal(t, "NOT_FOUND", apitest.Decode[contracttest.ErrorBody](t, absent).Errors[0].Code)
}

func TestCancelAction(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	artifact, bob := s.Customer(`{"name":"Acme"}`).ID, editor(s)
	mine := apitest.Decode[oasb.BusinessArtifactAction](t, s.Post(201, bob, apitest.ArtifactPath(artifact, "/actions"), apitest.InvokeStatement)).ID
	for range 2 {
		got := s.Post(200, bob, apitest.ActionPath(artifact, mine, "/~actions/cancel"), "")
		require.EqualValues(t, "CANCELED", apitest.Decode[oasb.BusinessArtifactAction](t, got).Status)
		require.NotContains(t, got.Body, "document")
	}
	require.EqualValues(t, "CANCELED", retrieveAction(s, artifact, mine).Status)
	require.Equal(t, 1, commands(s, mine, "CANCEL"))
	require.Equal(t, 1, commands(s, mine, "TERMINATE"))

	others := action(s, artifact, apitest.InvokeStatement).ID
	s.Refused(403, "ACCESS_DENIED", bob, "POST", apitest.ActionPath(artifact, others, "/~actions/cancel"), "")
	s.Post(404, demo.LoanWorker(), apitest.ActionPath(artifact, uuid.New(), "/~actions/cancel"), "")
	s.Post(404, demo.LoanWorker(), apitest.ActionPath(s.Customer(`{"name":"B"}`).ID, others, "/~actions/cancel"), "")
	require.EqualValues(t, "REQUESTED", retrieveAction(s, artifact, others).Status)
	s.Post(200, demo.LoanWorker(), apitest.ActionPath(artifact, others, "/~actions/cancel"), "")
}

func TestDeletingAnArtifactCancelsItsOpenActions(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	artifact := s.Customer(`{"name":"Acme"}`).ID
	open, canceled := action(s, artifact, apitest.InvokeStatement).ID, action(s, artifact, apitest.InvokeStatement).ID
	s.Post(200, demo.LoanWorker(), apitest.ActionPath(artifact, canceled, "/~actions/cancel"), "")
	s.Call(204, demo.LoanWorker(), "DELETE", apitest.ArtifactPath(artifact, ""), "")
	require.EqualValues(t, "CANCELED", retrieveAction(s, artifact, open).Status)
	for _, kind := range []string{"START", "CANCEL", "TERMINATE"} {
		require.Equal(t, 1, commands(s, open, kind), kind)
		require.Equal(t, 1, commands(s, canceled, kind), "%s of what was canceled before", kind)
	}
	require.Equal(t, 2, s.Count("SELECT count(*) FROM business_artifact_actions WHERE status = 'CANCELED'"))
}
