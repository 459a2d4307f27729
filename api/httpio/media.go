package httpio

import (
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/procession-dev/procession/domain"
)

const (
	mediaJSON         = "application/json"
	codingIdentity    = "identity"
	headerContentType = "Content-Type"
)

// checkMedia returns the error of a request body that is compressed or not of a documented media type in UTF-8, and sets
// the header with the accepted ones (RFC 9110, section 15.5.16). A body without a type is accepted if it is not typed.
func (r *route) checkMedia(request *http.Request, answer http.Header, typed bool) error {
	if encoding := strings.Join(request.Header.Values("Content-Encoding"), ","); !isIdentity(encoding) {
		answer.Set("Accept-Encoding", codingIdentity)
		return unsupportedMedia("the encoding of the body is not supported", "Content-Encoding", "must be absent or identity")
	}
	fields := request.Header.Values("Content-Type")
	if !typed && strings.Join(fields, "") == "" {
		return nil
	}
	const message = "the media type of the body is not supported"
	media, charset, ok := "", "", len(fields) == 1
	if ok {
		media, charset, ok = parseMediaType(fields[0])
	}
	if _, documented := r.content[media]; !ok || !documented {
		answer.Set(mediaHint(request.Method, r.content))
		return unsupportedMedia(message, headerContentType, "is not a media type of this operation")
	}
	if !isUTF8(charset) {
		answer.Set(mediaHint(request.Method, r.content))
		return unsupportedMedia(message, headerContentType, "must have no charset but UTF-8")
	}
	return nil
}

// isIdentity reports whether a list of content codings leaves the body as it is.
func isIdentity(codings string) bool {
	for coding := range strings.SplitSeq(codings, ",") {
		if coding = strings.Trim(coding, " \t"); coding != "" && !strings.EqualFold(coding, codingIdentity) {
			return false
		}
	}
	return true
}

// isUTF8 reports whether a charset is UTF-8 or a subset of it, or absent. JSON has no such parameter (RFC 8259, section
// 11), and clients spell it in several ways.
func isUTF8(charset string) bool {
	return slices.Contains([]string{"", "utf-8", "utf8", "us-ascii", "ascii"}, strings.ToLower(charset))
}

// parseMediaType parses a Content-Type (RFC 9110, section 8.3.1) in lower case, and its charset. Other parameters have no
// meaning here.
func parseMediaType(text string) (media, charset string, ok bool) {
	media, rest, _ := strings.Cut(text, ";")
	media = strings.ToLower(strings.Trim(media, " \t"))
	kind, subtype, _ := strings.Cut(media, "/")
	ok = isToken(kind) && isToken(subtype)
	for ok && rest != "" {
		rest = strings.TrimLeft(rest, " \t;")
		var name, value string
		if rest == "" {
			break
		}
		name, rest, ok = strings.Cut(rest, "=")
		if value, rest = cutParameterValue(rest); value == "" || !isToken(name) {
			return "", "", false
		}
		rest = strings.TrimLeft(rest, " \t")
		ok = ok && (rest == "" || rest[0] == ';')
		if strings.EqualFold(name, "charset") {
			value = strings.ReplaceAll(strings.Trim(value, `"`), `\`, "")
			ok = ok && (charset == "" || strings.EqualFold(charset, value))
			charset = value
		}
	}
	return media, charset, ok
}

// cutParameterValue cuts a token or a quoted string, with its quotes, from the beginning of a text. value is "" for
// anything else.
func cutParameterValue(text string) (value, rest string) {
	if !strings.HasPrefix(text, `"`) {
		end := strings.IndexAny(text, " \t;")
		if end < 0 {
			end = len(text)
		}
		if !isToken(text[:end]) {
			return "", ""
		}
		return text[:end], text[end:]
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return text[:i+1], text[i+1:]
		}
	}
	return "", ""
}

// isToken reports whether a text is a token (RFC 9110, section 5.6.2).
func isToken(text string) bool {
	for i := range len(text) {
		c := text[i] | 0x20
		if (c < 'a' || c > 'z') && (text[i] < '0' || text[i] > '9') && strings.IndexByte("!#$%&'*+-.^_`|~", text[i]) < 0 {
			return false
		}
	}
	return text != ""
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

func unsupportedMedia(message, header, detail string) error {
	return &domain.Error{
		Kind: domain.KindUnsupportedMedia, Code: domain.CodeValidation, Message: message,
		Details: []domain.Detail{{
			Code: domain.CodeValidation, Message: detail, Location: header, LocationType: domain.LocationHeader,
		}},
	}
}
