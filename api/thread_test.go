package api_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/internal/testkit/contracttest"
)

// newItem is the body that creates an item of the process.
func newItem(process uuid.UUID, members ...string) string {
	return `{"processId":"` + process.String() + `",` + strings.Join(members, ",") + `}`
}

// inThread is the member that attaches an item to a thread.
func inThread(thread uuid.UUID) string { return `"processItemThreadId":"` + thread.String() + `"` }

func TestThreadsHoldTheirItems(t *testing.T) {
	t.Parallel()
	s := newService(t)
	worker := demo.LoanWorker()
	loan := s.loan().ID
	create := func(members ...string) oasb.ProcessItem {
		return decode[oasb.ProcessItem](t, s.post(201, worker, "/process-items", newItem(loan, members...)))
	}
	const message, task = `"type":"MESSAGE","message":{"text":"t"}`, `"type":"TASK","processItemDefinitionCode":"LOAN_APPLICATION"`
	discussion := `"type":"THREAD","processItemDefinitionCode":"DISCUSSION"`
	thread, other := create(discussion).ID, create(discussion).ID
	note, review := create(message, inThread(thread)), create(task, inThread(thread))
	elsewhere, free := create(message, inThread(other)), create(message)
	require.Equal(t, thread, *note.ProcessItemThreadID)
	require.Equal(t, thread, *decode[oasb.ProcessItem](t, s.get(200, worker, itemPath(review.ID, ""))).ProcessItemThreadID)
	require.Nil(t, free.ProcessItemThreadID)
	s.filtered(worker, "/process-items", map[string][]uuid.UUID{
		"processItemThreadId=" + thread.String():                                            {note.ID, review.ID},
		"processItemThreadId=" + thread.String() + "&type=MESSAGE":                          {note.ID},
		"processItemThreadId=" + thread.String() + "&processItemThreadId=" + other.String(): {note.ID, review.ID, elsewhere.ID},
		"processItemThreadId=" + free.ID.String():                                           nil,
	})
	listed := decode[oasb.ProcessItemPage](t, s.get(200, worker, "/process-items?processItemThreadId="+other.String()))
	require.Equal(t, other, *listed.Content[0].ProcessItemThreadID)

	// The thread of a message must be one of the same process, visible to the
	// caller, and not in a thread itself.
	foreign := decode[oasb.ProcessItem](t, s.post(201, worker, "/process-items", newItem(s.loan().ID, discussion))).ID
	before := s.snapshot()
	for _, body := range []string{
		newItem(loan, message, inThread(uuid.New())), newItem(loan, message, inThread(foreign)),
		newItem(loan, task, inThread(note.ID)), newItem(loan, discussion, inThread(thread)),
	} {
		failure := s.refused(400, "VALIDATION", worker, "POST", "/process-items", body)
		require.Equal(t, "/processItemThreadId", failure.Errors[0].Location, body)
	}
	// The thread is no part of what makes a creation the same.
	again := decode[oasb.ProcessItem](t, s.post(200, worker, "/process-items",
		newItem(loan, `"id":"`+note.ID.String()+`"`, message, inThread(other))))
	require.Equal(t, thread, *again.ProcessItemThreadID)
	require.Equal(t, before, s.snapshot())
}

func TestUserActionsAttachToThreads(t *testing.T) {
	t.Parallel()
	s, process := newTypes(t)
	thread := s.invoke(s.as("initiator"), process, invokeUserAction("THREAD")).CreateProcessItemThread.ProcessItemID
	message := s.invoke(s.as("viewer"), process,
		invokeUserAction("MESSAGE", `"createProcessItemMessage":{"text":"t",`+inThread(thread)+`}`)).CreateProcessItemMessage
	task := s.invoke(s.as("manager"), process, invokeUserAction("TASK", `"createTask":{`+inThread(thread)+`}`)).CreateTask
	s.filtered(s.as("viewer"), "/process-items", map[string][]uuid.UUID{
		"processItemThreadId=" + thread.String(): {message.ProcessItemID, task.ProcessItemID},
	})
}

// The input of a signal is stored, shown and passed on.
func TestUserActionSendsASignalWithInput(t *testing.T) {
	t.Parallel()
	s, process := newTypes(t)
	initiator := s.as("initiator")
	signal := func(input string) string {
		return invokeUserAction("SIGNAL", `"sendWorkflowSignal":{"input":`+input+`}`)
	}
	passedOn := func(input string) int {
		return s.count(`SELECT count(*) FROM engine_commands c JOIN engine_runs r ON r.id = c.engine_run_id
			WHERE r.owner_id = $1 AND c.kind = 'SIGNAL_ACTION' AND c.signal_input::text = $2`, process, input)
	}
	const input = `{"a":1.50,"list":[null]}`
	first := s.post(201, initiator, processPath(process, "/actions"), signal(input))
	require.Contains(t, first.body, `"value":`+input)
	got := decode[oasb.ProcessAction](t, first)
	require.EqualValues(t, "COMPLETED", got.Status)
	require.True(t, *got.SendWorkflowSignal.Input.Valid)
	require.Equal(t, first.body, s.get(200, initiator, userActionPath(process, got.ID, "")).body)
	require.Equal(t, 1, passedOn(input))

	// A document in the input is stored and visible to the viewers of the
	// process. An absent one puts the action into ERROR, and no signal is sent.
	uri := s.upload(s.as("manager"), processPath(process, ""), "text")
	attached := s.invoke(s.as("initiator"), process, signal(`{"file":"none"}`))
	require.EqualValues(t, "COMPLETED", attached.Status)
	conn := s.connect()
	defer func() { _ = conn.Close(t.Context()) }()
	_, err := conn.Exec(t.Context(), `UPDATE processes SET initiator_id = $2 WHERE id = $1`, process, s.as("manager").ID)
	require.NoError(t, err)
	require.EqualValues(t, "COMPLETED", s.invoke(s.as("manager"), process, signal(`{"file":"`+uri+`"}`)).Status)
	require.Equal(t, 1, s.count(`SELECT count(*) FROM documents WHERE expires_at IS NULL`))
	s.get(200, s.as("viewer"), downloadAt(uri))
	absent := strings.Replace(uri, url.QueryEscape(process.String()), url.QueryEscape(uuid.NewString()), 1)
	failed := s.invoke(s.as("manager"), process, signal(`{"file":"`+absent+`"}`))
	require.EqualValues(t, "ERROR", failed.Status)
	require.False(t, *failed.SendWorkflowSignal.Input.Valid)
	require.Equal(t, "/file", *failed.SendWorkflowSignal.Input.Errors[0].PropertyPath)
	require.Zero(t, passedOn(`{"file":"`+absent+`"}`))
	refused := s.send(contracttest.Invalid(request(t, s.as("manager"), "POST", processPath(process, "/actions"), signal(`[1]`))))
	require.Equal(t, 400, refused.status, refused.body)
}
