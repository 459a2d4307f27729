package translation_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"github.com/procession-dev/procession/domain/translation"
)

func parse(t *testing.T, source string) *translation.Catalogue {
	t.Helper()
	c, err := translation.Parse(json.RawMessage(source))
	require.NoError(t, err)
	return c
}

func newReader(page string, preferred ...string) *translation.Reader {
	var tags []language.Tag
	for _, tag := range preferred {
		tags = append(tags, language.MustParse(tag))
	}
	return translation.NewReader(language.MustParse(page), tags...)
}

func TestFind(t *testing.T) {
	t.Parallel()
	loan := `{"default":"en","de":{"a.label":"Betrag","b.label":"Grund"},"de-AT":{"a.label":"Summe"},"fr":{"a.label":"Montant","c.label":"Nom"}}`
	for name, test := range map[string]struct {
		source, page string
		readers      []string
		text         string
		keys         []string
		want         translation.Text
	}{
		"exact language":              {loan, "de", []string{"de"}, "Amount", []string{"a.label"}, translation.Text{Text: "Betrag"}},
		"region":                      {loan, "de", []string{"de-AT"}, "Amount", []string{"a.label"}, translation.Text{Text: "Summe"}},
		"parent of a region":          {loan, "de", []string{"de-AT"}, "Reason", []string{"b.label"}, translation.Text{Text: "Grund"}},
		"region without translations": {loan, "de", []string{"de-CH"}, "Amount", []string{"a.label"}, translation.Text{Text: "Betrag"}},
		"fallback is marked":          {loan, "de", []string{"de"}, "Name", []string{"c.label"}, translation.Text{Text: "Name", Lang: "en"}},
		"second language":             {loan, "de", []string{"de", "fr"}, "Name", []string{"c.label"}, translation.Text{Text: "Nom", Lang: "fr"}},
		"default before second":       {loan, "en", []string{"en-GB", "fr"}, "Name", []string{"c.label"}, translation.Text{Text: "Name"}},
		"language of the page": {
			`{"default":"ja","en":{"a.label":"Amount"}}`, "en", []string{"fr"}, "金額", []string{"a.label"}, translation.Text{Text: "Amount"},
		},
		"first key":              {loan, "de", []string{"de"}, "Amount", []string{"x", "a.label", "b.label"}, translation.Text{Text: "Betrag"}},
		"default of a region":    {`{"default":"de-AT"}`, "de", []string{"de"}, "Summe", []string{"a.label"}, translation.Text{Text: "Summe"}},
		"unknown default":        {`{"fr":{"a.label":"Montant"}}`, "de", []string{"de"}, "Amount", []string{"a.label"}, translation.Text{Text: "Amount", Lang: "en"}},
		"empty translation":      {`{"de":{"a.label":""}}`, "de", []string{"de"}, "Amount", []string{"a.label"}, translation.Text{Text: "Amount", Lang: "en"}},
		"no text":                {loan, "de", []string{"de"}, "", []string{"c.label"}, translation.Text{}},
		"no catalogue":           {``, "de", []string{"de"}, "Amount", []string{"a.label"}, translation.Text{Text: "Amount"}},
		"spelling of a language": {`{"DE-at":{"a.label":"Summe"}}`, "de", []string{"de-AT"}, "Amount", []string{"a.label"}, translation.Text{Text: "Summe"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			texts := translation.New(newReader(test.page, test.readers...), parse(t, test.source))
			require.Equal(t, test.want, texts.Find(test.text, test.keys...))
		})
	}
}

func TestFindSearchesInnerCatalogueFirst(t *testing.T) {
	t.Parallel()
	inner, outer := parse(t, `{"de":{"a.label":"Innen"}}`), parse(t, `{"default":"fr","de":{"a.label":"Außen","b.label":"Nur außen"}}`)
	texts := translation.New(newReader("de", "de"), inner, nil, outer)
	require.Equal(t, "Innen", texts.Find("A", "a.label").Text)
	require.Equal(t, "Nur außen", texts.Find("B", "b.label").Text)
	require.Equal(t, translation.Text{Text: "C", Lang: "en"}, texts.Find("C", "c.label"))
	require.True(t, texts.Has("außen", "a.label"))
	require.False(t, texts.Has("Grund", "a.label"))
}

