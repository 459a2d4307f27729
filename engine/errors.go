package engine

import (
	"context"
	"errors"

	"go.temporal.io/api/serviceerror"
)

// errNotStarted delays a command that must follow the start of its workflow.
var errNotStarted = errors.New("the workflow is not started yet")

// Unavailable reports whether err means that Temporal as a whole is unavailable: it
// does not answer, or it rejects the service's credentials.
func Unavailable(err error) bool {
	var (
		unavailable *serviceerror.Unavailable
		deadline    *serviceerror.DeadlineExceeded
		denied      *serviceerror.PermissionDenied
	)
	return errors.As(err, &unavailable) || errors.As(err, &deadline) || errors.As(err, &denied) ||
		errors.Is(err, context.DeadlineExceeded)
}

// NamespaceMissing reports whether err means that a namespace does not exist.
func NamespaceMissing(err error) bool {
	_, missing := MissingNamespace(err)
	return missing
}

// MissingNamespace returns the namespace that does not exist according to err.
func MissingNamespace(err error) (namespace string, missing bool) {
	if e, ok := errors.AsType[*serviceerror.NamespaceNotFound](err); ok {
		return e.Namespace, true
	}
	return "", false
}

// RateLimited reports whether err means that the service exceeded a rate limit of
// Temporal.
func RateLimited(err error) bool {
	_, ok := errors.AsType[*serviceerror.ResourceExhausted](err)
	return ok
}

// isGone reports whether err means that a workflow has ended or never existed.
func isGone(err error) bool {
	_, ok := errors.AsType[*serviceerror.NotFound](err)
	return ok
}

// isUnsupported reports whether err means that Temporal does not know a part of the request, as older servers do.
func isUnsupported(err error) bool {
	_, ok := errors.AsType[*serviceerror.InvalidArgument](err)
	return ok
}
