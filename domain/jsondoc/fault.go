package jsondoc

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/procession-dev/procession/domain/jsontext"
)

// SchemaError is the reason why a schema is refused and, if known, its place.
type SchemaError struct {
	// Pointer is a JSON Pointer into the schema, "" for the whole schema or if the place is not known.
	Pointer string
	// Message is for the author of the schema.
	Message string
	cause   error
}

// Error returns the reason with the failed step of Compile.
func (e *SchemaError) Error() string { return e.cause.Error() }

// Unwrap returns the error of the library, if it is one.
func (e *SchemaError) Unwrap() error { return e.cause }

// outsideError is the error for a reference to something outside the schema.
type outsideError struct{ address string }

func (e *outsideError) Error() string {
	return "the reference to " + e.address + " leads out of the schema"
}

// locateFault locates the reason of an error in a schema. Reason is err without the failed step of Compile.
func locateFault(source json.RawMessage, reason, err error) *SchemaError {
	e := &SchemaError{Message: reason.Error(), cause: err}
	schema, levels, malformed := decodeText(source)
	if malformed != nil || levels > maxSchemaDepth {
		return e
	}
	var invalid *jsonschema.ValidationError
	var loop jsonschema.InfiniteLoopError
	var outside *outsideError
	var library *jsonschema.SchemaError
	var keyword *keywordError
	var expression *patternError
	switch {
	case errors.As(reason, &expression):
		e.Pointer, e.Message = expression.pointer, expression.message
	case errors.As(reason, &keyword):
		_, path, _ := strings.Cut(keyword.location, "#")
		e.Pointer, e.Message = unescapeLocation(path)+"/"+keyword.keyword, keyword.message
	case errors.As(reason, &invalid):
		for len(invalid.Causes) > 0 {
			invalid = invalid.Causes[0]
		}
		e.Pointer, e.Message = unescapeLocation(invalid.InstanceLocation), "is not JSON Schema: "+invalid.Message
	case errors.As(reason, &loop):
		_, path, _ := strings.Cut(string(loop), "#")
		e.Pointer = existingPrefix(schema, unescapeLocation(path))
		e.Message = "refers to itself without ever reaching a value"
	case errors.As(reason, &outside):
		e.Pointer = findReferrer(schema, "", outside.address)
		e.Message = "refers to " + outside.address + ", which is outside the schema: put it under $defs and refer to it there"
	case errors.As(reason, &library):
		e.Message = strings.TrimPrefix(library.Err.Error(), "jsonschema: ")
		if target, missing := strings.CutSuffix(e.Message, " not found"); missing {
			e.Pointer = findReferrer(schema, "", target)
			e.Message = "refers to " + strings.TrimPrefix(target, base) + ", which does not exist"
		}
	}
	return e
}

// unescapeLocation converts a location of the library to a JSON Pointer: the library escapes names as in a URL
// fragment.
func unescapeLocation(location string) string {
	pointer, err := url.PathUnescape(location)
	if err != nil {
		return location
	}
	return pointer
}

// existingPrefix returns the longest prefix of a pointer that leads to a value.
func existingPrefix(value any, pointer string) string {
	path, ok := jsontext.SplitPointer(pointer)
	if !ok {
		return ""
	}
	found := ""
	for _, key := range path {
		switch container := value.(type) {
		case map[string]any:
			value, ok = container[key]
		case []any:
			var i int
			if i, ok = jsontext.Index(key); ok {
				if ok = i < len(container); ok {
					value = container[i]
				}
			}
		default:
			ok = false
		}
		if !ok {
			return found
		}
		found += "/" + jsontext.EscapeToken(key)
	}
	return found
}

// findReferrer returns the pointer of a reference that may be to target, an address that the library resolved, ""
// when there is none.
func findReferrer(value any, at, target string) string {
	switch v := value.(type) {
	case map[string]any:
		for _, keyword := range []string{"$ref", "$dynamicRef", "$recursiveRef", "$schema"} {
			if text, ok := v[keyword].(string); ok && leadsTo(text, target) {
				return at + "/" + keyword
			}
		}
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			if found := findReferrer(v[name], at+"/"+jsontext.EscapeToken(name), target); found != "" {
				return found
			}
		}
	case []any:
		for i, element := range v {
			if found := findReferrer(element, at+"/"+strconv.Itoa(i), target); found != "" {
				return found
			}
		}
	}
	return ""
}

// leadsTo reports whether a reference may have been resolved to target, which
// has lost its fragment when it is the address of a document.
func leadsTo(text, target string) bool {
	document, _, _ := strings.Cut(text, "#")
	return text != "" && strings.HasSuffix(target, text) ||
		document != "" && strings.HasSuffix(target, strings.TrimLeft(document, "./"))
}