func TestErrorTexts(t *testing.T) {
	t.Parallel()
	c := parse(t, `{"default":"en","en":{"a.error.pattern":"Like AB-1"},
		"de":{"a.error.required":"Betrag fehlt","error.required":"Fehlt","error.type":"Falsche Art","b.error.custom":"Bitte Vertrag lesen"}}`)
	german, english := translation.New(newReader("de", "de"), c), translation.New(newReader("en", "en"), c)
	for _, test := range []struct {
		texts           *translation.Texts
		prefix, keyword string
		want            string
	}{
		{german, "a", "required", "Betrag fehlt"},
		{german, "c", "required", "Fehlt"},
		{german, "a", "type", "Falsche Art"},
		{german, "b", "type", "Bitte Vertrag lesen"},
		{german, "a", "pattern", ""},
		{english, "a", "pattern", "Like AB-1"},
		{english, "a", "required", ""},
	} {
		found, ok := test.texts.FindOwn(translation.ErrorKeys(test.keyword, test.prefix)...)
		require.Equal(t, test.want != "", ok, test)
		require.Equal(t, translation.Text{Text: test.want}, found)
	}
}

func TestPathPrefix(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"": "root", "loan/amount": "loan.amount", "rows/0/name": "rows.name", "rows/-/name": "rows.name",
		"rows/{0}/cells/{1}": "rows.cells", "0": "root",
	} {
		require.Equal(t, want, translation.PathPrefix(strings.FieldsFunc(path, func(r rune) bool { return r == '/' })), path)
	}
	var none *translation.Texts
	require.Equal(t, "a.b", none.Prefix([]string{"a", "b"}))
	texts := translation.New(newReader("de", "de"), parse(t, `{}`)).Within("FORM").Within("rows", "0")
	require.Equal(t, "FORM.rows.a", texts.Prefix([]string{"a"}))
	require.Equal(t, "FORM.rows", texts.Prefix(nil))
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	many := map[string]map[string]string{}
	for i := range translation.MaxLanguages + 1 {
		many[fmt.Sprintf("de-x-%d", i)] = map[string]string{}
	}
	tooMany, err := json.Marshal(many)
	require.NoError(t, err)
	for source, want := range map[string]string{
		`[]`: "must be an object", `{"default":1}`: "must be a language tag", `{"default":"no language"}`: "is not a language tag",
		`{"klingon!":{}}`: "is not a language tag", `{"und":{}}`: "is not a language tag", `{"de":"x"}`: "must be an object with a text",
		`{"de":{"a":1}}`: "must be an object with a text", `{"de":{},"DE":{}}`: "is the same language as", string(tooMany): "at most 64",
		`{"de":{"a":"\u0000"}}`: "has a control character", `{"de":{"a\n":"x"}}`: "has a control character",
	} {
		_, err := translation.Parse(json.RawMessage(source))
		require.ErrorContains(t, err, want, source)
	}
	require.Nil(t, translation.ParseCached(json.RawMessage(`[]`)))
}

func TestParseCached(t *testing.T) {
	t.Parallel()
	source := json.RawMessage(`{"default":"en","de":{"cached.label":"x"}}`)
	require.Same(t, translation.ParseCached(source), translation.ParseCached(append(json.RawMessage{}, source...)))
	require.Nil(t, translation.ParseCached(nil))
}

func TestName(t *testing.T) {
	t.Parallel()
	c := parse(t, `{"default":"en","de":{"LOAN.name":"Kredit","T1.name":"Aufgabe"},"fr":{"T1.name":"Tâche"}}`)
	name := c.Name("Loan", "LOAN")
	require.Equal(t, "Kredit", name.For(newReader("de", "de-CH")).Text)
	require.Equal(t, translation.Text{Text: "Tâche", Lang: "fr"}, c.Name("Task", "T1").For(newReader("de", "fr")))
	require.Equal(t, translation.Text{Text: "Task", Lang: "en"}, c.Name("Task", "T2").For(newReader("de", "fr")))
	require.Equal(t, "Loan", name.For(nil).Text)

	text, err := json.Marshal(name)
	require.NoError(t, err)
	var read translation.Name
	require.NoError(t, json.Unmarshal(text, &read))
	require.Equal(t, name, read)

	var plain translation.Name
	require.NoError(t, json.Unmarshal([]byte(`"Loan"`), &plain))
	require.Equal(t, translation.Name{Source: "Loan"}, plain)
	require.Equal(t, (*translation.Catalogue)(nil).Name("Loan", "LOAN"), plain)
	text, err = json.Marshal(plain)
	require.NoError(t, err)
	require.Equal(t, `"Loan"`, string(text))

	own := parse(t, `{"de":{"T1.name":"Eigene"}}`).Name("Task", "T1").Or(c.Name("Task", "T1"))
	require.Equal(t, map[string]string{"de": "Eigene", "fr": "Tâche"}, own.In)
}
