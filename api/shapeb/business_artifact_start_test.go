package shapeb_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

func TestPrepareStartProcess(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	worker := demo.LoanWorker()
	addDefinition(s, "FARM", `{"name":"Farm","actions":[{"code":"BORROW","name":"Borrow","type":"START_PROCESS",`+
		`"processDefinition":"LOAN","prefill":{"LAST_NAME":"owner","PLAN":"plan","ACRES":"acres"}}]}`, worker, demo.Bob())
	farm := apitest.Decode[oasb.BusinessArtifact](t, s.Post(201, worker, "/business-artifacts",
		`{"businessArtifactDefinitionCode":"FARM","data":{"value":{"owner":"Ann","acres":1.50,"secret":"s"}}}`)).ID
	path := apitest.ArtifactPath(farm, "/~actions/prepare-start-process")
	plan := s.Upload(worker, apitest.ArtifactPath(farm, ""), "plan")
	s.Call(200, worker, "PATCH", apitest.ArtifactPath(farm, "/data"), `[{"op":"add","path":"/plan","value":"`+plan+`"}]`)
	customer := s.Customer(`{"name":"Acme"}`).ID
	before := s.Snapshot()
	prepared := s.Post(200, worker, path, apitest.InvokeAction("BORROW"))
	require.Equal(t, `{"metadata":{"ACRES":1.50,"LAST_NAME":"Ann","PLAN":"`+plan+`"},"processDefinitionId":"`+demo.Loan().String()+`"}`,
		strings.TrimSpace(prepared.Body))
	s.Refused(403, "ACCESS_DENIED", demo.Bob(), "POST", path, apitest.InvokeAction("BORROW"))
	failure := s.Refused(404, "DEFINITION_NOT_FOUND", worker, "POST", path, apitest.InvokeAction("NONE"))
	require.Equal(t, "/businessArtifactActionDefinitionCode", failure.Errors[0].Location)
	s.Refused(409, "INVALID_STATE", worker, "POST", apitest.ArtifactPath(customer, "/~actions/prepare-start-process"), apitest.InvokeAction("CLONE"))
	require.Equal(t, `{"metadata":{},"processDefinitionId":"`+demo.Loan().String()+`"}`, strings.TrimSpace(
		s.Post(200, worker, apitest.ArtifactPath(customer, "/~actions/prepare-start-process"), apitest.InvokeAction("OPEN_LOAN")).Body))
	require.Equal(t, before, s.Snapshot())

	// An invocation without metadata starts with the prefilled metadata; one
	// with metadata replaces them.
	metadataOf := func(block string) string {
		action := apitest.Decode[oasb.BusinessArtifactAction](t, s.Post(201, worker, apitest.ArtifactPath(farm, "/actions"), apitest.InvokeAction("BORROW", block)))
		return s.Get(200, worker, apitest.ProcessPath(action.StartProcess.ProcessID, "")).Body
	}
	for _, block := range []string{`"startProcess":{}`, `"startProcess":{"metadata":{}}`} {
		started := metadataOf(block)
		require.Contains(t, started, `"ACRES":1.50,"LAST_NAME":"Ann"`)
		require.NotContains(t, started, farm.String(), "the document is one of the process")
	}
	sent := metadataOf(`"startProcess":{"metadata":{"LAST_NAME":"Bea"}}`)
	require.Contains(t, sent, `{"LAST_NAME":"Bea"}`)
	require.Equal(t, 3, s.Count("SELECT count(*) FROM documents WHERE expires_at IS NULL"))

	_, err := s.Connect().Exec(t.Context(), `UPDATE process_definitions SET published_version = NULL WHERE id = $1`, demo.Loan())
	require.NoError(t, err)
	s.Refused(409, "DEFINITION_NOT_PUBLISHED", worker, "POST", path, apitest.InvokeAction("BORROW"))
}
