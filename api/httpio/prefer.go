package httpio

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/procession-dev/procession/domain"
)

const (
	// ignoredHeader lists the query parameters of a request that its operation does
	// not have, as strings of a structured field (RFC 9651).
	ignoredHeader = "Ignored-Parameters"
	// maxIgnored and maxIgnoredName bound the header.
	maxIgnored     = 20
	maxIgnoredName = 100
)

// handlesStrictly reports whether the client prefers a request to be refused
// rather than taken in part: handling=strict of RFC 7240. Of several values the
// first counts.
func handlesStrictly(header http.Header) bool {
	for _, field := range header.Values("Prefer") {
		for preference := range strings.SplitSeq(field, ",") {
			preference, _, _ = strings.Cut(preference, ";")
			name, value, _ := strings.Cut(preference, "=")
			if strings.EqualFold(strings.TrimSpace(name), "handling") {
				return strings.EqualFold(strings.Trim(strings.TrimSpace(value), `"`), "strict")
			}
		}
	}
	return false
}

// checkUnknown refuses query parameters that the operation does not have, if the
// client prefers that, and lists them in the answer otherwise.
func (r *route) checkUnknown(c *gin.Context, query url.Values) []domain.Detail {
	strict := handlesStrictly(c.Request.Header)
	if strict {
		c.Header("Preference-Applied", "handling=strict")
	}
	if len(query) == 0 {
		return nil
	}
	var details []domain.Detail
	var ignored []string
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if r.hasQuery(name) {
			continue
		}
		details = append(details, domain.Detail{
			Code: domain.CodeValidation, Message: "is not a parameter of this operation",
			Location: strings.ToValidUTF8(strings.ReplaceAll(name, "\x00", "\uFFFD"), "\uFFFD"), LocationType: domain.LocationQuery,
		})
		ignored = append(ignored, `"`+url.QueryEscape(name[:min(len(name), maxIgnoredName)])+`"`)
	}
	switch {
	case strict:
		return details
	case len(ignored) > 0:
		c.Header(ignoredHeader, strings.Join(ignored[:min(len(ignored), maxIgnored)], ", "))
	}
	return nil
}

func (r *route) hasQuery(name string) bool {
	for _, param := range r.params {
		if param.In == "query" && param.Name == name {
			return true
		}
	}
	return false
}
