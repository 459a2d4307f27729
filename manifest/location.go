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
	found := documentLocation.FindStringSubmatch(location)
	if found == nil {
		return location
	}
	i, err := strconv.Atoi(found[1])
	if err != nil || i >= len(sources) {
		return location
	}
	line, _ := sources[i].Position(found[2])
	place := fmt.Sprintf("%s:%d", sources[i].File, line)
	if path := spoken(found[2]); path != "" {
		return place + ": " + path
	}
	return place
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
