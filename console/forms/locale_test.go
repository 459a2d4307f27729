package forms_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

// localForm returns a form with numbers and times, for a person with a profile.
func localForm(locale, zone, value string) *memoryStore {
	return &memoryStore{
		schema: json.RawMessage(`{"type":"object","properties":{
			"price":{"type":"number","title":"Price"},"count":{"type":"integer","title":"Count"},
			"tags":{"type":"array","title":"Sizes","items":{"type":"number"}},
			"day":{"type":"string","format":"date","title":"Day"},"at":{"type":"string","format":"date-time","title":"Start"},
			"hour":{"type":"string","format":"time","title":"Hour"}}}`),
		value:   json.RawMessage(value),
		profile: domain.Profile{Locale: locale, TimeZone: zone},
	}
}

// openIn shows the form in German.
func (m *memoryStore) openIn(t *testing.T, site *httptest.Server) *browsertest.Tab {
	t.Helper()
	b := browsertest.New(t)
	b.Cookie(site.URL, &http.Cookie{Name: ui.LanguageCookie, Value: "de"})
	b.Open(site.URL + "/form")
	return b
}

// clickReading presses the button of a reading with a text.
func clickReading(b *browsertest.Tab, text string) {
	button := fmt.Sprintf(`[...document.querySelectorAll("[data-ambiguous] button")].find((button) => button.innerText.includes(%q))`, text)
	b.Await(button + " !== undefined")
	browsertest.Eval[bool](b, "("+button+".click(), true)")
}

func TestGermanNumbersInTheBrowser(t *testing.T) {
	t.Parallel()
	m := localForm("de", "Europe/Berlin", `{"price":1234567.50}`)
	b := m.openIn(t, m.startSite(t))
	require.Equal(t, "1.234.567,50", browsertest.Eval[string](b, `document.querySelector("#f-price").value`))
	typeText(t, b, "#f-price", "1.234,5", true)
	m.requireStored(t, b, `{"price":1234.5}`)
	typeText(t, b, "#f-price", "100.000", true)
	b.AwaitText("Price lässt sich als zwei Zahlen lesen.")
	require.JSONEq(t, `{"price":1234.5}`, m.storedValue())
	clickReading(b, "der Punkt trennt Tausender")
	m.requireStored(t, b, `{"price":100000}`)
	require.Equal(t, "100000", browsertest.Eval[string](b, `document.querySelector("#f-price").value`))
	typeText(t, b, "#f-price", "100.000", true)
	clickReading(b, "der Punkt ist das Dezimalzeichen")
	m.requireStored(t, b, `{"price":100.000}`)
	typeText(t, b, "#f-tags", "1,5\n2.500\n3.500", true)
	clickReading(b, "der Punkt trennt Tausender")
	m.requireStored(t, b, `{"price":100.000,"tags":[1.5,2500,3500]}`)
	b.RequireAccessible()
}

func TestArabicDigitsInTheBrowser(t *testing.T) {
	t.Parallel()
	for locale, c := range map[string]struct{ shown, typed string }{
		"ar-EG": {"١٬٢٣٤٬٥٦٧٫٥٠", "٩٨٧٬٦٥٤٫٣"},
		"fa":    {"۱٬۲۳۴٬۵۶۷٫۵۰", "۹۸۷٬۶۵۴٫۳"},
	} {
		t.Run(locale, func(t *testing.T) {
			t.Parallel()
			m := localForm(locale, "Africa/Cairo", `{"price":1234567.50}`)
			b := m.openIn(t, m.startSite(t))
			require.Equal(t, c.shown, browsertest.Eval[string](b, `document.querySelector("#f-price").value`))
			typeText(t, b, "#f-price", c.typed, true)
			m.requireStored(t, b, `{"price":987654.3}`)
			typeText(t, b, "#f-price", "5.25", true)
			m.requireStored(t, b, `{"price":5.25}`)
		})
	}
}

