package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/localstack/demo"
)

// For the other tenant there is no difference between what exists here and what
// does not exist at all.
func TestForeignIsAbsent(t *testing.T) {
	t.Parallel()
	s := newService(t)
	f := newFixture(s)
	before := s.snapshot()
	tested := 0
	for name, op := range f.operations() {
		if !op.byID && name != "createProcessItem" {
			continue
		}
		tested++
		t.Run(name, func(t *testing.T) {
			s := s.in(t)
			got := map[string]answer{}
			absent := strings.NewReplacer(f.process.String(), uuid.NewString(), f.task.String(), uuid.NewString(),
				f.tenant.String(), uuid.NewString(), f.user.String(), uuid.NewString(), f.principal.String(), uuid.NewString())
			for kind, replace := range map[string]func(string) string{
				"foreign": func(text string) string { return text }, "absent": absent.Replace,
			} {
				got[kind] = s.send(request(t, demo.OtherWorker(), op.method, replace(op.path), replace(op.body)))
				require.Equal(t, 404, got[kind].status)
			}
			require.NotEqual(t, op.path+op.body, absent.Replace(op.path+op.body))
			require.Equal(t, got["absent"].timeless(), got["foreign"].timeless())
		})
	}
	require.Equal(t, 20, tested)
	require.Equal(t, before, s.snapshot())
}

// The same holds for ids in bodies and queries.
func TestForeignReferencesAreAbsent(t *testing.T) {
	t.Parallel()
	s := newService(t)
	f := newFixture(s)
	mine := s.process(demo.OtherWorker(), demo.OtherLoan()).ID.String()
	definition := `{"processDefinitionId":"` + demo.OtherLoan().String() + `"`
	for name, c := range map[string]struct {
		method, path, body string // {} stands for the id
		foreign            uuid.UUID
		status             int
	}{
		"definition": {"POST", "/processes", `{"processDefinitionId":"{}"}`, demo.Loan(), 404},
		"tenant of definition": {
			"POST", "/processes", `{"tenantId":"{}","processDefinitionCode":"LOAN"}`, f.tenant, 404,
		},
		"initiator":         {"POST", "/processes", definition + `,"initiatorId":"{}"}`, f.principal, 400},
		"worker's tenant":   {"POST", "/workers", `{"identity":"w","taskQueue":"q","hostname":"h","ip":"127.0.0.1","tenantId":"{}"}`, f.tenant, 400},
		"engine access":     {"POST", "/authentications", `{"type":"ENGINE_TOKEN","tenantId":"{}"}`, f.tenant, 400},
		"processes":         {"GET", "/processes?initiatorId={}", "", demo.Carol().ID, 200},
		"items":             {"GET", "/process-items?processId={}", "", f.process, 200},
		"principals":        {"GET", "/principals?groupId={}", "", demo.Reviewers(), 200},
		"tenants":           {"GET", "/tenants?tenantId={}", "", f.tenant, 200},
		"tenant users":      {"GET", "/tenant-users?tenantId={}", "", f.tenant, 200},
		"tenant processes":  {"GET", "/processes?tenantId={}", "", f.tenant, 200},
		"definition filter": {"GET", "/process-items?processDefinitionId={}", "", demo.Loan(), 200},
	} {
		t.Run(name, func(t *testing.T) {
			s := s.in(t)
			fill := func(text string, id uuid.UUID) string { return strings.ReplaceAll(text, "{}", id.String()) }
			absent := uuid.New()
			foreign := s.call(c.status, demo.OtherWorker(), c.method, fill(c.path, c.foreign), fill(c.body, c.foreign))
			unknown := s.call(c.status, demo.OtherWorker(), c.method, fill(c.path, absent), fill(c.body, absent))
			require.Equal(t, unknown.timeless(), foreign.timeless())
		})
	}
	t.Run("item of another tenant's process", func(t *testing.T) {
		s := s.in(t)
		path := "/processes/" + mine + "/~actions/cancel-process-items?processItemId="
		require.Equal(t,
			s.post(404, demo.OtherWorker(), path+uuid.NewString(), "").timeless(),
			s.post(404, demo.OtherWorker(), path+f.task.String(), "").timeless())
	})
}

