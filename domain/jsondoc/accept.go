package jsondoc

import (
	"errors"
	"strings"
)

// A filter is one entry of accept in lower case: a file name extension with its dot, or a media type with "" for any
// type or subtype.
type filter struct {
	extension          string
	mediaType, subtype string
}

var errAccept = errors.New("must be a list of media types such as application/pdf and image/*, and of extensions such as .pdf: " +
	"an array or text with commas")

// readAccept reads the value of accept.
func readAccept(value any) ([]filter, error) {
	var entries []string
	switch v := value.(type) {
	case string:
		entries = strings.Split(v, ",")
	case []any:
		for _, element := range v {
			entry, ok := element.(string)
			if !ok {
				return nil, errAccept
			}
			entries = append(entries, entry)
		}
	}
	if len(entries) == 0 {
		return nil, errAccept
	}
	filters := make([]filter, len(entries))
	for i, entry := range entries {
		f, ok := readFilter(strings.ToLower(strings.TrimSpace(entry)))
		if !ok {
			return nil, errAccept
		}
		filters[i] = f
	}
	return filters, nil
}

func readFilter(entry string) (filter, bool) {
	if strings.HasPrefix(entry, ".") {
		return filter{extension: entry}, len(entry) > 1 && !strings.ContainsAny(entry, " /*")
	}
	mediaType, subtype, _ := strings.Cut(entry, "/")
	switch {
	case entry == "*/*":
		return filter{}, true
	case subtype == "*":
		return filter{mediaType: mediaType}, restrictedName(mediaType)
	}
	return filter{mediaType: mediaType, subtype: subtype}, restrictedName(mediaType) && restrictedName(subtype)
}

// restrictedName reports whether text is a part of a media type (RFC 6838,
// section 4.2), already in lower case.
func restrictedName(text string) bool {
	for i := range len(text) {
		c := text[i]
		letter := 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
		if !letter && (i == 0 || strings.IndexByte("!#$&-^_.+", c) < 0) {
			return false
		}
	}
	return text != ""
}

// Accepts reports whether a file with a name and a media type matches one of the entries of accept. All files match an
// accept without entries.
func Accepts(accept []string, name, mediaType string) bool {
	entries := make([]any, len(accept))
	for i, entry := range accept {
		entries[i] = entry
	}
	filters, err := readAccept(entries)
	return err != nil || isAccepted(filters, Stored{Name: name, Type: mediaType})
}

// isAccepted reports whether a document matches one of the entries.
func isAccepted(filters []filter, d Stored) bool {
	name := strings.ToLower(d.Name)
	essence, _, _ := strings.Cut(strings.ToLower(d.Type), ";")
	mediaType, subtype, _ := strings.Cut(strings.TrimSpace(essence), "/")
	for _, f := range filters {
		switch {
		case f.extension != "":
			if strings.HasSuffix(name, f.extension) {
				return true
			}
		case (f.mediaType == "" || f.mediaType == mediaType) && (f.subtype == "" || f.subtype == subtype):
			return true
		}
	}
	return false
}
