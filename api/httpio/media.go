package httpio

import (
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/procession-dev/procession/domain"
)

const mediaJSON = "application/json"

// acceptsMedia reports whether a request body with these headers has one of the
// documented media types, in UTF-8 and not compressed.
func acceptsMedia(header http.Header, content openapi3.Content) bool {
	if encoding := header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return false
	}
	media, params, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		return false
	}
	if charset, ok := params["charset"]; ok && !strings.EqualFold(charset, "utf-8") {
		return false
	}
	_, documented := content[media]
	return documented
}

// mediaHint returns the header and the value that list the accepted media types
// of an operation.
func mediaHint(method string, content openapi3.Content) (header, value string) {
	names := make([]string, 0, len(content))
	for name := range content {
		names = append(names, name)
	}
	slices.Sort(names)
	if method == http.MethodPatch {
		// The more specific type first: it is the one the standard names.
		slices.Reverse(names)
		return "Accept-Patch", strings.Join(names, ", ")
	}
	return "Accept", strings.Join(names, ", ")
}

func unsupportedMedia() error {
	return &domain.Error{
		Kind: domain.KindUnsupportedMedia, Code: domain.CodeValidation,
		Message: "the media type of the body is not supported",
		Details: []domain.Detail{{
			Code: domain.CodeValidation, Message: "is not a media type of this operation",
			Location: "Content-Type", LocationType: domain.LocationHeader,
		}},
	}
}
