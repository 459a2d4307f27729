package resource_test

import (
	"encoding/json"
	"fmt"
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
			"if":{"required":["kind"]},"then":{"properties":{"late":true}}},
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
		"kind.label": "Kind", "kind.A": "A", "kind.B": "B", "color.label": "Color", "color.Red": "Red", "green": "Green",
		"rows.label": "Rows", "rows.x.label": "X", "maybe.label": "Perhaps", "pay.label": "Pay", "pay.Card": "Card", "pay.Cash": "Cash",
		"pay.no.label": "No", "late.label": "Late", "next.label": "Next",
		// The whole contains itself, without the layout.
		"amount.label": "Amount", "amount.description": "In euros", "rows.x.label.Ix": "Ix",
	}, keysOf(list[0]))
	require.Equal(t, "/spec/items/0/i18n", list[1].Pointer)
	require.Equal(t, map[string]string{
		"CHECK.name": "Check", "ok.label": "Ok", "DEC.label": "Decision", "DEC.Yes": "Yes", "DEC.N": "N", "F.label": "F", "F.in.label": "In",
	}, keysOf(list[1]))
	require.Equal(t, map[string]string{"ASK.name": "Ask"}, keysOf(list[2]))
}

// The texts of all parts of a schema are messages, without a document that decides which of them apply.
func TestMessagesOfTheWholeSchema(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		schema string
		want   map[string]string
	}{
		"anchor": {
			`{"properties":{"ship":{"$ref":"#address"}},"$defs":{"a":{"$anchor":"address","title":"Address","properties":{"street":{"title":"Street"}}}}}`,
			map[string]string{"ship.label": "Address", "ship.street.label": "Street"},
		},
		"id": {
			`{"$id":"https://demo.example/a","properties":{"ship":{"$ref":"b"}},"$defs":{"b":{"$id":"https://demo.example/b","title":"Address"}}}`,
			map[string]string{"ship.label": "Address"},
		},
		"conditions": {
			`{"if":{"properties":{"a":{"const":1}}},"then":{"properties":{"b":{"title":"Bee"}}},"else":{"properties":{"b":{"title":"Else"},"c":true}}}`,
			map[string]string{"b.label": "Bee", "b.label.Else": "Else", "c.label": "C"},
		},
		"dependencies": {
			`{"dependentSchemas":{"pet":{"properties":{"age":{"title":"Age","description":"In years"}}}}}`,
			map[string]string{"age.label": "Age", "age.description": "In years"},
		},
		"dependencies of draft 7": {
			`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"pet":{"enum":["No","Yes"]}},"dependencies":{"pet":{"oneOf":[
				{"properties":{"pet":{"enum":["No"]}}},{"properties":{"pet":{"enum":["Yes"]},"age":{"type":"number"}}}]}}}`,
			map[string]string{"pet.label": "Pet", "pet.No": "No", "pet.Yes": "Yes", "age.label": "Age"},
		},
		"entries": {
			`{"properties":{"rows":{"prefixItems":[{"title":"First"},{"title":"Second"}],"items":{"properties":{"x":{"title":"Ix"}}}}}}`,
			map[string]string{"rows.label": "Rows", "rows.*.label": "First", "rows.*.label.Second": "Second", "rows.x.label": "Ix"},
		},
		"members without a name": {
			`{"patternProperties":{"^x":{"title":"Extra","properties":{"a":true}}},"additionalProperties":{"enum":["A"]}}`,
			map[string]string{"root.*.label": "Extra", "a.label": "A", "root.A": "A"},
		},
		"a title of each alternative": {
			`{"oneOf":[{"properties":{"kind":{"const":"text"},"content":{"title":"Text"}}},{"title":"Attachment","properties":{"kind":{"const":"file"},"content":{"title":"File"}}}]}`,
			map[string]string{"kind.label": "Kind", "kind.text": "text", "kind.Attachment": "Attachment", "content.label": "Text", "content.label.File": "File"},
		},
		"alternatives by their references and members": {
			`{"properties":{"to":{"oneOf":[{"$ref":"#/$defs/postBox"},{"type":"object","required":["street"],"properties":{"street":true}}]}},
				"$defs":{"postBox":{"type":"object","required":["box"],"properties":{"box":true}}}}`,
			map[string]string{"to.label": "To", "to.Post box": "Post box", "to.Street": "Street", "to.street.label": "Street", "to.box.label": "Box"},
		},
		"recursion": {
			`{"$ref":"#/$defs/node","$defs":{"node":{"properties":{"name":{"title":"Name"},"left":{"title":"Left","$ref":"#/$defs/node"},"others":{"items":{"$ref":"#/$defs/node"}}}}}}`,
			map[string]string{"name.label": "Name", "left.label": "Left", "others.label": "Others"},
		},
		"a constant":    {`{"properties":{"country":{"const":"NL"}}}`, map[string]string{"country.label": "Country", "country.NL": "NL"}},
		"a whole value": {`{"type":"array","title":"Tags","items":{"type":"string"}}`, map[string]string{"root.label": "Tags"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list := processWith(t, `{"name":"Loan","metadataSchema":`+test.schema+`}`).Translatables()
			test.want["LOAN.name"] = "Loan"
			require.Equal(t, test.want, keysOf(list[0]))
		})
	}
}

// A schema with more places than the limit has messages, in bounded time.
func TestMessagesAreBounded(t *testing.T) {
	t.Parallel()
	var defs, members []string
	for i := range 8 {
		members = append(members, fmt.Sprintf(`"m%d":{"$ref":"#/$defs/d%d"}`, i, i))
	}
	for i := range 8 {
		defs = append(defs, fmt.Sprintf(`"d%d":{"title":"T%d","properties":{%s}}`, i, i, strings.Join(members, ",")))
	}
	list := processWith(t, `{"name":"Loan","metadataSchema":{"properties":{`+strings.Join(members, ",")+`},"$defs":{`+strings.Join(defs, ",")+`}}}`).Translatables()
	require.Greater(t, len(list[0].Messages), 1_000)
	require.Less(t, len(list[0].Messages), 25_000)
	require.Equal(t, "T7", keysOf(list[0])["m7.label"])
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
