package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

// screenshots is where "make screenshots" wants the pictures of the documentation.
// They are taken of the steps of TestDevRunsTheWholeStackAndKeepsItsData.
var screenshots = flag.String("screenshots", "", "write the pictures of the documentation into this `folder`")

// picture writes a screenshot of a tab in each color scheme.
func picture(b *browsertest.Tab, name string, schemes ...string) {
	if *screenshots == "" {
		return
	}
	for _, scheme := range schemes {
		b.Scheme(scheme)
		b.Await(`document.documentElement.dataset.bsTheme === "` + scheme + `" && document.getAnimations().length === 0`)
		b.Screenshot(filepath.Join(*screenshots, name+"-"+scheme+".png"))
	}
	b.Scheme("light")
}

// requireConsoleFirst requires that the banner begins with the console, and that
// browsers, but not programs, are sent there from the root.
func (d *devStack) requireConsoleFirst() {
	d.t.Helper()
	_, address, found := strings.Cut(d.out.String(), "http://")
	require.True(d.t, found)
	require.True(d.t, strings.HasPrefix(address, d.config.Listen+web.Root), "the first address of the banner: %s", address)

	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	const browser = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"
	for _, test := range []struct{ path, accept, leadsTo string }{
		{"/", browser, web.Root},
		{"/", "application/json", ""},
		{"/", "*/*", ""},
		{"/", "", ""},
		{"/docs", browser, web.Root + "reference"},
		{"/openapi/", browser, web.Root + "reference"},
		{"/swagger", browser, web.Root + "reference"},
		{"/docs", "application/json", ""},
		{"/nowhere", browser, ""},
	} {
		request, err := http.NewRequestWithContext(d.t.Context(), http.MethodGet, d.url()+test.path, nil)
		require.NoError(d.t, err)
		request.Header.Set("Accept", test.accept)
		answer, err := client.Do(request)
		require.NoError(d.t, err)
		require.NoError(d.t, answer.Body.Close())
		require.Equal(d.t, test.leadsTo, answer.Header.Get("Location"), test)
		require.Equal(d.t, test.leadsTo == "", answer.StatusCode == http.StatusNotFound, test)
	}
	// The commands of the banner are for the addresses of this stack.
	require.Contains(d.t, d.out.String(), "make demo 'DEMO_FLAGS=-endpoint "+d.url()+"'\n")
	require.Contains(d.t, d.out.String(), "export PROCESSION_SERVER="+d.url()+" ")
}

// startLoan starts a loan with a subject, which the older interface takes.
func (d *devStack) startLoan(as demo.Account, subject string) uuid.UUID {
	d.t.Helper()
	body, err := json.Marshal(map[string]any{"subject": subject, "processDefinition": map[string]any{"id": demo.Loan()}})
	require.NoError(d.t, err)
	request, err := http.NewRequestWithContext(d.t.Context(), http.MethodPost, d.url()+"/v2022-10-08/processes", bytes.NewReader(body))
	require.NoError(d.t, err)
	request.Header.Set("Authorization", "Bearer "+as.Secret)
	request.Header.Set("Content-Type", "application/json")
	answer, err := d.http.Do(request)
	require.NoError(d.t, err)
	defer func() { require.NoError(d.t, answer.Body.Close()) }()
	require.Equal(d.t, http.StatusCreated, answer.StatusCode)
	var started struct{ ID uuid.UUID }
	require.NoError(d.t, json.NewDecoder(answer.Body).Decode(&started))
	return started.ID
}

// loansToApprove starts loans of demo users and applies for them.
func (d *devStack) loansToApprove() []uuid.UUID {
	d.t.Helper()
	var loans []uuid.UUID
	for _, subject := range []string{"Cargo bicycle", "Greenhouse", "Kitchen works", "Delivery van"} {
		loans = append(loans, d.startLoan(demo.Carol(), subject))
	}
	for i, loan := range loans {
		d.fill(d.awaitItem(loan, "LOAN_APPLICATION"), map[string]any{
			"FIRST_NAME": "Carol", "LAST_NAME": "Demo", "CURRENCY": "EUR", "AMOUNT": 6000 + 2500*i,
		})
	}
	return loans
}

