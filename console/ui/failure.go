package ui

import (
	"cmp"
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

// CodeFormToFillIn refuses to complete a task together with others.
const CodeFormToFillIn domain.Code = "FORM_TO_FILL_IN"

// reasonTexts returns texts for codes of errors.
func reasonTexts() map[domain.Code]string {
	return map[domain.Code]string{
		domain.CodeTaskAlreadyClaimed: Text("Another person has claimed this task."),
		domain.CodeOpenWork:           Text("The person has open work. Decide about it first."),
		domain.CodeTaskNotOwned:       Text("The task belongs to another person."),
		domain.CodeTaskDataInvalid:    Text("Something is missing or not valid. Correct it, then complete the task."),
		domain.CodeFourEyes:           Text("Another person must do this task: the person does its counterpart in the process."),
		CodeFormToFillIn:              Text("There is something to fill in. Open the task to complete it."),
		domain.CodeAccessDenied:       Text("You may not do this."),
		domain.CodeNotFound:           Text("It does not exist, or you do not have access."),
		domain.CodeInvalidState:       Text("The current state does not allow this."),
	}
}

// messageTexts returns the texts for messages of refusals.
func messageTexts() map[string]string {
	return map[string]string{
		"the process is finished":                                                 Text("The process has ended."),
		"there is nothing to change":                                              Text("There is nothing to change."),
		"the right to repair the process is required":                             Text("You may not repair it."),
		"the process has no workflow":                                             Text("The process has no workflow."),
		"the workflow is not started yet":                                         Text("The workflow is not started yet."),
		"the workflow is running: it continues when its problem is fixed":         Text("The workflow is running: it continues when its problem is fixed."),
		"a failed action cannot be retried; invoke it again":                      Text("A failed action cannot be retried: invoke it again."),
		"the workflow was started again since":                                    Text("The workflow was started again since."),
		"the task is finished: it needs no robot":                                 Text("The task is finished: it needs no robot."),
		"the workflow has recovered":                                              Text("The workflow has recovered."),
		"the workflow was retried":                                                Text("The workflow was retried."),
		"the process is at this version already":                                  Text("The process is at this version already."),
		"the person who started the operation is disabled or has left the tenant": Text("The person who started the operation is disabled or has left the tenant."),
		"an unexpected error":                                                     Text("An unexpected error. The log of the service has the details."),
		"the process is not finished":                                             Text("The process has not ended."),
		"the process has no running workflow":                                     Text("The process has no running workflow."),
		"the incident is closed":                                                  Text("The incident is closed."),
		"the process has open tasks, or actions that are not finished":            Text("The process has open tasks, or actions that have not ended."),
		"the process was not moved to another version":                            Text("The process was not moved to another version."),
		"the process has changed since it moved to the version":                   Text("The process has changed since it was moved to the version."),
		"the process has too many items to be moved":                              Text("The process has too many entries to be moved."),
		"one of the versions has a workflow, the other one has none":              Text("One of the versions has a workflow, the other one has none."),
		"the endpoint is disabled: enable it first":                               Text("The endpoint is disabled: enable it first."),
		"the event has been removed from the ledger":                              Text("The event has been removed from the ledger."),
	}
}

// Reason describes a refused operation. The messages of errors are
// English; readers of other languages get a general sentence.
func Reason(ctx context.Context, err *domain.Error) string {
	if text, ok := messageTexts()[err.Message]; ok {
		return T(ctx, text)
	}
	text, ok := reasonTexts()[err.Code]
	switch {
	case English(ctx) && err.Code == domain.CodeInvalidState && err.Message != "":
		return strings.ToUpper(err.Message[:1]) + err.Message[1:] + "."
	case ok:
		return T(ctx, text)
	case English(ctx):
		return err.Message
	}
	return Failure{Kind: err.Kind}.Title(ctx) + ". " + Failure{Kind: err.Kind}.Advice(ctx)
}

// ReasonOf describes the refusal of an operation by its code alone.
func ReasonOf(ctx context.Context, code domain.Code) string {
	return T(ctx, cmp.Or(reasonTexts()[code], reasonTexts()[domain.CodeInvalidState]))
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
