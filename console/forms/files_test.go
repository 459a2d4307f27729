package forms_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/test/kit/browsertest"
)

// paperForm returns a form with one file and with several.
func paperForm() *memoryStore {
	return &memoryStore{
		schema: json.RawMessage(`{"type":"object","properties":{
			"contract":{"type":"string","format":"kuflow-file","title":"Contract","accept":"application/pdf, image/png","maxSize":2048},
			"papers":{"type":"array","title":"Papers","items":{"type":"string","format":"kuflow-file"}}}}`),
		value: json.RawMessage(`{}`),
	}
}

// chooseFile chooses a file for an input. content is a string of JavaScript.
func chooseFile(b *browsertest.Tab, id, name, mediaType, content string) {
	browsertest.Eval[bool](b, fmt.Sprintf(`(() => {
		const input = document.getElementById(%q), files = new DataTransfer();
		files.items.add(new File([%s], %q, {type: %q}));
		input.files = files.files;
		input.dispatchEvent(new Event("change", {bubbles: true}));
		return true;
	})()`, id, content, name, mediaType))
}

// Files that the schema does not accept are refused at their field, and are not sent.
func TestFilesAreCheckedBeforeTheUpload(t *testing.T) {
	t.Parallel()
	m := paperForm()
	b := m.openForm(t)
	b.AwaitText("Kinds of file: PDF or PNG. At most 2 kB.")
	for _, c := range []struct{ name, mediaType, content, refusal string }{
		{"tool.exe", "application/x-msdownload", `"MZ"`, "tool.exe is not one of the accepted kinds: PDF or PNG."},
		{"empty.pdf", "application/pdf", `""`, "empty.pdf is empty."},
		{"large.pdf", "application/pdf", `"%PDF-" + "x".repeat(3000)`, "large.pdf is larger than 2 kB."},
		{"text.pdf", "application/pdf", `"hello"`, "The content of text.pdf does not fit its name."},
		{"text.png", "image/png", `"hello"`, "The content of text.png does not fit its name."},
	} {
		chooseFile(b, "f-contract-upload", c.name, c.mediaType, c.content)
		b.Await(fmt.Sprintf(`document.querySelector("#f-contract [data-refusal]").textContent === %q`, c.refusal))
	}
	require.Empty(t, m.uploaded)
	b.RequireAccessible()
}

// A file is shown as a card, replaced by the next one where only one has a place, and removed by its button.
func TestFilesAreCards(t *testing.T) {
	t.Parallel()
	m := paperForm()
	b := m.openForm(t)
	chooseFile(b, "f-contract-upload", "one.pdf", "application/pdf", `"%PDF-1"`)
	b.Await(`document.querySelector("[name=base]").value.includes("name=one.pdf;")`)
	chooseFile(b, "f-contract-upload", "two.pdf", "application/pdf", `"%PDF-2"`)
	b.Await(`document.querySelector("[name=base]").value.includes("name=two.pdf;")`)
	require.Equal(t, 1, b.Count("#f-contract > [data-file]"))
	chooseFile(b, "f-papers-upload", "a.txt", "text/plain", `"a"`)
	chooseFile(b, "f-papers-upload", "b.txt", "text/plain", `"b"`)
	b.Await(`document.querySelector("[name=base]").value.includes("name=b.txt;")`)
	require.Equal(t, 2, b.Count("#f-papers > [data-file]"))
	b.RequireAccessible()
	b.Click("#f-contract [data-drop]")
	b.Await(`!document.querySelector("[name=base]").value.includes("two.pdf")`)
	b.Await(saved)
	require.NotContains(t, m.storedValue(), "contract")
	require.Zero(t, b.Count("#f-contract > [data-file]"))
}

// Without a script the button of a card removes its file.
func TestFilesAreRemovedWithoutScript(t *testing.T) {
	t.Parallel()
	m := paperForm()
	m.value = json.RawMessage(`{"papers":["kuflow-file:uri=ku:a;type=text/plain;size=1;name=a.txt;","kuflow-file:uri=ku:b;type=text/plain;size=1;name=b.txt;"]}`)
	site := m.startSite(t)
	b := browsertest.New(t)
	b.Scripts(false)
	b.Open(site.URL + "/form")
	require.Equal(t, 2, b.Count("#f-papers > [data-file]"))
	b.Click("#f-papers [data-file] [data-drop]")
	b.Await(`document.querySelectorAll("#f-papers > [data-file]").length === 1`)
	require.JSONEq(t, `{"papers":["kuflow-file:uri=ku:b;type=text/plain;size=1;name=b.txt;"]}`, m.storedValue())
}
