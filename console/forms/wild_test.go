package forms_test

import (
	"encoding/json"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/test/kit/browsertest"
)

// TestSchemasOfTheWildInTheBrowser checks that a person completes forms of schemas and values as other programs write them, by their
// controls alone.
func TestSchemasOfTheWildInTheBrowser(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	for name, test := range map[string]struct {
		schema, value string
		enter         func(t *testing.T, b *browsertest.Tab)
		want          string
	}{
		"optional values of pydantic": {
			`{"type":"object","required":["age"],"properties":{"age":{"anyOf":[{"type":"integer"},{"type":"null"}],"default":null}}}`, `{}`,
			func(t *testing.T, b *browsertest.Tab) { t.Helper(); typeText(t, b, "#f-age", "42", true) }, `{"age":42}`,
		},
		"dependencies": {
			`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","required":["pet"],"properties":{"pet":{"enum":["No","Yes: One"]}},
				"dependencies":{"pet":{"oneOf":[{"properties":{"pet":{"enum":["No"]}}},{"properties":{"pet":{"enum":["Yes: One"]},"age":{"type":"number"}},"required":["age"]}]}}}`, `{}`,
			func(t *testing.T, b *browsertest.Tab) {
				t.Helper()
				b.Click(`[name="v/pet"][value*="Yes"]`)
				b.Await(`document.querySelector("#f-age[aria-required=true]")`)
				typeText(t, b, "#f-age", "3", true)
			}, `{"pet":"Yes: One","age":3}`,
		},
		"anchors": {
			`{"type":"object","properties":{"ship":{"$ref":"#address"}},"$defs":{"a":{"$anchor":"address","type":"object","properties":{"street":{"type":"string"}}}}}`, `{}`,
			func(t *testing.T, b *browsertest.Tab) {
				t.Helper()
				typeText(t, b, `[name="v/ship/street"]`, "Ring 5", true)
			}, `{"ship":{"street":"Ring 5"}}`,
		},
		"a number stored as text": {
			`{"type":"object","properties":{"account":{"type":"integer"}}}`, `{"account":"5"}`,
			func(t *testing.T, b *browsertest.Tab) {
				t.Helper()
				b.AwaitText("Stored as the text “5”.")
				typeText(t, b, "#f-account", "5", true)
				b.Press(kb.Tab)
			}, `{"account":5}`,
		},
		"integers beyond double precision": {
			`{"type":"object","properties":{"server":{"enum":[917126358974716233,917126358974716234,917126358974716235]},"name":{"type":"string"}}}`, `{"server":917126358974716234}`,
			func(t *testing.T, b *browsertest.Tab) {
				t.Helper()
				require.Equal(t, []string{"917126358974716234"}, browsertest.Eval[[]string](b, `[...document.querySelectorAll("[name='v/server']:checked")].map((e) => e.value)`))
				typeText(t, b, "#f-name", "a", true)
			}, `{"server":917126358974716234,"name":"a"}`,
		},
		"blanks around pasted texts": {
			`{"type":"object","properties":{"mail":{"type":"string","format":"email"},"site":{"type":"string","format":"uri"}}}`, `{}`,
			func(t *testing.T, b *browsertest.Tab) {
				t.Helper()
				typeText(t, b, "#f-mail", "a@b.example ", true)
				typeText(t, b, "#f-site", " https://b.example/c", true)
			}, `{"mail":"a@b.example","site":"https://b.example/c"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &memoryStore{schema: json.RawMessage(test.schema), value: json.RawMessage(test.value)}
			b := m.openForm(t)
			test.enter(t, b)
			b.Click("[data-complete]")
			b.AwaitPath("/done")
			require.Equal(t, test.want, m.storedValue())
		})
	}
}
