package api_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
)

const (
	cancel         = "/~actions/cancel"
	cancelItems    = "/~actions/cancel-process-items"
	finish         = "/~actions/complete"
	metadataOfBody = `{"metadata":{"value":{"FIRST_NAME":"Carol"}}}`
)

func TestCreatingProcesses(t *testing.T) {
	t.Parallel()
	s := newService(t)
	byCode := decode[oasb.Process](t, s.post(201, demo.Alice(), "/processes",
		`{"tenantId":"`+demo.TenantDemo().String()+`","processDefinitionCode":"LOAN","initiatorEmail":"CAROL@demo.example",`+
			`"metadata":{"valid":false,"value":{"FIRST_NAME":5},"errors":[{"type":"x"}]}}`))
	require.Equal(t, demo.Carol().ID, *byCode.InitiatorID)
	require.Equal(t, demo.Alice().ID, *byCode.CreatedBy)
	require.Equal(t, oasb.ProcessStateRUNNING, byCode.State)
	require.Equal(t, demo.Loan(), byCode.ProcessDefinitionRef.ID)
	require.Equal(t, uuid.Version(7), byCode.ID.Version())
	// The validity that the client sends is ignored; the schema decides.
	require.False(t, *byCode.Metadata.Valid)
	require.JSONEq(t, `{"FIRST_NAME":5}`, string(byCode.Metadata.Value))
	require.Len(t, byCode.Metadata.Errors, 1)
	require.Equal(t, "/FIRST_NAME", *byCode.Metadata.Errors[0].PropertyPath)
	require.Equal(t, "type", *byCode.Metadata.Errors[0].Type)
	require.Nil(t, byCode.Entity)
	require.Equal(t, byCode, s.retrieveProcess(byCode.ID))

	// The code alone is unambiguous with one tenant.
	byCodeAlone := decode[oasb.Process](t, s.post(201, demo.Carol(), "/processes", `{"processDefinitionCode":"LOAN"}`))
	require.Equal(t, demo.Loan(), byCodeAlone.ProcessDefinitionRef.ID)

	onboarding := s.process(demo.Alice(), demo.Onboarding())
	require.Nil(t, onboarding.Metadata)
	require.False(t, *onboarding.Entity.Valid)
	require.Equal(t, 0, s.count("SELECT count(*) FROM engine_runs WHERE owner_id = $1", onboarding.ID))
	require.Equal(t, 1, s.count("SELECT count(*) FROM engine_runs WHERE owner_id = $1", byCode.ID))
}

func TestCompletingAProcessLeavesItsItemsUsable(t *testing.T) {
	t.Parallel()
	s := newService(t)
	process := s.loan().ID
	task := s.item(process, "LOAN_APPLICATION", "").ID

	first := s.post(200, demo.LoanWorker(), processPath(process, finish), "")
	require.Equal(t, oasb.ProcessStateCOMPLETED, decode[oasb.Process](t, first).State)
	before := s.snapshot()
	require.Equal(t, first.body, s.post(200, demo.LoanWorker(), processPath(process, finish), "").body)
	s.refused(409, "INVALID_STATE", demo.LoanWorker(), http.MethodPost, processPath(process, cancel), "")
	require.Equal(t, before, s.snapshot())

	s.post(200, demo.Carol(), itemPath(task, claim), "")
	s.post(200, demo.Carol(), itemPath(task, logEntry), `{"message":"m","level":"INFO"}`)
	s.post(200, demo.Carol(), itemPath(task, assign), `{"ownerId":"`+demo.Carol().ID.String()+`"}`)
	s.post(200, demo.Carol(), itemPath(task, complete), "")
	require.Equal(t, 0, s.count("SELECT count(*) FROM engine_commands WHERE kind = 'SIGNAL'"))
}

func TestFinishedProcessIsNotWrittenTo(t *testing.T) {
	t.Parallel()
	for _, action := range []string{finish, cancel} {
		t.Run(action, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			process := s.loan().ID
			s.item(process, "LOAN_APPLICATION", ownedBy(demo.LoanWorker()))
			s.post(200, demo.LoanWorker(), processPath(process, action), "")
			before := s.snapshot()
			for _, c := range []struct{ method, path, body string }{
				{"POST", "/process-items", `{"type":"TASK","processId":"` + process.String() +
					`","processItemDefinitionCode":"LOAN_APPLICATION"}`},
				{"POST", processPath(process, changeInitiator), toInitiator(demo.Bob())},
				{"POST", processPath(process, changeInitiator), toInitiator(demo.Carol())},
				{"PUT", processPath(process, "/metadata"), metadataOfBody},
				{"PATCH", processPath(process, "/metadata"), `[]`},
				{"PUT", processPath(process, "/entity"), `{"entity":{"value":{}}}`},
				{"PATCH", processPath(process, "/entity"), `[]`},
			} {
				s.refused(403, "PROCESS_FINISHED", demo.LoanWorker(), c.method, c.path, c.body)
			}
			require.Equal(t, before, s.snapshot())
		})
	}
}

