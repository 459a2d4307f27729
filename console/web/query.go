package web

import (
	"maps"
	"net/url"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

// Query contains the parameters of a list in its URL: filters, order and page. A parameter
// without a value is absent. Restrict and Default change a query, other methods return changed
// copies.
type Query struct{ values url.Values }

// NewQuery returns the query with the given names and values in turn.
func NewQuery(pairs ...string) Query {
	q := Query{url.Values{}}
	for i := 0; i < len(pairs); i += 2 {
		q.setValue(pairs[i], pairs[i+1]) //nolint:gosec // they come in pairs
	}
	return q
}

// ParseQuery returns the parameters with the given names, the page and its size.
func ParseQuery(values url.Values, names ...string) Query {
	q := NewQuery()
	for _, name := range names {
		q.setValue(name, values.Get(name))
	}
	if size := pageSize(values, 0); size > 0 {
		q.setValue("size", strconv.Itoa(size))
	}
	q.setPage(PageNumber(values))
	return q
}

// Query returns the parameters of the visit with the given names, and the page.
func (v *Visit) Query(names ...string) Query { return ParseQuery(v.URL.Query(), names...) }

func (q Query) setValue(name, value string) {
	if q.values.Del(name); value != "" {
		q.values.Set(name, value)
	}
}

func (q Query) setPage(page int) {
	if q.values.Del("page"); page > 1 {
		q.values.Set("page", strconv.Itoa(page))
	}
}

// Get returns a parameter, "" if it is absent.
func (q Query) Get(name string) string { return q.values.Get(name) }

// ID returns a parameter that is an id, the zero id if it is absent.
func (q Query) ID(name string) uuid.UUID {
	id, _ := uuid.Parse(q.Get(name))
	return id
}

// RequestedPage returns the requested page, which has at most size entries if the user has not chosen another number.
func (q Query) RequestedPage(size int) domain.PageRequest {
	return domain.PageRequest{Number: PageNumber(q.values) - 1, Size: pageSize(q.values, size)}
}

// With returns the first page of the list with another value of a parameter; "" removes it.
func (q Query) With(name, value string) Query {
	changed := Query{maps.Clone(q.values)}
	changed.setValue(name, value)
	changed.setPage(1)
	return changed
}

// And returns the same page of the list with another value of a parameter; "" removes it.
func (q Query) And(name, value string) Query {
	changed := Query{maps.Clone(q.values)}
	changed.setValue(name, value)
	return changed
}

// Only returns the query with the given parameters alone.
func (q Query) Only(names ...string) Query {
	kept := NewQuery()
	for _, name := range names {
		kept.setValue(name, q.Get(name))
	}
	return kept
}

// Restrict removes a parameter that has none of the allowed values.
func Restrict[S ~string](q Query, name string, allowed ...S) {
	if !slices.Contains(allowed, S(q.Get(name))) {
		q.values.Del(name)
	}
}

// Default sets a parameter that is absent.
func (q Query) Default(name, value string) {
	if !q.Has(name) {
		q.setValue(name, value)
	}
}

// Has reports whether one of the parameters is present.
func (q Query) Has(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return q.Get(name) != "" })
}

// OnPage returns the query of a page, which counts from 1.
func (q Query) OnPage(page int) Query {
	changed := Query{maps.Clone(q.values)}
	changed.setPage(page)
	return changed
}

// Path returns the URL of a screen with the query.
func (q Query) Path(screen string) string {
	if len(q.values) == 0 {
		return Root + screen
	}
	return Root + screen + "?" + q.values.Encode()
}

// Pages returns a function that returns the URL of a page of a list.
func (q Query) Pages(screen string) func(page int) string {
	return func(page int) string { return q.OnPage(page).Path(screen) }
}

// BulkPath returns the URL of the actions for all entries of the list of a screen.
func BulkPath(list Query, screen string) string {
	return NewQuery("list", list.OnPage(1).Path(screen)).Path("bulk/new")
}
