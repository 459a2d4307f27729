// Package notifications shows a person's notifications, and their number in the head of every page.
package notifications

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

// pageSize is the number of notifications on a page.
const pageSize = 25

// Screens serves the notifications of users.
type Screens struct {
	App *app.Service
	// Mails reports whether the service sends mails.
	Mails bool
	// Local contains the mails of the local stack, nil for other installations.
	Local *Mailbox
}

// list is a page of notifications.
type list struct {
	*domain.NotificationList

	// Now is the time until which "mark all as read" applies.
	Now time.Time
}

// List shows the notifications of the user.
func (s *Screens) List(v *web.Visit) (*web.Answer, error) {
	found, err := s.App.FindNotifications(v.Context(), v.Call, app.NotificationFilter{}, v.Page(pageSize))
	if err != nil {
		return nil, err
	}
	return &web.Answer{
		Title: ui.T(v.Context(), "Your notifications"), Area: "notifications", Body: page(list{found, ui.ViewerOf(v.Context()).Now}),
	}, nil
}

// Bell returns the bell of the head of a page with the current number.
func (s *Screens) Bell(v *web.Visit) (*web.Answer, error) {
	unread, err := s.App.CountNotifications(v.Context(), v.Call)
	if err != nil {
		return nil, err
	}
	ui.ViewerOf(v.Context()).Unread = unread
	return &web.Answer{Raw: true, Body: ui.Bell()}, nil
}

// Open marks a notification as read and leads to its subject.
func (s *Screens) Open(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	found, err := s.App.FindNotifications(v.Context(), v.Call, app.NotificationFilter{IDs: []uuid.UUID{id}}, domain.PageRequest{Size: 1})
	if err != nil {
		return nil, err
	}
	if len(found.Items) == 0 {
		return nil, domain.NotFound("notification")
	}
	if err := s.App.ReadNotifications(v.Context(), v.Call, []uuid.UUID{id}, time.Time{}); err != nil {
		return nil, err
	}
	return web.SeeOther(pathOf(&found.Items[0])), nil
}

// Read marks notifications of the user as read: those with the ids, or all until a time.
func (s *Screens) Read(v *web.Visit) (*web.Answer, error) {
	form, err := v.Form()
	if err != nil {
		return nil, err
	}
	var ids []uuid.UUID
	for _, text := range form["id"] {
		id, err := uuid.Parse(text)
		if err != nil {
			return nil, domain.Invalid(domain.LocationBody, "id", "is not an id")
		}
		ids = append(ids, id)
	}
	until, err := time.Parse(time.RFC3339Nano, form.Get("until"))
	if err != nil && len(ids) == 0 {
		return nil, domain.Invalid(domain.LocationBody, "until", "is not a time")
	}
	if err := s.App.ReadNotifications(v.Context(), v.Call, ids, until); err != nil {
		return nil, err
	}
	return web.SeeOther(web.Root + "notifications"), nil
}

// pathOf returns the path of the subject of a notification.
func pathOf(n *domain.Notification) string {
	process := web.Root + "processes/" + n.ProcessID.String()
	switch {
	case n.ItemID == nil:
		return process
	case n.Kind == domain.NotifyMentioned, n.Kind == domain.NotifyMessage:
		return process + "/messages#item-" + n.ItemID.String()
	default:
		return web.Root + "tasks/" + n.ItemID.String() + "?view=all"
	}
}

// describeReason returns the reason of a notification in words.
func describeReason(ctx context.Context, n *domain.Notification) string {
	actor := cmp.Or(n.ActorName, ui.T(ctx, "The system"))
	switch n.Kind {
	case domain.NotifyMentioned:
		return ui.T(ctx, "%s mentioned you", actor)
	case domain.NotifyMessage:
		return ui.T(ctx, "%s wrote a message", actor)
	case domain.NotifyAssigned:
		return ui.T(ctx, "%s assigned a task to you", actor)
	case domain.NotifyOverdue:
		return ui.T(ctx, "A task is overdue")
	case domain.NotifyDueSoon:
		return ui.T(ctx, "Your task is due soon")
	case domain.NotifyClaimable:
		return ui.T(ctx, "You can claim a task")
	case domain.NotifyFinished:
	}
	return ui.T(ctx, "The process is finished")
}

// iconOf returns the icon of a kind.
func iconOf(kind domain.NotificationKind) string {
	switch kind {
	case domain.NotifyMentioned, domain.NotifyMessage:
		return "message"
	case domain.NotifyAssigned:
		return "user-check"
	case domain.NotifyOverdue, domain.NotifyDueSoon:
		return "clock"
	case domain.NotifyClaimable:
		return "hand-grab"
	case domain.NotifyFinished:
	}
	return "circle-check"
}
