package shapeb_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

const (
	delegateTask = "/task/~actions/delegate"
	releaseTask  = "/task/~actions/release"
)

// A task can be delegated by a principal that sees it as its owner only, who still sees it and takes it back.
func TestDelegatorStillSeesTheTask(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := s.Loan().ID
	task := s.Item(process, "APPROVE_LOAN", "").ID
	stranger, path := demo.Stranger(), apitest.ItemPath(task, "")
	s.Post(200, demo.Alice(), apitest.ItemPath(task, apitest.Assign), `{"ownerId":"`+stranger.ID.String()+`"}`)
	before := s.Snapshot()
	s.Refused(403, "TASK_NOT_OWNED", demo.Bob(), http.MethodPost, apitest.ItemPath(task, delegateTask), apitest.ToBob)
	s.Refused(400, "VALIDATION", stranger, http.MethodPost, apitest.ItemPath(task, delegateTask), `{}`)
	s.Refused(400, "VALIDATION", stranger, http.MethodPost, apitest.ItemPath(task, delegateTask), `{"ownerId":"`+stranger.ID.String()+`"}`)
	s.Refused(400, "VALIDATION", stranger, http.MethodPost, apitest.ItemPath(task, delegateTask), `{"ownerEmail":"nobody@demo.example"}`)
	s.Refused(400, "VALIDATION", stranger, http.MethodPost, apitest.ItemPath(task, delegateTask),
		`{"ownerEmail":"bob@demo.example","note":"`+strings.Repeat("n", 1001)+`"}`)
	require.Equal(t, before, s.Snapshot())

	const toBob = `{"ownerEmail":"bob@demo.example","note":"Please check"}`
	first := s.Post(200, stranger, apitest.ItemPath(task, delegateTask), toBob)
	delegated := apitest.Decode[oasb.ProcessItem](t, first)
	require.Equal(t, demo.Bob().ID, *delegated.OwnerID)
	require.Equal(t, stranger.ID, delegated.Task.Delegation.DelegatorID)
	require.Equal(t, "Please check", *delegated.Task.Delegation.Note)
	before = s.Snapshot()
	require.Equal(t, first.Body, s.Post(200, stranger, apitest.ItemPath(task, delegateTask), toBob).Body)
	require.Equal(t, before, s.Snapshot())
	require.Equal(t, first.Body, s.Get(200, stranger, path).Body)
	require.Equal(t, 1, s.Total(stranger, "/process-items?processId="+process.String()))
	s.Refused(403, "TASK_NOT_OWNED", stranger, http.MethodPost, apitest.ItemPath(task, apitest.Complete), "")
	s.Refused(403, "TASK_NOT_OWNED", stranger, http.MethodPost, apitest.ItemPath(task, releaseTask), "")

	back := apitest.Decode[oasb.ProcessItem](t, s.Post(200, stranger, apitest.ItemPath(task, apitest.Claim), ""))
	require.Equal(t, stranger.ID, *back.OwnerID)
	require.Nil(t, back.Task.Delegation)

	s.Post(200, stranger, apitest.ItemPath(task, delegateTask), toBob)
	released := apitest.Decode[oasb.ProcessItem](t, s.Post(200, demo.Bob(), apitest.ItemPath(task, releaseTask), ""))
	require.Equal(t, oasb.ProcessItemTaskStateREADY, released.Task.State)
	require.Nil(t, released.OwnerID)
	require.Nil(t, released.Task.Delegation)
	s.Get(404, stranger, path)
	s.Refused(404, "NOT_FOUND", stranger, http.MethodPost, apitest.ItemPath(task, apitest.Claim), "")
}

func TestReleasing(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	task := s.Item(s.Loan().ID, "APPROVE_LOAN", apitest.OwnedBy(demo.Bob())).ID
	s.Refused(403, "TASK_NOT_OWNED", demo.Reader(), http.MethodPost, apitest.ItemPath(task, releaseTask), "")
	first := s.Post(200, demo.Bob(), apitest.ItemPath(task, releaseTask), "")
	require.Equal(t, oasb.ProcessItemTaskStateREADY, apitest.Decode[oasb.ProcessItem](t, first).Task.State)
	before := s.Snapshot()
	for _, by := range []demo.Account{demo.Bob(), demo.Alice()} {
		require.Equal(t, first.Body, s.Post(200, by, apitest.ItemPath(task, releaseTask), "").Body)
	}
	require.Equal(t, before, s.Snapshot())
	s.Post(200, demo.Bob(), apitest.ItemPath(task, apitest.Claim), "")
	s.Post(200, demo.Bob(), apitest.ItemPath(task, apitest.Complete), "")
	s.Refused(409, "INVALID_STATE", demo.Bob(), http.MethodPost, apitest.ItemPath(task, releaseTask), "")
	s.Refused(409, "INVALID_STATE", demo.Bob(), http.MethodPost, apitest.ItemPath(task, delegateTask),
		`{"ownerId":"`+demo.Carol().ID.String()+`"}`)
}
