package form_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/form"
)

// germanTexts returns the German texts of a catalogue, whose keys and translations are given.
func germanTexts(t *testing.T, texts string) *translation.Texts {
	t.Helper()
	c, err := translation.Parse(json.RawMessage(`{"default":"en","de":` + texts + `}`))
	require.NoError(t, err)
	return translation.New(translation.NewReader(language.German), c)
}

func translateForm(t *testing.T, texts, schema, layout, value string) form.Input {
	t.Helper()
	return form.Input{
		Schema: json.RawMessage(schema), UISchema: json.RawMessage(layout), Value: json.RawMessage(value),
		Texts: form.TextsOf(germanTexts(t, texts)),
	}
}

// The cases are the keys of the documentation of JSON Forms: labels, descriptions, enumerations, groups, categories and
// notes, with and without keys of their own.
func TestTranslatedKeys(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	const person = `{"type":"object","properties":{"name":{"type":"string","title":"Name","description":"Full name"},
		"address":{"type":"object","properties":{"city":{"type":"string"}}}}}`
	for name, test := range map[string]struct {
		texts, schema, layout, value string
		lines                        []string
	}{
		"path": {
			texts: `{"name.label":"Name (de)","address.label":"Adresse","address.city.label":"Ort"}`, schema: person,
			lines: []string{"line Name (de)", "object Adresse", "  line Ort"},
		},
		"key of the schema": {
			texts: `{"person.label":"Person","name.label":"no"}`, schema: `{"type":"object","properties":{"name":{"type":"string","i18n":"person"}}}`,
			lines: []string{"line Person"},
		},
		"key of the element before the one of the schema": {
			texts: `{"mine.label":"Meins","person.label":"no"}`, schema: `{"type":"object","properties":{"name":{"type":"string","i18n":"person"}}}`,
			layout: `{"type":"Control","scope":"#/properties/name","i18n":"mine"}`, lines: []string{"line Meins"},
		},
		"label of the element": {
			texts: `{"name.label":"Name (de)"}`, schema: person,
			layout: `{"type":"Control","scope":"#/properties/name","label":"Your name"}`, lines: []string{"line Name (de)"},
		},
		"path without indexes": {
			texts:  `{"rows.label":"Zeilen","rows.name.label":"Name (de)"}`,
			schema: `{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}}}}}}`,
			value:  `{"rows":[{"name":"a"}]}`, lines: []string{"table Zeilen", "  row 0", "    line Name (de)=a"},
		},
		"values of an enumeration": {
			texts:  `{"kind.A":"Auto","kind.B":"Boot"}`,
			schema: `{"type":"object","properties":{"kind":{"enum":["A","B","C"]}}}`, lines: []string{"radio Kind (Auto) (Boot) (C)"},
		},
		"titles of oneOf": {
			texts:  `{"kind.Car":"Auto","boat":"Boot"}`,
			schema: `{"type":"object","properties":{"kind":{"oneOf":[{"const":"A","title":"Car"},{"const":"B","title":"Boat","i18n":"boat"}]}}}`,
			lines:  []string{"radio Kind (Auto) (Boot)"},
		},
		"values of the elements of an array": {
			texts:  `{"kinds.A":"Auto"}`,
			schema: `{"type":"object","properties":{"kinds":{"type":"array","uniqueItems":true,"items":{"enum":["A","B"]}}}}`,
			lines:  []string{"choices Kinds (Auto) (B)"},
		},
		"alternatives": {
			texts:  `{"pay.Card":"Karte","cash":"Bar"}`,
			schema: `{"type":"object","properties":{"pay":{"anyOf":[{"title":"Card","type":"object","properties":{"no":{"type":"string"}}},{"title":"Cash","i18n":"cash","type":"number"}]}}}`,
			lines:  []string{"object Pay", "  choice Kind (Karte) (Bar)", "  line No"},
		},
		"groups, categories and notes": {
			texts: `{"group.label":"Gruppe","Second":"Zweite","note.text":"Hinweis","Read this":"Lies das","tab.label":"Reiter"}`, schema: person,
			layout: `{"type":"VerticalLayout","elements":[
				{"type":"Group","label":"First","i18n":"group","elements":[{"type":"Control","scope":"#/properties/name"}]},
				{"type":"Group","label":"Second","elements":[]},{"type":"Label","text":"Note","i18n":"note"},{"type":"Label","text":"Read this"},
				{"type":"Categorization","elements":[{"type":"Category","label":"Tab","i18n":"tab","elements":[]}]}]}`,
			lines: []string{"vertical", "  section Gruppe", "    line Name", "  section Zweite", "  note Hinweis", "  note Lies das", "  tabs", "    page Reiter"},
		},
		"entries have no label of the array": {
			texts:  `{"rows.label":"Zeilen"}`,
			schema: `{"type":"object","properties":{"rows":{"type":"array","items":{"type":"boolean"}}}}`, value: `{"rows":[true]}`,
			lines: []string{"list Zeilen", "  row 0", "    radio Entry 1=true required () ()"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := form.NewEditor(t.Context(), translateForm(t, test.texts, test.schema, test.layout, test.value), form.EditorLimits(), false)
			require.NoError(t, err)
			require.Equal(t, test.lines, nodeLines(s.Nodes, ""))
		})
	}
}

