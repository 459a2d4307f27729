package console_test

import (
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/assistance"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
)

// carryOut does the steps of the latest run about a task, as its workflow does.
func (s *site) carryOut(task uuid.UUID) {
	s.t.Helper()
	run, err := s.app.RetrieveProcessItemAIAssistance(s.t.Context(), s.callerOf(demo.Alice()), task)
	require.NoError(s.t, err)
	require.Equal(s.t, domain.AssistancePending, run.State)
	require.NoError(s.t, s.app.ReadAssistanceDocuments(s.t.Context(), run.AssistanceKey))
	for more := true; more; {
		more, err = s.app.EmbedAssistancePassages(s.t.Context(), run.AssistanceKey)
		require.NoError(s.t, err)
	}
	require.NoError(s.t, s.app.PrepareAssistancePrompt(s.t.Context(), run.AssistanceKey))
	require.NoError(s.t, s.app.AskAssistanceModel(s.t.Context(), run.AssistanceKey))
	require.NoError(s.t, s.app.FinishAssistance(s.t.Context(), run.AssistanceKey))
}

// A model is asked, watched, and its suggestion accepted and marked until a person
// changes it.
func TestHelpFromAModel(t *testing.T) { //nolint:funlen // one story in a browser
	t.Parallel()
	shared := makeSite(t)
	shared.t = t
	loan, err := os.ReadFile("../examples/demo/loan.yaml")
	require.NoError(t, err)
	shared.applyManifests(strings.Replace(string(loan), "        answer: SUGGESTION\n", "        answer: SUGGESTION\n"+
		"        outputSchema: {type: object, properties: {APPROVAL: {enum: ['YES', 'NO']}, REASON: {type: string}}, required: [APPROVAL, REASON]}\n", 1))
	t.Run("is accepted field by field", func(t *testing.T) {
		t.Parallel()
		s := *shared
		s.t = t
		task := s.createTask(s.startLoan("Loan with help"), "APPROVE_LOAN", `{"FIRST_NAME":"Given","LAST_NAME":"Family","AMOUNT":"7500"}`)
		s.assignTask(task, demo.Bob())
		bob := s.signIn("Bob")
		bob.openPath("tasks/" + task.String())
		bob.requireFit()
		bob.Click("#help form button")
		bob.AwaitText("The model is reading the task.")
		bob.RequireAccessible()
		s.carryOut(task)
		bob.AwaitText("Accept")
		require.Contains(t, bob.Text(".suggestion"), "nothing")
		bob.requireFit()
		bob.Click(".suggestion button")
		bob.AwaitText("Written by procession-builtin, run 1")
		bob.AwaitText("In the form")
		require.Equal(t, 1, bob.Count(".form-mark"))
		bob.requireFit()
		opened, err := s.app.OpenTask(t.Context(), s.callerOf(demo.Bob()), task)
		require.NoError(t, err)
		require.JSONEq(t, `{"FIRST_NAME":"Given","LAST_NAME":"Family","AMOUNT":"7500","APPROVAL":"YES"}`, string(opened.Item.Task.Data.Value))
		bob.Click("#f-APPROVAL\\.1")
		bob.Await(`!document.querySelector(".form-mark")`)
		bob.Await(`document.querySelector("[data-status]").dataset.state === "saved"`)
		bob.openPath("tasks/" + task.String())
		require.Zero(t, bob.Count(".form-mark"), "a person has changed it")
		bob.Click(".suggestion button")
		bob.AwaitText("In the form")
		bob.Click("[data-complete]")
		bob.AwaitText("is completed.")
	})
	t.Run("works without a script, and says in words why there is none", func(t *testing.T) {
		t.Parallel()
		s := *shared
		s.t = t
		task := s.createTask(s.startLoan("Loan without help"), "APPROVE_LOAN", "")
		s.assignTask(task, demo.Bob())
		bob := s.signInWithoutScript("Bob")
		bob.openPath("tasks/" + task.String())
		bob.Click("#help form button")
		bob.AwaitText("The model is reading the task.")
		run, err := s.app.RetrieveProcessItemAIAssistance(t.Context(), s.callerOf(demo.Bob()), task)
		require.NoError(t, err)
		require.NoError(t, s.app.NoteAssistanceFault(t.Context(), run.AssistanceKey, string(assistance.CodeFiltered), "declined"))
		require.NoError(t, s.app.FailAssistance(t.Context(), run.AssistanceKey, ""))
		bob.openPath("tasks/" + task.String())
		bob.AwaitText("The model declined to answer.")
		bob.Click("#help form button")
		bob.AwaitText("The model is reading the task.")
		s.carryOut(task)
		bob.openPath("tasks/" + task.String())
		bob.Click(".suggestion button")
		bob.AwaitText("Written by procession-builtin, run 2")
	})
	t.Run("is only taken from the latest run", func(t *testing.T) {
		t.Parallel()
		s := *shared
		s.t = t
		task := s.createTask(s.startLoan("Loan with old help"), "APPROVE_LOAN", "")
		s.assignTask(task, demo.Bob())
		run, _, err := s.app.GenerateProcessItemAIAssistance(t.Context(), s.callerOf(demo.Bob()), task, uuid.New())
		require.NoError(t, err)
		s.carryOut(task)
		bob := s.clientWithToken(demo.Bob().Secret)
		for _, c := range []struct {
			request, field string
			status         int
		}{
			{uuid.NewString(), "/APPROVAL", http.StatusConflict},
			{run.RequestID.String(), "/AMOUNT", http.StatusSeeOther},
			{run.RequestID.String(), "/APPROVAL", http.StatusSeeOther},
		} {
			answer := s.sendRequest(bob, http.MethodPost, "tasks/"+task.String()+"/assistance/accept", url.Values{"request": {c.request}, "field": {c.field}})
			require.Equal(t, c.status, answer.status)
		}
		opened, err := s.app.OpenTask(t.Context(), s.callerOf(demo.Bob()), task)
		require.NoError(t, err)
		require.JSONEq(t, `{"APPROVAL":"YES"}`, string(opened.Item.Task.Data.Value))
	})
}
