package api_test

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
	"github.com/procession-dev/procession/internal/testkit/contracttest"
	"github.com/procession-dev/procession/persistence"
)

const invokeStatement = `{"businessArtifactActionDefinitionCode":"STATEMENT","downloadable":{"input":{"month":"2026-03"}}}`

// invokeAction returns a body that invokes an action; more are further members
// of it.
func invokeAction(code string, more ...string) string {
	members := append([]string{`"businessArtifactActionDefinitionCode":"` + code + `"`}, more...)
	return "{" + strings.Join(members, ",") + "}"
}

func withID(id uuid.UUID) string { return `"id":"` + id.String() + `"` }

func actionPath(artifact, action uuid.UUID, rest string) string {
	return artifactPath(artifact, "/actions/"+action.String()+rest)
}

// action invokes an action as the loan worker.
func (s *service) action(artifact uuid.UUID, body string) oasb.BusinessArtifactAction {
	s.t.Helper()
	return decode[oasb.BusinessArtifactAction](s.t, s.post(201, demo.LoanWorker(), artifactPath(artifact, "/actions"), body))
}

func (s *service) retrieveAction(artifact, action uuid.UUID) oasb.BusinessArtifactAction {
	s.t.Helper()
	return decode[oasb.BusinessArtifactAction](s.t, s.get(200, demo.LoanWorker(), actionPath(artifact, action, "")))
}

// commands counts the commands to Temporal for an action.
func (s *service) commands(action uuid.UUID, kind string) int {
	s.t.Helper()
	return s.count(`SELECT count(*) FROM engine_commands c JOIN engine_runs r ON r.id = c.engine_run_id
		WHERE r.owner_id = $1 AND c.kind = $2`, action, kind)
}

func TestInvokeLeavesTheActionToAWorker(t *testing.T) {
	t.Parallel()
	s := newService(t)
	artifact := s.customer(`{"name":"Acme"}`).ID
	for code, body := range map[string]string{
		"STATEMENT":   `"downloadable":{"input":{"month":"2026-03","limit":1E22}},"startWorkflow":{"input":{"ignored":true}}`,
		"RECALCULATE": `"startWorkflow":{"input":{"month":"2026-03","limit":1E22}},"downloadable":{}`,
	} {
		id := uuid.New()
		path := artifactPath(artifact, "/actions")
		first := s.post(201, demo.LoanWorker(), path, invokeAction(code, withID(id), body))
		require.Contains(t, first.body, `"input":{"valid":true,"value":{"month":"2026-03","limit":1E22}}`)
		got := decode[oasb.BusinessArtifactAction](t, first)
		require.Equal(t, id, got.ID)
		require.EqualValues(t, "REQUESTED", got.Status)
		require.Equal(t, demo.LoanWorker().ID, *got.CreatedBy)
		require.Equal(t, oasb.BusinessArtifactActionDefinitionRef{
			ID: domain.NewActionDefinitionRef(customers(), code).ID, Code: code,
		}, got.BusinessArtifactActionDefinitionRef)
		require.NotContains(t, first.body, "document")
		require.Equal(t, 1, s.commands(id, "START"))

		before := s.snapshot()
		require.Equal(t, first.body, s.get(200, demo.LoanWorker(), actionPath(artifact, id, "")).body)
		require.Equal(t, first.body, s.post(200, demo.LoanWorker(), path, invokeAction(code, withID(id))).body, "repeated")
		require.Equal(t, before, s.snapshot())
	}
	s.get(404, demo.LoanWorker(), actionPath(s.customer(`{"name":"B"}`).ID, uuid.New(), ""))
}

