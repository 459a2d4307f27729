package api_test

import (
	"context"
	"net/http"
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

const (
	assistanceAction = "/~actions/ai-assistance"
	formsAction      = "/task/data/~actions/download-webforms-as-document"
)

// withReports completes a fixture by values of a form element, which as saves.
func (f fixture) withReports(s *service, as demo.Account) fixture {
	s.t.Helper()
	s.saveReports(as, f.task, `{"FINDINGS":"First","DONE":true}`, `{"FINDINGS":"Second","DONE":false}`)
	return f
}

// saveReports saves the values of the element REPORT of a task.
func (s *service) saveReports(as demo.Account, task uuid.UUID, values ...string) {
	s.t.Helper()
	list := ""
	for i, value := range values {
		if i > 0 {
			list += ","
		}
		list += `{"type":"OBJECT","value":` + value + `}`
	}
	s.post(200, as, taskPathA(task, saveElementAction), saveElement("REPORT", "["+list+"]"))
}

// withAssistance completes a fixture by a run of assistance, which as asks for.
func (f fixture) withAssistance(s *service, as demo.Account) fixture {
	s.t.Helper()
	f.assistance = uuid.New()
	require.Equal(s.t, f.assistance, s.assist(202, as, f.task, f.assistance).RequestID)
	return f
}

// assist asks for assistance with a task.
func (s *service) assist(status int, as demo.Account, task, request uuid.UUID) oasb.ProcessItemAiAssistance {
	s.t.Helper()
	return decode[oasb.ProcessItemAiAssistance](s.t,
		s.post(status, as, itemPath(task, assistanceAction), assistanceBody(request)))
}

func assistanceBody(request uuid.UUID) string { return `{"requestId":"` + request.String() + `"}` }

// runOf is the latest run of a task.
func (s *service) runOf(as demo.Account, task uuid.UUID) oasb.ProcessItemAiAssistance {
	s.t.Helper()
	return decode[oasb.ProcessItemAiAssistance](s.t, s.get(200, as, itemPath(task, assistanceAction)))
}

// carryOut does the steps of the latest run of a task, as its workflow does.
func (s *service) carryOut(task uuid.UUID) error {
	s.t.Helper()
	key := domain.AssistanceKey{
		ItemID: task, Run: s.count("SELECT run FROM item_assistance WHERE item_id = $1", task),
	}
	if err := s.app.ReadAssistanceDocuments(s.t.Context(), key); err != nil {
		return err
	}
	for more := true; more; {
		var err error
		if more, err = s.app.EmbedAssistancePassages(s.t.Context(), key); err != nil {
			return err
		}
	}
	if err := s.app.PrepareAssistancePrompt(s.t.Context(), key); err != nil {
		return err
	}
	if err := s.app.AskAssistanceModel(s.t.Context(), key); err != nil {
		return err
	}
	return s.app.FinishAssistance(s.t.Context(), key)
}

// assistanceOperations are the valid requests about assistance and forms.
func (f fixture) assistanceOperations() map[string]operation {
	of := func(method, rest, body string) operation {
		return operation{method: method, path: itemPath(f.task, rest), body: body, byID: true}
	}
	return map[string]operation{
		"B.retrieveProcessItemAiAssistance":               of(http.MethodGet, assistanceAction, ""),
		"B.generateProcessItemAiAssistance":               of(http.MethodPost, assistanceAction, assistanceBody(f.assistance)),
		"B.downloadProcessItemTaskDataWebformsAsDocument": of(http.MethodGet, formsAction+"?propertyPath=", ""),
	}
}

// provider is the built-in one, unless a test has another answer for it. It
// counts the questions.
type provider struct {
	assistance.Provider
	asked, embedded atomic.Int64
	mu              sync.Mutex
	answer          func(assistance.Request) (assistance.Answer, error)
	last            assistance.Request
}

func (p *provider) Complete(ctx context.Context, r assistance.Request) (assistance.Answer, error) {
	p.asked.Add(1)
	p.mu.Lock()
	answer := p.answer
	p.last = r
	p.mu.Unlock()
	if answer == nil {
		return p.Provider.Complete(ctx, r)
	}
	return answer(r)
}

func (p *provider) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	p.embedded.Add(int64(len(texts)))
	return p.Provider.Embed(ctx, texts)
}

// answers sets the answer of the provider.
func (p *provider) answers(answer func(assistance.Request) (assistance.Answer, error)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = answer
}

// texts reads documents with the pdftotext of this machine.
func texts(t *testing.T) *extract.Reader {
	t.Helper()
	path, err := exec.LookPath("pdftotext")
	require.NoError(t, err)
	return extract.NewReader(extract.Options{PDFToText: path})
}
