package console_test

import (
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/console"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
)

// talk is a process with the kinds of user actions that the loan has none of.
const talk = `
apiVersion: procession/v1
kind: ProcessDefinition
metadata: {code: TALK, tenant: demo}
spec:
  name: Talk
  engine: {workflowType: TalkWorkflow, taskQueue: QUEUE_SAMPLE_LOAN, signalShape: B, runner: loan-worker}
  items:
    - {code: NOTE, type: MESSAGE, name: Note}
    - {code: DISCUSSION, type: THREAD, name: Discussion}
  userActions:
    - {code: WRITE, name: Write a note, type: CREATE_PROCESS_ITEM_MESSAGE, item: NOTE, permissions: [MANAGER]}
    - {code: DISCUSS, name: Discuss it, type: CREATE_PROCESS_ITEM_THREAD, item: DISCUSSION, permissions: [MANAGER]}
    - {code: HURRY, name: Hurry up, type: SEND_WORKFLOW_SIGNAL, signalName: Hurry, permissions: [MANAGER]}
  permissions: {initiators: [{user: alice}], managers: [{user: alice}]}
`

// startTalk starts a process of the definition talk.
func (s *site) startTalk(subject string) uuid.UUID {
	s.t.Helper()
	s.applyManifests(talk)
	started, _, err := s.app.CreateProcess(s.t.Context(), s.callerOf(demo.Alice()), app.NewProcess{
		Definition: app.DefinitionKey{Code: "TALK"}, Subject: subject,
	})
	require.NoError(s.t, err)
	return started.ID
}

// someWork fills a site as work does, and returns the screens that there are then, by
// who opens them and their names.
func (s *site) someWork() map[string]map[string]string {
	s.t.Helper()
	ctx, alice := s.t.Context(), s.callerOf(demo.Alice())
	var tasks []uuid.UUID
	for i, subject := range []string{"A loan for a bakery oven", "A loan for a delivery van", "A loan for a piano", "A loan for a greenhouse and everything that it takes to heat it in winter"} {
		process := uuid.MustParse(s.loanOf(subject, []string{"Ada", "Brook", "Cleo", "Dana"}[i], "Example"))
		tasks = append(tasks, s.createTask(process, "APPROVE_LOAN", `{"FIRST_NAME":"Ada","LAST_NAME":"Example","AMOUNT":"`+strconv.Itoa(2500*(i+1))+`"}`))
	}
	mine := tasks[1]
	s.assignTask(mine, demo.Bob())
	s.delegateTask(tasks[3], demo.Bob(), demo.Carol(), "The amount looks odd to me.\nPlease ask for the second quotation.")
	opened, err := s.app.OpenTask(ctx, alice, tasks[0])
	require.NoError(s.t, err)
	loan := opened.Item.ProcessID
	_, _, err = s.app.CreateProcessItem(ctx, alice, app.NewItem{Type: domain.ItemMessage, ProcessID: loan, Text: "Please look at the second page first."})
	require.NoError(s.t, err)
	_, err = s.app.UploadProcessDocument(ctx, alice, loan, storage.File{Name: "quotation.txt", ContentType: "text/plain", Body: strings.NewReader("An oven: 2,500")})
	require.NoError(s.t, err)
	run, _, err := s.app.CreateProcessAction(ctx, alice, loan, app.NewProcessAction{Code: "REPORT"})
	require.NoError(s.t, err)
	related, _, err := s.app.CreateProcessAction(ctx, alice, loan, app.NewProcessAction{Code: "TOP_UP"})
	require.NoError(s.t, err)
	require.NotNil(s.t, related.Started)
	talk := s.startTalk("About the oven").String()
	ada := s.createArtifact(demo.Alice(), customerDefinition(), `{"name":"Ada Works","tier":"GOLD","balance":1500.50,"since":"2024-02-01"}`)
	statement, _, err := s.app.CreateBusinessArtifactAction(ctx, alice, ada, app.NewBusinessArtifactAction{Code: "STATEMENT"})
	require.NoError(s.t, err)
	customer := ada.String()
	s.createArtifact(demo.Alice(), customerDefinition(), `{"name":"Bee Yard","tier":"SILVER","balance":20,"since":"2025-06-30"}`)
	process := "processes/" + loan.String()
	return map[string]map[string]string{
		"Bob": {
			"home-reviewer": "", "inbox": "tasks", "inbox-empty": "tasks?q=nothing", "task-ready": "tasks/" + tasks[0].String(), "task": "tasks/" + mine.String() + "?view=mine",
			"assign": "tasks/assign?task=" + tasks[0].String() + "&task=" + tasks[2].String(), "sessions": "sessions", "profile": "profile", "absences": "absences", "tokens": "tokens", "notifications": "notifications", "mails": "notifications/mails", "mailbox": "mailbox",
			"unsubscribe": "unsubscribe/" + s.app.UnsubscribeToken(demo.Bob().ID, domain.NotificationKinds()), "palette": "palette?q=loan",
			"delegate": "tasks/delegate?task=" + mine.String(), "task-delegated": "tasks/" + tasks[3].String(),
			"assistance": "tasks/" + mine.String() + "/assistance", "planning": "tasks/" + mine.String() + "/planning",
			"start-none": "start", "processes-none": "processes?q=nothing", "artifacts-none": "artifacts", "not-found": "nothing", "denied": "definitions",
			"reference": "reference", "reference-api": "reference/2024-06-14", "reference-operation": "reference/2024-06-14/operations/createProcess",
			"reference-schema": "reference/2024-06-14/schemas/Process",
		},
		"Carol": {"task-of-delegator": "tasks/" + tasks[3].String(), "home": "", "start": "start", "start-form": "start/" + demo.Loan().String()},
		"Alice": {
			"home-manager": "", "task-process": "tasks/" + tasks[0].String(), "task-messages": "tasks/" + tasks[0].String() + "?part=messages",
			"task-timeline": "tasks/" + tasks[0].String() + "?part=timeline", "task-documents": "tasks/" + tasks[0].String() + "?part=documents", "processes": "processes", "processes-of": "processes?definition=" + demo.Loan().String(),
			"process": process, "items": process + "/items", "timeline": process + "/timeline", "messages": process + "/messages", "documents": process + "/documents",
			"related": process + "/related", "runs": process + "/runs", "run": process + "/runs/" + run.ID.String(), "cancel": process + "/finish/cancel",
			"complete": process + "/finish/complete", "act-start": process + "/act/TOP_UP", "act-message": "processes/" + talk + "/act/WRITE",
			"act-signal": "processes/" + talk + "/act/HURRY", "process-new": "processes/" + talk, "messages-none": "processes/" + talk + "/messages",
			"documents-none": "processes/" + talk + "/documents", "artifacts": "artifacts", "artifacts-of": "artifacts?definition=" + customerDefinition().String(),
			"artifact": "artifacts/" + customer, "artifact-new": "artifacts/new/" + customerDefinition().String(), "artifact-timeline": "artifacts/" + customer + "/timeline",
			"artifact-runs": "artifacts/" + customer + "/runs", "artifact-run": "artifacts/" + customer + "/runs/" + statement.ID.String(),
			"process-edit": process + "/edit", "compose": "processes/" + talk + "/messages/NOTE", "engine": process + "/engine",
			"repair": process + "/repair", "repair-points": process + "/repair-points", "repair-restart": process + "/repair/restart", "repair-data": process + "/repair-value/" + tasks[0].String(),
			"engine-history": process + "/engine/history", "artifact-act": "artifacts/" + customer + "/act/STATEMENT", "artifact-documents": "artifacts/" + customer + "/documents",
		},
	}
}

