package api_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// away is a process of Alice with tasks of Bob, which Carol sees as his substitute only.
type away struct {
	*apitest.Service

	process uuid.UUID
}

const tasksOfBob = `{"name":"Review","permissions":{"initiators":[{"user":"alice"}],"managers":[{"user":"alice"},{"application":"loan-worker"}]},"items":[` +
	`{"code":"CHECK","type":"TASK","name":"Check","dataSchema":{"type":"object"},"candidates":[{"user":"bob"}]},` +
	`{"code":"APPROVE","type":"TASK","name":"Approve","fourEyesWith":["CHECK"],"candidates":[{"user":"bob"}]}]}`

func newAway(t *testing.T) away {
	t.Helper()
	s := apitest.NewService(t)
	id := uuid.New()
	s.Define(apitest.Identified("demo", "ProcessDefinition", "REVIEW", id, tasksOfBob))
	return away{s, s.Process(demo.Alice(), id).ID}
}

// absence returns the manifest of an absence of a user from now on, until some time from now.
func absence(code, user, substitute string, until time.Duration) string {
	now := time.Now().UTC()
	return apitest.Document("demo", "Absence", code, `{"user":"`+user+`","substitute":"`+substitute+`","from":"`+
		now.Add(-time.Hour).Format(time.RFC3339Nano)+`","until":"`+now.Add(until).Format(time.RFC3339Nano)+`"}`)
}

// check returns a new task CHECK of Bob.
func (a away) check() uuid.UUID { return a.Item(a.process, "CHECK", apitest.OwnedBy(demo.Bob())).ID }

// During the absence of the owner, and no longer, the substitute sees, edits and completes the task, and may not move it.
func TestSubstituteDoesTheTaskOfAnAbsentPerson(t *testing.T) {
	t.Parallel()
	a := newAway(t)
	task := a.check()
	path := apitest.ItemPath(task, "")
	a.Get(404, demo.Carol(), path)
	a.Define(absence("BOB", "bob", "carol", time.Hour))
	a.Get(200, demo.Carol(), path)
	a.Get(200, demo.Carol(), "/processes/"+a.process.String())
	require.Equal(t, 1, a.Total(demo.Carol(), "/process-items?processId="+a.process.String()))
	a.Refused(403, "TASK_NOT_OWNED", demo.Carol(), http.MethodPost, apitest.ItemPath(task, "/task/~actions/release"), "")
	a.Refused(403, "TASK_NOT_OWNED", demo.Carol(), http.MethodPost, apitest.ItemPath(task, "/task/~actions/delegate"),
		`{"ownerId":"`+demo.Carol().ID.String()+`"}`)
	a.Call(200, demo.Carol(), http.MethodPut, apitest.ItemPath(task, "/task/data"), `{"data":{"value":{"checked":true}}}`)
	done := apitest.Decode[oasb.ProcessItem](t, a.Post(200, demo.Carol(), apitest.ItemPath(task, apitest.Complete), ""))
	require.Equal(t, oasb.ProcessItemTaskStateCOMPLETED, done.Task.State)
	require.Equal(t, demo.Bob().ID, *done.OwnerID)
	require.Equal(t, demo.Carol().ID, *done.LastModifiedBy)

	a.Call(204, demo.Alice(), http.MethodDelete, apitest.ResourcePath("demo", "Absence", "BOB", ""), "")
	a.Get(404, demo.Carol(), path)
	a.Get(404, demo.Carol(), "/processes/"+a.process.String())
	require.Equal(t, 0, a.Total(demo.Carol(), "/process-items?processId="+a.process.String()))
}

// The rights of the substitute end with the absence, without another change.
func TestSubstitutionEndsByItself(t *testing.T) {
	t.Parallel()
	a := newAway(t)
	path := apitest.ItemPath(a.check(), "")
	a.Define(absence("BOB", "bob", "carol", 4*time.Second))
	a.Get(200, demo.Carol(), path)
	require.Eventually(t, func() bool { return a.Total(demo.Carol(), "/process-items?processId="+a.process.String()) == 0 }, time.Minute, 100*time.Millisecond)
	a.Get(404, demo.Carol(), path)
}

// Four eyes hold for both people, and a substitute of the substitute gets no right.
func TestSubstituteAndOwnerAreOneForFourEyes(t *testing.T) {
	t.Parallel()
	a := newAway(t)
	a.Define(absence("BOB", "bob", "carol", time.Hour), absence("CAROL", "carol", "alice", time.Hour))
	check := a.check()
	a.Post(200, demo.Carol(), apitest.ItemPath(check, apitest.Complete), "")
	for _, owner := range []demo.Account{demo.Bob(), demo.Carol()} {
		approve := a.Item(a.process, "APPROVE", "").ID
		a.Refused(409, "FOUR_EYES", demo.Alice(), http.MethodPost, apitest.ItemPath(approve, apitest.Assign), `{"ownerId":"`+owner.ID.String()+`"}`)
	}
	chained := a.check()
	a.Refused(403, "TASK_NOT_OWNED", demo.Alice(), http.MethodPost, apitest.ItemPath(chained, apitest.Complete), "")
}

func TestWrongAbsences(t *testing.T) {
	t.Parallel()
	a := newAway(t)
	a.Define(absence("BOB", "bob", "carol", time.Hour))
	before := a.Snapshot()
	for _, wrong := range []string{
		absence("SELF", "carol", "carol", time.Hour), absence("PAST", "carol", "bob", -2*time.Hour),
		absence("AGAIN", "bob", "alice", 30*time.Minute), absence("NOBODY", "bob2", "carol", time.Hour),
	} {
		a.Refused(400, "VALIDATION", demo.Alice(), http.MethodPost, apitest.ApplyPath, apitest.Applying("", wrong))
	}
	a.Refused(403, "ACCESS_DENIED", demo.Bob(), http.MethodPost, apitest.ApplyPath, apitest.Applying("", absence("CAROL", "carol", "bob", time.Hour)))
	require.Equal(t, before, a.Snapshot())
}

// A member plans, changes and ends only its own absences, with an active user as the substitute.
func TestMembersPlanTheirOwnAbsences(t *testing.T) {
	t.Parallel()
	a := newAway(t)
	apply := func(status int, as demo.Account, manifest string) {
		t.Helper()
		a.Call(status, as, http.MethodPost, apitest.ApplyPath, apitest.Applying("", manifest))
	}
	apply(200, demo.Bob(), absence("BOB", "bob", "carol", time.Hour))
	apply(200, demo.Bob(), absence("BOB", "bob", "alice", time.Hour))
	for _, wrong := range []string{absence("BOB", "carol", "alice", time.Hour), absence("CAROL", "carol", "bob", time.Hour)} {
		apply(403, demo.Bob(), wrong)
	}
	apply(403, demo.Carol(), absence("BOB", "carol", "bob", time.Hour))
	for n := range 19 {
		from := time.Now().UTC().AddDate(0, 1, n)
		apply(200, demo.Bob(), apitest.Document("demo", "Absence", fmt.Sprint("BOB", n), `{"user":"bob","substitute":"carol","from":"`+
			from.Format(time.RFC3339)+`","until":"`+from.Add(time.Hour).Format(time.RFC3339)+`"}`))
	}
	apply(409, demo.Bob(), absence("MORE", "bob", "carol", time.Hour))
}