// signIn goes to the stack's address and signs in by the button of a demo user.
func (d *devStack) signIn(name string) *browsertest.Tab {
	d.t.Helper()
	b := browsertest.New(d.t)
	b.Open(d.url() + "/")
	b.AwaitPath(web.Root + "sign-in")
	if name == "Carol" {
		picture(b, "sign-in", "light")
	}
	b.Click("button[data-user=" + name + "]")
	b.Await(`document.querySelector("#page")`)
	return b
}

// openTask opens the task about a bakery in a view of the inbox, and claims it if necessary.
func (d *devStack) openTask(b *browsertest.Tab, view string) {
	d.t.Helper()
	b.Open(d.url() + web.Root + "tasks?view=" + view + "&q=bakery")
	b.Await(`document.querySelectorAll(".row-link").length === 1`)
	b.Open(browsertest.Eval[string](b, `document.querySelector(".row-link").href`))
	if view == "to-claim" {
		b.Click("form[action$=claim] button")
	}
	b.Await(`document.querySelector("[data-complete]")`)
}

// applicant is a loan that Carol applies for in the browser.
type applicant struct {
	*browsertest.Tab

	process uuid.UUID
	offer   []byte
	// steps are the clicks, the fields filled in and the keys pressed.
	steps int
}

func (a *applicant) Click(selector string) {
	a.steps++
	a.Tab.Click(selector)
}

func (a *applicant) Type(selector, text string) {
	a.steps++
	a.Tab.Type(selector, text)
}

func (a *applicant) Upload(selector, file string) {
	a.steps++
	a.Tab.Upload(selector, file)
}

func (a *applicant) Press(keys string, modifiers ...chromedp.Modifier) {
	a.steps++
	a.Tab.Press(keys, modifiers...)
}

// suggestDecisions has models suggest the fields of a decision about a loan.
func (d *devStack) suggestDecisions() {
	d.t.Helper()
	loan, err := os.ReadFile("../../examples/demo/loan.yaml")
	require.NoError(d.t, err)
	const answer = "        answer: SUGGESTION\n"
	require.Contains(d.t, string(loan), answer)
	changed := strings.Replace(string(loan), answer, answer+
		"        outputSchema: {type: object, properties: {APPROVAL: {enum: ['YES', 'NO']}}, required: [APPROVAL]}\n", 1)
	file := filepath.Join(d.dir, "loan.yaml")
	require.NoError(d.t, os.WriteFile(file, []byte(changed), 0o600))
	printed(d.t, append([]string{"apply", "-f", file}, d.asking(demo.Alice())...)...)
}

// applyForALoan starts a loan as Carol and fills in a part of its first task.
func (d *devStack) applyForALoan() *applicant {
	d.t.Helper()
	// Carol has opened the address and pressed her button.
	a := &applicant{Tab: d.signIn("Carol"), steps: 2, offer: []byte("Oven \x00\xff, 12,500 euros\r\n")}
	a.Click(`.areas a[href$="/start"]`)
	a.Click(`.tile a[href$="` + demo.Loan().String() + `"]`)
	a.Type("#f-subject", "Bakery oven")
	a.Click("[data-complete]")
	a.AwaitText("started by Carol")
	a.process = uuid.MustParse(filepath.Base(a.Path()))
	d.awaitItem(a.process, "LOAN_APPLICATION")
	a.Click(`.areas a[href$="/tasks"]`)
	a.Await(`document.querySelectorAll(".row-link").length === 1`)
	a.Click(".row-link")
	a.Click("form[action$=claim] button")
	a.Await(`document.querySelector("[data-complete]")`)
	a.Type(`[name="v/FIRST_NAME"]`, "Carol")
	file := filepath.Join(d.dir, "offer.bin")
	require.NoError(d.t, os.WriteFile(file, a.offer, 0o600))
	a.Upload(`[name="u/ATTACHMENT"]`, file)
	a.AwaitText("offer.bin")
	a.Click("[data-complete]")
	a.Await(`document.activeElement.id === "form-summary"`)
	a.Click("#form-summary a[href$=LAST_5fNAME]")
	a.Await(`document.activeElement.name === "v/LAST_NAME"`)
	picture(a.Tab, "task", "light")
	return a
}

