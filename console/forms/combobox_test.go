package forms_test

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/searchkey"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

// countryForm returns a form with a long enumeration and a person.
func countryForm() *memoryStore {
	return &memoryStore{
		schema: json.RawMessage(`{"type":"object","properties":{
			"country":{"title":"Country","enum":["Austria","Belgium","Chile","Denmark","Estonia","Finland","Germany","Hungary","Île de Ré","Japan","Kenya","Latvia","Malta","Norway"]},
			"adviser":{"type":"string","format":"kuflow-principal","title":"Adviser"},
			"note":{"type":"string","title":"Note"}}}`),
		value: json.RawMessage(`{}`),
	}
}

const shownOptions = `[...document.querySelectorAll("[role=listbox]:popover-open > *")].map((o) => o.textContent).join("|")`

func TestComboboxFiltersOptions(t *testing.T) {
	t.Parallel()
	m := countryForm()
	b := m.openForm(t)
	b.Type("#f-country", "an")
	require.Equal(t, "Finland|Germany|Japan", browsertest.Eval[string](b, shownOptions))
	b.Press(kb.ArrowDown)
	b.Press(kb.ArrowDown)
	require.Equal(t, "Germany", browsertest.Eval[string](b, `document.getElementById(document.querySelector("#f-country").getAttribute("aria-activedescendant")).textContent`))
	b.RequireAccessible()
	b.Press(kb.Enter)
	require.Empty(t, browsertest.Eval[string](b, shownOptions))
	m.requireStored(t, b, `{"country":"Germany"}`)

	// Accents and case do not matter. The only match is taken by Tab.
	typeText(t, b, "#f-country", "ILE D", true)
	require.Equal(t, "Île de Ré", browsertest.Eval[string](b, shownOptions))
	b.Press(kb.Tab)
	m.requireStored(t, b, `{"country":"Île de Ré"}`)

	typeText(t, b, "#f-country", "zz", true)
	require.Equal(t, "No match", browsertest.Eval[string](b, shownOptions))
	b.Press(kb.Escape)
	require.Empty(t, browsertest.Eval[string](b, shownOptions))
	b.AwaitText("Country must be one of the choices.")
}

func TestComboboxFindsPeople(t *testing.T) {
	t.Parallel()
	m := countryForm()
	b := m.openForm(t)
	b.Type("#f-adviser", "Car")
	b.Await(shownOptions + ` === "Carol"`)
	b.Press(kb.Tab)
	b.Await(`document.querySelector("[name=base]").value.includes("name=Carol;")`)
	require.Equal(t, "f-note", browsertest.Eval[string](b, "document.activeElement.id"))
	typeText(t, b, "#f-adviser", "Bo", true)
	b.Await(shownOptions + ` === "Bob|Bobby"`)
	b.Click("#f-adviser-options-1")
	b.Await(`document.querySelector("[name=base]").value.includes("name=Bobby;")`)
	typeText(t, b, "#f-adviser", "zz", true)
	b.Await(shownOptions + ` === "No match"`)
	m.setReachable(false)
	typeText(t, b, "#f-adviser", "Bob", true)
	b.Await(shownOptions + ` === "The search failed. Try again."`)
}

// sameNames are spellings of options that a person may type, as the search of the service takes them for equal.
var sameNames = []struct{ option, typed string }{
	{"Ärzte", "a\u0308RZTE"},
	{"Zoe\u0308", "ZOË"},
	{"İstanbul", "istanbul"},
	{"Isparta", "ısparta"},
	{"Straße", "STRASSE"},
	{"GROẞ", "groß"},
	{"ΟΔΟΣ", "οδος"},
	{"ﬁnal", "FINAL"},
	{"한국", "\u1112\u1161\u11ab\u1100\u116e\u11a8"},
	{"ПРИВЕТ", "привет"},
	{"हिन्दी", "हिन्दी"},
	{"\u0627\u0653ب", "\u0622ب"},
}

// otherNames are texts that the search does not take for equal.
var otherNames = []struct{ option, typed string }{{"हिन्दी", "हन्द"}, {"аdmin", "admin"}, {"ＡＢＣ", "abc"}, {"שָׁלוֹם", "שלום"}}

func TestComboboxComparesAsTheSearch(t *testing.T) {
	t.Parallel()
	options := []string{"Zoë 2", "Malta", "Kenya", "Latvia", "Norway"}
	for _, name := range append(slices.Clone(sameNames), otherNames...) {
		options = append(options, name.option)
	}
	enum, err := json.Marshal(options)
	require.NoError(t, err)
	m := &memoryStore{schema: json.RawMessage(`{"type":"object","properties":{"x":{"enum":` + string(enum) + `}}}`), value: json.RawMessage(`{}`)}
	b := m.openForm(t)
	show := func(text string) string {
		b.Set("#f-x", text)
		return browsertest.Eval[string](b, shownOptions)
	}
	for _, name := range sameNames {
		require.Contains(t, show(name.typed), name.option, name.typed)
		require.True(t, searchkey.Equal(name.option, name.typed), name.typed)
	}
	for _, name := range otherNames {
		require.NotContains(t, show(name.typed), name.option, name.typed)
		require.False(t, searchkey.Equal(name.option, name.typed), name.typed)
	}
	require.Equal(t, "Zoe\u0308|Zoë 2", strings.Join(slices.Sorted(strings.SplitSeq(show("zoe"), "|")), "|"), "accents do not matter where nothing else is found")
	// The text that is left is taken for the option. The page saves into another store.
	m = &memoryStore{schema: m.schema, value: json.RawMessage(`{}`)}
	for _, name := range sameNames {
		m.setValue(`{}`)
		values := url.Values{"version": {strconv.Itoa(m.version)}, "v/x": {name.typed}, "do": {"save"}}
		site := m.startSite(t)
		_, page := postForm(t, site.URL, values, true)
		stored, err := json.Marshal(map[string]string{"x": name.option})
		require.NoError(t, err)
		require.JSONEq(t, string(stored), m.storedValue(), page)
	}
}
