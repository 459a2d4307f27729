package api_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/apitest"
)

func TestTemporaryDocumentsAreBounded(t *testing.T) {
	t.Parallel()
	s := apitest.NewServiceWithin(t, apitest.Bounds{Quotas: &domain.Quotas{TemporaryDocuments: 12, TemporaryBytes: 4000}})
	p := s.Loan()
	owner := apitest.ProcessPath(p.ID, "")
	violationOf := func(as demo.Account, text string) string {
		return s.Refused(409, string(domain.CodeConflict), as, http.MethodPost, apitest.UploadPath(owner, "text/plain", "a.txt"), text).Message
	}
	for range 3 {
		s.Upload(demo.LoanWorker(), owner, "text")
	}
	require.Contains(t, violationOf(demo.LoanWorker(), "text"), "you have 3 temporary documents with 12 bytes")
	require.Equal(t, 3, s.Count("SELECT count(*) FROM documents"), "nothing is kept of what is refused")
	s.RequireBlobs(3)
	s.Upload(demo.Alice(), owner, string(make([]byte, 900)))
	require.Contains(t, violationOf(demo.Alice(), string(make([]byte, 101))), "900 bytes")

	execute(s, "UPDATE documents SET created_by = '"+demo.Bob().ID.String()+"'")
	execute(s, "UPDATE documents SET size = 1200")
	require.Contains(t, violationOf(demo.Alice(), "text"), "the tenant has 4 temporary documents with 4800 bytes")
	s.Later(25 * time.Hour)
	s.Upload(demo.LoanWorker(), owner, "text")
}

func TestRunsOfAssistanceAreBounded(t *testing.T) {
	t.Parallel()
	s := apitest.NewServiceWithin(t, apitest.Bounds{Quotas: &domain.Quotas{
		TemporaryDocuments: 100, TemporaryBytes: 1 << 30, AssistancePerDay: 3, AssistanceAtOnce: 2,
	}})
	worker := demo.LoanWorker()
	violationOf := func(task uuid.UUID) string {
		return s.Refused(409, string(domain.CodeConflict), worker, http.MethodPost,
			apitest.ItemPath(task, apitest.AssistanceAction), apitest.AssistanceBody(uuid.New())).Message
	}
	first, second, third := s.Approval(), s.Approval(), s.Approval()
	request := uuid.New()
	s.Assist(202, worker, first, request)
	s.Assist(202, worker, second, uuid.New())
	require.Contains(t, violationOf(third), "2 runs of AI assistance of the tenant are in progress")
	s.Assist(200, worker, first, request) // it has begun already
	require.NoError(t, s.CarryOut(first))
	s.Assist(202, worker, third, uuid.New())
	require.NoError(t, s.CarryOut(second))
	require.NoError(t, s.CarryOut(third))
	require.Contains(t, violationOf(first), "started 3 runs of AI assistance today")
	s.Later(24 * time.Hour)
	s.Assist(202, worker, first, uuid.New())
	require.Equal(t, 1, s.Count("SELECT runs FROM assistance_usage"))
}
