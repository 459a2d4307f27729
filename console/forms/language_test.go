package forms_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/form"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

// Texts without a translation are marked with their language; the ones in the language of the page are not.
func TestFormMarksOtherLanguages(t *testing.T) {
	t.Parallel()
	catalogue, err := translation.Parse(json.RawMessage(`{"default":"fr","en":{"name.label":"Name","kind.A":"First","name.error.required":"Please say who you are"}}`))
	require.NoError(t, err)
	m := &memoryStore{
		schema: json.RawMessage(`{"type":"object","required":["name"],"properties":{"name":{"type":"string","title":"Nom","description":"Nom complet"},
			"kind":{"enum":["A","B"],"title":"Genre"}}}`),
		value: json.RawMessage(`{}`),
		texts: form.TextsOf(translation.New(translation.NewReader(language.English), catalogue)),
	}
	b := m.openForm(t)
	require.Equal(t, "Name", b.Text(`label[for=f-name]:not([lang])`))
	require.Equal(t, "Nom complet", b.Text(`#f-name-help [lang=fr]`))
	require.Equal(t, "Genre", b.Text(`#f-kind-field legend[lang=fr]`))
	require.Equal(t, []string{"First", "B"}, browsertest.Eval[[]string](b, `[...document.querySelectorAll("#f-kind-field .form-check-label")].map(e => e.textContent)`))
	require.Equal(t, 1, b.Count(`#f-kind-field .form-check-label[lang=fr]`))
	b.Click("[data-complete]")
	b.AwaitText("Please say who you are")
	b.Click(`#f-kind-field input[value='"A"']`)
	b.Await(`document.querySelector("[data-status]").textContent.includes("aved")`)
	m.mu.Lock()
	defer m.mu.Unlock()
	require.JSONEq(t, `{"kind":"A"}`, string(m.value))
}
