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
	catalogue, err := translation.Parse(json.RawMessage(`{"default":"fr","fr":{"lines.amount.error.required":"Dites Montant"},
		"en":{"name.label":"Name","nick.label":"Nick","kind.A":"First","name.error.required":"Please say who you are"}}`))
	require.NoError(t, err)
	m := &memoryStore{
		schema: json.RawMessage(`{"type":"object","required":["name"],"properties":{"name":{"type":"string","title":"Nom","description":"Nom complet"},
			"kind":{"enum":["A","B"],"title":"Genre"},"nick":{"type":"string"},
			"lines":{"type":"array","items":{"type":"object","required":["amount"],"properties":{"amount":{"type":"number","title":"Montant"},"of":{"type":"string"}}}}}}`),
		uiSchema: json.RawMessage(`{"type":"VerticalLayout","elements":[{"type":"Control","scope":"#/properties/name"},{"type":"Control","scope":"#/properties/kind"},
			{"type":"Control","scope":"#/properties/nick","options":{"placeholder":"un mot"}},{"type":"Control","scope":"#/properties/lines"}]}`),
		value: json.RawMessage(`{"lines":[{"of":"x"}]}`),
		texts: form.TextsOf(translation.New(translation.NewReader(language.English, language.English, language.French), catalogue)),
	}
	b := m.openForm(t)
	require.Equal(t, "Name", b.Text(`label[for=f-name]:not([lang])`))
	require.Equal(t, "Nom complet", b.Text(`#f-name-help [lang=fr]`))
	require.Equal(t, "Genre", b.Text(`#f-kind-field legend[lang=fr]`))
	require.Equal(t, []string{"First", "B"}, browsertest.Eval[[]string](b, `[...document.querySelectorAll("#f-kind-field .form-check-label")].map(e => e.textContent)`))
	require.Equal(t, 1, b.Count(`#f-kind-field .form-check-label[lang=fr]`))
	require.Equal(t, 1, b.Count(`#f-nick[placeholder="un mot"][lang=fr]`))
	require.Equal(t, 1, b.Count(`td [aria-label=Montant][lang=fr]`))
	b.Click("[data-complete]")
	b.AwaitText("Please say who you are")
	require.Equal(t, "Dites Montant", b.Text(`.invalid-feedback [lang=fr]`))
	require.Equal(t, 1, b.Count(`[data-summary] [lang=fr]`))
	b.Click(`#f-kind-field input[value='"A"']`)
	b.Await(`document.querySelector("[data-status]").textContent.includes("aved")`)
	m.mu.Lock()
	defer m.mu.Unlock()
	require.JSONEq(t, `{"kind":"A","lines":[{"of":"x"}]}`, string(m.value))
}
