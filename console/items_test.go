package console_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
)

// goods are a data source that Alice may query, and a process that is started with one of
// its items.
const goods = `
apiVersion: procession/v1
kind: DataSource
metadata: {code: GOODS, tenant: demo}
spec: {name: Goods, taskQueue: LOANS, runner: loan-worker, permissions: {queriers: [{user: alice}]}}
---
apiVersion: procession/v1
kind: ProcessDefinition
metadata: {code: ORDER_GOODS, tenant: demo, id: 01970000-0000-7000-8000-00000000d100}
spec:
  name: Order of goods
  metadataSchema:
    type: object
    properties: {GOOD: {type: string, title: Good, format: kuflow-data-source, dataSource: GOODS}}
  items: []
  permissions: {initiators: [{user: alice}, {user: carol}], managers: [{user: alice}]}
`

const bolt = "kuflow-data-source:id=01970000-0000-7000-8000-00000000d001;name=Bolt%3B%20M4;"

// orderSite is the form of an order, in the browser of a user.
type orderSite struct {
	*site

	client *http.Client
	path   string
}

// findItems presses a button of a search as the script does, and returns the shown results.
func (o orderSite) findItems(button, words string) string {
	o.t.Helper()
	answer := o.sendRequest(o.client, http.MethodPost, o.path+"/form/items", url.Values{"do": {button}, "q": {words}})
	require.Equal(o.t, http.StatusOK, answer.status)
	return string(answer.body)
}

const searchGood = "find:/metadata/GOOD "

// searchItems begins a search and returns the button that looks for its answer, with the query.
func (o orderSite) searchItems(words string) (again string, query uuid.UUID) {
	o.t.Helper()
	return o.parseSearch(o.findItems(searchGood, words))
}

func (o orderSite) parseSearch(shown string) (again string, query uuid.UUID) {
	o.t.Helper()
	require.Contains(o.t, shown, "Asking the data source")
	again = buttonOf(o.t, shown, `data-again="300"`)
	query, err := uuid.Parse(regexp.MustCompile("query=([^&]+)").FindStringSubmatch(again)[1])
	require.NoError(o.t, err)
	return again, query
}

func (o orderSite) answerQuery(query uuid.UUID, answerQuery string) {
	o.t.Helper()
	require.NoError(o.t, o.app.FinishDataSourceRun(o.t.Context(), query, json.RawMessage(answerQuery), ""))
}

// buttonOf returns the value of the button of a page that has something.
func buttonOf(t *testing.T, page, has string) string {
	t.Helper()
	for _, button := range regexp.MustCompile("(?s)<button.*?</button>").FindAllString(page, -1) {
		if value := regexp.MustCompile(`value="(.*?)"`).FindStringSubmatch(button); value != nil && regexp.MustCompile(has).MatchString(button) {
			return html.UnescapeString(value[1])
		}
	}
	require.Fail(t, "no button has "+has, page)
	return ""
}

