package forms_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/console/forms"
	"github.com/procession-dev/procession/console/ui"
)

// eachValue has a value of each kind in both its spellings: as stored and as a German reader in Amsterdam reads it.
var eachValue = []struct{ schema, stored, shown string }{
	{`{"type":"string","format":"date"}`, `"2026-01-31"`, "Sa., 31. Jan. 2026"},
	{`{"type":"string","format":"date-time"}`, `"2026-01-31T23:30:00Z"`, "So., 1. Feb. 2026"},
	{`{"type":"string","format":"time"}`, `"09:05:00Z"`, "09:05"},
	{`{"type":"string","format":"duration"}`, `"P2D"`, "2 Tage"},
	{`{"type":"number"}`, `12345.5`, "12.345,5"},
	{`{"type":"boolean"}`, `true`, "Ja"},
	{`{"oneOf":[{"const":"S","title":"Klein"},{"const":"L","title":"Groß"}]}`, `"S"`, "Klein"},
	{`{"type":"array","items":{"type":"string","format":"date"}}`, `["2026-01-31"]`, "Sa., 31. Jan. 2026"},
	{`{"type":"string"}`, `"2026-01-31"`, "2026-01-31"},
}

// Stored values outside their controls are shown in the notation and the zone of the reader: conflicts, comparisons, defaults,
// examples, values that are not part of the form, and values without a schema.
func TestStoredValuesInTheNotationOfTheReader(t *testing.T) {
	t.Parallel()
	ctx := viewerContext(t, "de", "Europe/Amsterdam")
	places := map[string]func(schema, stored string) string{
		"conflict": func(schema, stored string) string {
			m := &memoryStore{schema: json.RawMessage(`{"type":"object","properties":{"x":` + schema + `}}`), value: json.RawMessage(`{"x":` + stored + `}`), accept: "de"}
			m.version = 1
			site := m.startSite(t)
			request := url.Values{
				"version": {"0"}, "zone": {"Europe/Amsterdam"}, "base": {`{}`}, "conflict": {"/x"}, "theirs": {stored}, "do": {"save"}, "full": {"1"},
			}
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, site.URL+"/form/form", strings.NewReader(request.Encode()))
			require.NoError(t, err)
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("Cookie", ui.ZoneCookie+"=Europe/Amsterdam; "+ui.LanguageCookie+"=de")
			_, page := sendRequest(t, r)
			return page
		},
		"comparison": func(schema, stored string) string {
			doc := &forms.Document{Schema: json.RawMessage(`{"type":"object","properties":{"x":` + schema + `}}`), Value: json.RawMessage(`{}`)}
			list, err := forms.Compare(ctx, doc, json.RawMessage(`{"x":`+stored+`}`))
			require.NoError(t, err)
			require.Len(t, list, 1)
			return list[0].Then
		},
		"default": func(schema, stored string) string {
			m := &memoryStore{
				schema: json.RawMessage(`{"type":"object","properties":{"x":` + strings.TrimSuffix(schema, "}") + `,"default":` + stored + `}}}`), value: json.RawMessage(`{"y":1}`),
			}
			_, button, _ := strings.Cut(m.renderForm(t, ctx), `value="default:/x"`)
			return button
		},
	}
	for name, show := range places {
		for _, value := range eachValue {
			if name == "default" && strings.Contains(value.schema, "array") {
				continue // Lists are not offered.
			}
			require.Contains(t, show(value.schema, value.stored), value.shown, name+" "+value.schema)
		}
	}
	example := &memoryStore{schema: json.RawMessage(`{"type":"object","properties":{"x":{"type":"string","format":"date","examples":["2026-01-31"]}}}`), value: json.RawMessage(`{}`)}
	require.Contains(t, example.renderForm(t, ctx), "31. Jan. 2026")
	require.Equal(t, "Sa., 31. Jan. 2026\n12.345,5\nJa", ui.ValueText(ctx, json.RawMessage(`["2026-01-31",12345.5,true]`)))
	require.Contains(t, ui.ValueText(ctx, json.RawMessage(`"2026-01-31T23:30:00Z"`)), "1. Feb. 2026")
}

// Native inputs of dates and times follow the language of the browser. The value is repeated below them by the profile's.
func TestTimesAreRepeatedInTheNotationOfTheReader(t *testing.T) {
	t.Parallel()
	m := &memoryStore{
		schema: json.RawMessage(`{"type":"object","properties":{"d":{"type":"string","format":"date"},"t":{"type":"string","format":"time"},
			"at":{"type":"string","format":"date-time"}}}`),
		value: json.RawMessage(`{"d":"2026-02-01","t":"21:05:00Z","at":"2026-02-01T21:05:00Z"}`),
	}
	for language, want := range map[string][]string{
		"de": {"So., 1. Feb. 2026", "", "So., 1. Feb. 2026"}, "en": {"Sun, Feb 1, 2026", "9:05\u202fPM", "Sun, Feb 1, 2026"},
	} {
		page := m.renderForm(t, viewerContext(t, language, "UTC"))
		for i, name := range []string{"d", "t", "at"} {
			_, echo, _ := strings.Cut(page, `id="f-`+name+`-echo">`)
			echo, _, _ = strings.Cut(echo, "</div>")
			require.Contains(t, echo, want[i], language+" "+name)
		}
	}
}
