package forms_test

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/console/forms"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

const bolt = "kuflow-data-source:id=01970000-0000-7000-8000-00000000d001;name=Bolt;"

// goodsForm returns a form with a data source that answers at once, a person, and a field that a rule shows.
func goodsForm() *memoryStore {
	m := &memoryStore{
		schema: json.RawMessage(`{"type":"object","properties":{
			"country":{"type":"string","title":"Country"},"state":{"type":"string","title":"State"},
			"good":{"type":"string","title":"Good","format":"kuflow-data-source","dataSource":"GOODS"},
			"adviser":{"type":"string","format":"kuflow-principal","title":"Adviser"}}}`),
		uiSchema: json.RawMessage(`{"type":"VerticalLayout","elements":[
			{"type":"Control","scope":"#/properties/country"},
			{"type":"Control","scope":"#/properties/state","rule":{"effect":"SHOW","condition":{"scope":"#/properties/country","schema":{"const":"US"}}}},
			{"type":"Control","scope":"#/properties/good"},{"type":"Control","scope":"#/properties/adviser"}]}`),
		value: json.RawMessage(`{}`),
	}
	m.items = func(forms.Search) (*domain.DataSourceRun, error) {
		run := &domain.DataSourceRun{State: domain.DataSourceRunPending}
		run.Complete(&domain.DataSourcePage{TotalPages: 1, Items: []domain.DataSourceItem{{Value: bolt}}}, time.Now())
		return run, nil
	}
	return m
}

// An answer that changes the form keeps an item or a name that was chosen during the request.
func TestAnswersKeepReferencesThatWereChosenMeanwhile(t *testing.T) {
	t.Parallel()
	for field, c := range map[string]struct{ words, choice, want string }{
		"good":    {"bolt", "[data-choose]", `"good":"` + bolt},
		"adviser": {"Bobb", "#f-adviser-options [role=option]", `"adviser":"kuflow-principal:id=01970000-0000-7000-8000-00000000c002;type=USER;name=Bobby;`},
	} {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			m := goodsForm()
			b := m.openForm(t)
			started, release := m.holdSave()
			b.Type("#f-country", "US")
			<-started
			b.Type("#f-"+field, c.words)
			b.Await(`document.querySelector("` + c.choice + `")`)
			b.Click(c.choice)
			release()
			b.Await(stateShown)
			b.Await(saved)
			m.requireStored(t, b, `{"country":"US",`+c.want+`"}`)
			require.Zero(t, b.Count(".is-invalid"))
		})
	}
}

// An answer that arrives between the press and the release of the mouse does not swallow the click.
func TestAnswersKeepClicks(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"[data-choose]", "[data-complete]"} {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			m := goodsForm()
			b := m.openForm(t)
			b.Type("#f-good", "bolt")
			b.Await(`document.querySelector("[data-choose]")`)
			b.AwaitText("Good is not chosen yet.")
			typeText(t, b, "#f-country", "US", false)
			started, unblock := m.holdSave()
			releaseMouse := b.HoldMouse(target)
			<-started
			browsertest.Eval[bool](b, `(performance.clearResourceTimings(), true)`)
			unblock()
			b.Await(`performance.getEntriesByType("resource").some((entry) => entry.initiatorType === "fetch" && entry.responseEnd > 0)`)
			browsertest.Eval[bool](b, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`)
			releaseMouse()
			if target == "[data-choose]" {
				m.requireStored(t, b, `{"country":"US","good":"`+bolt+`"}`)
				return
			}
			b.AwaitText("This cannot be completed yet.")
		})
	}
}

// A text without a value stays in its control when other values are saved, and prevents the completion.
func TestTextsWithoutValuesStay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ schema, value, selector, text, message string }{
		"ambiguous number": {`{"type":"number"}`, `1`, "#f-x", "100.000", "lässt sich als zwei Zahlen lesen"},
		"ambiguous number in a row": {
			`{"type":"array","items":{"type":"object","properties":{"n":{"type":"number"}}}}`, `[{"n":1}]`, "#f-x-0-n", "100.000",
			"lässt sich als zwei Zahlen lesen",
		},
		"data source": {`{"type":"string","format":"kuflow-data-source","dataSource":"GOODS"}`, ``, "#f-x", "bolt", "ist noch nicht gewählt"},
		"map": {
			`{"type":"object","additionalProperties":{"type":"string"}}`, `{"a":"1","b":"2"}`, `[name="k/x/b"]`, "a",
			"kann nicht der Name dieses Eintrags sein",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			value := `{"note":"n"`
			if c.value != "" {
				value += `,"x":` + c.value
			}
			m := &memoryStore{
				schema: json.RawMessage(`{"type":"object","properties":{"note":{"type":"string"},"x":` + c.schema + `}}`),
				value:  json.RawMessage(value + "}"), profile: domain.Profile{Locale: "de"}, items: goodsForm().items,
			}
			b := m.openIn(t, m.startSite(t))
			typeText(t, b, c.selector, c.text, true)
			b.AwaitText(c.message)
			typeText(t, b, "#f-note", "ote", false)
			b.Await(`document.querySelector("[name=base]").value.includes("note\":\"note\"")`)
			b.Await(saved)
			require.Equal(t, c.text, browsertest.Eval[string](b, `document.querySelector(`+strconv.Quote(c.selector)+`).value`))
			b.AwaitText(c.message)
			b.Click("[data-complete]")
			b.AwaitText("noch nicht abgeschlossen")
			require.False(t, m.completed)
		})
	}
}
