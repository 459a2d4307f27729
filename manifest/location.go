package manifest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
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

// spoken is a JSON Pointer as people write paths: spec.items[0].code.
func spoken(pointer string) string {
	if pointer == "" {
		return ""
	}
	var out strings.Builder
	for _, token := range strings.Split(pointer[1:], "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		_, err := strconv.ParseUint(token, 10, 31)
		switch {
		case err == nil:
			fmt.Fprintf(&out, "[%s]", token)
		case !plainName.MatchString(token):
			fmt.Fprintf(&out, "[%s]", quote(token))
		case out.Len() == 0:
			out.WriteString(token)
		default:
			out.WriteString("." + token)
		}
	}
	return out.String()
}
