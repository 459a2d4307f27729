package jsondoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
)

// maxSimpleWork bounds document times operations for the library, which copies
// an array for each element that is added or removed.
const maxSimpleWork = 16 << 20

// simple reports whether the library json-patch follows RFC 6902 for the patch.
// It does but for the following: test compares numbers as text and takes null
// for absent, the whole document and empty member names cannot be operated on,
// array indices may have signs and leading zeros, a value can be moved into
// itself, arrays after a carriage return are not recognised, and member names
// with half a surrogate pair are altered.
func simple(document json.RawMessage, steps []step) bool {
	if len(document)*len(steps) > maxSimpleWork || !simpleText(document) {
		return false
	}
	for _, s := range steps {
		if s.Op == "test" || !simplePath(s.path) || !simpleText(s.Value) {
			return false
		}
		if s.From != nil && (!simplePath(s.from) || within(s.path, s.from) || s.Path == *s.From) {
			return false
		}
	}
	return true
}

func simpleText(text []byte) bool {
	return !bytes.Contains(text, []byte("\r")) &&
		!bytes.Contains(text, []byte(`\ud`)) && !bytes.Contains(text, []byte(`\uD`))
}

func simplePath(path []string) bool {
	for _, key := range path {
		if _, ok := index(key); !ok && (key == "" || strings.ContainsRune("+-0123456789", rune(key[0]))) && key != "-" {
			return false
		}
	}
	return len(path) > 0
}

// applyLibrary applies a simple patch.
func applyLibrary(document json.RawMessage, steps []step) (result json.RawMessage, err error) {
	operations := make(jsonpatch.Patch, len(steps))
	for i, s := range steps {
		operations[i] = s.members()
	}
	defer func() {
		if r := recover(); r != nil {
			result, err = nil, fmt.Errorf("applying a patch: %v", r)
		}
	}()
	options := jsonpatch.NewApplyOptions()
	options.SupportNegativeIndices = false
	options.AccumulatedCopySizeLimit = maxCopied
	options.EscapeHTML = false
	patched, err := operations.ApplyWithOptions(document, options)
	var copied *jsonpatch.AccumulatedCopySizeError
	switch {
	case errors.As(err, &copied):
		return nil, fmt.Errorf("applying a patch: %w", errCopied)
	case err != nil:
		// Whatever else can go wrong in a simple patch is a path that leads nowhere.
		return nil, fmt.Errorf("applying a patch: %w: %w", errMissing, err)
	}
	return finished(patched)
}

// members is the operation as the library takes it.
func (s step) members() jsonpatch.Operation {
	members := jsonpatch.Operation{"op": raw(quote(s.Op)), "path": raw(quote(s.Path))}
	if s.From != nil {
		members["from"] = raw(quote(*s.From))
	}
	if s.Value != nil {
		members["value"] = raw(s.Value)
	}
	return members
}

func raw(text []byte) *json.RawMessage {
	message := json.RawMessage(text)
	return &message
}
