package forms

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/form"
)

const (
	// maxQuery bounds the text of a search in a data source, in bytes.
	maxQuery = 500
	// maxEarlier is the number of earlier pages of items that are kept. It is below domain.MaxDataSourceResults.
	maxEarlier = 10
	// maxPolls is how often the script polls for one answer. At the pace of pollDelay that is longer than
	// domain.DataSourceQueryTime.
	maxPolls = 40
	// maxPage is the last page that can be turned to.
	maxPage = 100_000
)

// Search is a search for items of a data source, as its buttons have it.
type Search struct {
	Words string
	// Page counts from 0.
	Page int
	// Query is the id of a running search, uuid.Nil for a new one.
	Query uuid.UUID

	// earlier are the queries of the pages before, polls counts the polls for the answer.
	earlier []string
	polls   int
}

// readSearch parses the value of a search button: the name of the control and Search.buttonValue. words is the
// text in the control.
func readSearch(text, words string) (name string, s Search) {
	cut := strings.LastIndexByte(text, ' ')
	if cut < 0 {
		return text, Search{Words: words}
	}
	values, err := url.ParseQuery(text[cut+1:])
	if err != nil {
		values = nil
	}
	s = Search{Words: words, earlier: values["earlier"]}
	if values.Has("words") {
		s.Words = values.Get("words")
	}
	// Unreadable values count as missing.
	s.Page, _ = strconv.Atoi(values.Get("page"))
	s.polls, _ = strconv.Atoi(values.Get("looks"))
	s.Query, _ = uuid.Parse(values.Get("query"))
	s.Page, s.earlier = min(max(s.Page, 0), maxPage), s.earlier[max(len(s.earlier)-maxEarlier, 0):]
	return text[:cut], s
}

// buttonValue returns the value of a button that goes on with the search for a control.
func (s *Search) buttonValue(name string) string {
	values := url.Values{"words": {s.Words}, "page": {strconv.Itoa(s.Page)}, "earlier": s.earlier}
	if s.Query != uuid.Nil {
		values.Set("query", s.Query.String())
		values.Set("looks", strconv.Itoa(s.polls))
	}
	return doFind + ":" + name + " " + values.Encode()
}

// isSearchable reports whether a data source is searched for the values of a control.
func isSearchable(n *form.Node) bool {
	return n != nil && n.Kind == form.KindDataSource && n.Source != "" && !n.IsLocked()
}

// items is the state of a search for a control: the run, or why there is none.
type items struct {
	name      string
	search    Search
	run       *domain.DataSourceRun
	rejection *domain.Error
}

// searchItems looks for the items of a control: it queries the data source, or reads the result.
func searchItems(ctx context.Context, store Store, name string, n *form.Node, s Search) (*items, error) {
	i := &items{name: name, search: s}
	if len(s.Words) > maxQuery {
		i.rejection = domain.InvalidBody("/query", "is too long")
		return i, nil
	}
	run, err := store.Items(ctx, n, s)
	if rejection, ok := errors.AsType[*domain.Error](err); ok {
		i.rejection = rejection
		return i, nil
	} else if err != nil {
		return nil, err
	}
	i.run, i.search.Query = run, run.ID
	return i, nil
}

// retryButton returns the button that polls a pending search.
func (i *items) retryButton() string {
	next := i.search
	next.polls++
	return next.buttonValue(i.name)
}

// pollDelay returns the time before the next poll, in milliseconds, "" for none.
func (i *items) pollDelay() string {
	switch {
	case i.search.polls >= maxPolls:
		return ""
	case i.search.polls < 3:
		return "300"
	}
	return "1000"
}

// isPending reports whether the answer is not there yet.
func (i *items) isPending() bool { return i.run != nil && i.run.State == domain.DataSourceRunPending }

// foundItems returns the items of the page.
func (i *items) foundItems() []domain.DataSourceItem {
	if i.run == nil || i.run.Page == nil {
		return nil
	}
	return i.run.Page.Items
}

// nextButton returns the button of the page after this one, "" where this is the last.
func (i *items) nextButton() string {
	if len(i.foundItems()) == 0 || i.search.Page+1 >= min(i.run.Page.TotalPages, maxPage) {
		return ""
	}
	s := Search{Words: i.search.Words, Page: i.search.Page + 1}
	s.earlier = append(i.search.earlier[:len(i.search.earlier):len(i.search.earlier)], i.search.Query.String())
	return s.buttonValue(i.name)
}

