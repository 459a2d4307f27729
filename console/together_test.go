package console_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

// requireOrder requires that the accessibility tree has the elements in this order.
func (p *person) requireOrder(elements ...string) {
	p.s.t.Helper()
	tree := p.Tree()
	at := 0
	for _, element := range elements {
		next := slices.Index(tree[at:], element)
		require.GreaterOrEqual(p.s.t, next, 0, "%s is not after %v in %q", element, elements, tree)
		at += next + 1
	}
}

// A task is claimed, filled in and completed, and the next one claimed, with the keyboard alone; each step is in the accessibility tree.
func TestTasksByKeyboard(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	var tasks []uuid.UUID
	for i := range 2 {
		tasks = append(tasks, s.createTask(s.startLoan(fmt.Sprintf("Loan %d by keys", i)), "APPROVE_LOAN",
			`{"FIRST_NAME":"Ada","LAST_NAME":"Example","AMOUNT":"12500"}`))
	}
	bob := s.signInByKeyboard("Bob")
	bob.goTo("tasks", "Tasks")
	bob.AwaitPath(web.Root + "tasks")
	bob.Press("j")
	bob.Press(kb.Enter)
	bob.Await(claimable)
	bob.requireOrder("navigation: Views", "region: To claim", "region: Task", "heading: Approve the loan", "button: Claim", "region: Form",
		"complementary: About the process")
	bob.Press("c")
	bob.AwaitText("Release")
	bob.tabTo(`[name="v/APPROVAL"][type=radio]`)
	bob.Press(" ")
	bob.requireOrder("region: Task", "heading: Approve the loan", "region: Form", "textbox: First name*", "button: Complete")
	bob.Press(kb.Enter, chromedp.ModifierCtrl)
	bob.AwaitText("“Approve the loan” is completed.")
	bob.Await(claimable)
	require.Contains(t, bob.Path(), tasks[1].String(), "the next task is open")
	bob.requireOrder("region: Task", "heading: Approve the loan", "button: Claim", "status: ")
	bob.Press("c")
	bob.AwaitText("Release")
	s.requireAccessible(bob.Tab)
}

// Within two seconds people see who takes a task over, and messages and mentions of others. The best of three counts, for a busy machine.
func TestPeopleFollowEachOther(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	task := s.createTask(s.startLoan("Loan of two people"), "APPROVE_LOAN", "")
	discussion := s.startDiscussion()
	alice, bob := s.signIn("Alice"), s.signIn("Bob")
	quickest := map[string]time.Duration{}
	follow := func(what string, act func(), seen string) {
		began := time.Now()
		act()
		bob.Await(seen)
		if took := time.Since(began); quickest[what] == 0 || took < quickest[what] {
			quickest[what] = took
		}
	}
	for range 3 {
		s.assignTask(task, demo.Bob())
		bob.openPath("tasks/" + task.String())
		bob.Await(`document.querySelector("[data-complete]") && document.documentElement.dataset.live === ""`)
		follow("take-over", func() { s.assignTask(task, demo.Alice()) }, `document.body.innerText.includes("Alice has claimed this task.")`)
	}
	path := "processes/" + discussion.String() + "/messages"
	alice.openPath(path)
	bob.openPath(path)
	bob.Await(`document.querySelector(".message-form") && document.documentElement.dataset.live === ""`)
	for i := range 3 {
		alice.Type(composerText, fmt.Sprintf("Message %d", i))
		follow("message", func() { alice.Click(".message-form button") }, fmt.Sprintf(`document.querySelectorAll(".message").length === %d`, i+1))
		alice.Await(`document.querySelector(".message-form textarea").value === ""`)
	}
	bob.openPath("tasks")
	bob.Await(`document.documentElement.dataset.live === ""`)
	for i := range 3 {
		// Earlier messages may be told of late: the number in the title rests before another one is sent.
		unread := browsertest.Eval[int](bob.Tab, `new Promise((done) => {
			let [title, since] = [document.title, performance.now()];
			const look = () => {
				if (document.title !== title) [title, since] = [document.title, performance.now()];
				if (performance.now() - since > 3000) done(Number(/^\((\d+)/.exec(title)?.[1] ?? 0));
				else setTimeout(look, 50);
			};
			look();
		})`)
		alice.Type(composerText, fmt.Sprintf("@bob please look at this, %d", i))
		follow("mention", func() { alice.Click(".message-form button") },
			fmt.Sprintf(`document.title.startsWith("(%d)")`, unread+1))
		alice.Await(`document.querySelector(".message-form textarea").value === ""`)
	}
	for what, took := range quickest {
		t.Logf("%s: seen after %s", what, took.Round(time.Millisecond))
		require.Less(t, took, 2*time.Second, what)
	}
}
