package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/events/webhook"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

// browser is a browser that is signed in to the console with an access token.
type browser struct {
	*browsertest.Tab

	root string
}

func (s *testStack) browse(token string) *browser {
	s.t.Helper()
	b := &browser{browsertest.New(s.t), s.url() + web.Root}
	b.open("sign-in")
	b.Type("#token", token)
	b.Click("form:has(#token) button")
	b.Await(`document.querySelector("#home")`)
	return b
}

// open goes to a path of the console.
func (b *browser) open(path string) { b.Open(b.root + path) }

// apply applies the manifests in the editor.
func (b *browser) apply() {
	b.AwaitText("Created")
	b.Click("button[form=definition].btn-primary")
	b.AwaitText("This is applied.")
}

// replace changes a text in the editor, by pasting all of it.
func (b *browser) replace(was, now string) {
	b.Click(".cm-content")
	b.Press("a", chromedp.ModifierCtrl)
	b.Eval(fmt.Sprintf(`(() => {
		const data = new DataTransfer();
		data.setData("text/plain", document.querySelector("[data-editor]").value.replace(%q, %q));
		document.querySelector(".cm-content").dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}));
	})()`, was, now))
	b.Await(fmt.Sprintf(`document.querySelector("[data-editor]").value.includes(%q)`, now))
}

// tryExpression tries an expression in the playground, by which a review is offered once there was one.
func (b *browser) tryExpression(expression string) {
	b.Click("a[href$=playground]")
	b.Type("#expression", expression)
	b.Set("[name=task]", "REVIEW")
	b.Click("[data-complete]")
	b.AwaitText("The action is offered.")
	b.Set("[name=taskState]", "CLAIMED")
	b.Click("[data-complete]")
	b.AwaitText("The action is not offered.")
}

// askForReview is the button of the user action of the process that foundATenant defines.
const askForReview = ".actions-menu form[action$=ASK_FOR_REVIEW] button"

// openProcess goes to the process that a word finds.
func (b *browser) openProcess(word string) {
	b.open("processes?q=" + word)
	b.Click("main .row-link")
	b.Await(`document.querySelector("a[href$='finish/complete']")`)
}

// foundATenant lets an operator make a tenant, and its owner define a process with a form
// at its start, another at its task, and a user action, and see one through. All of it is
// done in browsers.
func (s *testStack) foundATenant() {
	s.t.Helper()
	operator := s.browse(s.operator().Secret)
	operator.Click(".areas a[href$='/definitions']")
	operator.Click("a[href$='/definitions/new']")
	operator.Click("a[href$='template=tenant']")
	operator.apply()
	operator.open("people/new-tenant/User/owner")
	operator.Type("form[action$='/secrets'] [name=name]", "first")
	operator.Click("form[action$='/secrets'] button")
	operator.AwaitText("it is not shown again")

	owner := s.browse(operator.Text("#secret"))
	require.Zero(s.t, owner.Count("a[href*='tenant=demo']"))
	owner.Click(".areas a[href$='/definitions']")
	again := `${ .process.state == "RUNNING" and (.tasks.REVIEW == null or .tasks.REVIEW.state == "COMPLETED") }`
	owner.tryExpression(again)
	owner.open("definitions/new")
	require.Zero(s.t, owner.Count("a[href$='template=tenant']"), "tenants are made by operators")
	owner.Click("a[href$='template=process']")
	owner.AwaitText("Created")
	owner.replace(`${ .process.state == "RUNNING" and .tasks.REVIEW == null }`, again)
	owner.apply()
	owner.open("start?q=REQUEST")
	owner.Click("main .tile .row-link")
	owner.Type("[name='v/metadata/TITLE']", "A new oven")
	owner.Type("[name='v/metadata/AMOUNT']", "1200")
	owner.Click("main form .btn-primary")
	owner.AwaitText("Actions")
	owner.Click(".actions-menu > summary")
	owner.Click(askForReview)
	owner.Click("form[action$='tasks/claim'] button")
	owner.Await(`document.querySelector("[data-complete]")`)
	task := strings.TrimPrefix(owner.Path(), web.Root)
	owner.openProcess("oven")
	require.Zero(s.t, owner.Count(askForReview), "a review is under way")
	owner.open(task)
	owner.Await(`document.querySelector("[name='v/APPROVED'][value=true]:not([type=hidden])")`)
	owner.Eval(`document.querySelector("[name='v/APPROVED'][value=true]:not([type=hidden])").click()`)
	owner.Type(`[name="v/COMMENT"]`, "It is needed.")
	owner.Click("[data-complete]")
	owner.AwaitText("is completed.")
	owner.openProcess("oven")
	require.Equal(s.t, 1, owner.Count(askForReview), "as the expression of the playground says")
	owner.Click("a[href$='finish/complete']")
	owner.Click("form[action$='finish/complete'] .btn-primary")
	owner.AwaitText("Completed")
	require.Contains(s.t, owner.Text(".page-head"), "A new oven")
	owner.open("processes?q=oven&state=COMPLETED")
	owner.AwaitText("1 in all")
}

// awaitQueue waits until the page of the loan's queue has a text.
func (s *testStack) awaitQueue(b *browser, text string) {
	s.t.Helper()
	s.await("the queue to be shown: "+text, func() bool {
		b.open("queues/queue?tenant=demo&name=QUEUE_SAMPLE_LOAN")
		return strings.Contains(b.Text("#queue"), text)
	})
}

// requireCommands requires that pages show the equivalent commands, and that these exist.
func (s *testStack) requireCommands(b *browser) {
	s.t.Helper()
	for path, want := range map[string][]string{
		"definitions": {"get"}, "definitions/demo/ProcessDefinition/LOAN": {"describe", "edit", "versions list"},
		"definitions/new?template=process": {"apply"}, "people": {"get"},
		"people/demo/User/bob":                {"describe", "edit", "secrets issue", "secrets revoke", "access list", "access revoke"},
		"people/demo/Application/loan-worker": {"edit", "secrets issue", "secrets revoke", "access revoke"},
		"people/demo/Robot/KYC_BOT":           {"edit", "robots upload-source", "robots set-env", "robots unset-env"},
		"queues":                              {"task-queues"}, "incidents": {"incidents list", "incidents retry", "incidents dismiss"},
		"webhooks": {"webhooks list"}, "audit": {"events"},
		"webhooks/endpoint?tenant=demo&code=ORDERS": {
			"webhooks deliveries", "webhooks ping", "webhooks replay-failed", "webhooks replay-all", "secrets issue webhook", "edit webhook",
		},
	} {
		b.open(path)
		b.Await(`document.querySelector(".command")`)
		shown := browsertest.Eval[[]string](b.Tab, `[...document.querySelectorAll(".command code")].map((code) => code.textContent)`)
		for _, command := range want {
			require.True(s.t, slices.ContainsFunc(shown, func(line string) bool {
				return strings.HasPrefix(line, "procession "+command+" ") || line == "procession "+command
			}), "%s is shown on %s: %v", command, path, shown)
		}
		for _, line := range shown {
			require.NoError(s.t, known(newRoot(webhook.NextDelay), strings.Fields(line)[1:]), "%s: %s", path, line)
		}
	}
}
