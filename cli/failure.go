package cli

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain"
)

// ErrDifferences is returned by diff after it has printed differences.
var ErrDifferences = errors.New("there are differences")

// Exit codes of the program. ExitFailure stands for all other errors, and for a diff
// with differences.
const (
	ExitOK       = 0
	ExitFailure  = 1
	ExitUsage    = 2
	ExitNotFound = 3
	ExitDenied   = 4
	ExitConflict = 5
)

// ExitCode returns the exit code for the error of a command. Wrong arguments and invalid
// manifests are a *domain.Error of kind invalid.
func ExitCode(err error) int {
	if err == nil {
		return ExitOK
	}
	domainErr, ok := errors.AsType[*domain.Error](err)
	if !ok {
		return ExitFailure
	}
	switch domainErr.Kind {
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

// failure is an error of a command with a message for people.
type failure struct {
	kind  domain.Kind
	text  string
	infos []oasadmin.DefaultErrorInfo
}

func (f *failure) Error() string { return f.text }

// Unwrap returns the kind of failure for ExitCode.
func (f *failure) Unwrap() error { return &domain.Error{Kind: f.kind, Message: f.text} }

// usageError returns an error about wrong arguments.
func usageError(format string, args ...any) error {
	return &failure{kind: domain.KindInvalid, text: fmt.Errorf(format, args...).Error()}
}

// notFound replaces an error of the service of kind not found with one that names the
// subject. It returns other errors, and nil, unchanged.
func notFound(err error, subject string) error {
	if f, ok := errors.AsType[*failure](err); ok && f.kind == domain.KindNotFound && f.infos != nil {
		return notFoundError(subject)
	}
	return err
}

// notFoundError returns the error that a subject was not found.
func notFoundError(subject string) error {
	return &failure{kind: domain.KindNotFound, text: subject + " not found"}
}

// newFailure returns the failure in the error body of a response.
func newFailure(status int, body oasadmin.DefaultError) *failure {
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
