package manifest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/procession-dev/procession/domain/jsontext"
)

var (
	documentLocation = regexp.MustCompile(`^/documents/([0-9]{1,9})(/.*)?$`)
	plainName        = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$-]*$`)
)

// Explain turns a location of which the service complains, such as
// /documents/3/spec/items/0/code, into the place in the files that the documents
// of the request came from: "loan.yaml:12: spec.items[0].code". A location that
// is not in a document stays as it is.
func Explain(sources []Source, location string) string {
	i, line, _, path := find(sources, location)
	if i < 0 {
		return location
	}
	place := fmt.Sprintf("%s:%d", sources[i].File, line)
	if path != "" {
		return place + ": " + path
	}
	return place
}

// Place returns the line and the column, counted from 1, of a location as Explain has
// it, and its path within the document. Of a location that is not in a document the path
// is the location, and line and column are 0.
func Place(sources []Source, location string) (line, column int, path string) {
	i, line, column, path := find(sources, location)
	if i < 0 {
		return 0, 0, location
	}
	return line, column, path
}

// find returns the index of the document that a location is in, -1 for none.
func find(sources []Source, location string) (index, line, column int, path string) {
	found := documentLocation.FindStringSubmatch(location)
	if found == nil {
		return -1, 0, 0, ""
	}
	i, err := strconv.Atoi(found[1])
	if err != nil || i >= len(sources) {
		return -1, 0, 0, ""
	}
	line, column = sources[i].Position(found[2])
	return i, line, column, spoken(found[2])
}

// spoken returns a JSON Pointer as a readable path: spec.items[0].code.
func spoken(pointer string) string {
	tokens, ok := jsontext.SplitPointer(pointer)
	if !ok {
		return pointer
	}
	var out strings.Builder
	for _, token := range tokens {
		_, isIndex := jsontext.Index(token)
		switch {
		case isIndex:
			fmt.Fprintf(&out, "[%s]", token)
		case !plainName.MatchString(token):
			fmt.Fprintf(&out, "[%s]", jsontext.Quote(token))
		case out.Len() == 0:
			out.WriteString(token)
		default:
			out.WriteString("." + token)
		}
	}
	return out.String()
}
