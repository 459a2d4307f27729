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

// Explain converts a location in an error of the service, such as
// /documents/3/spec/items/0/code, to a position in the files of the request:
// "loan.yaml:12: spec.items[0].code". It returns other locations unchanged.
func Explain(sources []Source, location string) string {
	source, pointer := splitLocation(sources, location)
	if source == nil {
		return location
	}
	line, _ := source.Position(pointer)
	if pointer == "" {
		return fmt.Sprintf("%s:%d", source.File, line)
	}
	return fmt.Sprintf("%s:%d: %s", source.File, line, readablePath(pointer))
}

// Locate returns the line and column, counted from 1, of a location in an error of the
// service, and its path within the document. If the location is not in a document, line
// and column are 0 and the path is the location.
func Locate(sources []Source, location string) (line, column int, path string) {
	source, pointer := splitLocation(sources, location)
	if source == nil {
		return 0, 0, location
	}
	line, column = source.Position(pointer)
	return line, column, readablePath(pointer)
}

// splitLocation returns the document of a location, or nil, and the pointer within it.
func splitLocation(sources []Source, location string) (source *Source, pointer string) {
	match := documentLocation.FindStringSubmatch(location)
	if match == nil {
		return nil, ""
	}
	i, err := strconv.Atoi(match[1])
	if err != nil || i >= len(sources) {
		return nil, ""
	}
	return &sources[i], match[2]
}

// readablePath converts a JSON Pointer to a path such as spec.items[0].code.
func readablePath(pointer string) string {
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
