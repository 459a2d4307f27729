package app

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/procession-dev/procession/domain"
)

// actionError is the reason why an action that the caller may invoke could not
// be carried out. Its transaction is rolled back, and the action is stored in ERROR
// by another one.
type actionError struct{ cause *domain.Error }

func (f actionError) Error() string { return f.cause.Error() }

// newActionError returns an actionError for a permanent error. Temporary errors and denials of the caller are returned
// unchanged.
func newActionError(err error) error {
	var cause *domain.Error
	lasting := []domain.Kind{
		domain.KindInvalid, domain.KindConflict, domain.KindNotFound, domain.KindTooLarge, domain.KindUnsupportedMedia,
	}
	if errors.As(err, &cause) && slices.Contains(lasting, cause.Kind) {
		return actionError{cause}
	}
	return err
}

// carryOut invokes an action, and where it fails for good stores it as one that
// failed: then attempt is called again with the reason.
func carryOut(attempt func(failed *domain.Error) error) error {
	err := attempt(nil)
	if failure, ok := errors.AsType[actionError](err); ok {
		return attempt(failure.cause)
	}
	return err
}

// invalidInput returns an input that could not even be held against its schema. field
// is the one that has it.
func invalidInput(given json.RawMessage, field domain.Field, failed *domain.Error) *domain.JSONValue {
	if given == nil {
		return nil
	}
	value := &domain.JSONValue{Value: given}
	for _, detail := range failed.Details {
		if detail.Field == field {
			value.Errors = append(value.Errors, domain.ValueError{PropertyPath: detail.Location, Type: "format"})
		}
	}
	return value
}
