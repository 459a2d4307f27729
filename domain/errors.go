package domain

import (
	"errors"
	"fmt"
)

// Kind groups errors by the caller's possible reactions. The API maps each kind to one HTTP status.
type Kind string

// The kinds of error.
const (
	KindInvalid          Kind = "invalid"
	KindUnauthenticated  Kind = "unauthenticated"
	KindDenied           Kind = "denied"
	KindNotFound         Kind = "not found"
	KindConflict         Kind = "conflict"
	KindPrecondition     Kind = "precondition"
	KindTooLarge         Kind = "too large"
	KindOutOfRange       Kind = "out of range"
	KindUnsupportedMedia Kind = "unsupported media"
	KindRateLimited      Kind = "rate limited"
	KindUnavailable      Kind = "unavailable"
	KindInternal         Kind = "internal"
)

// Code is a stable, machine-readable reason. The list is closed: clients may
// switch on it.
type Code string

// The error codes.
const (
	CodeValidation             Code = "VALIDATION"
	CodeNotFound               Code = "NOT_FOUND"
	CodeAccessDenied           Code = "ACCESS_DENIED"
	CodeUnauthenticated        Code = "UNAUTHENTICATED"
	CodeInvalidState           Code = "INVALID_STATE"
	CodeTaskAlreadyClaimed     Code = "TASK_ALREADY_CLAIMED"
	CodeTaskNotOwned           Code = "TASK_NOT_OWNED"
	CodeTaskDataInvalid        Code = "TASK_DATA_INVALID"
	CodeFourEyes               Code = "FOUR_EYES"
	CodeProcessFinished        Code = "PROCESS_FINISHED"
	CodeDefinitionNotPublished Code = "DEFINITION_NOT_PUBLISHED"
	CodeDefinitionNotFound     Code = "DEFINITION_NOT_FOUND"
	CodeDocumentTooLarge       Code = "DOCUMENT_TOO_LARGE"
	CodeDocumentType           Code = "DOCUMENT_TYPE"
	CodeDocumentExpired        Code = "DOCUMENT_EXPIRED"
	CodePatchFailed            Code = "PATCH_FAILED"
	CodePatchTooCostly         Code = "PATCH_TOO_COSTLY"
	CodeFeatureDisabled        Code = "FEATURE_DISABLED"
	CodeAIRunPending           Code = "AI_RUN_PENDING"
	CodeConflict               Code = "CONFLICT"
	CodeOpenWork               Code = "OPEN_WORK"
	CodePreconditionFailed     Code = "PRECONDITION_FAILED"
	CodeRateLimited            Code = "RATE_LIMITED"
	CodeUnavailable            Code = "UNAVAILABLE"
	CodeInternal               Code = "INTERNAL"
)

// LocationType is the part of a request that a Detail is about.
type LocationType string

// The parts of a request.
const (
	LocationBody   LocationType = "body"
	LocationQuery  LocationType = "query"
	LocationPath   LocationType = "path"
	LocationHeader LocationType = "header"
)

// Detail is one part of an error. An operation names the field of its input that
// is wrong, with the JSON Pointer (RFC 6901) within the field as the location; the
// contract makes of both the part of the request and the location there: a JSON
// Pointer for the body and a name for everything else.
type Detail struct {
	Code         Code         `json:"code"`
	Message      string       `json:"message"`
	Field        Field        `json:"field,omitempty"`
	Location     string       `json:"location,omitempty"`
	LocationType LocationType `json:"locationType,omitempty"`
}

// Error is the one error type that callers of the service see. Message and
// Details are safe to show; Cause is for the log only.
type Error struct {
	Kind    Kind
	Code    Code
	Message string
	Details []Detail
	Cause   error
	// Current is the version that a PRECONDITION_FAILED error found, nil for none.
	Current *Version
}

// Error returns the code and the message, followed by the cause if there is one.
func (e *Error) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Cause)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// HasCode reports whether err is, or wraps, an Error with the given code.
func HasCode(err error, code Code) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Code == code
}

// NotFound returns the error for a missing resource, or one that is not visible to the caller. The message names only
// the kind of resource.
func NotFound(resource string) *Error {
	return &Error{Kind: KindNotFound, Code: CodeNotFound, Message: resource + " not found"}
}

// Denied returns the error that the caller sees the resource but may not do this to it.
func Denied(message string) *Error {
	return &Error{Kind: KindDenied, Code: CodeAccessDenied, Message: message}
}

// Unavailable returns the error that something that an operation needs cannot be used now, and why.
func Unavailable(message string, cause error) *Error {
	return &Error{Kind: KindUnavailable, Code: CodeUnavailable, Message: message, Cause: cause}
}

// Unauthenticated returns the error that credentials are missing or not valid. It never says
// which part was wrong.
func Unauthenticated() *Error {
	return &Error{Kind: KindUnauthenticated, Code: CodeUnauthenticated, Message: "valid credentials are required"}
}

// ProcessFinished refuses a write on a process in a final state.
func ProcessFinished() *Error {
	return &Error{Kind: KindDenied, Code: CodeProcessFinished, Message: "the process is finished"}
}

// Conflict refuses an operation that the state of the resource does not allow.
func Conflict(code Code, message string) *Error {
	return &Error{Kind: KindConflict, Code: code, Message: message}
}

// InvalidField refuses an input because of one of its fields.
func InvalidField(field Field, message string) *Error { return InvalidAt(field, "", message) }

// InvalidAt refuses an input because of the value at a JSON Pointer within a field.
func InvalidAt(field Field, pointer, message string) *Error {
	refusal := Invalid("", pointer, message)
	refusal.Details[0].Field = field
	return refusal
}

// Invalid refuses a request because of the value at location.
func Invalid(locationType LocationType, location, message string) *Error {
	return &Error{
		Kind: KindInvalid, Code: CodeValidation, Message: "the request is not valid",
		Details: []Detail{{Code: CodeValidation, Message: message, Location: location, LocationType: locationType}},
	}
}

// InvalidBody refuses a request because of the body value at the JSON Pointer.
func InvalidBody(pointer, message string) *Error {
	return Invalid(LocationBody, pointer, message)
}