// previousButton returns the button of the page before this one, "" where this is the first. It reads
// the answer that there is.
func (i *items) previousButton() string {
	last := len(i.search.earlier) - 1
	if last < 0 {
		return ""
	}
	s := Search{Words: i.search.Words, Page: max(i.search.Page-1, 0), earlier: i.search.earlier[:last]}
	s.Query, _ = uuid.Parse(i.search.earlier[last])
	return s.buttonValue(i.name)
}

// statusText returns the message about a search.
func (i *items) statusText(ctx context.Context) string {
	switch {
	case i.rejection != nil:
		return i.refusalText(ctx)
	case i.isPending():
		return ui.T(ctx, "Asking the data source …")
	case i.run.State == domain.DataSourceRunFailed:
		return i.failureText(ctx)
	case len(i.foundItems()) == 0:
		return ui.T(ctx, "Nothing found.")
	}
	return ui.T(ctx, "Found: %d", max(i.run.Page.TotalElements, int64(len(i.foundItems()))))
}

func (i *items) refusalText(ctx context.Context) string {
	switch {
	case i.rejection.Kind == domain.KindConflict:
		return ui.T(ctx, "Too many of your searches are in progress. Try again in a moment.")
	case i.rejection.Kind == domain.KindNotFound && i.search.Query != uuid.Nil:
		return ui.T(ctx, "These results have expired. Search again.")
	case i.rejection.Kind == domain.KindNotFound:
		return ui.T(ctx, "The data source does not exist, or you may not search it.")
	case i.rejection.Kind == domain.KindInvalid:
		return ui.T(ctx, "The search text is too long.")
	}
	return ui.Reason(ctx, i.rejection)
}

func (i *items) failureText(ctx context.Context) string {
	switch i.run.ErrorCode {
	case domain.DataSourceTimedOut:
		return ui.T(ctx, "The data source does not respond. Try again later.")
	case domain.DataSourceRefused:
		return ui.T(ctx, "The data source refuses the search: %s", i.run.ErrorMessage)
	}
	return ui.T(ctx, "The data source failed. Try again later.")
}

// itemName returns the name of an item, which equals the text of the reference to it. Items without a reference
// have the label from the worker.
func itemName(item domain.DataSourceItem) string {
	if item.Value != "" {
		return form.ReadableJSON(string(jsonString(item.Value)))
	}
	var members struct {
		ID    any    `json:"id"`
		Label string `json:"label"`
		Name  string `json:"name"`
	}
	if json.Unmarshal(item.Properties, &members) != nil {
		return "?"
	}
	id, _ := members.ID.(string)
	return cmp.Or(members.Label, members.Name, id, "?")
}

// chosenItem returns the control and the reference that a button chooses.
func (p *post) chosenItem() (name, reference string) {
	cut := strings.LastIndexByte(p.on, ' ')
	if p.do != doChoose || cut < 0 {
		return "", ""
	}
	if _, ok := kuflowref.ParseDataSource(p.on[cut+1:]); !ok {
		return "", ""
	}
	return p.on[:cut], p.on[cut+1:]
}

// searchForButton runs the search of a pressed button.
func (e *entry) searchForButton(ctx context.Context, p *page) error {
	if e.post.do != doFind || e.script {
		return nil
	}
	name, _ := readSearch(e.post.on, "")
	n := p.editor.Control(name)
	if !isSearchable(n) {
		return nil
	}
	_, s := readSearch(e.post.on, strings.TrimSpace(e.post.values.Get(prefixText+name)))
	var err error
	p.search, err = searchItems(ctx, e.store, name, n, s)
	return err
}

// answerItems answers the script of a search with the results.
func (s *Screen) answerItems(v *web.Visit) (*web.Answer, error) {
	post, err := readPost(v.Request, func(string, File) (string, error) { return "", formError() })
	if err != nil {
		return nil, err
	}
	name, search := readSearch(post.on, strings.TrimSpace(post.values.Get("q")))
	store, doc, n, err := s.openControl(v, name, readPicked(post.values))
	if err != nil {
		return nil, err
	}
	if !isSearchable(n) || doc.ReadOnly {
		return nil, domain.NotFound("control")
	}
	found, err := searchItems(v.Context(), store, name, n, search)
	if err != nil {
		return nil, err
	}
	return &web.Answer{Raw: true, Body: itemsPart(found)}, nil
}
