package api_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
)

func TestTemporaryDocumentsAreBounded(t *testing.T) {
	t.Parallel()
	s := newServiceWithin(t, bounds{quotas: &domain.Quotas{TemporaryDocuments: 12, TemporaryBytes: 4000}})
	p := s.loan()
	owner := processPath(p.ID, "")
	refused := func(as demo.Account, text string) string {
		return s.refused(409, string(domain.CodeConflict), as, http.MethodPost, uploadPath(owner, "text/plain", "a.txt"), text).Message
	}
	for range 3 {
		s.upload(demo.LoanWorker(), owner, "text")
	}
	require.Contains(t, refused(demo.LoanWorker(), "text"), "you have 3 temporary documents with 12 bytes")
	require.Equal(t, 3, s.count("SELECT count(*) FROM documents"), "nothing is kept of what is refused")
	s.requireBlobs(3)
	s.upload(demo.Alice(), owner, string(make([]byte, 900)))
	require.Contains(t, refused(demo.Alice(), string(make([]byte, 101))), "900 bytes")

	s.execute("UPDATE documents SET created_by = '" + demo.Bob().ID.String() + "'")
	s.execute("UPDATE documents SET size = 1200")
	require.Contains(t, refused(demo.Alice(), "text"), "the tenant has 4 temporary documents with 4800 bytes")
	s.later(25 * time.Hour)
	s.upload(demo.LoanWorker(), owner, "text")
}

func TestRunsOfAssistanceAreBounded(t *testing.T) {
	t.Parallel()
	s := newServiceWithin(t, bounds{quotas: &domain.Quotas{
		TemporaryDocuments: 100, TemporaryBytes: 1 << 30, AssistancePerDay: 3, AssistanceAtOnce: 2,
	}})
	worker := demo.LoanWorker()
	refused := func(task uuid.UUID) string {
		return s.refused(409, string(domain.CodeConflict), worker, http.MethodPost,
			itemPath(task, assistanceAction), assistanceBody(uuid.New())).Message
	}
	first, second, third := s.approval(), s.approval(), s.approval()
	request := uuid.New()
	s.assist(202, worker, first, request)
	s.assist(202, worker, second, uuid.New())
	require.Contains(t, refused(third), "2 runs of AI assistance of the tenant are being worked on")
	s.assist(200, worker, first, request) // it has begun already
	require.NoError(t, s.carryOut(first))
	s.assist(202, worker, third, uuid.New())
	require.NoError(t, s.carryOut(second))
	require.NoError(t, s.carryOut(third))
	require.Contains(t, refused(first), "begun 3 runs of AI assistance today")
	s.later(24 * time.Hour)
	s.assist(202, worker, first, uuid.New())
	require.Equal(t, 1, s.count("SELECT runs FROM assistance_usage"))
}
