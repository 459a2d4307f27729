package shapeb_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/apitest"
)

func TestCreatingProcesses(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	byCode := apitest.Decode[oasb.Process](t, s.Post(201, demo.Alice(), "/processes",
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
	require.Equal(t, byCode, s.RetrieveProcess(byCode.ID))

	// The code alone is unambiguous with one tenant.
	byCodeAlone := apitest.Decode[oasb.Process](t, s.Post(201, demo.Carol(), "/processes", `{"processDefinitionCode":"LOAN"}`))
	require.Equal(t, demo.Loan(), byCodeAlone.ProcessDefinitionRef.ID)

	onboarding := s.Process(demo.Alice(), demo.Onboarding())
	require.Nil(t, onboarding.Metadata)
	require.False(t, *onboarding.Entity.Valid)
	require.Equal(t, 0, s.Count("SELECT count(*) FROM engine_runs WHERE owner_id = $1", onboarding.ID))
	require.Equal(t, 1, s.Count("SELECT count(*) FROM engine_runs WHERE owner_id = $1", byCode.ID))
}

// Extras are kept with the run, with their digits, and read back for the start of its workflow.
func TestExtrasOfAProcess(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	const extras = `{"CHANNEL":"WEB","TOTAL":12.50,"NESTED":{"A":[1e3,null]}}`
	create := func(code, extras string) string {
		return `{"tenantId":"` + demo.TenantDemo().String() + `","processDefinitionCode":"` + code + `","extras":` + extras + `}`
	}
	created := apitest.Decode[oasb.Process](t, s.Post(201, demo.Alice(), "/processes", create("LOAN", extras)))
	require.Equal(t, 1, s.Count("SELECT count(*) FROM engine_runs WHERE owner_id = $1 AND extras::text = $2", created.ID, extras))
	without := s.Process(demo.Alice(), demo.Loan())
	require.Equal(t, 1, s.Count("SELECT count(*) FROM engine_runs WHERE owner_id = $1 AND extras IS NULL", without.ID))
	due, err := s.DB.ExchangeEngineCommands(t.Context(), persistence.CommandExchange{Now: s.Now(), Limit: 10, LeaseUntil: s.Now().Add(time.Minute)})
	require.NoError(t, err)
	sent := map[uuid.UUID]string{}
	for _, c := range due {
		sent[c.Run.OwnerID] = string(c.Run.Extras)
	}
	require.Equal(t, map[uuid.UUID]string{created.ID: extras, without.ID: ""}, sent)

	for name, body := range map[string]string{
		"too large":   create("LOAN", `{"A":"`+strings.Repeat("a", 65_536)+`"}`),
		"no workflow": `{"processDefinitionId":"` + demo.Onboarding().String() + `","extras":{"A":1}}`,
	} {
		failure := apitest.Decode[oasb.DefaultError](t, s.Post(400, demo.Alice(), "/processes", body))
		require.Equal(t, "/extras", *failure.Errors[0].Location, name)
	}
}

func TestItemsOfACompletedProcessRemainUsable(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := s.Loan().ID
	task := s.Item(process, "LOAN_APPLICATION", "").ID

	first := s.Post(200, demo.LoanWorker(), apitest.ProcessPath(process, apitest.Finish), "")
	require.Equal(t, oasb.ProcessStateCOMPLETED, apitest.Decode[oasb.Process](t, first).State)
	before := s.Snapshot()
	require.Equal(t, first.Body, s.Post(200, demo.LoanWorker(), apitest.ProcessPath(process, apitest.Finish), "").Body)
	s.Refused(409, "INVALID_STATE", demo.LoanWorker(), http.MethodPost, apitest.ProcessPath(process, apitest.Cancel), "")
	require.Equal(t, before, s.Snapshot())

	s.Post(200, demo.Carol(), apitest.ItemPath(task, apitest.Claim), "")
	s.Post(200, demo.Carol(), apitest.ItemPath(task, apitest.LogEntry), `{"message":"m","level":"INFO"}`)
	s.Post(200, demo.Carol(), apitest.ItemPath(task, apitest.Assign), `{"ownerId":"`+demo.Carol().ID.String()+`"}`)
	s.Post(200, demo.Carol(), apitest.ItemPath(task, apitest.Complete), "")
	require.Equal(t, 0, s.Count("SELECT count(*) FROM engine_commands WHERE kind = 'SIGNAL'"))
}

func TestFinishedProcessIsNotWrittenTo(t *testing.T) {
	t.Parallel()
	for _, action := range []string{apitest.Finish, apitest.Cancel} {
		t.Run(action, func(t *testing.T) {
			t.Parallel()
			s := apitest.NewService(t)
			process := s.Loan().ID
			s.Item(process, "LOAN_APPLICATION", apitest.OwnedBy(demo.LoanWorker()))
			s.Post(200, demo.LoanWorker(), apitest.ProcessPath(process, action), "")
			before := s.Snapshot()
			for _, c := range []struct{ method, path, body string }{
				{"POST", "/process-items", `{"type":"TASK","processId":"` + process.String() +
					`","processItemDefinitionCode":"LOAN_APPLICATION"}`},
				{"POST", apitest.ProcessPath(process, apitest.ChangeInitiator), apitest.ToInitiator(demo.Bob())},
				{"POST", apitest.ProcessPath(process, apitest.ChangeInitiator), apitest.ToInitiator(demo.Carol())},
				{"PUT", apitest.ProcessPath(process, "/metadata"), apitest.MetadataOfBody},
				{"PATCH", apitest.ProcessPath(process, "/metadata"), `[]`},
				{"PUT", apitest.ProcessPath(process, "/entity"), `{"entity":{"value":{}}}`},
				{"PATCH", apitest.ProcessPath(process, "/entity"), `[]`},
			} {
				s.Refused(403, "PROCESS_FINISHED", demo.LoanWorker(), c.method, c.path, c.body)
			}
			require.Equal(t, before, s.Snapshot())
		})
	}
}

func TestCancellingAProcessCancelsItsOpenTasks(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := s.Loan().ID
	ready := s.Item(process, "LOAN_APPLICATION", "").ID
	claimed := s.Item(process, "APPROVE_LOAN", apitest.OwnedBy(demo.Bob())).ID
	completed := s.Item(process, "APPROVE_LOAN", apitest.OwnedBy(demo.LoanWorker())).ID
	s.Post(200, demo.LoanWorker(), apitest.ItemPath(completed, apitest.Complete), "")
	events := s.Events(process)

	first := s.Post(200, demo.Alice(), apitest.ProcessPath(process, apitest.Cancel), "")
	require.Equal(t, oasb.ProcessStateCANCELLED, apitest.Decode[oasb.Process](t, first).State)
	for id, state := range map[uuid.UUID]oasb.ProcessItemTaskState{
		ready: oasb.ProcessItemTaskStateCANCELLED, claimed: oasb.ProcessItemTaskStateCANCELLED,
		completed: oasb.ProcessItemTaskStateCOMPLETED,
	} {
		require.Equal(t, state, s.RetrieveItem(id).Task.State)
	}
	require.Equal(t, events+3, s.Events(process))
	require.Equal(t, 1, s.Count("SELECT count(*) FROM engine_commands WHERE kind = 'CANCEL'"))

	before := s.Snapshot()
	require.Equal(t, first.Body, s.Post(200, demo.Alice(), apitest.ProcessPath(process, apitest.Cancel), "").Body)
	s.Refused(409, "INVALID_STATE", demo.Alice(), http.MethodPost, apitest.ProcessPath(process, apitest.Finish), "")
	require.Equal(t, before, s.Snapshot())
}

func TestCancellingItems(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process, other := s.Loan().ID, s.Loan().ID
	state := func(id uuid.UUID) oasb.ProcessItemTaskState { return s.RetrieveItem(id).Task.State }
	first := s.Item(process, "LOAN_APPLICATION", "").ID
	second := s.Item(process, "LOAN_APPLICATION", apitest.OwnedBy(demo.Carol())).ID
	completed := s.Item(process, "LOAN_APPLICATION", apitest.OwnedBy(demo.LoanWorker())).ID
	s.Post(200, demo.LoanWorker(), apitest.ItemPath(completed, apitest.Complete), "")
	foreign := s.Item(other, "LOAN_APPLICATION", "").ID
	message := apitest.Decode[oasb.ProcessItem](t, s.Post(201, demo.LoanWorker(), "/process-items",
		`{"type":"MESSAGE","processId":"`+process.String()+`","message":{"text":"t"}}`)).ID
	running := s.Get(200, demo.LoanWorker(), apitest.ProcessPath(process, "")).Body
	naming := func(ids ...uuid.UUID) string {
		query := "?"
		for _, id := range ids {
			query += "processItemId=" + id.String() + "&"
		}
		return apitest.ProcessPath(process, apitest.CancelItems+query)
	}

	before := s.Snapshot()
	s.Refused(404, "NOT_FOUND", demo.LoanWorker(), http.MethodPost, naming(first, foreign), "")
	s.Refused(404, "NOT_FOUND", demo.LoanWorker(), http.MethodPost, naming(uuid.New()), "")
	s.Refused(403, "ACCESS_DENIED", demo.Carol(), http.MethodPost, naming(first), "")
	require.Equal(t, running, s.Post(200, demo.LoanWorker(), naming(completed, message), "").Body)
	require.Equal(t, before, s.Snapshot())

	s.Post(200, demo.LoanWorker(), naming(first, first, completed), "")
	require.Equal(t, oasb.ProcessItemTaskStateCANCELLED, state(first))
	require.Equal(t, oasb.ProcessItemTaskStateCLAIMED, state(second))
	require.Equal(t, running, s.Post(200, demo.LoanWorker(), naming(), "").Body)
	require.Equal(t, oasb.ProcessItemTaskStateCANCELLED, state(second))
	require.Equal(t, oasb.ProcessItemTaskStateCOMPLETED, state(completed))
	require.Equal(t, oasb.ProcessItemTaskStateREADY, state(foreign))
	require.Equal(t, 0, s.Count("SELECT count(*) FROM engine_commands WHERE kind <> 'START' AND kind <> 'SIGNAL'"))
}
