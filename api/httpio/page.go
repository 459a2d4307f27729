package httpio

import (
	"strings"

	"github.com/procession-dev/procession/domain"
)

// PageRequest makes a page request of validated parameters.
func PageRequest(size, page int) domain.PageRequest {
	return domain.PageRequest{Number: page, Size: size}
}

// SortKeys makes sort keys of validated sort parameters, each "property" or
// "property,direction" with the direction in any case. Their order is kept.
func SortKeys(params []string) []domain.SortKey {
	keys := make([]domain.SortKey, 0, len(params))
	for _, param := range params {
		property, direction, _ := strings.Cut(param, ",")
		keys = append(keys, domain.SortKey{Property: property, Descending: strings.EqualFold(direction, "desc")})
	}
	return keys
}
