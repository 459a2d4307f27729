package shapeb_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasa "github.com/procession-dev/procession/api/shapea/oas"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// A viewer of an item may download the documents that the item refers to, and
// no others of the process.
func TestViewersOfAnItemDownloadItsDocuments(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	manager, viewer := s.As("manager"), s.As("candidate")
	s.Apply(s.As("owner"), apitest.Document("north", "ProcessDefinition", "SHOWN", `{"name":"Shown",`+
		`"items":[{"code":"SHOW","type":"TASK","name":"Show","viewers":[{"user":"candidate"}]}],`+
		`"permissions":{"initiators":[{"user":"manager"}],"managers":[{"user":"manager"}]}}`))
	process := s.Process(manager, *s.Resource(s.As("owner"), "north", "ProcessDefinition", "SHOWN").Metadata.ID).ID
	path := apitest.ProcessPath(process, "")
	linked, other := s.Upload(manager, path, "linked"), s.Upload(manager, path, "other")
	s.Post(201, manager, "/process-items", `{"type":"TASK","processId":"`+process.String()+
		`","processItemDefinitionCode":"SHOW","task":{"data":{"value":{"FILE":"`+linked+`"}}}}`)
	s.Get(404, viewer, path)
	require.Equal(t, "linked", s.Download(viewer, path, linked))
	s.Get(404, viewer, apitest.DownloadPath(path, other))
}

func TestAssigningAClaimedTaskIsNoChangeOfState(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	task := s.Item(s.Loan().ID, "LOAN_APPLICATION", apitest.OwnedBy(demo.Carol())).ID
	count := func(event string) int {
		return s.Count("SELECT count(*) FROM events WHERE resource_id = $1 AND type = $2", task, event)
	}
	states := count("PROCESS_ITEM.TASK_STATE_CHANGED")
	s.Post(200, demo.LoanWorker(), apitest.ItemPath(task, apitest.Assign), apitest.ToBob)
	require.Equal(t, states, count("PROCESS_ITEM.TASK_STATE_CHANGED"))
	require.Equal(t, 1, count("PROCESS_ITEM.TASK_ASSIGNED"))
}

// Ids that callers choose count for workers and authentications, too.
func TestChosenIDsOfTheOlderShape(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	worker := demo.LoanWorker()
	register := func(status int, id uuid.UUID, identity string) apitest.Answer {
		return s.Call(status, worker, "POST", apitest.ShapeA+"/workers", `{"id":"`+id.String()+`","identity":"`+identity+
			`","taskQueue":"QUEUE_SAMPLE_LOAN","hostname":"host","ip":"127.0.0.1"}`)
	}
	id := uuid.New()
	require.Equal(t, id, *apitest.Decode[oasa.Worker](t, register(201, id, "chosen")).ID)
	require.Equal(t, id, *apitest.Decode[oasa.Worker](t, register(200, uuid.New(), "chosen")).ID)
	register(409, id, "another")

	token := `{"type":"ENGINE_TOKEN","id":"` + id.String() + `"}`
	require.Equal(t, id, *apitest.Decode[oasa.Authentication](t, s.Post(200, worker, apitest.ShapeA+"/authentications", token)).ID)
	s.Refused(409, "CONFLICT", worker, "POST", apitest.ShapeA+"/authentications", token)
}

// The workflows of user actions and robots use the key of the process definition.
func TestWorkflowsOfActionsAreEncrypted(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	s.Apply(s.As("owner"), apitest.Document("north", "EncryptionKey", "SECRETS", `{}`))
	s.Apply(s.As("owner"), apitest.Document("north", "ProcessDefinition", "SEALED", `{"name":"Sealed",`+
		`"engine":{"workflowType":"W","taskQueue":"LOANS","runner":"worker","encryptionKey":"SECRETS"},`+
		`"userActions":[{"code":"START","name":"Start","type":"START_WORKFLOW","permissions":["MANAGER"],"workflowType":"W","taskQueue":"LOANS"}],`+
		`"permissions":{"initiators":[{"user":"manager"}],"managers":[{"user":"manager"}]}}`))
	process := s.Process(s.As("manager"), *s.Resource(s.As("owner"), "north", "ProcessDefinition", "SEALED").Metadata.ID).ID
	action := apitest.Decode[oasb.ProcessAction](t, s.Post(201, s.As("manager"), apitest.ProcessPath(process, "/actions"), apitest.InvokeUserAction("START")))
	require.Equal(t, 1, s.Count("SELECT count(*) FROM engine_runs WHERE owner_id = $1 AND encryption_key_id IS NOT NULL", action.ID))
}
