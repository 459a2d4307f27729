package administration

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// The operations of this file handle an open incident and, with cause set, all open incidents of its cause in the tenant. The
// caller must be an owner or an administrator of the tenant or, without cause, an administrator of the process definition; for
// others the incident is NOT_FOUND. A closed incident is refused with INVALID_STATE.

// AcknowledgeIncident records that the caller has taken notice. An acknowledged incident is returned unchanged.
func (s *Service) AcknowledgeIncident(ctx context.Context, call domain.Call, id uuid.UUID, cause bool) (*domain.Incident, error) {
	return s.handleIncident(ctx, call, id, cause, &handling{
		event: domain.EventIncidentAcknowledged, updateCause: (*persistence.Tx).AcknowledgeCause,
		change: func(i *domain.Incident, now time.Time) (bool, error) { return i.Acknowledge(call.PrincipalID, now) },
	})
}

// MuteIncident suppresses the notifications of an incident until a time; with cause set, also of incidents that open
// until then. VALIDATION refuses a time that is past or beyond domain.MaxIncidentMute.
func (s *Service) MuteIncident(
	ctx context.Context, call domain.Call, id uuid.UUID, until time.Time, cause bool,
) (*domain.Incident, error) {
	return s.handleIncident(ctx, call, id, cause, &handling{
		event: domain.EventIncidentMuted, updateCause: (*persistence.Tx).MuteCause,
		details: map[string]string{"until": until.UTC().Format(time.RFC3339)},
		change:  func(i *domain.Incident, now time.Time) (bool, error) { return i.Mute(until, now) },
	})
}

// UnmuteIncident ends the mute of an incident.
func (s *Service) UnmuteIncident(ctx context.Context, call domain.Call, id uuid.UUID, cause bool) (*domain.Incident, error) {
	return s.handleIncident(ctx, call, id, cause, &handling{
		event: domain.EventIncidentUnmuted, updateCause: (*persistence.Tx).MuteCause,
		change: (*domain.Incident).Unmute,
	})
}

// IncidentAssignee identifies the person to assign an incident to, by id or e-mail; the zero value removes the assignment.
type IncidentAssignee = persistence.PrincipalKey

// AssignIncident assigns an incident to the caller, or to another person who may handle it. VALIDATION refuses others.
func (s *Service) AssignIncident(
	ctx context.Context, call domain.Call, id uuid.UUID, to IncidentAssignee, cause bool,
) (*domain.Incident, error) {
	h := handling{event: domain.EventIncidentAssigned, updateCause: (*persistence.Tx).AssignCause, assignee: to}
	h.change = func(i *domain.Incident, now time.Time) (bool, error) {
		if !to.Empty() && h.person == nil {
			return false, domain.InvalidField(domain.FieldAssignee, "is not an owner or administrator of the tenant, nor an administrator of the process definition")
		}
		return i.Assign(h.person, now)
	}
	return s.handleIncident(ctx, call, id, cause, &h)
}

// handling is a change of an incident by a person. person is the assignee that was found.
type handling struct {
	event       domain.EventType
	details     map[string]string
	change      func(i *domain.Incident, now time.Time) (bool, error)
	updateCause func(tx *persistence.Tx, i *domain.Incident)
	assignee    IncidentAssignee
	person      *uuid.UUID
}

func (s *Service) handleIncident(
	ctx context.Context, call domain.Call, id uuid.UUID, cause bool, h *handling,
) (*domain.Incident, error) {
	var incident *domain.Incident
	now := s.now()
	err := s.write(ctx, call, func(tx *persistence.Tx) (_ domain.Events, err error) {
		incident, h.person, err = tx.LockIncidentAlone(ctx, persistence.AdministrationOf(call.Caller), id, call.PrincipalID, h.assignee)
		if err != nil {
			return nil, err
		}
		if cause && !call.Operator && !call.Administration(incident.TenantID).Administers() {
			return nil, domain.Denied("the OWNER or the ADMINISTRATOR role in the tenant is required to handle all incidents of a cause")
		}
		changed, err := h.change(incident, now)
		if err != nil || !changed && !cause {
			return nil, err
		}
		incident.ChangedAt = &now
		tx.UpdateIncident(*incident)
		event := domain.IncidentEvent(h.event, incident, call.PrincipalID, now)
		if h.event == domain.EventIncidentAssigned {
			event = domain.AssignmentEvent(incident, call.PrincipalID, now)
		}
		for name, value := range h.details {
			event = event.With(name, value)
		}
		if cause {
			h.updateCause(tx, incident)
			event = event.With("cause", incident.Fingerprint)
		}
		return domain.Events{event}, nil
	})
	return incident, err
}

const maxIncidentComment = 4000

// CommentIncident adds a comment to an incident in any state, under the conditions of AcknowledgeIncident.
func (s *Service) CommentIncident(ctx context.Context, call domain.Call, id uuid.UUID, text string) (*domain.IncidentComment, error) {
	text = strings.TrimSpace(text)
	if text == "" || utf8.RuneCountInString(text) > maxIncidentComment {
		return nil, domain.InvalidBody("/text", "must have 1 to 4000 characters")
	}
	var comment domain.IncidentComment
	now := s.now()
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		incident, _, err := tx.LockIncidentAlone(ctx, persistence.AdministrationOf(call.Caller), id, call.PrincipalID, IncidentAssignee{})
		if err != nil {
			return nil, err
		}
		incident.ChangedAt = &now
		tx.UpdateIncident(*incident)
		comment = domain.IncidentComment{
			ID: domain.NewID(), TenantID: incident.TenantID, IncidentID: id, AuthorID: call.PrincipalID, Text: text, CreatedAt: now,
		}
		tx.InsertIncidentComment(comment)
		return domain.Events{domain.IncidentEvent(domain.EventIncidentCommented, incident, call.PrincipalID, now)}, nil
	})
	return &comment, err
}
