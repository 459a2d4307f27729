package api_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/apitest"
)

const racers = 64

func TestCreatingAgainAnswersTheSame(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process, item := uuid.New(), uuid.New()
	first := s.Post(201, demo.Carol(), "/processes", `{"id":"`+process.String()+`","processDefinitionId":"`+
		demo.Loan().String()+`","metadata":{"value":{"FIRST_NAME":"Carol"}}}`)
	firstItem := s.Post(201, demo.LoanWorker(), "/process-items", `{"id":"`+item.String()+`","type":"TASK","processId":"`+
		process.String()+`","processItemDefinitionCode":"LOAN_APPLICATION"}`)
	before := s.Snapshot()

	// The rest of the body does not count.
	again := s.Post(200, demo.Carol(), "/processes", `{"id":"`+process.String()+`","processDefinitionId":"`+
		demo.Loan().String()+`","metadata":{"value":{"FIRST_NAME":"Bea"}},"entity":{"value":{}},"initiatorId":"`+
		uuid.NewString()+`","relatedProcessId":"`+uuid.NewString()+`"}`)
	require.Equal(t, first.Body, again.Body)
	byCode := s.Post(200, demo.Alice(), "/processes", `{"id":"`+process.String()+`","tenantId":"`+
		demo.TenantDemo().String()+`","processDefinitionCode":"LOAN"}`)
	require.Equal(t, first.Body, byCode.Body)
	againItem := s.Post(200, demo.LoanWorker(), "/process-items", `{"id":"`+item.String()+`","type":"TASK","processId":"`+
		process.String()+`","processItemDefinitionCode":"LOAN_APPLICATION","ownerEmail":"bob@demo.example"}`)
	require.Equal(t, firstItem.Body, againItem.Body)

	require.Equal(t, before, s.Snapshot())
	require.Equal(t, 2, s.Count("SELECT count(*) FROM events WHERE process_id = $1 AND process_item_id IS NULL", process))
	require.Equal(t, 2, s.Count("SELECT count(*) FROM events WHERE process_item_id = $1", item))
}

func TestWorkersAreKnownByTheirIdentity(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	register := func(status int, as demo.Account, queue, more string) oasb.Worker {
		got := s.Post(status, as, "/workers",
			`{"identity":"w-1","taskQueue":"`+queue+`","hostname":"h","ip":"127.0.0.1"`+more+`}`)
		require.Equal(t, "300", got.Header.Get("X-KF-DELAY-WINDOW"))
		return apitest.Decode[oasb.Worker](t, got)
	}
	s.Lists(demo.LoanWorker().ID, "q-1", "q-2")
	s.Lists(demo.OtherWorker().ID, "q-1")
	first := register(201, demo.LoanWorker(), "q-1", `,"workflowTypes":["W"],"activityTypes":["A","B"]`)
	require.Equal(t, []string{"W"}, first.WorkflowTypes)
	require.Equal(t, []string{"A", "B"}, first.ActivityTypes)
	second := register(200, demo.LoanWorker(), "q-2", "")
	require.Equal(t, first.ID, second.ID)
	require.Equal(t, "q-2", second.TaskQueue)
	require.Empty(t, second.WorkflowTypes)
	require.Equal(t, first.CreatedAt, second.CreatedAt)
	require.True(t, second.LastModifiedAt.After(*first.LastModifiedAt))
	elsewhere := register(201, demo.OtherWorker(), "q-1", "")
	require.NotEqual(t, first.ID, elsewhere.ID)
	require.Equal(t, 2, s.Count("SELECT count(*) FROM worker_queues WHERE worker_id = $1", first.ID))
}

// race sends a request from every racer at once and counts the answers by
// status and by body.
func race(s *apitest.Service, newRequest func(i int) *http.Request) (statuses map[int]int, bodies map[string]int) {
	s.T.Helper()
	requests := [racers]*http.Request{}
	for i := range requests {
		requests[i] = newRequest(i)
	}
	answers, failures := [racers]apitest.Answer{}, [racers]error{}
	start := make(chan struct{})
	var done sync.WaitGroup
	for i := range racers {
		done.Go(func() {
			<-start
			answers[i], failures[i] = s.Exchange(requests[i])
		})
	}
	close(start)
	done.Wait()
	statuses, bodies = map[int]int{}, map[string]int{}
	for i, got := range answers {
		require.NoError(s.T, failures[i])
		statuses[got.Status]++
		bodies[got.Body]++
	}
	return statuses, bodies
}