func TestConcurrentInvocationsWithOneIDAreOne(t *testing.T) {
	t.Parallel()
	s := newService(t)
	artifact, id := s.customer(`{"name":"Acme"}`).ID, uuid.New()
	for _, body := range []string{
		invokeAction("STATEMENT", withID(id), `"downloadable":{"input":{"month":"m"}}`),
		invokeAction("OPEN_LOAN", withID(uuid.New())), invokeAction("CLONE", withID(uuid.New())),
	} {
		statuses := make([]int, 16)
		var wg sync.WaitGroup
		for i := range statuses {
			wg.Go(func() {
				got, err := s.exchange(request(t, demo.LoanWorker(), "POST", artifactPath(artifact, "/actions"), body))
				if err == nil {
					statuses[i] = got.status
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
	require.Equal(t, 1, s.commands(id, "START"))
	require.Equal(t, 1, s.count("SELECT count(*) FROM processes"))
	require.Equal(t, 2, s.count("SELECT count(*) FROM business_artifacts"))
}

// Input that violates its schema is stored, with the action in ERROR.
func TestInvocationsThatFail(t *testing.T) {
	t.Parallel()
	s := newService(t)
	artifact := s.customer(`{"name":"Acme"}`).ID
	path := artifactPath(artifact, "/actions")
	document := `kuflow-file:uri=ku:business-artifact/` + artifact.String() + `/document/` + uuid.NewString() +
		`;type=text/plain;size=1;name=a;`
	before := s.snapshot()
	failure := s.refused(404, "DEFINITION_NOT_FOUND", demo.LoanWorker(), "POST", path, invokeAction("NONE"))
	require.Equal(t, "/businessArtifactActionDefinitionCode", failure.Errors[0].Location)
	require.Equal(t, before, s.snapshot())
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
		got := s.requireFailed(demo.LoanWorker(), path, invokeAction(c.code, withID(uuid.New()), c.block), c.locations...)
		action := decode[oasb.BusinessArtifactAction](t, got)
		input := c.locations[0][:strings.Index(c.locations[0], "input")+len("input")]
		if block := action.Downloadable; block != nil && block.Input != nil {
			require.False(t, *block.Input.Valid, name)
			require.Len(t, block.Input.Errors, len(c.locations), name)
			require.Equal(t, c.locations[0], input+*block.Input.Errors[0].PropertyPath, name)
		}
	}
	require.Zero(t, s.count("SELECT count(*) FROM engine_runs"))
}

func TestInputKeepsItsDocuments(t *testing.T) {
	t.Parallel()
	s := newService(t)
	artifact, process := s.customer(`{"name":"Acme"}`).ID, s.loan().ID
	own := s.upload(demo.LoanWorker(), artifactPath(artifact, ""), "own")
	foreign := s.upload(demo.LoanWorker(), processPath(process, ""), "foreign")
	got := s.action(artifact, invokeAction("RECALCULATE", `"startWorkflow":{"input":{"a":"`+own+`","b":"`+foreign+`"}}`))
	values := decode[map[string]string](t, answer{body: string(got.StartWorkflow.Input.Value)})
	require.Equal(t, own, values["a"])
	require.NotEqual(t, foreign, values["b"])
	require.Equal(t, "foreign", s.download(demo.LoanWorker(), artifactPath(artifact, ""), values["b"]))
	require.Equal(t, 2, s.count("SELECT count(*) FROM documents d JOIN document_links l ON l.document_id = d.id WHERE d.expires_at IS NULL AND l.holder_id = $1", got.ID))
}

func TestInvokeStartProcess(t *testing.T) {
	t.Parallel()
	s := newService(t)
	artifact := s.customer(`{"name":"Acme"}`).ID
	path := artifactPath(artifact, "/actions")
	body := invokeAction("OPEN_LOAN", withID(uuid.New()), `"startProcess":{"metadata":{"FIRST_NAME":"A","n":1.50},"entity":{"x":-0}}`)
	first := s.post(201, demo.LoanWorker(), path, body)
	got := decode[oasb.BusinessArtifactAction](t, first)
	require.EqualValues(t, "COMPLETED", got.Status)
	require.Equal(t, demo.Loan(), got.StartProcess.ProcessDefinitionID)
	started := s.get(200, demo.LoanWorker(), processPath(got.StartProcess.ProcessID, ""))
	require.Contains(t, started.body, `"value":{"FIRST_NAME":"A","n":1.50}`)
	require.Contains(t, started.body, `"value":{"x":-0}`)
	process := decode[oasb.Process](t, started)
	require.EqualValues(t, "RUNNING", process.State)
	require.Equal(t, demo.LoanWorker().ID, *process.InitiatorID)
	require.Equal(t, 2, s.events(process.ID))
	require.Equal(t, 1, s.commands(process.ID, "START"))

	before := s.snapshot()
	require.Equal(t, first.body, s.post(200, demo.LoanWorker(), path, body).body)
	require.Equal(t, first.body, s.post(200, demo.LoanWorker(), actionPath(artifact, got.ID, "/~actions/cancel"), "").body)
	require.Equal(t, before, s.snapshot())
}

func TestInvokeNeedsTheRightsOfWhatItDoes(t *testing.T) {
	t.Parallel()
	s := newService(t)
	artifact := s.customer(`{"name":"Acme"}`).ID
	// An Editor of CUSTOMER who may start no LOAN, and a definition that is
	// visible to no caller.
	editor := s.editor()
	s.addDefinition("HIDDEN", `{"name":"Hidden"}`)
	s.addDefinition("SOURCE", `{"name":"Source","actions":[`+
		`{"code":"MAKE","name":"Make","type":"CREATE_BUSINESS_ARTIFACT","businessArtifactDefinition":"HIDDEN"},`+
		`{"code":"INSPECT","name":"Inspect","type":"START_PROCESS","processDefinition":"INSPECTION"}]}`, editor)
	source := decode[oasb.BusinessArtifact](t, s.post(201, editor, "/business-artifacts", `{"businessArtifactDefinitionCode":"SOURCE"}`)).ID
	before := s.snapshot()
	for path, body := range map[string]string{
		artifactPath(artifact, "/actions"):                        invokeAction("OPEN_LOAN"),
		artifactPath(source, "/actions"):                          invokeAction("MAKE", `"createArtifact":{"value":{"a":1}}`),
		artifactPath(source, "/actions") + "?":                    invokeAction("INSPECT"),
		artifactPath(source, "/~actions/prepare-create-artifact"): invokeAction("MAKE"),
	} {
		s.refused(403, "ACCESS_DENIED", editor, "POST", path, body)
	}
	require.Equal(t, before, s.snapshot())

	_, err := s.connect().Exec(t.Context(), `UPDATE process_definitions SET published_version = NULL WHERE id = $1`, demo.Loan())
	require.NoError(t, err)
	processes := s.count("SELECT count(*) FROM processes")
	s.requireFailed(demo.LoanWorker(), artifactPath(artifact, "/actions"), invokeAction("OPEN_LOAN", withID(uuid.New())), "")
	require.Equal(t, processes, s.count("SELECT count(*) FROM processes"))
}

// addDefinition adds a business artifact definition to the tenant Demo whose
// artifacts are visible to the editors only.
func (s *service) addDefinition(code, spec string, editors ...demo.Account) {
	s.t.Helper()
	d, err := resource.FromStored(resource.KindBusinessArtifactDefinition, resource.Metadata{Code: code, Tenant: "demo"}, []byte(spec))
	require.NoError(s.t, err)
	id := uuid.New()
	require.NoError(s.t, s.db.Write(s.t.Context(), func(tx *persistence.Tx) error {
		for _, editor := range editors {
			tx.GrantOnArtifact(id, demo.TenantDemo(), domain.PermissionArtifactEditor, editor.ID)
		}
		return tx.PutResource(resource.Stored{
			Document: d, ID: id, TenantID: demo.TenantDemo(), Audit: domain.NewAudit(domain.SystemPrincipalID(), s.now()),
		})
	}))
}

func TestInvokeCreateArtifact(t *testing.T) {
	t.Parallel()
	s := newService(t)
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
		artifact := s.customer(c.source).ID
		before := s.snapshot()
		prepared := s.post(200, demo.LoanWorker(), artifactPath(artifact, "/~actions/prepare-create-artifact"), invokeAction("CLONE"))
		require.Equal(t, `{"businessArtifactDefinitionRef":{"code":"CUSTOMER","id":"`+customers().String()+`"},"value":`+c.prepared+"}",
			strings.TrimSpace(prepared.body), name)
		require.Equal(t, before, s.snapshot(), name)

		first := s.post(201, demo.LoanWorker(), artifactPath(artifact, "/actions"), invokeAction("CLONE", c.block))
		require.Contains(t, first.body, `"value":`+c.value, name)
		got := decode[oasb.BusinessArtifactAction](t, first)
		require.EqualValues(t, "COMPLETED", got.Status)
		require.Equal(t, oasb.BusinessArtifactDefinitionRef{ID: customers(), Code: "CUSTOMER"}, got.CreateArtifact.BusinessArtifactDefinitionRef)
		created := s.get(200, demo.LoanWorker(), artifactPath(*got.CreateArtifact.BusinessArtifactID, ""))
		require.Contains(t, created.body, `"value":`+c.value, name)
		require.Equal(t, first.body, s.get(200, demo.LoanWorker(), actionPath(artifact, got.ID, "")).body)
	}
}

func TestPrepareIsForActionsThatCreate(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := artifactPath(s.customer(`{"name":"Acme"}`).ID, "/~actions/prepare-create-artifact")
	for _, code := range []string{"STATEMENT", "RECALCULATE", "OPEN_LOAN"} {
		s.refused(409, "INVALID_STATE", demo.LoanWorker(), "POST", path, invokeAction(code))
	}
	failure := s.refused(404, "DEFINITION_NOT_FOUND", demo.LoanWorker(), "POST", path, invokeAction("NONE"))
	require.Equal(t, "/businessArtifactActionDefinitionCode", failure.Errors[0].Location)
	absent := s.call(404, demo.LoanWorker(), "POST", artifactPath(uuid.New(), "/~actions/prepare-create-artifact"), invokeAction("CLONE"))
	require.Equal(t, "NOT_FOUND", decode[contracttest.ErrorBody](t, absent).Errors[0].Code)
}

func TestCancelAction(t *testing.T) {
	t.Parallel()
	s := newService(t)
	artifact, bob := s.customer(`{"name":"Acme"}`).ID, s.editor()
	mine := decode[oasb.BusinessArtifactAction](t, s.post(201, bob, artifactPath(artifact, "/actions"), invokeStatement)).ID
	for range 2 {
		got := s.post(200, bob, actionPath(artifact, mine, "/~actions/cancel"), "")
		require.EqualValues(t, "CANCELED", decode[oasb.BusinessArtifactAction](t, got).Status)
		require.NotContains(t, got.body, "document")
	}
	require.EqualValues(t, "CANCELED", s.retrieveAction(artifact, mine).Status)
	require.Equal(t, 1, s.commands(mine, "CANCEL"))
	require.Equal(t, 1, s.commands(mine, "TERMINATE"))

	others := s.action(artifact, invokeStatement).ID
	s.refused(403, "ACCESS_DENIED", bob, "POST", actionPath(artifact, others, "/~actions/cancel"), "")
	s.post(404, demo.LoanWorker(), actionPath(artifact, uuid.New(), "/~actions/cancel"), "")
	s.post(404, demo.LoanWorker(), actionPath(s.customer(`{"name":"B"}`).ID, others, "/~actions/cancel"), "")
	require.EqualValues(t, "REQUESTED", s.retrieveAction(artifact, others).Status)
	s.post(200, demo.LoanWorker(), actionPath(artifact, others, "/~actions/cancel"), "")
}

func TestDeletingAnArtifactCancelsItsOpenActions(t *testing.T) {
	t.Parallel()
	s := newService(t)
	artifact := s.customer(`{"name":"Acme"}`).ID
	open, canceled := s.action(artifact, invokeStatement).ID, s.action(artifact, invokeStatement).ID
	s.post(200, demo.LoanWorker(), actionPath(artifact, canceled, "/~actions/cancel"), "")
	s.call(204, demo.LoanWorker(), "DELETE", artifactPath(artifact, ""), "")
	require.EqualValues(t, "CANCELED", s.retrieveAction(artifact, open).Status)
	for _, kind := range []string{"START", "CANCEL", "TERMINATE"} {
		require.Equal(t, 1, s.commands(open, kind), kind)
		require.Equal(t, 1, s.commands(canceled, kind), "%s of what was canceled before", kind)
	}
	require.Equal(t, 2, s.count("SELECT count(*) FROM business_artifact_actions WHERE status = 'CANCELED'"))
}
