package domain

import (
	"time"

	"github.com/google/uuid"
)

// MaxIncidentMute is the longest time for which an incident can be muted.
const MaxIncidentMute = 366 * 24 * time.Hour

// IncidentComment is a comment of a person on an incident.
type IncidentComment struct {
	ID, TenantID, IncidentID uuid.UUID
	AuthorID                 uuid.UUID
	// AuthorName is the name of the author in the tenant.
	AuthorName string
	Text       string
	CreatedAt  time.Time
}

// Muted reports whether the incident sends no notifications at a time.
func (i *Incident) Muted(now time.Time) bool { return i.MutedUntil != nil && i.MutedUntil.After(now) }

// Acknowledge records that a person has taken notice of an open incident, and reports whether that changed it. Only the first
// acknowledgement counts. A closed incident is refused with INVALID_STATE.
func (i *Incident) Acknowledge(by uuid.UUID, now time.Time) (bool, error) {
	if err := i.checkOpen(); err != nil || i.AcknowledgedAt != nil {
		return false, err
	}
	i.AcknowledgedAt, i.AcknowledgedBy, i.ChangedAt = &now, &by, &now
	return true, nil
}

// Mute suppresses the notifications of an open incident until a time, and reports whether that changed it. The time must be in
// the future and within MaxIncidentMute. A closed incident is refused with INVALID_STATE.
func (i *Incident) Mute(until, now time.Time) (bool, error) {
	if !until.After(now) || until.Sub(now) > MaxIncidentMute {
		return false, InvalidBody("/until", "must be in the future, at most 366 days from now")
	}
	if err := i.checkOpen(); err != nil || i.MutedUntil != nil && i.MutedUntil.Equal(until) {
		return false, err
	}
	i.MutedUntil, i.ChangedAt = &until, &now
	return true, nil
}

// Unmute ends the mute of an open incident, and reports whether that changed it. A closed incident is refused with
// INVALID_STATE.
func (i *Incident) Unmute(now time.Time) (bool, error) {
	if err := i.checkOpen(); err != nil || i.MutedUntil == nil {
		return false, err
	}
	i.MutedUntil, i.ChangedAt = nil, &now
	return true, nil
}

// Assign assigns an open incident to a person, nil for none, and reports whether that changed it. A closed incident is refused
// with INVALID_STATE.
func (i *Incident) Assign(assignee *uuid.UUID, now time.Time) (bool, error) {
	if err := i.checkOpen(); err != nil || equalIDs(i.AssigneeID, assignee) {
		return false, err
	}
	i.AssigneeID, i.ChangedAt = assignee, &now
	return true, nil
}

func equalIDs(a, b *uuid.UUID) bool { return a == b || a != nil && b != nil && *a == *b }

func (i *Incident) checkOpen() error {
	if i.State != IncidentOpen {
		return Conflict(CodeInvalidState, "the incident is closed")
	}
	return nil
}
