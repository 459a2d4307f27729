package shapeb_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/apitest"
)

func TestDemoActionsAreOfferedInTheirOrder(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := s.Loan()
	loan := process.ID
	require.Equal(t, []string{"REPORT", "NUDGE", "TOP_UP"}, availableActions(s, demo.Alice(), loan))
	require.Equal(t, []string{"REPORT", "NUDGE"}, availableActions(s, demo.LoanWorker(), loan), "it manages loans and does not start any")
	s.Refused(403, "ACCESS_DENIED", demo.LoanWorker(), "POST", apitest.ProcessPath(loan, "/actions"), apitest.InvokeUserAction("TOP_UP"))
	require.Equal(t, []string{"NUDGE"}, availableActions(s, demo.Carol(), loan))
	require.Empty(t, availableActions(s, demo.Reader(), loan))
	offered := s.Get(200, demo.Alice(), apitest.ProcessPath(loan, "/actions/~available"))
	offered.Body = strings.ReplaceAll(offered.Body, process.ProcessDefinitionRef.Version.String(), uuid.Nil.String())
	apitest.RequireGolden(t, "available_actions", offered)

	application := s.Item(loan, "LOAN_APPLICATION", apitest.OwnedBy(demo.LoanWorker())).ID
	s.Post(200, demo.LoanWorker(), apitest.ItemPath(application, "/task/~actions/complete"), "")
	require.Equal(t, []string{"REPORT", "NUDGE", "TOP_UP", "EXTRA_REVIEW"}, availableActions(s, demo.Alice(), loan))
	// The newest of its code counts.
	s.Item(loan, "LOAN_APPLICATION", "")
	require.Equal(t, []string{"REPORT", "NUDGE", "TOP_UP"}, availableActions(s, demo.Alice(), loan))

	s.Post(200, demo.Alice(), apitest.ProcessPath(loan, "/~actions/complete"), "")
	require.Equal(t, []string{"NUDGE", "TOP_UP"}, availableActions(s, demo.Alice(), loan), "REPORT is for running loans")
	require.Empty(t, availableActions(s, demo.Alice(), s.Process(demo.Alice(), demo.Onboarding()).ID))
}

func TestUserActionsLeftToAWorker(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := s.Loan()
	loan := process.ID
	for code, as := range map[string]demo.Account{"REPORT": demo.Alice(), "NUDGE": demo.Carol()} {
		id, path := uuid.New(), apitest.ProcessPath(loan, "/actions")
		first := s.Post(201, as, path, apitest.InvokeUserAction(code, apitest.WithID(id)))
		got := apitest.Decode[oasb.ProcessAction](t, first)
		require.Equal(t, id, got.ID)
		require.EqualValues(t, "REQUESTED", got.Status)
		require.Equal(t, as.ID, *got.CreatedBy)
		require.Equal(t, oasb.ProcessActionDefinitionRef{
			ID: domain.NewActionDefinitionRef(demo.Loan(), code).ID, Version: process.ProcessDefinitionRef.Version, Code: code,
		}, got.ProcessActionDefinitionRef)
		require.NotContains(t, first.Body, "document")
		require.Equal(t, 1, commands(s, id, "START"))

		before := s.Snapshot()
		require.Equal(t, first.Body, s.Get(200, demo.Reader(), apitest.UserActionPath(loan, id, "")).Body)
		require.Equal(t, first.Body, s.Post(200, as, path, apitest.InvokeUserAction(code, apitest.WithID(id), `"createTask":{}`)).Body, "repeated")
		require.Equal(t, before, s.Snapshot())
	}
	s.Get(404, demo.LoanWorker(), apitest.UserActionPath(loan, uuid.New(), ""))
	s.Get(404, demo.LoanWorker(), apitest.UserActionPath(s.Loan().ID, s.Invoke(demo.Alice(), loan, apitest.InvokeReport).ID, ""))
}

