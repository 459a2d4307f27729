package ui

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"

	"github.com/procession-dev/procession/domain"
)

// Failure is the reason why a page cannot be shown.
type Failure struct {
	Kind domain.Kind
	// Message describes the failure, "" if it is not meant for the user.
	Message  string
	SignedIn bool
}

// reasonTexts returns texts for codes of errors.
func reasonTexts() map[domain.Code]string {
	return map[domain.Code]string{
		domain.CodeTaskAlreadyClaimed: Text("Another person has claimed this task."),
		domain.CodeOpenWork:           Text("The person has open work. Decide about it first."),
		domain.CodeTaskNotOwned:       Text("The task belongs to another person."),
		domain.CodeTaskDataInvalid:    Text("Something is missing or not valid. Correct it, then complete the task."),
		domain.CodeFourEyes:           Text("Another person must do this task: the person does its counterpart in the process."),
		domain.CodeAccessDenied:       Text("You may not do this."),
		domain.CodeNotFound:           Text("It does not exist, or you do not have access."),
		domain.CodeInvalidState:       Text("The current state does not allow this."),
	}
}

// Reason describes a refused operation. The messages of errors are
// English; readers of other languages get a general sentence.
func Reason(ctx context.Context, err *domain.Error) string {
	text, ok := reasonTexts()[err.Code]
	switch {
	case ok:
		return T(ctx, text)
	case English(ctx):
		return err.Message
	}
	return Failure{Kind: err.Kind}.Title(ctx) + ". " + Failure{Kind: err.Kind}.Advice(ctx)
}

// ReasonOf describes the refusal of an operation by its code alone.
func ReasonOf(ctx context.Context, code domain.Code) string {
	return Reason(ctx, &domain.Error{Code: code, Message: T(ctx, reasonTexts()[domain.CodeInvalidState])})
}

// English reports whether the viewer reads English, as the messages of errors are.
func English(ctx context.Context) bool { return ViewerOf(ctx).Language == language.English }

// Title summarizes the failure.
func (f Failure) Title(ctx context.Context) string {
	switch f.Kind {
	case domain.KindNotFound:
		return T(ctx, "Not found")
	case domain.KindDenied:
		return T(ctx, "Not allowed")
	case domain.KindUnauthenticated:
		return T(ctx, "Signed out")
	case domain.KindUnavailable:
		return T(ctx, "Temporarily unavailable")
	case domain.KindRateLimited:
		return T(ctx, "Too many requests")
	case domain.KindConflict, domain.KindPrecondition:
		return T(ctx, "Changed meanwhile")
	case domain.KindInvalid, domain.KindTooLarge, domain.KindOutOfRange, domain.KindUnsupportedMedia:
		return T(ctx, "The request failed")
	case domain.KindInternal:
	}
	return T(ctx, "Something went wrong")
}

// Advice returns a remedy.
func (f Failure) Advice(ctx context.Context) string {
	switch f.Kind {
	case domain.KindNotFound:
		return T(ctx, "It does not exist, or you do not have access.")
	case domain.KindDenied:
		return T(ctx, "Ask a manager of the process, or an administrator.")
	case domain.KindUnauthenticated:
		return T(ctx, "Sign in again to continue.")
	case domain.KindUnavailable, domain.KindRateLimited:
		return T(ctx, "Wait a moment and try again. Nothing was changed.")
	case domain.KindConflict, domain.KindPrecondition:
		return T(ctx, "Go back and reload the page.")
	case domain.KindInvalid, domain.KindTooLarge, domain.KindOutOfRange, domain.KindUnsupportedMedia:
		return T(ctx, "Go back and correct your input. Nothing was changed.")
	case domain.KindInternal:
	}
	return T(ctx, "Try again. If it happens again, give an administrator the number below.")
}

// Sentence returns the failure in a line: its cause, or its title with a remedy.
func (f Failure) Sentence(ctx context.Context) string {
	if f.Message == "" || f.Kind == domain.KindNotFound {
		return f.Title(ctx) + ". " + f.Advice(ctx)
	}
	first, size := utf8.DecodeRuneInString(f.Message)
	return strings.TrimSuffix(string(unicode.ToUpper(first))+f.Message[size:], ".") + "."
}

// Problem returns why something was refused, with each place that is wrong.
func Problem(ctx context.Context, rejection *domain.Error) string {
	lines := []string{Reason(ctx, rejection)}
	for _, d := range rejection.Details {
		place := d.Location
		if place == "" {
			place = string(d.Field)
		}
		lines = append(lines, Detail(ctx, place, d.Message))
	}
	return strings.Join(lines, "\n")
}

// Detail describes an error at a place, which may be "".
func Detail(ctx context.Context, place, message string) string {
	switch {
	case English(ctx):
		return strings.TrimSpace(place + " " + message)
	case place == "":
		return T(ctx, "The request failed")
	}
	return T(ctx, "%s is not valid.", place)
}
