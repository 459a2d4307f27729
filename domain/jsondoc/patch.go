package jsondoc

import (
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
	// maxPatchWork limits the work of one patch: bytes compared, and members and elements skipped. It is far
	// beyond what a patch of a request needs and takes about a second.
	maxPatchWork = 1 << 28
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
// failed test or a missing path, is a conflict with PATCH_FAILED. An empty patch changes nothing.
//
// Members keep their order and numbers their digits; white space is not kept.
func Apply(document json.RawMessage, patch []Operation) (json.RawMessage, error) {
	steps, err := check(patch)
	if err != nil {
		return nil, err
	}
	if len(patch) == 0 {
		return document, nil
	}
	if !jsontext.Valid(document) {
		return nil, errors.New("patching a document: it is not JSON")
	}
	result, err := applySteps(document, steps)
	if err != nil {
		return nil, &domain.Error{Kind: domain.KindConflict, Code: domain.CodePatchFailed, Message: reason(err), Cause: err}
	}
	return result, nil
}

// A step is a well-formed operation with its pointers split.
type step struct {
	Operation
	path []string
	from []string
}

func check(patch []Operation) ([]step, error) {
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

// reason returns the part of err that may be shown to the author of the patch.
func reason(err error) string {
	for _, known := range []error{errMissing, errTest, errIntoItself, errCopied, errPatchWork, errNotObject, errDepth} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return "the patch cannot be applied"
}
