package httpio

import (
	"strings"

	"github.com/procession-dev/procession/domain"
)

// PageMetadata describes a page of a list. The type of the same name of every
// contract has these members.
type PageMetadata = struct {
	Page          int   `json:"page"`
	Size          int   `json:"size"`
	TotalElements int64 `json:"totalElements"`
	TotalPages    int   `json:"totalPages"`
}

// MetadataOf describes a page.
func MetadataOf[T any](page domain.Page[T]) PageMetadata {
	return PageMetadata{Size: page.Size, Page: page.Number, TotalElements: page.Total, TotalPages: page.TotalPages()}
}

// PageOf turns a page into its metadata, of the type that the contract has for
// it, and its content, which is an empty list rather than null when it is empty.
func PageOf[Metadata ~PageMetadata, From, To any](page domain.Page[From], convert func(*From) To) (Metadata, []To) {
	content := make([]To, len(page.Items))
	for i := range page.Items {
		content[i] = convert(&page.Items[i])
	}
	return Metadata(MetadataOf(page)), content
}

// ConvertStrings converts strings of a contract to strings of the domain.
func ConvertStrings[To, From ~string](values []From) []To {
	converted := make([]To, len(values))
	for i, value := range values {
		converted[i] = To(value)
	}
	return converted
}

// Listing returns the page request and the sort keys of the validated
// parameters of a list. Each of sort is "property" or "property,direction" with
// the direction in any case; their order is preserved.
func Listing(size, page int, sort []string) (domain.PageRequest, []domain.SortKey) {
	keys := make([]domain.SortKey, 0, len(sort))
	for _, param := range sort {
		property, direction, _ := strings.Cut(param, ",")
		keys = append(keys, domain.SortKey{Property: property, Descending: strings.EqualFold(direction, "desc")})
	}
	return domain.PageRequest{Number: page, Size: size}, keys
}