func TestConcurrentCreatesMakeOneProcess(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	id := uuid.New()
	statuses, bodies := race(s, func(int) *http.Request {
		return apitest.Request(t, demo.Carol(), http.MethodPost, "/processes",
			`{"id":"`+id.String()+`","processDefinitionId":"`+demo.Loan().String()+`"}`)
	})
	require.Equal(t, map[int]int{201: 1, 200: racers - 1}, statuses)
	require.Len(t, bodies, 1)
	require.Equal(t, 1, s.Count("SELECT count(*) FROM processes"))
	require.Equal(t, 2, s.Events(id))
	require.Equal(t, 1, s.Count("SELECT count(*) FROM engine_runs"))
	require.Equal(t, 1, s.Count("SELECT count(*) FROM engine_commands"))
}

func TestConcurrentCreatesMakeOneItem(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process, id := s.Loan().ID, uuid.New()
	statuses, bodies := race(s, func(int) *http.Request {
		return apitest.Request(t, demo.LoanWorker(), http.MethodPost, "/process-items", `{"id":"`+id.String()+
			`","type":"TASK","processId":"`+process.String()+`","processItemDefinitionCode":"LOAN_APPLICATION"}`)
	})
	require.Equal(t, map[int]int{201: 1, 200: racers - 1}, statuses)
	require.Len(t, bodies, 1)
	require.Equal(t, 1, s.Count("SELECT count(*) FROM process_items"))
	require.Equal(t, 2, s.Count("SELECT count(*) FROM events WHERE process_item_id = $1", id))
}

func TestOneOfManyClaimsWins(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	crowd := reviewers(s, racers)
	task := s.Item(s.Loan().ID, "APPROVE_LOAN", "").ID
	statuses, _ := race(s, func(i int) *http.Request {
		return apitest.Request(t, crowd[i], http.MethodPost, apitest.ItemPath(task, "/task/~actions/claim"), "")
	})
	require.Equal(t, map[int]int{200: 1, 409: racers - 1}, statuses)
	claimed := s.RetrieveItem(task)
	require.Equal(t, oasb.ProcessItemTaskStateCLAIMED, claimed.Task.State)
	require.Equal(t, *claimed.LastModifiedBy, *claimed.OwnerID)
	require.Equal(t, 1, s.Count("SELECT count(*) FROM events WHERE process_item_id = $1 AND task_state = 'CLAIMED'", task))
}

// reviewers adds n users to the group that may approve loans.
func reviewers(s *apitest.Service, n int) []demo.Account {
	s.T.Helper()
	crowd, ids := make([]demo.Account, n), make([]uuid.UUID, n)
	audit := domain.NewAudit(domain.SystemPrincipalID(), s.Now())
	err := s.DB.Write(s.T.Context(), func(tx *persistence.Tx) error {
		for i := range crowd {
			a := demo.Account{
				Name: fmt.Sprintf("reviewer-%d", i), ID: uuid.New(), Email: fmt.Sprintf("reviewer-%d@demo.example", i),
				Secret: fmt.Sprintf("token-of-reviewer-%d", i), Tenant: demo.TenantDemo(), Role: domain.RoleMember,
			}
			crowd[i], ids[i] = a, a.ID
			require.NoError(s.T, tx.PutTenantUser(domain.TenantUser{
				ID: uuid.New(), TenantID: a.Tenant, Role: a.Role, Audit: audit,
				Principal: domain.Principal{ID: a.ID, Name: a.Name, Email: a.Email},
			}))
			tx.InsertCredential(domain.Credential{
				ID: uuid.New(), PrincipalID: a.ID, Kind: domain.CredentialPersonalAccessToken,
				SecretSHA256: authn.HashSecret(a.Secret), CreatedAt: audit.CreatedAt,
			})
		}
		tx.PutGroup(domain.Group{ID: demo.Reviewers(), TenantID: demo.TenantDemo(), Code: "REVIEWERS", Name: "R"}, ids)
		return nil
	})
	require.NoError(s.T, err)
	return crowd
}
