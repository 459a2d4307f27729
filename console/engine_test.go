package console_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

// viewWorkflow stands for Temporal, which is away for the workflow "away". All texts of workers are hostile.
func viewWorkflow(_ context.Context, q domain.WorkflowQuestion) (*domain.WorkflowView, error) {
	if q.WorkflowID == "away" {
		return nil, errors.New("connection refused")
	}
	at := time.Now().Add(-72 * time.Hour)
	view := &domain.WorkflowView{
		WorkflowID: q.WorkflowID, RunID: "run", Type: hostile, TaskQueue: hostile, Status: "Running", StartedAt: at, Length: 9,
		Waits: []domain.WorkflowWait{
			{Kind: domain.WaitActivity, Name: "Transfer", Since: at, Attempt: 4, Message: "no answer from the bank"},
			{Kind: domain.WaitTimer, Name: "7", Since: at, Until: new(time.Now().Add(time.Hour))},
			{Kind: domain.WaitChild, Name: hostile, WorkflowID: "child"},
			{Kind: domain.WaitWorker, Name: hostile, Since: at},
		},
		Older: []byte("older"),
		Events: []domain.WorkflowEvent{
			{ID: 9, At: at, Kind: "ChildWorkflowExecutionStarted", Name: hostile, WorkflowID: "child"},
			{ID: 8, At: at, Kind: "ActivityTaskFailed", Name: hostile, Message: hostile},
			{ID: 7, At: at, Kind: "WorkflowExecutionSignaled", Name: "KuFlow_Engine_Signal_Process_Item", About: "APPROVE_LOAN"},
			{ID: 6, At: at, Kind: "OfANewerTemporal"},
		},
	}
	if q.After != nil {
		view.Older, view.Events = nil, []domain.WorkflowEvent{{ID: 1, At: at, Kind: "WorkflowExecutionStarted", Name: "LoanWorkflow"}}
	}
	return view, nil
}

func TestEngineTabShowsHistory(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	loan := s.startLoan("Loan that waits")
	s.createTask(loan, "APPROVE_LOAN", "")
	engine := "processes/" + loan.String() + "/engine"
	carol := s.signIn("Carol")
	carol.openPath(strings.TrimSuffix(engine, "/engine"))
	require.Zero(t, carol.Count(".tab[href$='/engine']"), "Carol manages no loans")
	carol.openPath(engine)
	carol.AwaitText("Not allowed")

	alice := s.signIn("Alice")
	alice.openPath(strings.TrimSuffix(engine, "/engine"))
	alice.Click(".tab[href$='/engine']")
	alice.AwaitText("Waits for the task APPROVE_LOAN")
	alice.AwaitText("Waits for the activity Transfer, attempt 4")
	alice.AwaitText("no answer from the bank")
	alice.AwaitText("about APPROVE_LOAN arrived")
	alice.AwaitText("OfANewerTemporal")
	alice.AwaitText("procession processes history " + loan.String() + " --engine")
	for _, scheme := range []string{"light", "dark"} {
		alice.Scheme(scheme)
		alice.Size(1280, 800)
		alice.RequireAccessible()
		if *screenshots != "" {
			alice.Screenshot(filepath.Join(*screenshots, "engine-"+scheme+"-1280.png"))
			alice.Size(360, 800)
			alice.Screenshot(filepath.Join(*screenshots, "engine-"+scheme+"-360.png"))
		}
		alice.Size(320, 700)
		alice.RequireNoSidewaysScroll()
	}
	require.NotEqual(t, "broken", browsertest.Eval[string](alice.Tab, "document.title"))
	alice.Click("a.btn[href*='after=']")
	alice.AwaitText("The workflow LoanWorkflow started")
	alice.openPath(engine + "?workflow=away")
	alice.AwaitText("Temporal is unavailable.")

	require.NotContains(t, alice.Text("main"), "access issue", "Alice is no operator")
	_, token, err := s.administration.AddOperator(t.Context(), demo.Alice().Email, true)
	require.NoError(t, err)
	operator := s.openBrowser()
	operator.Type("#token", token.Reveal())
	operator.Press(kb.Enter)
	operator.AwaitPath(web.Root)
	operator.Open(s.url + engine)
	operator.AwaitText("procession access issue --operator --tenant demo")

	plain := s.signInWithoutScript("Alice")
	plain.openPath(engine)
	plain.Click("#engine a")
	plain.AwaitText("Waits for the task APPROVE_LOAN")
}
