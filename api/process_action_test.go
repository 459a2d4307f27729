package api_test

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
)

func TestDemoActionsAreOfferedInTheirOrder(t *testing.T) {
	t.Parallel()
	s := newService(t)
	process := s.loan()
	loan := process.ID
	require.Equal(t, []string{"REPORT", "NUDGE", "TOP_UP"}, s.available(demo.Alice(), loan))
	require.Equal(t, []string{"REPORT", "NUDGE"}, s.available(demo.LoanWorker(), loan), "it manages loans and does not start any")
	s.refused(403, "ACCESS_DENIED", demo.LoanWorker(), "POST", processPath(loan, "/actions"), invokeUserAction("TOP_UP"))
	require.Equal(t, []string{"NUDGE"}, s.available(demo.Carol(), loan))
	require.Empty(t, s.available(demo.Reader(), loan))
	offered := s.get(200, demo.Alice(), processPath(loan, "/actions/~available"))
	offered.body = strings.ReplaceAll(offered.body, process.ProcessDefinitionRef.Version.String(), uuid.Nil.String())
	requireGolden(t, "shape_b/available_actions", offered)

	application := s.item(loan, "LOAN_APPLICATION", ownedBy(demo.LoanWorker())).ID
	s.post(200, demo.LoanWorker(), itemPath(application, "/task/~actions/complete"), "")
	require.Equal(t, []string{"REPORT", "NUDGE", "TOP_UP", "EXTRA_REVIEW"}, s.available(demo.Alice(), loan))
	// The newest of its code counts.
	s.item(loan, "LOAN_APPLICATION", "")
	require.Equal(t, []string{"REPORT", "NUDGE", "TOP_UP"}, s.available(demo.Alice(), loan))

	s.post(200, demo.Alice(), processPath(loan, "/~actions/complete"), "")
	require.Equal(t, []string{"NUDGE", "TOP_UP"}, s.available(demo.Alice(), loan), "REPORT is for running loans")
	require.Empty(t, s.available(demo.Alice(), s.process(demo.Alice(), demo.Onboarding()).ID))
}

func TestUserActionsLeftToAWorker(t *testing.T) {
	t.Parallel()
	s := newService(t)
	process := s.loan()
	loan := process.ID
	for code, as := range map[string]demo.Account{"REPORT": demo.Alice(), "NUDGE": demo.Carol()} {
		id, path := uuid.New(), processPath(loan, "/actions")
		first := s.post(201, as, path, invokeUserAction(code, withID(id)))
		got := decode[oasb.ProcessAction](t, first)
		require.Equal(t, id, got.ID)
		require.EqualValues(t, "REQUESTED", got.Status)
		require.Equal(t, as.ID, *got.CreatedBy)
		require.Equal(t, oasb.ProcessActionDefinitionRef{
			ID: domain.NewActionDefinitionRef(demo.Loan(), code).ID, Version: process.ProcessDefinitionRef.Version, Code: code,
		}, got.ProcessActionDefinitionRef)
		require.NotContains(t, first.body, "document")
		require.Equal(t, 1, s.commands(id, "START"))

		before := s.snapshot()
		require.Equal(t, first.body, s.get(200, demo.Reader(), userActionPath(loan, id, "")).body)
		require.Equal(t, first.body, s.post(200, as, path, invokeUserAction(code, withID(id), `"createTask":{}`)).body, "repeated")
		require.Equal(t, before, s.snapshot())
	}
	s.get(404, demo.LoanWorker(), userActionPath(loan, uuid.New(), ""))
	s.get(404, demo.LoanWorker(), userActionPath(s.loan().ID, s.invoke(demo.Alice(), loan, invokeReport).ID, ""))
}

func TestUserActionsWithAnIDThatIsTaken(t *testing.T) {
	t.Parallel()
	s := newService(t)
	loan, other := s.loan().ID, s.loan().ID
	foreign := s.process(demo.OtherWorker(), demo.OtherLoan()).ID
	taken := s.invoke(demo.Alice(), loan, invokeReport).ID
	before := s.snapshot()
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
		failure := s.refused(409, "CONFLICT", c.as, "POST", processPath(c.process, "/actions"), invokeUserAction(c.code, withID(taken)))
		require.NotContains(t, failure.Message, taken.String(), name)
	}
	require.Equal(t, before, s.snapshot())
	// The id of an action is not one of a process or an item.
	s.invoke(demo.Alice(), loan, invokeUserAction("REPORT", withID(loan)))
}

