package domain

import (
	"strings"
	"time"

	"github.com/google/uuid"
)

// MaxHandedOver bounds the tasks, the processes and the incidents of a person that one change hands over.
const MaxHandedOver = 1000

// HandOver is the decision about the open work of people who leave: exactly one field is set.
type HandOver struct {
	// Keep leaves the work with the people.
	Keep bool
	// Release returns tasks to their candidates and takes the assignee of incidents away.
	Release bool
	// User is the code of the user who gets the work, Group the code of the group; its members get it in turn.
	User, Group string
}

const (
	handOverKeep    = "keep"
	handOverRelease = "release"
	handOverUser    = "user/"
	handOverGroup   = "group/"
)

// HandOverSyntax describes the texts that ParseHandOver reads.
const HandOverSyntax = "must be keep, release, user/CODE or group/CODE"

// ParseHandOver reads a decision, nil for "". The second result is false for other texts than HandOverSyntax describes.
func ParseHandOver(text string) (*HandOver, bool) {
	switch text {
	case "":
		return nil, true
	case handOverKeep:
		return &HandOver{Keep: true}, true
	case handOverRelease:
		return &HandOver{Release: true}, true
	}
	if code, ok := strings.CutPrefix(text, handOverUser); ok && code != "" {
		return &HandOver{User: code}, true
	}
	if code, ok := strings.CutPrefix(text, handOverGroup); ok && code != "" {
		return &HandOver{Group: code}, true
	}
	return nil, false
}

// String returns the text that ParseHandOver reads.
func (h *HandOver) String() string {
	switch {
	case h == nil:
		return ""
	case h.Keep:
		return handOverKeep
	case h.Release:
		return handOverRelease
	case h.User != "":
		return handOverUser + h.User
	}
	return handOverGroup + h.Group
}

// Transfers reports whether another person or a group gets the work.
func (h *HandOver) Transfers() bool { return h != nil && (h.User != "" || h.Group != "") }

// UnownedKind is the kind of work without an active owner.
type UnownedKind string

// The kinds of work without an active owner.
const (
	// UnownedTask is a claimed task; its owner is inactive.
	UnownedTask UnownedKind = "TASK"
	// UnownedWaitingTask is a task that waits, without an active candidate.
	UnownedWaitingTask UnownedKind = "WAITING_TASK"
	// UnownedProcess is a running process; its initiator is inactive.
	UnownedProcess UnownedKind = "PROCESS"
	// UnownedIncident is an open incident; its assignee is inactive.
	UnownedIncident UnownedKind = "INCIDENT"
)

// UnownedWork is open work of a principal that is disabled or has left, or a task without an active candidate.
type UnownedWork struct {
	Kind       UnownedKind
	ID         uuid.UUID
	TenantID   uuid.UUID
	TenantCode string
	// ProcessID is the process of the work, nil for the incident of an artifact.
	ProcessID *uuid.UUID
	// Item is the code of the item definition of a task, Definition the code of the process definition.
	Item, Definition string
	// PrincipalID is the inactive principal, nil for a task that waits, and Name its name.
	PrincipalID *uuid.UUID
	Name        string
	// Disabled reports whether the principal is disabled and not deleted.
	Disabled bool
	// Since is the time of the claim, or of the creation of other work.
	Since time.Time
}
