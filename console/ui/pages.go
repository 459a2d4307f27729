package ui

import (
	"maps"
	"net/url"
	"slices"
	"strconv"

	"github.com/procession-dev/procession/domain"
)

// pagesWithoutJump is the number of pages up to which a list has no field for the number of a page.
const pagesWithoutJump = 3

// PageSizes returns the numbers of rows among which users choose for the pages of a list, the smallest first.
func PageSizes() []int { return []int{25, 50, MaxPageSize} }

// MaxPageSize is the largest number of rows on a page of a list.
const MaxPageSize = 100

// Pages contains the position of a page in a list.
type Pages struct {
	domain.PageRequest

	Total int64
	// TotalIsLowerBound reports whether there may be more rows and more pages.
	TotalIsLowerBound bool
	// Path returns the URL of a page, which counts from 1.
	Path func(page int) string
}

// PagesOf returns the position of a page that was found. path is Pages.Path.
func PagesOf[T any](found domain.Page[T], path func(page int) string) Pages {
	return Pages{PageRequest: found.PageRequest, Total: found.Total, Path: path}
}

// parameter is a parameter of a URL.
type parameter struct{ Name, Value string }

// split returns the path and the parameters of the first page.
func (p Pages) split() (path string, query []parameter) {
	u, err := url.Parse(p.Path(1))
	if err != nil {
		return "", nil
	}
	values := u.Query()
	values.Del("page")
	for _, name := range slices.Sorted(maps.Keys(values)) {
		query = append(query, parameter{name, values.Get(name)})
	}
	return u.Path, query
}

// sizePath returns the URL of the first page with another number of rows.
func (p Pages) sizePath(size int) string {
	path, query := p.split()
	values := url.Values{}
	for _, q := range query {
		values.Set(q.Name, q.Value)
	}
	values.Set("size", strconv.Itoa(size))
	return path + "?" + values.Encode()
}

// SortColumn are the values of the parameter "sort" for the two orders of a column. DescendingFirst tells which of them the column
// offers first.
type SortColumn struct {
	Ascending, Descending string
	DescendingFirst       bool
}

// ariaSort returns the order of the column for readers of the table.
func (c SortColumn) ariaSort(sorted string) string {
	switch sorted {
	case c.Ascending:
		return "ascending"
	case c.Descending:
		return "descending"
	}
	return "none"
}

func (c SortColumn) icon(sorted string) string {
	switch sorted {
	case c.Ascending:
		return "chevron-up"
	case c.Descending:
		return "chevron-down"
	}
	return "selector"
}

// next returns the order after a click on the head of the column.
func (c SortColumn) next(sorted string) string {
	if sorted == c.Ascending || sorted != c.Descending && c.DescendingFirst {
		return c.Descending
	}
	return c.Ascending
}