// Texts of places with many paths have the keys of the first one: places of recursive schemas, entries, and members without a name.
func TestTranslatedByOrigin(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	for name, test := range map[string]struct {
		texts, schema, value, pointer, label string
		options                              []string
	}{
		"recursion": {
			texts: `{"name.label":"Name (de)","left.label":"Links","right.label":"Rechts"}`, value: `{"left":{"right":{"name":"a"}}}`, pointer: "/left/right/name", label: "Name (de)",
			schema: `{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{"name":{"type":"string","title":"Name"},
				"left":{"title":"Left","$ref":"#/$defs/node"},"right":{"title":"Right","$ref":"#/$defs/node"}}}}}`,
		},
		"title beside a reference": {
			texts: `{"left.label":"Links"}`, value: `{"left":{"right":{"name":"a"}}}`, pointer: "/left/right", label: "Right",
			schema: `{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{"name":{"type":"string","title":"Name"},
				"left":{"title":"Left","$ref":"#/$defs/node"},"right":{"title":"Right","$ref":"#/$defs/node"}}}}}`,
		},
		"the path first": {
			texts: `{"a.name.label":"A","b.name.label":"B"}`, value: `{"a":{},"b":{}}`, pointer: "/b/name", label: "B",
			schema: `{"type":"object","properties":{"a":{"$ref":"#/$defs/d"},"b":{"$ref":"#/$defs/d"}},"$defs":{"d":{"type":"object","properties":{"name":{"type":"string"}}}}}`,
		},
		"within a member without a name": {
			texts: `{"people.name.label":"Name (de)"}`, value: `{"people":{"carol":{"name":"a"}}}`, pointer: "/people/carol/name", label: "Name (de)",
			schema: `{"type":"object","properties":{"people":{"type":"object","additionalProperties":{"type":"object","properties":{"name":{"type":"string"}}}}}}`,
		},
		"entries": {
			texts: `{"pair.*.label":"Erstes","pair.*.label.Second":"Zweites"}`, value: `{"pair":["a","b"]}`, pointer: "/pair/1", label: "Zweites",
			schema: `{"type":"object","properties":{"pair":{"type":"array","prefixItems":[{"type":"string","title":"First"},{"type":"string","title":"Second"}]}}}`,
		},
		"a member with the name of an index": {
			texts: `{"label":"no"}`, value: `{}`, pointer: "/2024", label: "Year",
			schema: `{"type":"object","properties":{"2024":{"type":"string","title":"Year"}}}`,
		},
		"options in recursion": {
			texts: `{"kind.A":"Auto"}`, value: `{"next":{"kind":"A"}}`, pointer: "/next/kind", label: "Kind", options: []string{"Auto", "B"},
			schema: `{"type":"object","properties":{"kind":{"enum":["A","B"]},"next":{"$ref":"#"}}}`,
		},
		"a title of an alternative": {
			texts: `{"content.label":"Text (de)","content.label.File":"Datei"}`, value: `{"kind":"file"}`, pointer: "/content", label: "Datei",
			schema: `{"type":"object","oneOf":[{"properties":{"kind":{"const":"text"},"content":{"type":"string","title":"Text"}}},
				{"properties":{"kind":{"const":"file"},"content":{"type":"string","title":"File"}}}]}`,
		},
		"a schema that is an alternative elsewhere": {
			texts: `{"tasks.cmd.label":"Befehl"}`, value: `{"tasks":{"lint":{"cmd":"x"}}}`, pointer: "/tasks/lint/cmd", label: "Befehl",
			schema: `{"type":"object","properties":{"tasks":{"type":"object","patternProperties":{"^.+$":{"oneOf":[{"$ref":"#/$defs/command"},
				{"type":"object","properties":{"cmd":{"$ref":"#/$defs/command"}},"required":["cmd"]}]}}}},"$defs":{"command":{"type":"string","title":"Command"}}}`,
		},
		"a title within an alternative": {
			texts: `{}`, value: `{"kind":"b"}`, pointer: "/x", label: "Ix",
			schema: `{"type":"object","oneOf":[{"properties":{"kind":{"const":"a"}}},{"properties":{"kind":{"const":"b"},
				"x":{"title":"Ix","oneOf":[{"title":"One","type":"object","properties":{"p":true}},{"title":"Two","type":"array"}]}}}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := form.NewEditor(t.Context(), translateForm(t, test.texts, test.schema, ``, test.value), form.EditorLimits(), false)
			require.NoError(t, err)
			n := s.Find(test.pointer)
			require.NotNil(t, n)
			require.Equal(t, test.label, n.Label)
			for i, title := range test.options {
				require.Equal(t, title, n.Options[i].Title)
			}
		})
	}
}

// The labels in the reason of a required field and in a set of fields of which one suffices are translated.
func TestTranslatedRequirements(t *testing.T) {
	t.Parallel()
	s, err := form.NewEditor(t.Context(), translateForm(t, `{"pet.label":"Haustier","a.label":"Ah","box.mail.label":"Mail (de)"}`,
		`{"type":"object","properties":{"pet":{"type":"string"},"age":{"type":"number"},"box":{"type":"object","properties":{"mail":{"type":"string"},"phone":{"type":"string"}},
			"anyOf":[{"required":["mail"]},{"required":["phone"]}]}},"dependentRequired":{"pet":["age"]}}`, ``, `{"pet":"Rex","box":{}}`), form.EditorLimits(), false)
	require.NoError(t, err)
	require.Equal(t, "Haustier", s.Find("/age").Because)
	require.Equal(t, []string{"Mail (de)", "Phone"}, s.Find("/box").Sufficient)
}

func TestTranslatedDescriptionsAndFallback(t *testing.T) {
	t.Parallel()
	in := translateForm(t, `{"a.description":"Hilfe","a.placeholder":"z. B. 1","b.label":"B (de)"}`,
		`{"type":"object","properties":{"a":{"type":"string","title":"First","description":"Help"},"b":{"type":"string","description":"Text"}}}`,
		`{"type":"VerticalLayout","elements":[{"type":"Control","scope":"#/properties/a","options":{"placeholder":"e.g. 1"}},{"type":"Control","scope":"#/properties/b"}]}`, `{}`)
	s, err := form.NewEditor(t.Context(), in, form.EditorLimits(), false)
	require.NoError(t, err)
	a, b := s.Find("/a"), s.Find("/b")
	require.Equal(t, []string{"First", "en", "Hilfe", "", "z. B. 1"}, []string{a.Label, a.LabelLang, a.Help, a.HelpLang, a.Hint})
	require.Equal(t, []string{"B (de)", "", "Text", "en"}, []string{b.Label, b.LabelLang, b.Help, b.HelpLang})

	// Without translations the language of the texts is unknown.
	in.Texts = form.Texts{}
	s, err = form.NewEditor(t.Context(), in, form.EditorLimits(), false)
	require.NoError(t, err)
	require.Empty(t, s.Find("/a").LabelLang)
}

func TestTranslatedMessages(t *testing.T) {
	t.Parallel()
	s, err := form.NewEditor(t.Context(), translateForm(t, `{"loan.amount.error.required":"Betrag fehlt","error.type":"Falsche Art","mine.error.custom":"Alles"}`,
		`{"type":"object","properties":{"loan":{"type":"object","required":["amount"],"properties":{"amount":{"type":"number"},"b":{"i18n":"mine","type":"string"}}}}}`,
		``, `{"loan":{}}`), form.EditorLimits(), false)
	require.NoError(t, err)
	for _, test := range []struct{ pointer, keyword, want string }{
		{"/loan/amount", "required", "Betrag fehlt"},
		{"/loan/amount", "type", "Falsche Art"},
		{"/loan/b", "minLength", "Alles"},
		{"/loan/amount", "minimum", ""},
		{"/loan/other", "type", "Falsche Art"},
	} {
		found, ok := s.Describe(test.pointer).Message(test.keyword)
		require.Equal(t, test.want, found.Text, test)
		require.Equal(t, test.want != "", ok, test)
	}
}

func TestTranslatedModel(t *testing.T) {
	t.Parallel()
	schema := `{"type":"object","properties":{"kind":{"enum":["A","B"]},"rows":{"type":"array","items":{"type":"object","properties":{"x":{"oneOf":[{"const":1,"title":"One"}]}}}},
		"tags":{"type":"array","items":{"enum":["R"]}},"rest":{"type":"string","title":"Rest"}}}`
	layout := `{"type":"Group","label":"All","elements":[{"type":"Control","scope":"#/properties/kind","i18n":"sort"},{"type":"Control","scope":"#/properties/rows"},
		{"type":"Control","scope":"#/properties/tags"}]}`
	in := translateForm(t, `{"All":"Alles","sort.label":"Sorte","sort.A":"Auto","rows.label":"Zeilen","rows.x.label":"Ix","rows.x.One":"Eins","tags.label":"Farben","tags.R":"Rot"}`,
		schema, layout, `{"kind":"A","rows":[{"x":1}],"tags":["R"],"rest":"r"}`)
	m, err := form.NewModel(t.Context(), in, form.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, []string{"Alles {", "Sorte: Auto", "Zeilen [ Ix: Eins ]", "Farben: • Rot", "}"}, fieldLines(m.Fields))
	require.Equal(t, []string{"Rest: r"}, fieldLines(m.Other))
	require.Equal(t, "en", m.Other[0].Lang)

	parts, _, err := form.Select(t.Context(), in, "/rows", 10)
	require.NoError(t, err)
	require.Equal(t, "Zeilen", parts[0].Title)
	m, err = form.NewModel(t.Context(), parts[0], form.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, []string{"Ix: Eins"}, fieldLines(m.Fields))
}

func TestTranslatedJoin(t *testing.T) {
	t.Parallel()
	in, err := form.Join(
		form.Part{
			Name: "data", Schema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}}}`),
			UISchema: json.RawMessage(`{"type":"Group","label":"G","elements":[{"type":"Control","scope":"#/properties/a"}]}`), Texts: germanTexts(t, `{"G":"Gruppe","a.label":"Ah"}`),
		},
		form.Part{Name: "own", Schema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}}}`)})
	require.NoError(t, err)
	s, err := form.NewEditor(t.Context(), in, form.EditorLimits(), false)
	require.NoError(t, err)
	require.Equal(t, []string{"vertical", "  section Gruppe", "    line Ah", "  vertical", "    line A"}, nodeLines(s.Nodes, ""))
}

// Titles in another language are for display: the stored value is the same in every language.
func TestTranslationsDoNotChangeValues(t *testing.T) {
	t.Parallel()
	for name, schema := range map[string]string{
		"radio": `{"enum":["red","green"]}`, "search": `{"enum":["red","green","c","d","e","f","g","h","i","j","k","l","m"]}`,
		"oneOf": `{"oneOf":[{"const":"red","title":"Red"},{"const":"green","title":"Green"}]}`,
		"open":  `{"anyOf":[{"enum":["red","green"]},{"type":"string"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := `{"type":"object","properties":{"c":` + schema + `}}`
			in := translateForm(t, `{"c.red":"Rot","c.green":"Grün","c.Red":"Rot","c.Green":"Grün"}`, whole, ``, `{"c":"red"}`)
			plain := in
			plain.Texts = form.Texts{}
			german, err := form.NewEditor(t.Context(), in, form.EditorLimits(), false)
			require.NoError(t, err)
			english, err := form.NewEditor(t.Context(), plain, form.EditorLimits(), false)
			require.NoError(t, err)
			n := german.Find("/c")
			for _, s := range []*form.Editor{german, english} {
				change, err := s.Changes(form.Submission{Texts: map[string][]string{"/c": {s.Find("/c").Text(form.Locale{})}}})
				require.NoError(t, err)
				require.Empty(t, change.Patch, "the page as it is")
			}
			chosen := n.Options[1].Value
			if n.Kind == form.KindSearch {
				chosen = n.Options[1].Title
			}
			change, err := german.Changes(form.Submission{Texts: map[string][]string{"/c": {chosen}}})
			require.NoError(t, err)
			require.JSONEq(t, `{"c":"green"}`, string(change.Value()))
		})
	}
}