func TestCancellingAProcessCancelsItsOpenTasks(t *testing.T) {
	t.Parallel()
	s := newService(t)
	process := s.loan().ID
	ready := s.item(process, "LOAN_APPLICATION", "").ID
	claimed := s.item(process, "APPROVE_LOAN", ownedBy(demo.Bob())).ID
	completed := s.item(process, "APPROVE_LOAN", ownedBy(demo.LoanWorker())).ID
	s.post(200, demo.LoanWorker(), itemPath(completed, complete), "")
	events := s.events(process)

	first := s.post(200, demo.Alice(), processPath(process, cancel), "")
	require.Equal(t, oasb.ProcessStateCANCELLED, decode[oasb.Process](t, first).State)
	for id, state := range map[uuid.UUID]oasb.ProcessItemTaskState{
		ready: oasb.ProcessItemTaskStateCANCELLED, claimed: oasb.ProcessItemTaskStateCANCELLED,
		completed: oasb.ProcessItemTaskStateCOMPLETED,
	} {
		require.Equal(t, state, s.retrieveItem(id).Task.State)
	}
	require.Equal(t, events+3, s.events(process))
	require.Equal(t, 1, s.count("SELECT count(*) FROM engine_commands WHERE kind = 'CANCEL'"))

	before := s.snapshot()
	require.Equal(t, first.body, s.post(200, demo.Alice(), processPath(process, cancel), "").body)
	s.refused(409, "INVALID_STATE", demo.Alice(), http.MethodPost, processPath(process, finish), "")
	require.Equal(t, before, s.snapshot())
}

func TestCancellingItems(t *testing.T) {
	t.Parallel()
	s := newService(t)
	process, other := s.loan().ID, s.loan().ID
	state := func(id uuid.UUID) oasb.ProcessItemTaskState { return s.retrieveItem(id).Task.State }
	first := s.item(process, "LOAN_APPLICATION", "").ID
	second := s.item(process, "LOAN_APPLICATION", ownedBy(demo.Carol())).ID
	completed := s.item(process, "LOAN_APPLICATION", ownedBy(demo.LoanWorker())).ID
	s.post(200, demo.LoanWorker(), itemPath(completed, complete), "")
	foreign := s.item(other, "LOAN_APPLICATION", "").ID
	message := decode[oasb.ProcessItem](t, s.post(201, demo.LoanWorker(), "/process-items",
		`{"type":"MESSAGE","processId":"`+process.String()+`","message":{"text":"t"}}`)).ID
	running := s.get(200, demo.LoanWorker(), processPath(process, "")).body
	naming := func(ids ...uuid.UUID) string {
		query := "?"
		for _, id := range ids {
			query += "processItemId=" + id.String() + "&"
		}
		return processPath(process, cancelItems+query)
	}

	before := s.snapshot()
	s.refused(404, "NOT_FOUND", demo.LoanWorker(), http.MethodPost, naming(first, foreign), "")
	s.refused(404, "NOT_FOUND", demo.LoanWorker(), http.MethodPost, naming(uuid.New()), "")
	s.refused(403, "ACCESS_DENIED", demo.Carol(), http.MethodPost, naming(first), "")
	require.Equal(t, running, s.post(200, demo.LoanWorker(), naming(completed, message), "").body)
	require.Equal(t, before, s.snapshot())

	s.post(200, demo.LoanWorker(), naming(first, first, completed), "")
	require.Equal(t, oasb.ProcessItemTaskStateCANCELLED, state(first))
	require.Equal(t, oasb.ProcessItemTaskStateCLAIMED, state(second))
	require.Equal(t, running, s.post(200, demo.LoanWorker(), naming(), "").body)
	require.Equal(t, oasb.ProcessItemTaskStateCANCELLED, state(second))
	require.Equal(t, oasb.ProcessItemTaskStateCOMPLETED, state(completed))
	require.Equal(t, oasb.ProcessItemTaskStateREADY, state(foreign))
	require.Equal(t, 0, s.count("SELECT count(*) FROM engine_commands WHERE kind <> 'START' AND kind <> 'SIGNAL'"))
}
