package console_test

import (
	"bytes"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/browsertest"
	"github.com/procession-dev/procession/test/kit/formtest"
)

// textOfPDF returns the text of a PDF.
func textOfPDF(t *testing.T, content []byte) string {
	t.Helper()
	require.True(t, bytes.HasPrefix(content, []byte("%PDF-")))
	c := exec.CommandContext(t.Context(), "pdftotext", "-layout", "-enc", "UTF-8", "-", "-")
	c.Stdin = bytes.NewReader(content)
	text, err := c.Output()
	require.NoError(t, err)
	return string(text)
}

// Tasks and processes are downloaded as PDF by the people who may read them, also when they are completed.
func TestPaper(t *testing.T) {
	t.Parallel()
	formtest.RequirePool(t)
	s := makeSite(t)
	s.t = t
	process := s.startLoan("Loan on paper")
	task := s.createTask(process, "APPROVE_LOAN", `{"FIRST_NAME":"Given","LAST_NAME":"Family","AMOUNT":"7500"}`)
	s.assignTask(task, demo.Bob())
	due := time.Date(2031, 5, 1, 10, 0, 0, 0, time.UTC)
	_, err := s.app.UpdateProcessItemTaskPlanning(t.Context(), s.callerOf(demo.Bob()), task,
		domain.TaskPlan{DueAt: &due, FollowUpAt: new(due.AddDate(0, 0, -3)), Priority: domain.PriorityHigh})
	require.NoError(t, err)

	bob := s.clientWithToken(demo.Bob().Secret)
	ofTask := s.sendRequest(bob, http.MethodGet, "tasks/"+task.String()+"/pdf", nil)
	require.Equal(t, http.StatusOK, ofTask.status, string(ofTask.body))
	require.Equal(t, "application/pdf", ofTask.header.Get("Content-Type"))
	text := textOfPDF(t, ofTask.body)
	for _, want := range []string{"Loan on paper", "Claimed", "Bob", "May 1, 2031", "April 28, 2031", "High", "Given"} {
		require.Contains(t, text, want)
	}
	rest, err := s.app.DownloadTaskForms(t.Context(), s.callerOf(demo.Bob()), task, "", "de")
	require.NoError(t, err)
	content, err := io.ReadAll(rest.Content)
	require.NoError(t, err)
	require.Regexp(t, `(?s)Fällig +1\. Mai 2031.*Wiedervorlage.*Priorität +Hoch.*Given`, textOfPDF(t, content))

	alice := s.clientWithToken(demo.Alice().Secret)
	require.Contains(t, textOfPDF(t, s.sendRequest(alice, http.MethodGet, "tasks/"+task.String()+"/pdf", nil).body), "Given")
	ofProcess := textOfPDF(t, s.sendRequest(alice, http.MethodGet, "processes/"+process.String()+"/pdf", nil).body)
	for _, want := range []string{"Loan on paper", "Running", "Tasks", "Bob"} {
		require.Contains(t, ofProcess, want)
	}
	require.Equal(t, "PROCESS.EXPORTED,PROCESS_ITEM.TASK_FORM_DOWNLOADED", sql[string](s,
		`SELECT string_agg(DISTINCT type, ',' ORDER BY type) FROM events WHERE process_id = $1 AND type ~ 'EXPORTED|FORM_DOWNLOADED'`, process))

	_, err = s.app.CompleteProcessItemTask(t.Context(), s.callerOf(demo.Bob()), task)
	require.NoError(t, err)
	require.Contains(t, textOfPDF(t, s.sendRequest(bob, http.MethodGet, "tasks/"+task.String()+"/pdf", nil).body), "Completed")
}

// A printed page has the values only.
func TestPrintedPages(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	process := s.startLoan("Loan to print")
	task := s.createTask(process, "APPROVE_LOAN", `{"FIRST_NAME":"Given","LAST_NAME":"Family","AMOUNT":"7500"}`)
	s.assignTask(task, demo.Bob())
	bob := s.signIn("Bob")
	bob.openPath("tasks/" + task.String())
	bob.AwaitText("Loan to print")
	require.Equal(t, 1, bob.Count("[data-print]"))
	bob.Eval("window.print = () => { window.printed = true }")
	bob.Click("[data-print]")
	require.True(t, browsertest.Eval[bool](bob.Tab, "window.printed"))
	for name, path := range map[string]string{"task": "tasks/" + task.String(), "process": "processes/" + process.String()} {
		bob.Scheme("light")
		bob.openPath(path)
		bob.AwaitText("Loan to print")
		if *screenshots != "" {
			bob.Screenshot(filepath.Join(*screenshots, "paper-"+name+"-screen.png"))
		}
		bob.Print()
		if *screenshots != "" {
			bob.Screenshot(filepath.Join(*screenshots, "paper-"+name+".png"))
		}
		visible := `[...document.querySelectorAll("button:not(.visually-hidden), .btn, nav, header.top, .views, .rows, .back, .back-link, .alert, .tabs, .form-hint, input[type=search]")]
			.filter((e) => e.checkVisibility()).map((e) => e.outerHTML.slice(0, 80))`
		require.Empty(t, browsertest.Eval[[]string](bob.Tab, visible), name)
	}
}
