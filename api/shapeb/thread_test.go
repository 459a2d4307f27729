package shapeb_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/contracttest"
)

// newItem returns the body that creates an item of the process.
func newItem(process uuid.UUID, members ...string) string {
	return `{"processId":"` + process.String() + `",` + strings.Join(members, ",") + `}`
}

// inThread returns the member that attaches an item to a thread.
func inThread(thread uuid.UUID) string { return `"processItemThreadId":"` + thread.String() + `"` }

func TestThreadsHoldTheirItems(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	worker := demo.LoanWorker()
	loan := s.Loan().ID
	create := func(members ...string) oasb.ProcessItem {
		return apitest.Decode[oasb.ProcessItem](t, s.Post(201, worker, "/process-items", newItem(loan, members...)))
	}
	const message, task = `"type":"MESSAGE","message":{"text":"t"}`, `"type":"TASK","processItemDefinitionCode":"LOAN_APPLICATION"`
	discussion := `"type":"THREAD","processItemDefinitionCode":"DISCUSSION"`
	thread, other := create(discussion).ID, create(discussion).ID
	note, review := create(message, inThread(thread)), create(task, inThread(thread))
	elsewhere, free := create(message, inThread(other)), create(message)
	require.Equal(t, thread, *note.ProcessItemThreadID)
	require.Equal(t, thread, *apitest.Decode[oasb.ProcessItem](t, s.Get(200, worker, apitest.ItemPath(review.ID, ""))).ProcessItemThreadID)
	require.Nil(t, free.ProcessItemThreadID)
	s.Filtered(worker, "/process-items", map[string][]uuid.UUID{
		"processItemThreadId=" + thread.String():                                            {note.ID, review.ID},
		"processItemThreadId=" + thread.String() + "&type=MESSAGE":                          {note.ID},
		"processItemThreadId=" + thread.String() + "&processItemThreadId=" + other.String(): {note.ID, review.ID, elsewhere.ID},
		"processItemThreadId=" + free.ID.String():                                           nil,
	})
	listed := apitest.Decode[oasb.ProcessItemPage](t, s.Get(200, worker, "/process-items?processItemThreadId="+other.String()))
	require.Equal(t, other, *listed.Content[0].ProcessItemThreadID)

	// The thread of a message must be one of the same process, visible to the
	// caller, and not in a thread itself.
	foreign := apitest.Decode[oasb.ProcessItem](t, s.Post(201, worker, "/process-items", newItem(s.Loan().ID, discussion))).ID
	before := s.Snapshot()
	for _, body := range []string{
		newItem(loan, message, inThread(uuid.New())), newItem(loan, message, inThread(foreign)),
		newItem(loan, task, inThread(note.ID)), newItem(loan, discussion, inThread(thread)),
	} {
		failure := s.Refused(400, "VALIDATION", worker, "POST", "/process-items", body)
		require.Equal(t, "/processItemThreadId", failure.Errors[0].Location, body)
	}
	// The thread is not compared when a creation is repeated.
	again := apitest.Decode[oasb.ProcessItem](t, s.Post(200, worker, "/process-items",
		newItem(loan, `"id":"`+note.ID.String()+`"`, message, inThread(other))))
	require.Equal(t, thread, *again.ProcessItemThreadID)
	require.Equal(t, before, s.Snapshot())
}

func TestUserActionsAttachToThreads(t *testing.T) {
	t.Parallel()
	s, process := newTypes(t)
	thread := s.Invoke(s.As("initiator"), process, apitest.InvokeUserAction("THREAD")).CreateProcessItemThread.ProcessItemID
	message := s.Invoke(s.As("viewer"), process,
		apitest.InvokeUserAction("MESSAGE", `"createProcessItemMessage":{"text":"t",`+inThread(thread)+`}`)).CreateProcessItemMessage
	task := s.Invoke(s.As("manager"), process, apitest.InvokeUserAction("TASK", `"createTask":{`+inThread(thread)+`}`)).CreateTask
	s.Filtered(s.As("viewer"), "/process-items", map[string][]uuid.UUID{
		"processItemThreadId=" + thread.String(): {message.ProcessItemID, task.ProcessItemID},
	})
}

// The input of a signal is stored, shown and passed on.
func TestUserActionSendsASignalWithInput(t *testing.T) {
	t.Parallel()
	s, process := newTypes(t)
	initiator := s.As("initiator")
	signal := func(input string) string {
		return apitest.InvokeUserAction("SIGNAL", `"sendWorkflowSignal":{"input":`+input+`}`)
	}
	passedOn := func(input string) int {
		return s.Count(`SELECT count(*) FROM engine_commands c JOIN engine_runs r ON r.id = c.engine_run_id
			WHERE r.owner_id = $1 AND c.kind = 'SIGNAL_ACTION' AND c.signal_input::text = $2`, process, input)
	}
	const input = `{"a":1.50,"list":[null]}`
	first := s.Post(201, initiator, apitest.ProcessPath(process, "/actions"), signal(input))
	require.Contains(t, first.Body, `"value":`+input)
	got := apitest.Decode[oasb.ProcessAction](t, first)
	require.EqualValues(t, "COMPLETED", got.Status)
	require.True(t, *got.SendWorkflowSignal.Input.Valid)
	require.Equal(t, first.Body, s.Get(200, initiator, apitest.UserActionPath(process, got.ID, "")).Body)
	require.Equal(t, 1, passedOn(input))

	// A document in the input is stored and visible to the viewers of the
	// process. An absent one puts the action into ERROR, and no signal is sent.
	uri := s.Upload(s.As("manager"), apitest.ProcessPath(process, ""), "text")
	attached := s.Invoke(s.As("initiator"), process, signal(`{"file":"none"}`))
	require.EqualValues(t, "COMPLETED", attached.Status)
	conn := s.Connect()
	defer func() { _ = conn.Close(t.Context()) }()
	_, err := conn.Exec(t.Context(), `UPDATE processes SET initiator_id = $2 WHERE id = $1`, process, s.As("manager").ID)
	require.NoError(t, err)
	require.EqualValues(t, "COMPLETED", s.Invoke(s.As("manager"), process, signal(`{"file":"`+uri+`"}`)).Status)
	require.Equal(t, 1, s.Count(`SELECT count(*) FROM documents WHERE expires_at IS NULL`))
	s.Get(200, s.As("viewer"), apitest.DownloadAt(uri))
	absent := strings.Replace(uri, url.QueryEscape(process.String()), url.QueryEscape(uuid.NewString()), 1)
	failed := s.Invoke(s.As("manager"), process, signal(`{"file":"`+absent+`"}`))
	require.EqualValues(t, "ERROR", failed.Status)
	require.False(t, *failed.SendWorkflowSignal.Input.Valid)
	require.Equal(t, "/file", *failed.SendWorkflowSignal.Input.Errors[0].PropertyPath)
	require.Zero(t, passedOn(`{"file":"`+absent+`"}`))
	response := s.Send(contracttest.Invalid(apitest.Request(t, s.As("manager"), "POST", apitest.ProcessPath(process, "/actions"), signal(`[1]`))))
	require.Equal(t, 400, response.Status, response.Body)
}
