package blobstore

import (
	"mime"
	"strings"
)

const (
	// defaultContentType is for documents of unknown type.
	defaultContentType = "application/octet-stream"
	// maxContentType is the longest content type, in bytes.
	maxContentType = 255
)

// ContentDisposition returns the header value that offers a document for saving
// under a name (RFC 6266), which is cleaned by FileName first. It has the name
// twice: quoted, with an underscore for everything beyond ASCII, for programs
// that look no further; and encoded by RFC 8187, which browsers prefer. It is
// ASCII without control characters whatever the name.
func ContentDisposition(name string) string {
	name = FileName(name)
	var plain, encoded strings.Builder
	for i, r := range name {
		switch {
		case r == '%' && startsWithHex(name[i+1:]), r == '"', r == '\\', r < ' ', r > '~':
			// RFC 6266, appendix D: some programs decode values that look encoded.
			plain.WriteByte('_')
		default:
			plain.WriteRune(r)
		}
	}
	for _, b := range []byte(name) {
		if isAttrChar(b) {
			encoded.WriteByte(b)
			continue
		}
		const hex = "0123456789ABCDEF"
		encoded.Write([]byte{'%', hex[b>>4], hex[b&15]})
	}
	return `attachment; filename="` + plain.String() + `"; filename*=UTF-8''` + encoded.String()
}

func startsWithHex(s string) bool {
	return len(s) >= 2 && strings.Trim(s[:2], "0123456789abcdefABCDEF") == ""
}

// isAttrChar reports whether RFC 8187 takes the byte as it is.
func isAttrChar(b byte) bool {
	switch {
	case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', '0' <= b && b <= '9':
		return true
	default:
		return strings.IndexByte("!#$&+-.^_`|~", b) >= 0
	}
}

// ContentType makes the content type a client sent safe to keep and to send: one type and subtype with well-formed
// parameters, in ASCII, at most 255 bytes long. Parameters that are not well-formed or too long are dropped. An invalid
// type or a wildcard becomes application/octet-stream.
func ContentType(raw string) string {
	// With an error about a parameter there is a name and no parameters, with any
	// other there is neither.
	name, params, _ := mime.ParseMediaType(raw)
	major, minor, _ := strings.Cut(name, "/")
	if major == "" || minor == "" || strings.Contains(name, "*") {
		return defaultContentType
	}
	for _, params := range []map[string]string{params, nil} {
		if clean := mime.FormatMediaType(name, params); clean != "" && len(clean) <= maxContentType {
			return clean
		}
	}
	return defaultContentType
}
