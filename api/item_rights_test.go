package api_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasa "github.com/procession-dev/procession/api/shapea/oas"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
)

// A viewer of an item may download the documents that the item refers to, and
// no others of the process.
func TestViewersOfAnItemDownloadItsDocuments(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	manager, viewer := s.as("manager"), s.as("candidate")
	s.apply(s.as("owner"), document("north", "ProcessDefinition", "SHOWN", `{"name":"Shown",`+
		`"items":[{"code":"SHOW","type":"TASK","name":"Show","viewers":[{"user":"candidate"}]}],`+
		`"permissions":{"initiators":[{"user":"manager"}],"managers":[{"user":"manager"}]}}`))
	process := s.process(manager, *s.resource(s.as("owner"), "north", "ProcessDefinition", "SHOWN").Metadata.ID).ID
	path := processPath(process, "")
	linked, other := s.upload(manager, path, "linked"), s.upload(manager, path, "other")
	s.post(201, manager, "/process-items", `{"type":"TASK","processId":"`+process.String()+
		`","processItemDefinitionCode":"SHOW","task":{"data":{"value":{"FILE":"`+linked+`"}}}}`)
	s.get(404, viewer, path)
	require.Equal(t, "linked", s.download(viewer, path, linked))
	s.get(404, viewer, downloadPath(path, other))
}

func TestAssigningAClaimedTaskIsNoChangeOfState(t *testing.T) {
	t.Parallel()
	s := newService(t)
	task := s.item(s.loan().ID, "LOAN_APPLICATION", ownedBy(demo.Carol())).ID
	count := func(event string) int {
		return s.count("SELECT count(*) FROM events WHERE resource_id = $1 AND type = $2", task, event)
	}
	states := count("PROCESS_ITEM.TASK_STATE_CHANGED")
	s.post(200, demo.LoanWorker(), itemPath(task, assign), toBob)
	require.Equal(t, states, count("PROCESS_ITEM.TASK_STATE_CHANGED"))
	require.Equal(t, 1, count("PROCESS_ITEM.TASK_ASSIGNED"))
}

// Ids that callers choose count for workers and authentications, too.
func TestChosenIDsOfTheOlderShape(t *testing.T) {
	t.Parallel()
	s := newService(t)
	worker := demo.LoanWorker()
	register := func(status int, id uuid.UUID, identity string) answer {
		return s.call(status, worker, "POST", shapeA+"/workers", `{"id":"`+id.String()+`","identity":"`+identity+
			`","taskQueue":"QUEUE_SAMPLE_LOAN","hostname":"host","ip":"127.0.0.1"}`)
	}
	id := uuid.New()
	require.Equal(t, id, *decode[oasa.Worker](t, register(201, id, "chosen")).ID)
	require.Equal(t, id, *decode[oasa.Worker](t, register(200, uuid.New(), "chosen")).ID)
	register(409, id, "another")

	token := `{"type":"ENGINE_TOKEN","id":"` + id.String() + `"}`
	require.Equal(t, id, *decode[oasa.Authentication](t, s.post(200, worker, shapeA+"/authentications", token)).ID)
	s.refused(409, "CONFLICT", worker, "POST", shapeA+"/authentications", token)
}

// The workflows of user actions and robots use the key of the process definition.
func TestWorkflowsOfActionsAreEncrypted(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	s.apply(s.as("owner"), document("north", "EncryptionKey", "SECRETS", `{}`))
	s.apply(s.as("owner"), document("north", "ProcessDefinition", "SEALED", `{"name":"Sealed",`+
		`"engine":{"workflowType":"W","taskQueue":"LOANS","runner":"worker","encryptionKey":"SECRETS"},`+
		`"userActions":[{"code":"START","name":"Start","type":"START_WORKFLOW","permissions":["MANAGER"],"workflowType":"W","taskQueue":"LOANS"}],`+
		`"permissions":{"initiators":[{"user":"manager"}],"managers":[{"user":"manager"}]}}`))
	process := s.process(s.as("manager"), *s.resource(s.as("owner"), "north", "ProcessDefinition", "SEALED").Metadata.ID).ID
	action := decode[oasb.ProcessAction](t, s.post(201, s.as("manager"), processPath(process, "/actions"), invokeUserAction("START")))
	require.Equal(t, 1, s.count("SELECT count(*) FROM engine_runs WHERE owner_id = $1 AND encryption_key_id IS NOT NULL", action.ID))
}
