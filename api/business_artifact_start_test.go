package api_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
)

func TestPrepareStartProcess(t *testing.T) {
	t.Parallel()
	s := newService(t)
	worker := demo.LoanWorker()
	s.addDefinition("FARM", `{"name":"Farm","actions":[{"code":"BORROW","name":"Borrow","type":"START_PROCESS",`+
		`"processDefinition":"LOAN","prefill":{"LAST_NAME":"owner","PLAN":"plan","ACRES":"acres"}}]}`, worker, demo.Bob())
	farm := decode[oasb.BusinessArtifact](t, s.post(201, worker, "/business-artifacts",
		`{"businessArtifactDefinitionCode":"FARM","data":{"value":{"owner":"Ann","acres":1.50,"secret":"s"}}}`)).ID
	path := artifactPath(farm, "/~actions/prepare-start-process")
	plan := s.upload(worker, artifactPath(farm, ""), "plan")
	s.call(200, worker, "PATCH", artifactPath(farm, "/data"), `[{"op":"add","path":"/plan","value":"`+plan+`"}]`)
	customer := s.customer(`{"name":"Acme"}`).ID
	before := s.snapshot()
	prepared := s.post(200, worker, path, invokeAction("BORROW"))
	require.Equal(t, `{"metadata":{"ACRES":1.50,"LAST_NAME":"Ann","PLAN":"`+plan+`"},"processDefinitionId":"`+demo.Loan().String()+`"}`,
		strings.TrimSpace(prepared.body))
	s.refused(403, "ACCESS_DENIED", demo.Bob(), "POST", path, invokeAction("BORROW"))
	failure := s.refused(404, "DEFINITION_NOT_FOUND", worker, "POST", path, invokeAction("NONE"))
	require.Equal(t, "/businessArtifactActionDefinitionCode", failure.Errors[0].Location)
	s.refused(409, "INVALID_STATE", worker, "POST", artifactPath(customer, "/~actions/prepare-start-process"), invokeAction("CLONE"))
	require.Equal(t, `{"metadata":{},"processDefinitionId":"`+demo.Loan().String()+`"}`, strings.TrimSpace(
		s.post(200, worker, artifactPath(customer, "/~actions/prepare-start-process"), invokeAction("OPEN_LOAN")).body))
	require.Equal(t, before, s.snapshot())

	// An invocation without metadata starts with the prefilled metadata; one
	// with metadata replaces them.
	metadataOf := func(block string) string {
		action := decode[oasb.BusinessArtifactAction](t, s.post(201, worker, artifactPath(farm, "/actions"), invokeAction("BORROW", block)))
		return s.get(200, worker, processPath(action.StartProcess.ProcessID, "")).body
	}
	for _, block := range []string{`"startProcess":{}`, `"startProcess":{"metadata":{}}`} {
		started := metadataOf(block)
		require.Contains(t, started, `"ACRES":1.50,"LAST_NAME":"Ann"`)
		require.NotContains(t, started, farm.String(), "the document is one of the process")
	}
	sent := metadataOf(`"startProcess":{"metadata":{"LAST_NAME":"Bea"}}`)
	require.Contains(t, sent, `{"LAST_NAME":"Bea"}`)
	require.Equal(t, 3, s.count("SELECT count(*) FROM documents WHERE expires_at IS NULL"))

	_, err := s.connect().Exec(t.Context(), `UPDATE process_definitions SET published_version = NULL WHERE id = $1`, demo.Loan())
	require.NoError(t, err)
	s.refused(409, "DEFINITION_NOT_PUBLISHED", worker, "POST", path, invokeAction("BORROW"))
}
