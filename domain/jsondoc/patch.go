package jsondoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"github.com/procession-dev/procession/domain"
)

const (
	// maxOperations bounds the number of operations of one patch.
	maxOperations = 1000
	// maxCopied bounds what the copy operations of one patch may add, in bytes:
	// repeated copies double a document.
	maxCopied = 1 << 20
)

// Operation is one operation of a JSON Patch (RFC 6902). Value is nil when the
// member is absent and the text null when it is null.
type Operation struct {
	Op    string
	Path  string
	From  *string
	Value json.RawMessage
}

// Apply applies a patch to an object and returns the resulting object. It is
// all or nothing. A patch that is not well formed is a VALIDATION error naming
// the operation; one that does not fit the document, such as a failed test or a
// missing path, is a conflict with PATCH_FAILED. An empty patch changes nothing.
func Apply(document json.RawMessage, patch []Operation) (result json.RawMessage, err error) {
	if err := check(patch); err != nil {
		return nil, err
	}
	if len(patch) == 0 {
		return document, nil
	}
	operations := make(jsonpatch.Patch, len(patch))
	for i, op := range patch {
		operations[i] = op.members()
	}
	defer func() {
		if r := recover(); r != nil {
			result, err = nil, failed("the patch cannot be applied", nil)
		}
	}()
	options := jsonpatch.NewApplyOptions()
	options.SupportNegativeIndices = false
	options.AccumulatedCopySizeLimit = maxCopied
	options.EscapeHTML = false
	patched, err := operations.ApplyWithOptions(document, options)
	if err != nil {
		return nil, failed(reason(err), err)
	}
	if trimmed := bytes.TrimSpace(patched); len(trimmed) == 0 || trimmed[0] != '{' {
		return nil, failed("the result is not an object", nil)
	}
	return patched, nil
}

func check(patch []Operation) error {
	if len(patch) > maxOperations {
		return domain.InvalidBody("", fmt.Sprintf("has more than %d operations", maxOperations))
	}
	for i, op := range patch {
		at := "/" + strconv.Itoa(i)
		if !pointer(op.Path) {
			return domain.InvalidBody(at+"/path", "is not a JSON Pointer")
		}
		switch op.Op {
		case "move", "copy":
			if op.From == nil {
				return domain.InvalidBody(at+"/from", "is required")
			}
			if !pointer(*op.From) {
				return domain.InvalidBody(at+"/from", "is not a JSON Pointer")
			}
		case "add", "replace", "test":
			if op.Value == nil {
				return domain.InvalidBody(at+"/value", "is required")
			}
		case "remove":
		default:
			return domain.InvalidBody(at+"/op", "is not one of add, remove, replace, move, copy, test")
		}
	}
	return nil
}

// pointer reports whether s is a JSON Pointer (RFC 6901, section 3).
func pointer(s string) bool {
	if s != "" && s[0] != '/' {
		return false
	}
	for i := 0; i < len(s); i++ {
		if s[i] == '~' && (i+1 == len(s) || s[i+1] != '0' && s[i+1] != '1') {
			return false
		}
	}
	return true
}

func (op Operation) members() jsonpatch.Operation {
	members := jsonpatch.Operation{"op": text(op.Op), "path": text(op.Path)}
	if op.From != nil {
		members["from"] = text(*op.From)
	}
	if op.Value != nil {
		value := op.Value
		members["value"] = &value
	}
	return members
}

func text(s string) *json.RawMessage {
	// A string always marshals.
	encoded, _ := json.Marshal(s) //nolint:errchkjson // see above
	raw := json.RawMessage(encoded)
	return &raw
}

func reason(err error) string {
	switch {
	case errors.Is(err, jsonpatch.ErrTestFailed):
		return "a test of the patch failed"
	case errors.Is(err, jsonpatch.ErrMissing):
		return "a path of the patch does not exist"
	default:
		return "the patch cannot be applied"
	}
}

func failed(message string, cause error) error {
	return &domain.Error{Kind: domain.KindConflict, Code: domain.CodePatchFailed, Message: message, Cause: cause}
}
