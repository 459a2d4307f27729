// Package receivers contains the screen of receivers of notifications.
package receivers

import (
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

const (
	// messagesShown is the number of messages on a page, receiversShown of receivers.
	messagesShown  = 25
	receiversShown = 200

	area = "receivers"
)

// Screens are the screens of receivers of notifications.
type Screens struct {
	Administration *administration.Service
}

// listView contains the receivers and a page of their messages.
type listView struct {
	web.Query

	Receivers      []resource.Stored
	Messages       domain.Page[domain.MessageInfo]
	SeveralTenants bool
	// Notice tells the last test, Problem why it was refused; "" for none.
	Notice, Problem string
}

// specOf returns the spec of a receiver, nil for another kind.
func specOf(r resource.Stored) *resource.NotificationReceiverSpec {
	spec, _ := r.Spec.(*resource.NotificationReceiverSpec)
	return spec
}

// List shows the receivers of the tenants that the user administers, and the latest messages.
func (s *Screens) List(v *web.Visit) (*web.Answer, error) { return s.show(v, "", "") }

// Test sends a test notification.
func (s *Screens) Test(v *web.Visit) (*web.Answer, error) {
	form, err := v.Form()
	if err != nil {
		return nil, err
	}
	n, err := s.Administration.TestNotificationReceiver(v.Context(), v.Call, form.Get("tenant"), form.Get("code"))
	if err != nil {
		return nil, err
	}
	return s.show(v, ui.T(v.Context(), "The test was written: %d messages. Their state is below.", n), "")
}

func (s *Screens) show(v *web.Visit, notice, problem string) (*web.Answer, error) {
	query, page := v.Query("tenant"), v.Page(messagesShown)
	view := listView{Query: query, Notice: notice, Problem: problem, SeveralTenants: web.SeveralTenants(v.Call.Caller)}
	tenants := web.TenantCodes(query.Get("tenant"))
	err := s.Administration.FindResources(v.Context(), v.Call,
		administration.ResourceFilter{Kinds: []resource.Kind{resource.KindNotificationReceiver}, Tenants: tenants},
		domain.PageRequest{Size: receiversShown}, nil, func(l *domain.Listing[resource.Stored]) error {
			return l.Each(func(r *resource.Stored) error {
				view.Receivers = append(view.Receivers, *r)
				return nil
			})
		})
	if err != nil {
		return nil, err
	}
	view.Messages, err = s.Administration.FindNotificationMessages(v.Context(), v.Call, administration.MessageFilter{TenantCodes: tenants}, page, nil)
	if err != nil {
		return nil, err
	}
	return &web.Answer{Title: ui.T(v.Context(), "Notifications"), Area: area, Body: listPage(view)}, nil
}
