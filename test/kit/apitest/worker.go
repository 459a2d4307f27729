package apitest

import (
	"net/http"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
)

// Lists sets the task queues in the manifest of an application, which is
// created if absent.
func (s *Service) Lists(application uuid.UUID, queues ...string) {
	s.T.Helper()
	require.Equal(s.T, 1, s.Count(`
		WITH done AS (
			INSERT INTO resources AS r (tenant_id, kind, code, id, labels, spec, created_by, created_at, last_modified_by, last_modified_at)
			SELECT p.tenant_id, 'Application', 'app-' || p.id, p.id, '{}',
			       json_build_object('name', p.name, 'engine', json_build_object('taskQueues', $2::text[])), p.id, now(), p.id, now()
			  FROM principals p
			 WHERE p.id = $1 AND p.type = 'APPLICATION'
			ON CONFLICT (tenant_id, kind, id) DO UPDATE
			   SET spec = (r.spec::jsonb || jsonb_build_object('engine', excluded.spec -> 'engine'))::json
			RETURNING 1)
		SELECT count(*) FROM done`, application, queues))
}

// Register registers the worker of a tenant for a task queue.
func (s *Administered) Register(tenant, queue, workflowType string) {
	s.T.Helper()
	s.RegisterAs(s.Of(tenant, "worker"), tenant, queue, `"`+workflowType+`"`)
}

// RegisterAs registers a worker of an account for a task queue.
func (s *Administered) RegisterAs(as demo.Account, identity, queue, workflowTypes string) {
	s.T.Helper()
	r := Request(s.T, as, http.MethodPost, "/workers", `{"identity":"`+identity+`","taskQueue":"`+queue+
		`","hostname":"h","ip":"127.0.0.1","workflowTypes":[`+workflowTypes+`],"robotIds":["01980000-0000-7000-8000-0000000000b0"]}`)
	got := s.Send(r)
	require.Contains(s.T, []int{200, 201}, got.Status, got.Body)
	require.Equal(s.T, "300", got.Header.Get("X-KF-DELAY-WINDOW"))
}
