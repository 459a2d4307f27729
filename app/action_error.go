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

// attemptAction calls attempt to invoke an action and, if that fails with an actionError, again with its cause to store
// the failed action. It returns the outcome of the last attempt, also with an error.
func attemptAction[T any](attempt func(cause *domain.Error) (T, error)) (outcome T, err error) {
	var failure actionError
	for range 2 {
		if outcome, err = attempt(failure.cause); !errors.As(err, &failure) {
			break
		}
	}
	return outcome, err
}

// invalidInput returns an input that could not even be held against its schema. field
// is the one that has it.
func invalidInput(input json.RawMessage, field domain.Field, cause *domain.Error) *domain.JSONValue {
	if input == nil {
		return nil
	}
	value := &domain.JSONValue{Value: input}
	for _, detail := range cause.Details {
		if detail.Field == field {
			value.Errors = append(value.Errors, domain.ValueError{PropertyPath: detail.Location, Type: "format"})
		}
	}
	return value
}
