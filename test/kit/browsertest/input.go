package browsertest

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// Click clicks on an element that is visible.
func (b *Tab) Click(selector string) {
	b.t.Helper()
	click := func(ctx context.Context) error {
		return chromedp.Do(ctx, chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
	}
	ctx, cancel := context.WithTimeout(b.ctx, waitTimeout)
	defer cancel()
	err := click(ctx)
	for err != nil && strings.Contains(err.Error(), "Could not find node") {
		// News has replaced the element between its search and the click.
		err = click(ctx)
	}
	if err != nil {
		b.t.Fatalf("clicking on %s: %v\n%s", selector, err, b.describePage())
	}
}

// Type focuses a field and types into it.
func (b *Tab) Type(selector, text string) {
	b.t.Helper()
	b.runAction("typing into "+selector, chromedp.SendKeys(chromedp.CSS(selector), text, chromedp.NodeVisible))
}

// Upload chooses a file for a field that takes files.
func (b *Tab) Upload(selector, file string) {
	b.t.Helper()
	b.runAction("choosing a file for "+selector, chromedp.SetUploadFiles(chromedp.CSS(selector), []string{file}, chromedp.NodeReady))
}

// Set replaces the value of a field, as a person who chooses another one does.
func (b *Tab) Set(selector, value string) {
	b.t.Helper()
	b.Await(fmt.Sprintf("document.querySelector(%q)", selector))
	b.Eval(fmt.Sprintf(`const field = document.querySelector(%q); field.value = %q;
		for (const name of ["input", "change"]) field.dispatchEvent(new Event(name, {bubbles: true}))`, selector, value))
}

// Press presses a key, or several one after the other, where the focus is.
func (b *Tab) Press(keys string, modifiers ...chromedp.Modifier) {
	b.t.Helper()
	b.runAction("pressing "+keys, chromedp.KeyEvent(keys, chromedp.KeyModifiers(modifiers...)))
}

// HoldMouse presses the mouse button in the middle of an element. The returned function releases it there.
func (b *Tab) HoldMouse(selector string) (release func()) {
	b.t.Helper()
	at := Eval[[]float64](b, fmt.Sprintf(`(() => {
		const element = document.querySelector(%q);
		element.scrollIntoView({block: "center"});
		const box = element.getBoundingClientRect();
		return [box.x + box.width / 2, box.y + box.height / 2];
	})()`, selector))
	b.runAction("pressing the mouse on "+selector, chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, at[0], at[1], chromedp.ButtonLeft, chromedp.ClickCount(1)))
	return func() {
		b.t.Helper()
		b.runAction("releasing the mouse", chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, at[0], at[1], chromedp.ButtonLeft, chromedp.ClickCount(1)))
	}
}

// Compose shows a text of an input method at the focus, before it is committed.
func (b *Tab) Compose(text string) {
	b.t.Helper()
	end := int64(len(utf16.Encode([]rune(text))))
	_, err := chromedp.Call(b.ctx, input.ImeSetComposition, input.ImeSetCompositionParams{Text: text, SelectionStart: end, SelectionEnd: end})
	require.NoError(b.t, err)
}

// Commit ends the composition of an input method with a text.
func (b *Tab) Commit(text string) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, input.InsertText, input.InsertTextParams{Text: text})
	require.NoError(b.t, err)
}
