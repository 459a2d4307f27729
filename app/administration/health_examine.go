package administration

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/procession-dev/procession/domain"
)

const (
	// examinationTime bounds all checks together.
	examinationTime = 30 * time.Second
	// examinationKept is the time for which an examination is cached.
	examinationKept = 5 * time.Second
)

// Examination contains the findings of the checks.
type Examination struct {
	At       time.Time
	Findings []domain.Finding
}

// ExamineHealth checks the dependencies of the service, as procession doctor does: PostgreSQL, Temporal, keys,
// certificates, documents and issuers. The checks take at most 30 seconds, are shared by concurrent callers, and are
// cached for five seconds. Errors: ACCESS_DENIED for callers that are no operators, UNAVAILABLE without checks.
func (s *Service) ExamineHealth(ctx context.Context, call domain.Call) (Examination, error) {
	if !call.Operator {
		return Examination{}, domain.Denied("only operators may see the checks")
	}
	if s.examiner.examine == nil {
		return Examination{}, domain.Unavailable("this service has no checks", nil)
	}
	return s.examiner.findExamination(ctx, s.now)
}

// examiner carries out the checks for many callers at once.
type examiner struct {
	examine func(ctx context.Context) []domain.Finding

	flight singleflight.Group
	mu     sync.Mutex
	last   Examination
}

func (e *examiner) findExamination(ctx context.Context, now func() time.Time) (Examination, error) {
	if last := e.lastExamination(); now().Sub(last.At) < examinationKept {
		return last, nil
	}
	// The caller may leave; others wait for the same checks.
	lasting := context.WithoutCancel(ctx)
	done := e.flight.DoChan("", func() (any, error) {
		limited, cancel := context.WithTimeout(lasting, examinationTime)
		defer cancel()
		findings := e.examine(limited)
		e.mu.Lock()
		defer e.mu.Unlock()
		e.last = Examination{At: now(), Findings: findings}
		return e.last, nil
	})
	select {
	case <-ctx.Done():
		return Examination{}, context.Cause(ctx)
	case made := <-done:
		examination, _ := made.Val.(Examination)
		return examination, nil
	}
}

func (e *examiner) lastExamination() Examination {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.last
}
