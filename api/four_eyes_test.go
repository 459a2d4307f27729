package api_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// opposed is a process with the tasks CHECK and APPROVE, of which one person must do one only, and FREE.
type opposed struct {
	*apitest.Service

	process uuid.UUID
}

const opposedTasks = `{"name":"Payment","permissions":{"initiators":[{"user":"carol"}],"managers":[{"user":"alice"},{"application":"loan-worker"}]},"items":[` +
	`{"code":"CHECK","type":"TASK","name":"Check","candidates":[{"user":"bob"},{"user":"carol"}]},` +
	`{"code":"APPROVE","type":"TASK","name":"Approve","fourEyesWith":["CHECK"],"candidates":[{"user":"bob"},{"user":"carol"},{"user":"alice"}]},` +
	`{"code":"FREE","type":"TASK","name":"Free","candidates":[{"user":"bob"}]}]}`

func newOpposed(t *testing.T) opposed {
	t.Helper()
	s := apitest.NewService(t)
	id := uuid.New()
	s.Define(apitest.Identified("demo", "ProcessDefinition", "PAYMENT", id, opposedTasks))
	return opposed{s, s.Process(demo.Carol(), id).ID}
}

func (o opposed) task(code string) uuid.UUID { return o.Item(o.process, code, "").ID }

// completeTask creates a task that an account completes.
func (o opposed) completeTask(code string, by demo.Account) {
	task := o.Item(o.process, code, apitest.OwnedBy(by)).ID
	o.Post(200, by, apitest.ItemPath(task, apitest.Complete), "")
}

// A person who does one of two opposed tasks becomes the owner of the other one in no way, and another person does.
func TestFourEyesInEveryWay(t *testing.T) {
	t.Parallel()
	assign := func(a demo.Account) string { return `{"ownerId":"` + a.ID.String() + `"}` }
	for name, way := range map[string]func(o opposed, code string, owner demo.Account) (method, path, body string, as demo.Account){
		"claim": func(o opposed, code string, owner demo.Account) (string, string, string, demo.Account) {
			return http.MethodPost, apitest.ItemPath(o.task(code), apitest.Claim), "", owner
		},
		"claim in version A": func(o opposed, code string, owner demo.Account) (string, string, string, demo.Account) {
			return http.MethodPost, apitest.TaskPathA(o.task(code), "/~actions/claim"), "", owner
		},
		"assign": func(o opposed, code string, owner demo.Account) (string, string, string, demo.Account) {
			return http.MethodPost, apitest.ItemPath(o.task(code), apitest.Assign), assign(owner), demo.Alice()
		},
		"assign in version A": func(o opposed, code string, owner demo.Account) (string, string, string, demo.Account) {
			return http.MethodPost, apitest.TaskPathA(o.task(code), "/~actions/assign"), `{"principalId":"` + owner.ID.String() + `"}`, demo.Alice()
		},
		"delegate": func(o opposed, code string, owner demo.Account) (string, string, string, demo.Account) {
			return http.MethodPost, apitest.ItemPath(o.task(code), "/task/~actions/delegate"), assign(owner), demo.Alice()
		},
		"create with an owner": func(o opposed, code string, owner demo.Account) (string, string, string, demo.Account) {
			return http.MethodPost, "/process-items", `{"type":"TASK","processId":"` + o.process.String() + `","processItemDefinitionCode":"` + code +
				`"` + apitest.OwnedBy(owner) + `}`, demo.LoanWorker()
		},
		"create with an owner in version A": func(o opposed, code string, owner demo.Account) (string, string, string, demo.Account) {
			return http.MethodPost, apitest.ShapeA + "/tasks", `{"processId":"` + o.process.String() + `","taskDefinition":{"code":"` + code +
				`"},"owner":{"id":"` + owner.ID.String() + `"}}`, demo.LoanWorker()
		},
	} {
		for first, second := range map[string]string{"CHECK": "APPROVE", "APPROVE": "CHECK"} {
			t.Run(name+" "+second, func(t *testing.T) {
				t.Parallel()
				o := newOpposed(t)
				o.completeTask(first, demo.Bob())
				method, path, body, as := way(o, second, demo.Bob())
				before := o.Snapshot()
				failure := o.Refused(409, "FOUR_EYES", as, method, path, body)
				require.Contains(t, failure.Errors[0].Message, first)
				require.Equal(t, before, o.Snapshot())
				method, path, body, as = way(o, second, demo.Carol())
				answer := o.Send(apitest.Request(t, as, method, path, body))
				require.Less(t, answer.Status, 300, answer.Body)
			})
		}
	}
}