func TestUserActionsWithAnIDThatIsTaken(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	loan, other := s.Loan().ID, s.Loan().ID
	foreign := s.Process(demo.OtherWorker(), demo.OtherLoan()).ID
	taken := s.Invoke(demo.Alice(), loan, apitest.InvokeReport).ID
	before := s.Snapshot()
	for name, c := range map[string]struct {
		as      demo.Account
		process uuid.UUID
		code    string
	}{
		"another action":     {demo.Alice(), loan, "NUDGE"},
		"another process":    {demo.Alice(), other, "REPORT"},
		"another tenant":     {demo.OtherWorker(), foreign, "REPORT"},
		"no action there is": {demo.Alice(), loan, "NONE"},
	} {
		failure := s.Refused(409, "CONFLICT", c.as, "POST", apitest.ProcessPath(c.process, "/actions"), apitest.InvokeUserAction(c.code, apitest.WithID(taken)))
		require.NotContains(t, failure.Message, taken.String(), name)
	}
	require.Equal(t, before, s.Snapshot())
	// The id of an action is not one of a process or an item.
	s.Invoke(demo.Alice(), loan, apitest.InvokeUserAction("REPORT", apitest.WithID(loan)))
}

func TestConcurrentUserActionsWithOneIDAreOne(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	loan := s.Loan().ID
	report := uuid.New()
	for _, body := range []string{
		apitest.InvokeUserAction("REPORT", apitest.WithID(report)), apitest.InvokeUserAction("TOP_UP", apitest.WithID(uuid.New())),
	} {
		statuses := make([]int, 16)
		var wg sync.WaitGroup
		for i := range statuses {
			wg.Go(func() {
				got, err := s.Exchange(apitest.Request(t, demo.Alice(), "POST", apitest.ProcessPath(loan, "/actions"), body))
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
	require.Equal(t, 1, commands(s, report, "START"))
	require.Equal(t, 2, s.Count("SELECT count(*) FROM processes"))
}

func TestUserActionStartsARelatedProcess(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	loan := s.Loan().ID
	body := apitest.InvokeUserAction("TOP_UP", apitest.WithID(uuid.New()),
		`"startRelatedProcess":{"metadata":{"FIRST_NAME":"A","n":1.50},"entity":{"x":-0}},"createTask":{"processItemThreadId":"`+uuid.NewString()+`"}`)
	first := s.Post(201, demo.Alice(), apitest.ProcessPath(loan, "/actions"), body)
	got := apitest.Decode[oasb.ProcessAction](t, first)
	require.EqualValues(t, "COMPLETED", got.Status)
	require.Equal(t, demo.Loan(), got.StartRelatedProcess.ProcessDefinitionID)
	started := s.Get(200, demo.Alice(), apitest.ProcessPath(got.StartRelatedProcess.ProcessID, ""))
	require.Contains(t, started.Body, `"value":{"FIRST_NAME":"A","n":1.50}`)
	require.Contains(t, started.Body, `"value":{"x":-0}`)
	process := apitest.Decode[oasb.Process](t, started)
	require.Equal(t, demo.Alice().ID, *process.InitiatorID)
	require.Equal(t, []uuid.UUID{loan}, process.ProcessRelated.Incoming)
	require.Equal(t, 2, s.Events(process.ID))
	require.Equal(t, 1, commands(s, process.ID, "START"))

	before := s.Snapshot()
	require.Equal(t, first.Body, s.Post(200, demo.Alice(), apitest.ProcessPath(loan, "/actions"), body).Body)
	require.Equal(t, first.Body, s.Post(200, demo.Alice(), apitest.UserActionPath(loan, got.ID, "/~actions/cancel"), "").Body)
	require.Equal(t, before, s.Snapshot())

	_, err := s.Connect().Exec(t.Context(), `UPDATE process_definitions SET published_version = NULL WHERE id = $1`, demo.Loan())
	require.NoError(t, err)
	before = s.Snapshot()
	s.Refused(409, "DEFINITION_NOT_PUBLISHED", demo.Alice(), "POST", apitest.ProcessPath(loan, "/actions"), apitest.InvokeUserAction("TOP_UP"))
	require.NotContains(t, availableActions(s, demo.Alice(), loan), "TOP_UP")
	require.Equal(t, before, s.Snapshot())
}

func TestCancelUserAction(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	loan := s.Loan().ID
	nudge := s.Invoke(demo.Carol(), loan, apitest.InvokeUserAction("NUDGE")).ID
	path := apitest.UserActionPath(loan, nudge, "/~actions/cancel")
	s.Refused(403, "ACCESS_DENIED", demo.Reader(), "POST", path, "")
	s.Refused(404, "NOT_FOUND", demo.Carol(), "POST", apitest.UserActionPath(s.Loan().ID, nudge, "/~actions/cancel"), "")
	first := s.Post(200, demo.Carol(), path, "")
	require.EqualValues(t, "CANCELED", apitest.Decode[oasb.ProcessAction](t, first).Status)
	require.Equal(t, 1, commands(s, nudge, "CANCEL"))
	require.Equal(t, 1, commands(s, nudge, "TERMINATE"))
	before := s.Snapshot()
	require.Equal(t, first.Body, s.Post(200, demo.Alice(), path, "").Body)
	require.Equal(t, before, s.Snapshot())

	// Managers may cancel actions of other callers.
	nudge = s.Invoke(demo.Carol(), loan, apitest.InvokeUserAction("NUDGE")).ID
	s.Post(200, demo.Alice(), apitest.UserActionPath(loan, nudge, "/~actions/cancel"), "")
}

func TestUploadCompletesADownloadable(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	loan := s.Loan().ID
	process := apitest.ProcessPath(loan, "")
	report := s.Invoke(demo.Alice(), loan, apitest.InvokeReport).ID
	upload := func(action uuid.UUID) string {
		return apitest.UploadPath(apitest.UserActionPath(loan, action, ""), "text/plain", `a "b".txt`)
	}
	s.Refused(403, "ACCESS_DENIED", demo.Carol(), "POST", upload(report), "text")
	s.Refused(404, "NOT_FOUND", demo.LoanWorker(), "POST", upload(uuid.New()), "text")
	s.Refused(409, "INVALID_STATE", demo.LoanWorker(), "POST", upload(s.Invoke(demo.Alice(), loan, apitest.InvokeUserAction("NUDGE")).ID), "text")
	s.RequireBlobs(0)

	// The process may be over by then.
	s.Post(200, demo.Alice(), process+"/~actions/complete", "")
	completed := s.Post(200, demo.LoanWorker(), upload(report), "text")
	got := apitest.Decode[oasb.ProcessAction](t, completed)
	require.EqualValues(t, "COMPLETED", got.Status)
	require.Equal(t, demo.LoanWorker().ID, *got.LastModifiedBy)
	require.False(t, *got.Downloadable.DocumentExpired)
	require.Contains(t, *got.Downloadable.DocumentURI, "uri=ku:process-action-value/"+report.String()+"/document/")
	require.Equal(t, completed.Body, s.Get(200, demo.Carol(), apitest.UserActionPath(loan, report, "")).Body)
	for _, late := range []string{upload(report), strings.Replace(apitest.UploadPath(process, "text/plain", "a.txt"),
		"upload-document?", "upload-user-action-document?", 1) + "&userActionValueId=" + report.String()} {
		again := s.Send(apitest.Request(t, demo.LoanWorker(), "POST", late, "another text"))
		require.Equal(t, 304, again.Status)
		require.Empty(t, again.Body)
	}
	s.RequireBlobs(1)
	require.Equal(t, "text", s.Download(demo.Carol(), process, *got.Downloadable.DocumentURI))

	s.Ticks.Add((7 * 24 * time.Hour).Milliseconds())
	expired := apitest.Decode[oasb.ProcessAction](t, s.Get(200, demo.Carol(), apitest.UserActionPath(loan, report, "")))
	require.True(t, *expired.Downloadable.DocumentExpired)
	s.Refused(404, "DOCUMENT_EXPIRED", demo.Carol(), "GET", apitest.DownloadPath(process, *got.Downloadable.DocumentURI), "")
	_, err := s.App.ExpireDocuments(t.Context(), 10)
	require.NoError(t, err)
	require.True(t, *retrieveUserAction(s, loan, report).Downloadable.DocumentExpired)
}

func TestUploadToACanceledUserActionIsDropped(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	loan := s.Loan().ID
	report := s.Invoke(demo.Alice(), loan, apitest.InvokeReport).ID
	s.Post(200, demo.Alice(), apitest.UserActionPath(loan, report, "/~actions/cancel"), "")
	before := s.Snapshot()
	for _, path := range []string{
		apitest.UploadPath(apitest.UserActionPath(loan, report, ""), "text/plain", "a.txt"),
		strings.Replace(apitest.UploadPath(apitest.ProcessPath(loan, ""), "text/plain", "a.txt"),
			"upload-document?", "upload-user-action-document?", 1) + "&userActionValueId=" + report.String(),
	} {
		got := s.Send(apitest.Request(t, demo.LoanWorker(), "POST", path, "text"))
		require.Equal(t, 304, got.Status)
		require.Empty(t, got.Body)
	}
	require.Equal(t, before, s.Snapshot())
	s.RequireBlobs(0)
}

// Of many uploads one is taken, whichever way they come.
func TestConcurrentUploadsCompleteOnce(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	loan := s.Loan().ID
	report := s.Invoke(demo.Alice(), loan, apitest.InvokeReport).ID
	statuses := make([]int, 12)
	var wg sync.WaitGroup
	for i := range statuses {
		wg.Go(func() {
			path := apitest.UploadPath(apitest.UserActionPath(loan, report, ""), "text/plain", "a.txt")
			if i%2 == 0 {
				path = apitest.UploadPathA(apitest.ProcessPathA(loan, ""), "save-user-action-value-document",
					map[string][]string{"userActionValueId": {report.String()}})
			}
			got, err := s.Exchange(apitest.Request(t, demo.LoanWorker(), "POST", path, "text"))
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
	require.Equal(t, map[int]int{200: 1, 304: len(statuses) - 1}, count)
	s.RequireBlobs(1)
}

func TestRefusedUserActionsMakeNoChange(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	loan := s.Loan().ID
	path := apitest.ProcessPath(loan, "/actions")
	s.Invoke(demo.Alice(), loan, apitest.InvokeReport)
	before := s.Snapshot()
	failure := s.Refused(404, "DEFINITION_NOT_FOUND", demo.Alice(), "POST", path, apitest.InvokeUserAction("NONE"))
	require.Equal(t, "/processActionDefinitionCode", failure.Errors[0].Location)
	s.Refused(403, "ACCESS_DENIED", demo.Alice(), "POST", path, apitest.InvokeUserAction("EXTRA_REVIEW"))
	s.Refused(403, "ACCESS_DENIED", demo.Carol(), "POST", path, apitest.InvokeReport)
	s.Refused(403, "ACCESS_DENIED", demo.Reader(), "POST", path, apitest.InvokeUserAction("NUDGE"))
	s.Refused(404, "NOT_FOUND", demo.Stranger(), "POST", path, apitest.InvokeUserAction("NUDGE"))
	require.Equal(t, before, s.Snapshot())
	processes := s.Count("SELECT count(*) FROM processes")
	requireFailed(s, demo.Alice(), path,
		apitest.InvokeUserAction("TOP_UP", apitest.WithID(uuid.New()), `"startRelatedProcess":{"metadata":{"n":1e999999999}}`),
		"/startRelatedProcess/metadata/n")
	errorBody := s.Refused(400, "VALIDATION", demo.Carol(), "POST", "/processes",
		`{"processDefinitionId":"`+demo.Loan().String()+`","metadata":{"value":{"n":1e999999999}}}`)
	require.Equal(t, "/metadata/value/n", errorBody.Errors[0].Location)
	require.Equal(t, processes, s.Count("SELECT count(*) FROM processes"))
}

func retrieveUserAction(s *apitest.Service, process, action uuid.UUID) oasb.ProcessAction {
	s.T.Helper()
	return apitest.Decode[oasb.ProcessAction](s.T, s.Get(200, demo.LoanWorker(), apitest.UserActionPath(process, action, "")))
}

// availableActions returns the codes of the user actions that the account may invoke.
func availableActions(s *apitest.Service, as demo.Account, process uuid.UUID) []string {
	s.T.Helper()
	codes := []string{}
	for _, a := range apitest.Decode[oasb.AvailableProcessActions](s.T, s.Get(200, as, apitest.ProcessPath(process, "/actions/~available"))).Content {
		codes = append(codes, a.Code)
	}
	return codes
}
