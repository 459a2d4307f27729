package resource_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/resource"
)

func processWith(t *testing.T, spec string) *resource.Document {
	t.Helper()
	d, err := resource.FromStored(resource.KindProcessDefinition, resource.Metadata{Code: "LOAN"}, []byte(spec))
	require.NoError(t, err)
	return &d
}

func keysOf(t resource.Translatable) map[string]string {
	keys := map[string]string{}
	for _, m := range t.Messages {
		keys[m.Key] = m.Source
	}
	return keys
}

func TestMessages(t *testing.T) {
	t.Parallel()
	list := processWith(t, `{"name":"Loan","metadataSchema":{"type":"object","properties":{
			"amount":{"type":"number","title":"Amount","description":"In euros"},
			"kind":{"enum":["A","B",null,true]},"color":{"oneOf":[{"const":"r","title":"Red"},{"const":"g","title":"Green","i18n":"green"}]},
			"next":{"$ref":"#"},"rows":{"type":"array","items":{"$ref":"#/$defs/row"}},
			"maybe":{"anyOf":[{"type":"string","title":"Perhaps"},{"type":"null"}]},
			"pay":{"oneOf":[{"title":"Card","properties":{"no":{"type":"string"}}},{"title":"Cash","properties":{"sum":{"i18n":"sum","type":"number"}}}]}},
			"$defs":{"row":{"type":"object","properties":{"x":{"type":"string","title":"Ix"}}}},
			"then":{"properties":{"late":true}}},
		"metadataUiSchema":{"type":"VerticalLayout","elements":[{"type":"Group","label":"Money","elements":[
			{"type":"Control","scope":"#/properties/amount","i18n":"sum","label":"The amount","options":{"placeholder":"1","help":"How much"}}]},
			{"type":"Label","text":"Note","i18n":"note"},
			{"type":"Control","scope":"#/properties/rows","options":{"detail":{"type":"Control","scope":"#/properties/x","label":"X"}}}]},
		"items":[{"code":"CHECK","type":"TASK","name":"Check","dataSchema":{"properties":{"ok":{"type":"boolean"}}},
			"elements":[{"code":"DEC","name":"Decision","type":"DECISION","options":[{"code":"Y","name":"Yes"},{"code":"N"}]},
				{"code":"F","type":"FORM","schema":{"type":"object","properties":{"in":{"type":"string"}}}}]}],
		"userActions":[{"code":"ASK","name":"Ask","type":"CREATE_TASK","item":"CHECK","permissions":["VIEWER"]}]}`).Translatables()
	require.Len(t, list, 3)
	require.Equal(t, map[string]string{
		"LOAN.name": "Loan", "sum.label": "The amount", "sum.description": "How much", "sum.placeholder": "1", "Money": "Money", "note.text": "Note",
		"kind.label": "kind", "kind.A": "A", "kind.B": "B", "color.label": "color", "color.Red": "Red", "green": "Green",
		"rows.label": "rows", "rows.x.label": "X", "maybe.label": "Perhaps", "pay.label": "pay", "pay.Card": "Card", "pay.Cash": "Cash",
		"pay.no.label": "no", "late.label": "late", "next.label": "next",
	}, keysOf(list[0]))
	require.Equal(t, "/spec/items/0/i18n", list[1].Pointer)
	require.Equal(t, map[string]string{
		"CHECK.name": "Check", "ok.label": "ok", "DEC.label": "Decision", "DEC.Yes": "Yes", "DEC.N": "N", "F.label": "F", "F.in.label": "in",
	}, keysOf(list[1]))
	require.Equal(t, map[string]string{"ASK.name": "Ask"}, keysOf(list[2]))
}

func TestCoverageAndUnknownKeys(t *testing.T) {
	t.Parallel()
	list := processWith(t, `{"name":"Loan","metadataSchema":{"type":"object","properties":{"amount":{"type":"number"}}},
		"i18n":{"default":"en","en":{"amount.label":"Amount"},"fr":{"LOAN.name":"Prêt"},"de":{"LOAN.name":"Kredit","amount.label":"Betrag",
			"amount.error.minimum":"Zu wenig","error.required":"Fehlt","CHECK.name":"Prüfen","typo.label":"x","typo.error.type":"x"}},
		"items":[{"code":"CHECK","type":"TASK","name":"Check","i18n":{"de":{"ok.label":"In Ordnung","amount.label":"x"}},
			"dataSchema":{"properties":{"ok":{"type":"boolean"}}}}]}`).Translatables()
	require.Equal(t, []resource.Coverage{{"de", 4, 4}, {"fr", 1, 4}}, resource.CoverageOf(list))
	require.Equal(t, 25, resource.CoverageOf(list)[1].Percent())
	require.Equal(t, []resource.UnknownKey{
		{"/spec/i18n/de/typo.error.type", "de", "typo.error.type"},
		{"/spec/i18n/de/typo.label", "de", "typo.label"},
		{"/spec/items/0/i18n/de/amount.label", "de", "amount.label"},
	}, resource.UnknownKeys(list))
}

func TestTranslationsAreRefused(t *testing.T) {
	t.Parallel()
	big, err := json.Marshal(map[string]map[string]string{"de": {"a": strings.Repeat("x", 500_001)}})
	require.NoError(t, err)
	for i18n, want := range map[string]string{
		`{"klingon!":{}}`: "/spec/i18n/klingon!", `{"de":{"a":1}}`: "/spec/i18n/de", `[]`: "/spec/i18n", string(big): "/spec/i18n",
	} {
		_, violations := resource.Decode([]json.RawMessage{json.RawMessage(`{"apiVersion":"procession/v1","kind":"DataStructure",
			"metadata":{"code":"A","tenant":"t"},"spec":{"name":"A","schema":{},"i18n":` + i18n + `}}`)})
		require.Len(t, violations, 1, want)
		require.Equal(t, want, violations[0].Pointer)
	}
}
