package jsondoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsontext"
)

const (
	// maxOperations limits the number of operations of one patch.
	maxOperations = 1000
	// maxCopied limits the bytes that the copy operations of one patch may add: repeated copies double a
	// document.
	maxCopied = 1 << 20
	// MaxPatchWork limits the work of one patch: bytes compared, and elements moved. It takes half a second at most.
	MaxPatchWork = 130_000_000
)

var (
	errMissing    = errors.New("a path of the patch does not exist")
	errTest       = errors.New("a test of the patch failed")
	errIntoItself = errors.New("a value cannot be moved into itself")
	errCopied     = fmt.Errorf("the patch copies more than %d bytes", maxCopied)
	errPatchWork  = errors.New("the patch takes too much work on this document")
	errNotObject  = errors.New("the result is not an object")
	errDepth      = fmt.Errorf("the result %w", jsontext.ErrDepth)
)

// Operation is one operation of a JSON Patch (RFC 6902). Value is nil when the
// member is absent and the text null when it is null.
type Operation struct {
	Op    string
	Path  string
	From  *string
	Value json.RawMessage
}

// Apply applies a patch to an object and returns the resulting object. Either all operations apply or none. A
// malformed patch is a VALIDATION error naming the operation; one that does not fit the document, such as a
// failed test or a missing path, is a conflict with PATCH_FAILED; one that copies or moves too much is refused with
// PATCH_TOO_COSTLY. An empty patch has no effect.
//
// Members keep their order and numbers their digits; white space is not kept.
func Apply(document json.RawMessage, patch []Operation) (json.RawMessage, error) {
	steps, err := parseSteps(patch)
	if err != nil {
		return nil, err
	}
	if len(patch) == 0 {
		return document, nil
	}
	if !jsontext.Valid(document) {
		return nil, errors.New("patching a document: it is not JSON")
	}
	apply := applySteps
	if isConforming(document, steps) {
		apply = applyLibrary
	}
	result, err := apply(document, steps)
	switch {
	case errors.Is(err, errCopied), errors.Is(err, errPatchWork):
		return nil, &domain.Error{Kind: domain.KindInvalid, Code: domain.CodePatchTooCostly, Message: publicReason(err), Cause: err}
	case err != nil:
		return nil, &domain.Error{Kind: domain.KindConflict, Code: domain.CodePatchFailed, Message: publicReason(err), Cause: err}
	}
	return result, nil
}

// A step is a well-formed operation with its pointers split.
type step struct {
	Operation
	path []string
	from []string
}

func parseSteps(patch []Operation) ([]step, error) {
	if len(patch) > maxOperations {
		return nil, domain.InvalidBody("", fmt.Sprintf("has more than %d operations", maxOperations))
	}
	steps := make([]step, len(patch))
	for i, op := range patch {
		at := "/" + strconv.Itoa(i)
		path, ok := jsontext.SplitPointer(op.Path)
		if !ok {
			return nil, domain.InvalidBody(at+"/path", "is not a JSON Pointer")
		}
		// Members that the operation does not use have no effect.
		steps[i] = step{Operation: Operation{Op: op.Op, Path: op.Path}, path: path}
		switch op.Op {
		case "move", "copy":
			if op.From == nil {
				return nil, domain.InvalidBody(at+"/from", "is required")
			}
			if steps[i].from, ok = jsontext.SplitPointer(*op.From); !ok {
				return nil, domain.InvalidBody(at+"/from", "is not a JSON Pointer")
			}
			steps[i].From = op.From
		case "add", "replace", "test":
			if op.Value == nil {
				return nil, domain.InvalidBody(at+"/value", "is required")
			}
			if !jsontext.Valid(op.Value) {
				return nil, domain.InvalidBody(at+"/value", "is not JSON")
			}
			steps[i].Value = op.Value
		case "remove":
		default:
			return nil, domain.InvalidBody(at+"/op", "is not one of add, remove, replace, move, copy, test")
		}
	}
	return steps, nil
}

// checkResult returns the result of a patch without white space. It must be an object.
func checkResult(text []byte) (json.RawMessage, error) {
	var result bytes.Buffer
	result.Grow(len(text))
	if err := json.Compact(&result, text); err != nil {
		return nil, errDepth
	}
	if result.Len() == 0 || result.Bytes()[0] != '{' {
		return nil, errNotObject
	}
	r := jsontext.NewLooseReader(result.Bytes())
	if r.Skip(); r.Err() != nil || r.Deepest() > jsontext.MaxDepth {
		return nil, errDepth
	}
	return result.Bytes(), nil
}

// publicReason returns the part of err that may be shown to the author of the patch.
func publicReason(err error) string {
	for _, sentinel := range []error{errMissing, errTest, errIntoItself, errCopied, errPatchWork, errNotObject, errDepth} {
		if errors.Is(err, sentinel) {
			return sentinel.Error()
		}
	}
	return "the patch cannot be applied"
}