func TestPermissions(t *testing.T) {
	t.Parallel()
	s := newService(t)
	f := newFixture(s)
	approval := s.item(f.process, "APPROVE_LOAN", "").ID
	onboarding := s.process(demo.Alice(), demo.Onboarding()).ID
	before := s.snapshot()

	t.Run("a viewer sees and may do nothing", func(t *testing.T) {
		s := s.in(t)
		s.get(200, demo.Reader(), processPath(f.process, ""))
		s.get(200, demo.Reader(), itemPath(f.task, ""))
		for name, op := range f.operations() {
			if op.method == http.MethodGet || !strings.Contains(op.path+op.body, f.process.String()) &&
				!strings.Contains(op.path, f.task.String()) && name != "createProcess" {
				continue
			}
			s.call(403, demo.Reader(), op.method, op.path, op.body)
		}
		s.get(404, demo.Reader(), processPath(onboarding, ""))
	})
	t.Run("a stranger sees nothing", func(t *testing.T) {
		s := s.in(t)
		for name, op := range f.operations() {
			if strings.Contains(op.path+op.body, f.process.String()) || strings.Contains(op.path, f.task.String()) ||
				name == "createProcess" {
				s.call(404, demo.Stranger(), op.method, op.path, op.body)
			}
		}
		require.Equal(t, 0, s.total(demo.Stranger(), "/processes"))
		require.Equal(t, 0, s.total(demo.Stranger(), "/process-items"))
	})
	t.Run("a candidate sees what it may do", func(t *testing.T) {
		s := s.in(t)
		s.get(200, demo.Bob(), itemPath(approval, ""))
		s.get(200, demo.Bob(), processPath(f.process, ""))
		s.get(404, demo.Bob(), itemPath(f.task, ""))
		s.get(404, demo.Bob(), processPath(onboarding, ""))
		s.refused(403, "ACCESS_DENIED", demo.Bob(), http.MethodPost, processPath(f.process, "/~actions/cancel"), "")
	})
	t.Run("an initiator is no manager and no candidate", func(t *testing.T) {
		s := s.in(t)
		s.get(200, demo.Carol(), processPath(f.process, ""))
		s.refused(403, "ACCESS_DENIED", demo.Carol(), http.MethodPost, processPath(f.process, "/~actions/complete"), "")
		s.get(404, demo.Carol(), itemPath(approval, ""))
	})
	t.Run("what is not granted cannot be started", func(t *testing.T) {
		s := s.in(t)
		s.refused(404, "DEFINITION_NOT_FOUND", demo.Carol(), http.MethodPost, "/processes",
			`{"processDefinitionId":"`+demo.Onboarding().String()+`"}`)
	})
	require.Equal(t, before, s.snapshot())

	t.Run("the reviewers approve", func(t *testing.T) {
		s := s.in(t)
		s.post(200, demo.Bob(), itemPath(approval, "/task/~actions/claim"), "")
	})
	t.Run("the initiator is candidate of the notification", func(t *testing.T) {
		s := s.in(t)
		notification := s.item(f.process, "NOTIFICATION_GRANTED", "").ID
		s.post(200, demo.Carol(), itemPath(notification, "/task/~actions/claim"), "")
		s.get(404, demo.Bob(), itemPath(notification, ""))
	})
	t.Run("a manager claims only as a candidate", func(t *testing.T) {
		s := s.in(t)
		another := s.item(f.process, "APPROVE_LOAN", "").ID
		s.refused(403, "ACCESS_DENIED", demo.Alice(), http.MethodPost, itemPath(another, "/task/~actions/claim"), "")
	})
}
