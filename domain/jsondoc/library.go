package jsondoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"github.com/procession-dev/procession/domain/jsontext"
)

// maxLibraryWork limits the length of the document times the number of operations for the library: it reads and writes
// the whole document, and copies an array for each element that is added or removed.
const maxLibraryWork = 256 << 10

// isConforming reports whether the library json-patch follows RFC 6902 for the patch. It does except for these: test
// compares numbers as text and takes null for absent, operations on the whole document and on empty names fail, array
// indexes may have signs and leading zeros, a value can be moved into itself or, within an object, to the end, arrays
// after a carriage return are not recognized, and escapes in names are altered.
func isConforming(document json.RawMessage, steps []step) bool {
	if len(document)*len(steps) > maxLibraryWork || !isPlain(document) {
		return false
	}
	for _, s := range steps {
		if s.Op == "test" || !isAddressable(s.path) || !isPlain(s.Value) {
			return false
		}
		if s.From != nil && (!isAddressable(s.from) || isWithin(s.path, s.from) || s.Path == *s.From) {
			return false
		}
	}
	return true
}

// isPlain reports whether a text has no escapes or characters that the library writes or reads differently.
func isPlain(text []byte) bool { return !bytes.ContainsAny(text, "\r\\\u2028\u2029") }

// isAddressable reports whether the library finds the value at a path.
func isAddressable(path []string) bool {
	for _, key := range path {
		_, index := jsontext.Index(key)
		if key == "" || !index && key != "-" && strings.ContainsRune("+-0123456789", rune(key[0])) || !isPlain([]byte(key)) {
			return false
		}
	}
	return len(path) > 0
}

// applyLibrary applies a conforming patch with the library.
func applyLibrary(document json.RawMessage, steps []step) (json.RawMessage, error) {
	operations := make(jsonpatch.Patch, len(steps))
	for i, s := range steps {
		operations[i] = s.toOperation()
	}
	options := jsonpatch.NewApplyOptions()
	options.SupportNegativeIndices, options.EscapeHTML = false, false
	options.AccumulatedCopySizeLimit = maxCopied
	patched, err := operations.ApplyWithOptions(document, options)
	var copied *jsonpatch.AccumulatedCopySizeError
	switch {
	case errors.As(err, &copied):
		return nil, errCopied
	case err != nil:
		// The other possible failure of a conforming patch is a missing path.
		return nil, fmt.Errorf("%w: %w", errMissing, err)
	}
	return checkResult(patched)
}

// toOperation returns the operation in the form of the library.
func (s step) toOperation() jsonpatch.Operation {
	members := jsonpatch.Operation{"op": quoteText(s.Op), "path": quoteText(s.Path)}
	if s.From != nil {
		members["from"] = quoteText(*s.From)
	}
	if s.Value != nil {
		members["value"] = &s.Value
	}
	return members
}

func quoteText(text string) *json.RawMessage {
	raw := json.RawMessage(jsontext.Quote(text))
	return &raw
}
