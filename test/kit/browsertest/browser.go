// Package browsertest drives a real Chromium in tests. All tests of a binary share
// one browser; each has a tab with cookies of its own.
//
// A test binary that uses it calls Close from TestMain.
package browsertest

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// waitTimeout bounds every wait for a page. It is long, so that only a page that hangs exceeds it on a
// busy machine.
const waitTimeout = time.Minute

//nolint:gochecknoglobals // the browsers are shared by all tests of a binary, which start in no order
var (
	// shell is the headless shell, which takes half the CPU time of Chromium and shows no PDFs, or Chromium where it is missing.
	shell = browser{program: "chromium-headless-shell"}
	full  browser
)

// browser is a browser that is started when it is first used.
type browser struct {
	// program is the name of the program, if it is installed; "" for Chromium.
	program string

	once  sync.Once
	ctx   context.Context
	close context.CancelFunc
	err   error
}

func (b *browser) start() {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.Flag("disable-dev-shm-usage", true),
		// Animations take a quarter of the CPU time of tests.
		chromedp.Flag("force-prefers-reduced-motion", true))
	if path, err := exec.LookPath(b.program); err == nil {
		options = append(options, chromedp.ExecPath(path))
	}
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, end := chromedp.NewContext(allocator)
	b.ctx = ctx
	b.close = func() {
		end()
		stop()
	}
	b.err = chromedp.Do(ctx)
}

// Close ends the browsers that were started.
func Close() {
	for _, b := range []*browser{&shell, &full} {
		if b.close != nil {
			b.close()
		}
	}
}

// Tab is a tab with cookies of its own. Its methods fail the test when something
// does not happen in time.
type Tab struct {
	t   *testing.T
	ctx context.Context
	// scheme is the preferred colour scheme of the system, "light" or "dark".
	scheme string
	// scriptless is true while pages run no scripts.
	scriptless bool

	mu       sync.Mutex
	problems []string
	// leaving reports whether the page may ask before it is left, and asked whether it did.
	leaving, asked bool
}

// New opens a tab of 1280 by 800 pixels in a light scheme until the test ends. The
// test fails when a script of a page fails or a page violates its
// Content-Security-Policy.
func New(t *testing.T) *Tab {
	t.Helper()
	return shell.open(t)
}

// NewWithViewers is New in a browser that shows PDFs.
func NewWithViewers(t *testing.T) *Tab {
	t.Helper()
	return full.open(t)
}

func (b *browser) open(t *testing.T) *Tab {
	t.Helper()
	b.once.Do(b.start)
	require.NoError(t, b.err, "starting Chromium, which tools/scripts/bootstrap --tests installs")
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	tab := &Tab{t: t, ctx: ctx}
	t.Cleanup(func() {
		cancel()
		tab.mu.Lock()
		defer tab.mu.Unlock()
		require.Empty(t, tab.problems, "problems that the browser reported")
	})
	require.NoError(t, chromedp.Do(ctx))
	require.NoError(t, chromedp.Listen(ctx, tab.listenToPage))
	// Events of these domains are used by no test, and each costs time.
	_, err := chromedp.Call(ctx, css.Disable, cdp.Empty{})
	require.NoError(t, err)
	// Only one tab of a window has the focus, unless the others pretend to.
	_, err = chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	require.NoError(t, err)
	tab.Size(1280, 800)
	tab.Scheme("light")
	return tab
}

// TakeProblems returns the problems that the browser has reported so far, which do not
// fail the test any more.
func (b *Tab) TakeProblems() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.problems
	b.problems = nil
	return taken
}

func (b *Tab) listenToPage(event any) {
	var problem string
	switch e := event.(type) {
	case *cdpruntime.EventExceptionThrown:
		problem = e.ExceptionDetails.Text
		if thrown := e.ExceptionDetails.Exception; thrown != nil {
			problem += " " + thrown.Description
		}
	case *log.EventEntryAdded:
		if e.Entry.Source == log.EntrySourceSecurity || e.Entry.Source == log.EntrySourceJavascript {
			problem = e.Entry.Text
		}
	case *page.EventJavascriptDialogOpening:
		// The tab is blocked until the dialog is answered.
		go func() {
			_, _ = chromedp.Call(b.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
		}()
		b.mu.Lock()
		b.asked = true
		if !b.leaving {
			problem = "a dialog at " + e.URL + ": " + string(e.Type) + ": " + e.Message
		}
		b.mu.Unlock()
	}
	if problem != "" {
		b.mu.Lock()
		b.problems = append(b.problems, problem)
		b.mu.Unlock()
	}
}

func (b *Tab) runAction(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, waitTimeout)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatalf("%s: %v\n%s", what, err, b.describePage())
	}
}

// describePage returns the address and the text of the page, for messages.
func (b *Tab) describePage() string {
	ctx, cancel := context.WithTimeout(b.ctx, time.Second)
	defer cancel()
	seen, err := chromedp.Run(ctx, chromedp.Evaluate[string](`location.href + "\n" + (document.body?.innerText ?? "").slice(0, 2000)`))
	if err != nil {
		return err.Error()
	}
	return seen
}

// Open goes to a URL and waits until the page and its scripts are there.
func (b *Tab) Open(url string) {
	b.t.Helper()
	b.runAction("opening "+url, chromedp.Navigate(url))
}

