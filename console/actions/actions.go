// Package actions shows user actions of processes and of business artifacts: the menu of available actions and the
// results of invoked ones.
package actions

import (
	"time"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/domain"
)

// Entry is an action that the user may invoke.
type Entry struct {
	Name  string
	Badge ui.Badge
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
	// MakesFile reports whether it delivers a file. File is its path once it exists.
	MakesFile   bool
	File        string
	FileExpired bool
	// Made is the path of the process or artifact that it created, "" for none, and MadeText the text of the link.
	Made, MadeText string
	Errors         []domain.Detail
}