// Every screen of people fits on the narrowest phone. The flag -screenshots takes pictures of them.
func TestScreensFitOnAPhone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	all := s.someWork()
	var paths []string
	for _, screens := range all {
		paths = slices.AppendSeq(paths, maps.Values(screens))
	}
	requireEveryScreen(t, paths, func(area string) bool { return !isAdministrative(area) && area != "sign-in" })
	for name, screens := range all {
		b := s.signIn(name)
		b.Size(320, 700)
		for screen, path := range screens {
			b.openPath(path)
			b.RequireNoSidewaysScroll()
			if *screenshots != "" {
				b.takePicture(screen, path)
			}
		}
	}
}

// isAdministrative reports whether an area is one of administrators.
func isAdministrative(area string) bool {
	return slices.ContainsFunc(ui.AdministrationEntries(), func(e ui.Entry) bool { return e.Area == area })
}

// requireEveryScreen requires that the paths have one of every route of the areas that shows a page. Other routes answer
// with files, with parts of a page or with news.
func requireEveryScreen(t *testing.T, paths []string, of func(area string) bool) {
	t.Helper()
	var missing []string
	others := regexp.MustCompile(`^live$|[.](csv|json|zip)$|/(news|changes|next|beside|bell|file|preview|document|pdf|found|checks)$|^definitions/schemas/`)
	for _, name := range console.RouteNames() {
		method, route, _ := strings.Cut(name, " ")
		area, _, _ := strings.Cut(route, "/")
		if method != http.MethodGet || !of(area) || others.MatchString(route) {
			continue
		}
		page := regexp.MustCompile("^" + regexp.MustCompile(`:\w+`).ReplaceAllString(route, `[^/?]+`) + `([?]|$)`)
		if !slices.ContainsFunc(paths, page.MatchString) {
			missing = append(missing, route)
		}
	}
	require.Empty(t, missing, "no page of these is looked at")
}

// takePicture writes pictures of a screen: wide, narrow and in between, in both schemes and
// languages.
func (p *person) takePicture(name, path string) {
	p.s.t.Helper()
	for _, view := range []struct {
		language, scheme string
		width            int64
	}{{"en", "light", 1440}, {"en", "dark", 1024}, {"de", "light", 360}} {
		p.Eval(`document.cookie = "procession-language=` + view.language + `; Path=/console/"`)
		p.Scheme(view.scheme)
		p.Size(view.width, 800)
		p.openPath(path)
		p.Await("document.documentElement.dataset.bsTheme === " + quoteText(view.scheme))
		p.Screenshot(filepath.Join(*screenshots, fmt.Sprintf("%s-%s-%s-%d.png", name, view.language, view.scheme, view.width)))
	}
	p.Eval(`document.cookie = "procession-language=en; Path=/console/"`)
	p.Scheme("light")
	p.Size(320, 700)
}
