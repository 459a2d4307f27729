// Package actions shows user actions of processes and of business artifacts: the menu of
// what a user may do, and what has come of it.
package actions

import (
	"context"
	"time"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/domain"
)

// Entry is an action that the user may invoke.
type Entry struct {
	Name, Icon string
	// Kind is the kind of the action.
	Kind string
	// Path is the path of its form. An action that does not ask is invoked by a POST to it.
	Path string
	Asks bool
}

// Run is an action that was invoked.
type Run struct {
	Name, Icon string
	// Path is the path of its result.
	Path       string
	Status     domain.ActionStatus
	CreatedAt  time.Time
	AuthorName string
	// MakesFile reports whether it delivers a file, which is at File as soon as it is there.
	MakesFile   bool
	File        string
	FileExpired bool
	// Made is the path of what it has started or created, "" for nothing, and MadeText the text of the link there.
	Made, MadeText string
	Errors         []domain.Detail
}

func stateClass(status domain.ActionStatus) string {
	switch status {
	case domain.ActionRequested:
		return "text-blue"
	case domain.ActionCompleted:
		return "text-green"
	case domain.ActionError:
		return "text-red"
	case domain.ActionCanceled:
	}
	return "text-secondary"
}

func stateIcon(status domain.ActionStatus) string {
	switch status {
	case domain.ActionRequested:
		return "clock"
	case domain.ActionCompleted:
		return "circle-check"
	case domain.ActionError:
		return "alert-circle"
	case domain.ActionCanceled:
	}
	return "ban"
}

func stateName(ctx context.Context, status domain.ActionStatus) string {
	switch status {
	case domain.ActionRequested:
		return ui.T(ctx, "In progress")
	case domain.ActionCompleted:
		return ui.T(ctx, "Done")
	case domain.ActionError:
		return ui.T(ctx, "Failed")
	case domain.ActionCanceled:
	}
	return ui.T(ctx, "Cancelled")
}
