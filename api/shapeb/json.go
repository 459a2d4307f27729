package shapeb

import (
	"encoding/json"

	"github.com/procession-dev/procession/api/httpio"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
)

// jsonValue shows a value as it is stored, text and all; errors are shown only
// where there are any.
func jsonValue(v *domain.JSONValue) *oasb.JSONValue {
	if v == nil {
		return nil
	}
	value := &oasb.JSONValue{Valid: &v.Valid, Value: v.Value}
	for _, violation := range v.Errors {
		converted := oasb.JSONValueError{PropertyPath: &violation.PropertyPath, Type: &violation.Type}
		if violation.Message != "" {
			converted.Message = &violation.Message
		}
		value.Errors = append(value.Errors, converted)
	}
	return value
}

// convertValue returns the object that a client sent, nil when it sent none. The
// validity that the client sends is ignored.
func convertValue(v *oasb.JSONValue) json.RawMessage {
	if v == nil {
		return nil
	}
	return v.Value
}

// patchOf returns the patch of a request, which comes under one of two media types.
func patchOf(bodies ...*oasb.JSONPatch) []jsondoc.Operation {
	var patch []jsondoc.Operation
	for _, body := range bodies {
		for _, op := range httpio.Deref(body) {
			patch = append(patch, jsondoc.Operation{
				Op: string(op.Op), Path: op.Path, From: op.From, Value: op.Value,
			})
		}
	}
	return patch
}