// finishApplication completes the task, in which something was typed while the
// service was not there.
func (d *devStack) finishApplication(a *applicant) {
	d.t.Helper()
	a.Await(`document.querySelector("[data-status]").dataset.state === "saved"`)
	a.Click(`label:nth-of-type(1) [name="v/CURRENCY"]`)
	a.Type(`[name="v/AMOUNT"]`, "12500")
	task := a.Path()
	a.Press(kb.Enter, chromedp.ModifierCtrl)
	a.AwaitText("is completed.")
	// At three and a half seconds for each of 17 steps, the first task of a new user takes a minute.
	require.LessOrEqual(d.t, a.steps, 17, "steps from the address in the banner to the first task done, with a file and a mistake")
	a.Open(d.url() + task)
	a.Await(`document.getElementById("f-LAST_5fNAME")`)
	require.Equal(d.t, "Carol", browsertest.Eval[string](a.Tab, `document.getElementById("f-FIRST_5fNAME").innerText`))
	require.Equal(d.t, "Demo", browsertest.Eval[string](a.Tab, `document.getElementById("f-LAST_5fNAME").innerText`))
	got, err := base64.StdEncoding.DecodeString(browsertest.Eval[string](a.Tab, `fetch([...document.querySelectorAll(".pane a")]
		.find((a) => a.innerText.includes("offer.bin")).href)
		.then((r) => r.arrayBuffer()).then((bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes))))`))
	require.NoError(d.t, err)
	require.Equal(d.t, a.offer, got)
}

// decide approves the loan as Bob, and ends it as Carol.
func (d *devStack) decide(a *applicant) {
	d.t.Helper()
	d.awaitItem(a.process, "APPROVE_LOAN")
	bob := d.signIn("Bob")
	d.openTask(bob, "to-claim")
	require.Equal(d.t, "12500.00", browsertest.Eval[string](bob, `document.querySelector("[name='v/AMOUNT']").value`))
	bob.Click("#help form button")
	bob.Click(".suggestion button")
	bob.AwaitText("In the form")
	bob.Await(`document.querySelector("label:nth-of-type(1) [name='v/APPROVAL']").checked`)
	if *screenshots != "" {
		bob.Open(d.url() + web.Root + "tasks")
		bob.Click(".row-link")
		bob.Await(`document.querySelector(".task-head")`)
		picture(bob, "inbox", "light", "dark")
		bob.Size(375, 760)
		picture(bob, "phone", "light")
		bob.Size(1280, 800)
		d.openTask(bob, "mine")
	}
	bob.Click("[data-complete]")
	bob.AwaitText("is completed.")

	d.awaitItem(a.process, "NOTIFICATION_GRANTED")
	d.openTask(a.Tab, "mine")
	a.Click("[data-complete]")
	a.AwaitText("is completed.")
	a.Open(d.url() + web.Root + "processes/" + a.process.String())
	a.Await(`document.querySelector(".page-about .text-green")`)
}

// watchProcesses looks at the processes as Alice, who manages all of them.
func (d *devStack) watchProcesses(finished, running uuid.UUID) {
	d.t.Helper()
	alice := d.signIn("Alice")
	alice.Open(d.url() + web.Root + "processes")
	alice.AwaitText("in all")
	picture(alice, "processes", "light", "dark")
	alice.Open(d.url() + web.Root + "processes/" + finished.String() + "/timeline")
	alice.AwaitText("Bob completed “Approve the loan”")
	picture(alice, "timeline", "light")
	alice.Open(d.url() + web.Root + "processes/" + running.String())
	alice.Click(".actions-menu > summary")
	alice.AwaitText("Makes a file")
	picture(alice, "process", "light")
}