// Leave goes to a URL from a page that asks before it is left, and fails the test when
// the page does not ask. Chromium lets only pages ask that a person has touched.
func (b *Tab) Leave(url string) {
	b.t.Helper()
	b.mu.Lock()
	b.leaving, b.asked = true, false
	b.mu.Unlock()
	b.Open(url)
	b.mu.Lock()
	defer b.mu.Unlock()
	require.True(b.t, b.asked, "the page was left for %s without a question", url)
	b.leaving = false
}

// Size sets the size of the window in pixels.
func (b *Tab) Size(width, height int64) {
	b.t.Helper()
	b.runAction("resizing", chromedp.EmulateViewport(width, height))
}

// Scheme makes the system prefer "light" or "dark" colours.
func (b *Tab) Scheme(name string) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}},
	})
	require.NoError(b.t, err)
	b.scheme = name
}

// Print shows pages as they are printed.
func (b *Tab) Print() {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	require.NoError(b.t, err)
}

// Cookie gives the browser a cookie for a URL.
func (b *Tab) Cookie(url string, cookie *http.Cookie) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, network.SetCookie, network.SetCookieParams{
		URL: url, Name: cookie.Name, Value: cookie.Value, Path: cookie.Path, HTTPOnly: &cookie.HttpOnly,
	})
	require.NoError(b.t, err)
}

// Scripts allows or forbids pages to run scripts.
func (b *Tab) Scripts(allowed bool) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: !allowed})
	require.NoError(b.t, err)
	b.scriptless = !allowed
}

// Await waits until an expression of JavaScript is true.
func (b *Tab) Await(expression string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, waitTimeout)
	defer cancel()
	evaluate := chromedp.Evaluate[bool]("!!(" + expression + ")")
	if !b.scriptless {
		// The page waits by itself, until it is left.
		evaluate = chromedp.Evaluate[bool](`new Promise((done) => {
			const check = (pause) => (`+expression+`) ? done(true) : setTimeout(check, pause, Math.min(2 * pause, 100));
			check(10);
		})`, chromedp.EvalAwaitPromise)
	}
	for {
		if met, err := chromedp.Run(ctx, evaluate); err == nil && met {
			return
		}
		select {
		case <-ctx.Done():
			b.t.Fatalf("waited in vain for %s\n%s", expression, b.describePage())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// AwaitText waits until the page shows a text.
func (b *Tab) AwaitText(text string) {
	b.t.Helper()
	b.Await(fmt.Sprintf("document.body && document.body.innerText.includes(%q)", text))
}

// AwaitPath waits until the tab is at a path of the site, with its query.
func (b *Tab) AwaitPath(path string) {
	b.t.Helper()
	b.Await(fmt.Sprintf(`document.readyState === "complete" && location.pathname + location.search === %q`, path))
}

// AwaitContent waits until the main part of the page consists of one element with an id, which links
// and live updates replace.
func (b *Tab) AwaitContent() {
	b.t.Helper()
	b.Await(`document.querySelectorAll("main > [id]:only-child").length === 1`)
}

// Text returns the text of an element as it is shown.
func (b *Tab) Text(selector string) string {
	b.t.Helper()
	return Eval[string](b, fmt.Sprintf("document.querySelector(%q)?.innerText ?? ''", selector))
}

// Count returns how many elements there are.
func (b *Tab) Count(selector string) int {
	b.t.Helper()
	return Eval[int](b, fmt.Sprintf("document.querySelectorAll(%q).length", selector))
}

// Path returns where the tab is, with the query.
func (b *Tab) Path() string {
	b.t.Helper()
	return Eval[string](b, "location.pathname + location.search")
}

// Eval returns the value of an expression of JavaScript, awaiting a promise.
func Eval[T any](b *Tab, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, waitTimeout)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	require.NoError(b.t, err, expression)
	return value
}

// Screenshot writes a picture of the whole page as a PNG file.
func (b *Tab) Screenshot(file string) {
	b.t.Helper()
	picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	require.NoError(b.t, err)
	require.NoError(b.t, os.MkdirAll(filepath.Dir(file), 0o750))
	require.NoError(b.t, os.WriteFile(file, picture, 0o600))
}

// RequireNoSidewaysScroll fails the test when the page is wider than the window.
func (b *Tab) RequireNoSidewaysScroll() {
	b.t.Helper()
	wide := Eval[string](b, `(() => {
		const root = document.documentElement;
		if (root.scrollWidth <= root.clientWidth) return "";
		const scrolls = (e) => e && (getComputedStyle(e).overflowX !== "visible" || scrolls(e.parentElement));
		const wide = [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > root.clientWidth + 1 && !scrolls(e.parentElement));
		return root.scrollWidth + " px: " + wide.slice(0, 5).map((e) => e.tagName + "." + e.className).join(", ");
	})()`)
	require.Empty(b.t, wide, "the page at %s is wider than the window", b.Path())
}

// NewTab opens another tab with the same cookies.
func (b *Tab) NewTab() *Tab {
	b.t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx)
	b.t.Cleanup(cancel)
	other := &Tab{t: b.t, ctx: ctx}
	require.NoError(b.t, chromedp.Do(ctx))
	return other
}

// Eval runs a script and ignores its value.
func (b *Tab) Eval(script string) {
	b.t.Helper()
	Eval[bool](b, "(() => {"+script+"; return true})()")
}