func TestChangesOfClocksInTheBrowser(t *testing.T) { //nolint:funlen // one visit of a page
	t.Parallel()
	for _, scripts := range []bool{true, false} {
		t.Run(fmt.Sprintf("scripts %t", scripts), func(t *testing.T) {
			t.Parallel()
			m := localForm("de", "Europe/Berlin", `{"at":"2026-03-28T00:30:00Z"}`)
			site := m.startSite(t)
			b := browsertest.New(t)
			b.Scripts(scripts)
			b.Cookie(site.URL, &http.Cookie{Name: ui.LanguageCookie, Value: "de"})
			enter := func(text string) {
				t.Helper()
				b.Open(site.URL + "/form")
				b.Set("#f-at", text)
				if !scripts {
					b.Click("form button.btn[value=save]")
				}
			}
			choose := func(text string) {
				t.Helper()
				if scripts {
					clickReading(b, text)
					return
				}
				browsertest.Eval[bool](b, `(document.body.dataset.left = "", true)`)
				b.Click(fmt.Sprintf("[data-ambiguous] button[value$=%q]", text))
				b.Await(`document.readyState === "complete" && document.body.dataset.left === undefined`)
			}
			requireValue := func(want string) {
				t.Helper()
				if scripts {
					m.requireStored(t, b, want)
				}
				require.Eventually(t, func() bool { return m.storedValue() == want }, time.Minute, 10*time.Millisecond, want)
			}
			pick := func(title, value string) string {
				if scripts {
					return title
				}
				return value
			}
			b.Open(site.URL + "/form")
			require.Equal(t, "2026-03-28T01:30", browsertest.Eval[string](b, `document.querySelector("#f-at").value`))

			enter("2026-03-29T02:30")
			b.AwaitText("Start gibt es nicht")
			require.JSONEq(t, `{"at":"2026-03-28T00:30:00Z"}`, m.storedValue())
			choose(pick("03:30 GMT+2", "03:30:00+02:00"))
			requireValue(`{"at":"2026-03-29T01:30:00Z"}`)

			enter("2026-10-25T02:30")
			b.AwaitText("Start gibt es zweimal")
			require.JSONEq(t, `{"at":"2026-03-29T01:30:00Z"}`, m.storedValue())
			choose(pick("GMT+2, Sommerzeit", "+02:00"))
			requireValue(`{"at":"2026-10-25T00:30:00Z"}`)
			// The other one of the two stays a choice.
			b.Open(site.URL + "/form")
			require.Equal(t, "true", browsertest.Eval[string](b, `document.querySelector("[data-ambiguous] button[value$='+02:00']").getAttribute("aria-pressed")`))
			choose(pick("02:30 GMT+1", "+01:00"))
			requireValue(`{"at":"2026-10-25T01:30:00Z"}`)
			b.Open(site.URL + "/form")
			require.Equal(t, "2026-10-25T02:30", browsertest.Eval[string](b, `document.querySelector("#f-at").value`))
			if scripts {
				b.RequireAccessible()
			}
		})
	}
}

func TestTimesOfDayInTheBrowser(t *testing.T) {
	t.Parallel()
	m := localForm("de", "Europe/Berlin", `{"hour":"10:00:00Z"}`)
	b := m.openIn(t, m.startSite(t))
	options := browsertest.Eval[string](b, `[...document.querySelectorAll("#f-hour-field option")].map((option) => option.innerText).join(" ")`)
	require.Equal(t, "UTC GMT+1 GMT+2", options)
	b.Set(`select[name="z/hour"]`, "+02:00")
	m.requireStored(t, b, `{"hour":"10:00:00+02:00"}`)
	b.Set("#f-hour", "11:15")
	m.requireStored(t, b, `{"hour":"11:15:00+02:00"}`)
	b.RequireAccessible()
}

func TestDatesAreShownInTheLocale(t *testing.T) {
	t.Parallel()
	m := localForm("de", "Europe/Berlin", `{"day":"2026-03-01","at":"2026-10-25T01:30:00Z","price":12345.60}`)
	m.readOnly = true
	b := m.openIn(t, m.startSite(t))
	text := strings.ReplaceAll(b.Text("form"), "\u00a0", " ")
	for _, want := range []string{"So., 1. März 2026", "So., 25. Okt. 2026, 02:30", "12.345,60"} {
		require.Contains(t, text, want)
	}
}

func TestDurationsInTheBrowser(t *testing.T) {
	t.Parallel()
	m := &memoryStore{
		schema: json.RawMessage(`{"type":"object","properties":{"wait":{"type":"string","format":"duration","title":"Wait"},"long":{"type":"string","format":"duration","title":"Long"}}}`),
		value:  json.RawMessage(`{"long":"P1DT2H"}`), profile: domain.Profile{Locale: "de", TimeZone: "Europe/Berlin"},
	}
	b := m.openIn(t, m.startSite(t))
	require.Equal(t, "1 Tag, 2 Stunden", b.Text("#f-long-echo"))
	require.Equal(t, "P1DT2H", browsertest.Eval[string](b, `document.querySelector("#f-long").value`))
	b.Type("#f-wait", "3")
	m.requireStored(t, b, `{"long":"P1DT2H","wait":"P3D"}`)
	require.Equal(t, "3 Tage", b.Text("#f-wait-echo"))
	b.Set(`select[name="z/wait"]`, "TH")
	m.requireStored(t, b, `{"long":"P1DT2H","wait":"PT3H"}`)
	require.Equal(t, "3 Stunden", b.Text("#f-wait-echo"))
	b.Set(`select[name="z/wait"]`, "")
	typeText(t, b, "#f-wait", "P1Y6M", true)
	m.requireStored(t, b, `{"long":"P1DT2H","wait":"P1Y6M"}`)
	require.Equal(t, "1 Jahr, 6 Monate", b.Text("#f-wait-echo"))
	b.RequireAccessible()
}