func TestItemsOfDataSources(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.applyManifests(goods)
	o := orderSite{s, s.clientWithToken(demo.Alice().Secret), "start/01970000-0000-7000-8000-00000000d100"}
	require.Contains(t, string(s.sendRequest(o.client, http.MethodGet, o.path, nil).body), "data-finder")
	findWithoutScript(t, o)

	again, first := o.searchItems("bolt")
	o.parseSearch(o.findItems(again, "bolt, typed on"))
	o.answerQuery(first, `{"pageNumber":0,"pageSize":20,"totalElements":21,"totalPages":2,"items":[
		{"id":"01970000-0000-7000-8000-00000000d001","label":"Bolt; M4"},{"id":"prod-1","name":"<i>Nut"}]}`)
	shown := o.findItems(again, "bolt, typed on")
	for _, part := range []string{"Found: 21", "Bolt; M4", "&lt;i&gt;Nut (cannot be chosen)", `data-choose="` + bolt + `"`} {
		require.Contains(t, shown, part)
	}
	require.NotContains(t, shown, ">Back<")

	again, second := o.parseSearch(o.findItems(buttonOf(t, shown, ">More<"), ""))
	require.NotEqual(t, first, second)
	o.answerQuery(second, `{"pageNumber":1,"pageSize":20,"totalElements":21,"totalPages":2,"items":[{"id":"01970000-0000-7000-8000-00000000d002","name":"Screw"}]}`)
	shown = o.findItems(again, "")
	require.Contains(t, shown, "Screw")
	require.NotContains(t, shown, ">More<")
	require.Contains(t, o.findItems(buttonOf(t, shown, ">Back<"), ""), "Bolt; M4", "the first page is not asked for again")

	for answer, want := range map[string]string{
		`{"items":[]}`: "Nothing found.", `{"error":"no <b>"}`: "refuses the search: no &lt;b&gt;", `[]`: "The data source failed.",
	} {
		again, query := o.searchItems("nut")
		o.answerQuery(query, answer)
		require.Contains(t, o.findItems(again, ""), want)
	}
	again, query := o.searchItems("nut")
	require.NoError(t, s.app.FailDataSourceRun(t.Context(), query, domain.DataSourceTimedOut))
	require.Contains(t, o.findItems(again, ""), "The data source does not respond.")
	require.Contains(t, o.findItems(searchGood+url.Values{"query": {uuid.NewString()}}.Encode(), ""), "have expired")
	require.Contains(t, o.findItems(searchGood, string(make([]byte, 501))), "too long")

	for range domain.MaxDataSourceQueries {
		_, _ = o.searchItems("")
	}
	require.Contains(t, o.findItems(searchGood, ""), "Too many of your searches")
	o.client = s.clientWithToken(demo.Carol().Secret)
	require.Contains(t, o.findItems(searchGood, "bolt"), "you may not search it")
	require.Contains(t, o.findItems(buttonOf(t, shown, ">Back<"), ""), "have expired", "answers are those of one user")
	require.Equal(t, http.StatusNotFound, s.sendRequest(o.client, http.MethodPost, o.path+"/form/items", url.Values{"do": {"find:/subject "}}).status)
}

// findWithoutScript searches with posts of the whole form, which keep the other input.
func findWithoutScript(t *testing.T, o orderSite) {
	t.Helper()
	press := func(button string, entered url.Values) reply {
		t.Helper()
		values := url.Values{"base": {"{}"}, "origin": {"{}"}, "once": {uuid.NewString()}, "do": {button}}
		for name := range entered {
			values[name] = entered[name]
		}
		return o.sendRequest(o.client, http.MethodPost, o.path+"/form", values)
	}
	typed := url.Values{"v/subject": {"Kept"}, "v/metadata/GOOD": {"bolt"}}
	page := string(press("find:/metadata/GOOD ", typed).body)
	require.Contains(t, page, `value="Kept"`)
	require.NotContains(t, page, "not chosen yet")
	again := buttonOf(t, page, "data-again")
	query := uuid.MustParse(regexp.MustCompile("query=([^&]+)").FindStringSubmatch(again)[1])
	require.NoError(t, o.app.FinishDataSourceRun(t.Context(), query, json.RawMessage(
		`{"items":[{"id":"01970000-0000-7000-8000-00000000d001","label":"Bolt; M4"}]}`), ""))
	page = string(press(again, typed).body)
	require.Contains(t, page, `value="bolt"`)
	require.Contains(t, string(press("complete", typed).body), "Good is not chosen yet.")
	page = string(press(buttonOf(t, page, "data-choose"), typed).body)
	require.Contains(t, page, `value="`+bolt+`"`)
	require.Contains(t, page, `value="Bolt; M4"`)
	started := press("complete", url.Values{"v/metadata/GOOD": {"Bolt; M4"}, "r/metadata/GOOD": {bolt}})
	require.Equal(t, http.StatusSeeOther, started.status, string(started.body))
	require.JSONEq(t, `{"GOOD":"`+bolt+`"}`, string(o.findProcess(uuid.MustParse(path.Base(started.header.Get("Location")))).Metadata.Value))
}