// A claimed task excludes its owner as a completed one does. Released, it does not.
func TestFourEyesOfClaimedTasks(t *testing.T) {
	t.Parallel()
	o := newOpposed(t)
	check, approve := o.task("CHECK"), o.task("APPROVE")
	o.Post(200, demo.Bob(), apitest.ItemPath(check, apitest.Claim), "")
	o.Refused(409, "FOUR_EYES", demo.Bob(), http.MethodPost, apitest.ItemPath(approve, apitest.Claim), "")
	o.Post(200, demo.Bob(), apitest.ItemPath(o.task("FREE"), apitest.Claim), "")
	o.Post(200, demo.Bob(), apitest.ItemPath(check, "/task/~actions/release"), "")
	o.Post(200, demo.Bob(), apitest.ItemPath(approve, apitest.Claim), "")
	// The delegator of a task may do the opposed one meanwhile, and not take it back then.
	o.Post(200, demo.Bob(), apitest.ItemPath(approve, "/task/~actions/delegate"), `{"ownerId":"`+demo.Carol().ID.String()+`"}`)
	o.Post(200, demo.Bob(), apitest.ItemPath(check, apitest.Claim), "")
	o.Refused(409, "FOUR_EYES", demo.Bob(), http.MethodPost, apitest.ItemPath(approve, apitest.Claim), "")
	// Another process is another pair of eyes.
	other := opposed{o.Service, o.Process(demo.Carol(), apitest.Decode[struct {
		ProcessDefinitionRef struct{ ID uuid.UUID }
	}](t, o.Get(200, demo.Carol(), apitest.ProcessPath(o.process, ""))).ProcessDefinitionRef.ID).ID}
	other.Post(200, demo.Bob(), apitest.ItemPath(other.task("APPROVE"), apitest.Claim), "")
}

// Of two opposed tasks that one person claims at the same time, one is refused.
func TestOpposedTasksClaimedAtOnce(t *testing.T) {
	t.Parallel()
	o := newOpposed(t)
	for range 10 {
		check, approve := o.task("CHECK"), o.task("APPROVE")
		var claims sync.WaitGroup
		var statuses [2]int
		for i, task := range []uuid.UUID{check, approve} {
			claims.Go(func() {
				statuses[i] = o.Send(apitest.Request(t, demo.Bob(), http.MethodPost, apitest.ItemPath(task, apitest.Claim), "")).Status
			})
		}
		claims.Wait()
		require.ElementsMatch(t, []int{200, 409}, statuses[:])
		for i, task := range []uuid.UUID{check, approve} {
			if statuses[i] == 200 {
				o.Post(200, demo.Bob(), apitest.ItemPath(task, "/task/~actions/release"), "")
			}
		}
	}
}

// A definition that is published later makes no difference for running processes. Tasks that one person got before both
// of them opposed each other are not completed by it.
func TestBothTasksAreNotCompletedByOnePerson(t *testing.T) {
	t.Parallel()
	o := newOpposed(t)
	check, approve := o.Item(o.process, "CHECK", apitest.OwnedBy(demo.Bob())).ID, o.task("APPROVE")
	execute(o.Service, `UPDATE process_items SET task_state = 'CLAIMED', owner_id = '`+demo.Bob().ID.String()+`', claimed_at = now()
		WHERE id = '`+approve.String()+`'`)
	o.Post(200, demo.Bob(), apitest.ItemPath(check, apitest.Complete), "")
	o.Refused(409, "FOUR_EYES", demo.Bob(), http.MethodPost, apitest.ItemPath(approve, apitest.Complete), "")
	o.Refused(409, "FOUR_EYES", demo.Bob(), http.MethodPost, apitest.TaskPathA(approve, "/~actions/complete"), "")
}

func TestFourEyesInBulkAndOfLeavers(t *testing.T) {
	t.Parallel()
	o := newOpposed(t)
	o.completeTask("CHECK", demo.Bob())
	approve := o.Item(o.process, "APPROVE", apitest.OwnedBy(demo.Carol())).ID
	preview := apitest.Decode[oasadmin.BulkOperation](t, o.Post(201, demo.Alice(), apitest.AdminAPI+"/bulk-operations",
		`{"kind":"ASSIGN_TASKS","tenant":"demo","newOwnerId":"`+demo.Bob().ID.String()+`","filter":{"ids":["`+approve.String()+`"]}}`))
	require.Len(t, preview.Forecast, 1)
	require.Equal(t, "FOUR_EYES", *preview.Forecast[0].Code)

	carol := administration.WorkOwner{Tenant: "demo", PrincipalID: demo.Carol().ID}
	_, err := o.Administration.HandOverWork(t.Context(), apitest.OperatorCall(), carol, domain.HandOver{User: "bob"})
	require.True(t, domain.HasCode(err, domain.CodeFourEyes), "%v", err)
	_, err = o.Administration.HandOverWork(t.Context(), apitest.OperatorCall(), carol, domain.HandOver{User: "alice"})
	require.NoError(t, err)
}
