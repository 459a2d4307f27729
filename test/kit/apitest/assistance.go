package apitest

import (
	"context"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/assistance"
	"github.com/procession-dev/procession/assistance/extract"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
)

// Says sets an answer of the provider with a value, which may be "".
func (p *Provider) Says(text, value string) {
	p.Answers(func(assistance.Request) (assistance.Answer, error) {
		return assistance.Answer{Text: text, Value: []byte(value), Model: "m", FinishReason: "stop"}, nil
	})
}

// Paths below a task.
const (
	AssistanceAction = "/~actions/ai-assistance"
	FormsAction      = "/task/data/~actions/download-webforms-as-document"
)

// SaveReports saves the values of the element REPORT of a task.
func (s *Service) SaveReports(as demo.Account, task uuid.UUID, values ...string) {
	s.T.Helper()
	list := ""
	for i, value := range values {
		if i > 0 {
			list += ","
		}
		list += `{"type":"OBJECT","value":` + value + `}`
	}
	s.Post(200, as, TaskPathA(task, SaveElementAction), SaveElement("REPORT", "["+list+"]"))
}

// Assist asks for assistance with a task.
func (s *Service) Assist(status int, as demo.Account, task, request uuid.UUID) oasb.ProcessItemAiAssistance {
	s.T.Helper()
	return Decode[oasb.ProcessItemAiAssistance](s.T,
		s.Post(status, as, ItemPath(task, AssistanceAction), AssistanceBody(request)))
}

// AssistanceBody returns the body that asks for assistance.
func AssistanceBody(request uuid.UUID) string { return `{"requestId":"` + request.String() + `"}` }

// RunOf returns the latest run of a task.
func (s *Service) RunOf(as demo.Account, task uuid.UUID) oasb.ProcessItemAiAssistance {
	s.T.Helper()
	return Decode[oasb.ProcessItemAiAssistance](s.T, s.Get(200, as, ItemPath(task, AssistanceAction)))
}

// CarryOut does the steps of the latest run of a task, as its workflow does.
func (s *Service) CarryOut(task uuid.UUID) error {
	s.T.Helper()
	key := domain.AssistanceKey{
		ItemID: task, Run: s.Count("SELECT run FROM item_assistance WHERE item_id = $1", task),
	}
	if err := s.App.ReadAssistanceDocuments(s.T.Context(), key); err != nil {
		return err
	}
	for more := true; more; {
		var err error
		if more, err = s.App.EmbedAssistancePassages(s.T.Context(), key); err != nil {
			return err
		}
	}
	if err := s.App.PrepareAssistancePrompt(s.T.Context(), key); err != nil {
		return err
	}
	if err := s.App.AskAssistanceModel(s.T.Context(), key); err != nil {
		return err
	}
	return s.App.FinishAssistance(s.T.Context(), key)
}

// Provider is the built-in one, unless a test has another answer for it. It
// counts the questions.
type Provider struct {
	assistance.Provider
	Asked, Embedded atomic.Int64
	mu              sync.Mutex
	answer          func(assistance.Request) (assistance.Answer, error)
	Last            assistance.Request
}

// Complete implements assistance.Provider.
func (p *Provider) Complete(ctx context.Context, r assistance.Request) (assistance.Answer, error) {
	p.Asked.Add(1)
	p.mu.Lock()
	answer := p.answer
	p.Last = r
	p.mu.Unlock()
	if answer == nil {
		return p.Provider.Complete(ctx, r)
	}
	return answer(r)
}

// Embed implements assistance.Provider.
func (p *Provider) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	p.Embedded.Add(int64(len(texts)))
	return p.Provider.Embed(ctx, texts)
}

// Answers sets the answer of the provider.
func (p *Provider) Answers(answer func(assistance.Request) (assistance.Answer, error)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = answer
}

// promptTexts reads documents with the pdftotext of this machine.
func promptTexts(t *testing.T) *extract.Reader {
	t.Helper()
	path, err := exec.LookPath("pdftotext")
	require.NoError(t, err)
	return extract.NewReader(extract.Options{PDFToText: path})
}

// Approval returns a task of a loan that the loan worker owns.
func (s *Service) Approval() uuid.UUID {
	s.T.Helper()
	return s.Item(s.Loan().ID, "APPROVE_LOAN", OwnedBy(demo.LoanWorker())).ID
}
