package httpio

import (
	"strings"

	"github.com/procession-dev/procession/domain"
)

// PageMetadata says which page of a list this is, and of how many. The type of
// the same name of every contract has these fields, so it converts to that.
type PageMetadata struct {
	Page          int
	Size          int
	TotalElements int64
	TotalPages    int
}

// PageOf turns a page into its metadata and its content, which is an empty list
// rather than null when there is nothing.
func PageOf[From, To any](page domain.Page[From], convert func(*From) To) (PageMetadata, []To) {
	content := make([]To, len(page.Items))
	for i := range page.Items {
		content[i] = convert(&page.Items[i])
	}
	return PageMetadata{
		Size: page.Size, Page: page.Number, TotalElements: page.Total, TotalPages: page.TotalPages(),
	}, content
}

// Listing makes a page request and sort keys of the validated parameters of a
// list. Each of sort is "property" or "property,direction" with the direction
// in any case; their order is kept.
func Listing(size, page int, sort []string) (domain.PageRequest, []domain.SortKey) {
	keys := make([]domain.SortKey, 0, len(sort))
	for _, param := range sort {
		property, direction, _ := strings.Cut(param, ",")
		keys = append(keys, domain.SortKey{Property: property, Descending: strings.EqualFold(direction, "desc")})
	}
	return domain.PageRequest{Number: page, Size: size}, keys
}
