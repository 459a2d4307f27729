package cli

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain"
)

// ErrDifferences is returned by diff if there are differences. They have already been printed.
var ErrDifferences = errors.New("there are differences")

// The exit codes of the program. ExitFailure is for all that has no code of its
// own, and for a diff that found differences.
const (
	ExitOK       = 0
	ExitFailure  = 1
	ExitUsage    = 2
	ExitNotFound = 3
	ExitDenied   = 4
	ExitConflict = 5
)

// ExitCode returns the exit code for what a command returned. A mistake in the
// arguments is a *domain.Error of kind invalid, as invalid documents are.
func ExitCode(err error) int {
	if err == nil {
		return ExitOK
	}
	known, ok := errors.AsType[*domain.Error](err)
	if !ok {
		return ExitFailure
	}
	switch known.Kind {
	case domain.KindInvalid:
		return ExitUsage
	case domain.KindNotFound:
		return ExitNotFound
	case domain.KindDenied, domain.KindUnauthenticated:
		return ExitDenied
	case domain.KindConflict, domain.KindPrecondition:
		return ExitConflict
	case domain.KindTooLarge, domain.KindOutOfRange, domain.KindUnsupportedMedia, domain.KindRateLimited,
		domain.KindUnavailable, domain.KindInternal:
		return ExitFailure
	}
	return ExitFailure
}

// failure is the reason why a command failed, in words for people.
type failure struct {
	kind  domain.Kind
	text  string
	infos []oasadmin.DefaultErrorInfo
}

func (f *failure) Error() string { return f.text }

// Unwrap returns the kind of failure for ExitCode.
func (f *failure) Unwrap() error { return &domain.Error{Kind: f.kind, Message: f.text} }

// misuse returns the error of a command that was called wrongly.
func misuse(format string, args ...any) error {
	return &failure{kind: domain.KindInvalid, text: fmt.Errorf(format, args...).Error()}
}

// notFound names in an error of the service that something was not found what that is.
// Other errors, and nil, are returned as they are.
func notFound(err error, what string) error {
	if f, ok := errors.AsType[*failure](err); ok && f.kind == domain.KindNotFound && f.infos != nil {
		return absent(what)
	}
	return err
}

// absent returns the failure for what was not found.
func absent(what string) error {
	return &failure{kind: domain.KindNotFound, text: what + " not found"}
}

// refused returns the failure that the error body of an answer describes.
func refused(status int, body oasadmin.DefaultError) *failure {
	var text strings.Builder
	text.WriteString(body.Message)
	for _, info := range body.Errors {
		switch {
		case info.Location != nil && *info.Location != "":
			fmt.Fprintf(&text, "\n%s: %s", *info.Location, info.Message)
		case info.Message != body.Message:
			fmt.Fprintf(&text, "\n%s", info.Message)
		}
	}
	return &failure{kind: kindOf(status), text: text.String(), infos: body.Errors}
}

func kindOf(status int) domain.Kind {
	switch status {
	case http.StatusBadRequest:
		return domain.KindInvalid
	case http.StatusUnauthorized:
		return domain.KindUnauthenticated
	case http.StatusForbidden:
		return domain.KindDenied
	case http.StatusNotFound:
		return domain.KindNotFound
	case http.StatusConflict:
		return domain.KindConflict
	case http.StatusPreconditionFailed:
		return domain.KindPrecondition
	default:
		return domain.KindInternal
	}
}
