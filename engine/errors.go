package engine

import (
	"context"
	"errors"

	"go.temporal.io/api/serviceerror"
)

// errNotStarted holds back a command that makes sense only after the workflow
// was started.
var errNotStarted = errors.New("the workflow is not started yet")

// Unavailable reports whether err says that Temporal as a whole cannot be used
// now: it does not answer, or it does not accept the service's credentials.
func Unavailable(err error) bool {
	var (
		unavailable *serviceerror.Unavailable
		deadline    *serviceerror.DeadlineExceeded
		denied      *serviceerror.PermissionDenied
	)
	return errors.As(err, &unavailable) || errors.As(err, &deadline) || errors.As(err, &denied) ||
		errors.Is(err, context.DeadlineExceeded)
}

// NamespaceMissing reports whether err says that a namespace does not exist.
func NamespaceMissing(err error) bool {
	var missing *serviceerror.NamespaceNotFound
	return errors.As(err, &missing)
}

// RateLimited reports whether err says that the service asks too much at a time.
func RateLimited(err error) bool {
	var exhausted *serviceerror.ResourceExhausted
	return errors.As(err, &exhausted)
}

// gone reports whether err says that a workflow has ended or never was.
func gone(err error) bool {
	var notFound *serviceerror.NotFound
	return errors.As(err, &notFound)
}