func TestConcurrentUserActionsWithOneIDAreOne(t *testing.T) {
	t.Parallel()
	s := newService(t)
	loan := s.loan().ID
	report := uuid.New()
	for _, body := range []string{
		invokeUserAction("REPORT", withID(report)), invokeUserAction("TOP_UP", withID(uuid.New())),
	} {
		statuses := make([]int, 16)
		var wg sync.WaitGroup
		for i := range statuses {
			wg.Go(func() {
				got, err := s.exchange(request(t, demo.Alice(), "POST", processPath(loan, "/actions"), body))
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
	require.Equal(t, 1, s.commands(report, "START"))
	require.Equal(t, 2, s.count("SELECT count(*) FROM processes"))
}

func TestUserActionStartsARelatedProcess(t *testing.T) {
	t.Parallel()
	s := newService(t)
	loan := s.loan().ID
	body := invokeUserAction("TOP_UP", withID(uuid.New()),
		`"startRelatedProcess":{"metadata":{"FIRST_NAME":"A","n":1.50},"entity":{"x":-0}},"createTask":{"processItemThreadId":"`+uuid.NewString()+`"}`)
	first := s.post(201, demo.Alice(), processPath(loan, "/actions"), body)
	got := decode[oasb.ProcessAction](t, first)
	require.EqualValues(t, "COMPLETED", got.Status)
	require.Equal(t, demo.Loan(), got.StartRelatedProcess.ProcessDefinitionID)
	started := s.get(200, demo.Alice(), processPath(got.StartRelatedProcess.ProcessID, ""))
	require.Contains(t, started.body, `"value":{"FIRST_NAME":"A","n":1.50}`)
	require.Contains(t, started.body, `"value":{"x":-0}`)
	process := decode[oasb.Process](t, started)
	require.Equal(t, demo.Alice().ID, *process.InitiatorID)
	require.Equal(t, []uuid.UUID{loan}, process.ProcessRelated.Incoming)
	require.Equal(t, 2, s.events(process.ID))
	require.Equal(t, 1, s.commands(process.ID, "START"))

	before := s.snapshot()
	require.Equal(t, first.body, s.post(200, demo.Alice(), processPath(loan, "/actions"), body).body)
	require.Equal(t, first.body, s.post(200, demo.Alice(), userActionPath(loan, got.ID, "/~actions/cancel"), "").body)
	require.Equal(t, before, s.snapshot())

	_, err := s.connect().Exec(t.Context(), `UPDATE process_definitions SET published_version = NULL WHERE id = $1`, demo.Loan())
	require.NoError(t, err)
	before = s.snapshot()
	s.refused(409, "DEFINITION_NOT_PUBLISHED", demo.Alice(), "POST", processPath(loan, "/actions"), invokeUserAction("TOP_UP"))
	require.NotContains(t, s.available(demo.Alice(), loan), "TOP_UP")
	require.Equal(t, before, s.snapshot())
}

func TestCancelUserAction(t *testing.T) {
	t.Parallel()
	s := newService(t)
	loan := s.loan().ID
	nudge := s.invoke(demo.Carol(), loan, invokeUserAction("NUDGE")).ID
	path := userActionPath(loan, nudge, "/~actions/cancel")
	s.refused(403, "ACCESS_DENIED", demo.Reader(), "POST", path, "")
	s.refused(404, "NOT_FOUND", demo.Carol(), "POST", userActionPath(s.loan().ID, nudge, "/~actions/cancel"), "")
	first := s.post(200, demo.Carol(), path, "")
	require.EqualValues(t, "CANCELED", decode[oasb.ProcessAction](t, first).Status)
	require.Equal(t, 1, s.commands(nudge, "CANCEL"))
	require.Equal(t, 1, s.commands(nudge, "TERMINATE"))
	before := s.snapshot()
	require.Equal(t, first.body, s.post(200, demo.Alice(), path, "").body)
	require.Equal(t, before, s.snapshot())

	// Managers cancel those of others.
	nudge = s.invoke(demo.Carol(), loan, invokeUserAction("NUDGE")).ID
	s.post(200, demo.Alice(), userActionPath(loan, nudge, "/~actions/cancel"), "")
}

func TestUploadCompletesADownloadable(t *testing.T) {
	t.Parallel()
	s := newService(t)
	loan := s.loan().ID
	process := processPath(loan, "")
	report := s.invoke(demo.Alice(), loan, invokeReport).ID
	upload := func(action uuid.UUID) string {
		return uploadPath(userActionPath(loan, action, ""), "text/plain", `a "b".txt`)
	}
	s.refused(403, "ACCESS_DENIED", demo.Carol(), "POST", upload(report), "text")
	s.refused(404, "NOT_FOUND", demo.LoanWorker(), "POST", upload(uuid.New()), "text")
	s.refused(409, "INVALID_STATE", demo.LoanWorker(), "POST", upload(s.invoke(demo.Alice(), loan, invokeUserAction("NUDGE")).ID), "text")
	s.requireBlobs(0)

	// The process may be over by then.
	s.post(200, demo.Alice(), process+"/~actions/complete", "")
	completed := s.post(200, demo.LoanWorker(), upload(report), "text")
	got := decode[oasb.ProcessAction](t, completed)
	require.EqualValues(t, "COMPLETED", got.Status)
	require.Equal(t, demo.LoanWorker().ID, *got.LastModifiedBy)
	require.False(t, *got.Downloadable.DocumentExpired)
	require.Contains(t, *got.Downloadable.DocumentURI, "uri=ku:process-action-value/"+report.String()+"/document/")
	require.Equal(t, completed.body, s.get(200, demo.Carol(), userActionPath(loan, report, "")).body)
	for _, late := range []string{upload(report), strings.Replace(uploadPath(process, "text/plain", "a.txt"),
		"upload-document?", "upload-user-action-document?", 1) + "&userActionValueId=" + report.String()} {
		again := s.send(request(t, demo.LoanWorker(), "POST", late, "another text"))
		require.Equal(t, 304, again.status)
		require.Empty(t, again.body)
	}
	s.requireBlobs(1)
	require.Equal(t, "text", s.download(demo.Carol(), process, *got.Downloadable.DocumentURI))

	s.ticks.Add((7 * 24 * time.Hour).Milliseconds())
	expired := decode[oasb.ProcessAction](t, s.get(200, demo.Carol(), userActionPath(loan, report, "")))
	require.True(t, *expired.Downloadable.DocumentExpired)
	s.refused(404, "DOCUMENT_EXPIRED", demo.Carol(), "GET", downloadPath(process, *got.Downloadable.DocumentURI), "")
	_, err := s.app.ExpireDocuments(t.Context(), 10)
	require.NoError(t, err)
	require.True(t, *s.retrieveUserAction(loan, report).Downloadable.DocumentExpired)
}

func TestUploadToACanceledUserActionIsDropped(t *testing.T) {
	t.Parallel()
	s := newService(t)
	loan := s.loan().ID
	report := s.invoke(demo.Alice(), loan, invokeReport).ID
	s.post(200, demo.Alice(), userActionPath(loan, report, "/~actions/cancel"), "")
	before := s.snapshot()
	for _, path := range []string{
		uploadPath(userActionPath(loan, report, ""), "text/plain", "a.txt"),
		strings.Replace(uploadPath(processPath(loan, ""), "text/plain", "a.txt"),
			"upload-document?", "upload-user-action-document?", 1) + "&userActionValueId=" + report.String(),
	} {
		got := s.send(request(t, demo.LoanWorker(), "POST", path, "text"))
		require.Equal(t, 304, got.status)
		require.Empty(t, got.body)
	}
	require.Equal(t, before, s.snapshot())
	s.requireBlobs(0)
}

// Of many uploads one is taken, whichever way they come.
func TestConcurrentUploadsCompleteOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	loan := s.loan().ID
	report := s.invoke(demo.Alice(), loan, invokeReport).ID
	statuses := make([]int, 12)
	var wg sync.WaitGroup
	for i := range statuses {
		wg.Go(func() {
			path := uploadPath(userActionPath(loan, report, ""), "text/plain", "a.txt")
			if i%2 == 0 {
				path = uploadPathA(processPathA(loan, ""), "save-user-action-value-document",
					map[string][]string{"userActionValueId": {report.String()}})
			}
			got, err := s.exchange(request(t, demo.LoanWorker(), "POST", path, "text"))
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
	require.Equal(t, map[int]int{200: 1, 304: len(statuses) - 1}, count)
	s.requireBlobs(1)
}

func TestUserActionsThatAreRefusedLeaveNothing(t *testing.T) {
	t.Parallel()
	s := newService(t)
	loan := s.loan().ID
	path := processPath(loan, "/actions")
	s.invoke(demo.Alice(), loan, invokeReport)
	before := s.snapshot()
	failure := s.refused(404, "DEFINITION_NOT_FOUND", demo.Alice(), "POST", path, invokeUserAction("NONE"))
	require.Equal(t, "/processActionDefinitionCode", failure.Errors[0].Location)
	s.refused(403, "ACCESS_DENIED", demo.Alice(), "POST", path, invokeUserAction("EXTRA_REVIEW"))
	s.refused(403, "ACCESS_DENIED", demo.Carol(), "POST", path, invokeReport)
	s.refused(403, "ACCESS_DENIED", demo.Reader(), "POST", path, invokeUserAction("NUDGE"))
	s.refused(404, "NOT_FOUND", demo.Stranger(), "POST", path, invokeUserAction("NUDGE"))
	require.Equal(t, before, s.snapshot())
	processes := s.count("SELECT count(*) FROM processes")
	s.requireFailed(demo.Alice(), path,
		invokeUserAction("TOP_UP", withID(uuid.New()), `"startRelatedProcess":{"metadata":{"n":1e999999999}}`),
		"/startRelatedProcess/metadata/n")
	refused := s.refused(400, "VALIDATION", demo.Carol(), "POST", "/processes",
		`{"processDefinitionId":"`+demo.Loan().String()+`","metadata":{"value":{"n":1e999999999}}}`)
	require.Equal(t, "/metadata/value/n", refused.Errors[0].Location)
	require.Equal(t, processes, s.count("SELECT count(*) FROM processes"))
}

func (s *service) retrieveUserAction(process, action uuid.UUID) oasb.ProcessAction {
	s.t.Helper()
	return decode[oasb.ProcessAction](s.t, s.get(200, demo.LoanWorker(), userActionPath(process, action, "")))
}

// available are the codes of the user actions that the account may invoke.
func (s *service) available(as demo.Account, process uuid.UUID) []string {
	s.t.Helper()
	codes := []string{}
	for _, a := range decode[oasb.AvailableProcessActions](s.t, s.get(200, as, processPath(process, "/actions/~available"))).Content {
		codes = append(codes, a.Code)
	}
	return codes
}
