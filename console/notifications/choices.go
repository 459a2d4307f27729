package notifications

import (
	"context"
	"net/http"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

// choicesView contains the choices of a person for mails.
type choicesView struct {
	Choices map[domain.NotificationKind]domain.MailChoice
	// Mails reports whether the service sends mails.
	Mails bool
	Saved bool
	// Local reports whether there is a page with mails of the local stack.
	Local bool
}

// Choices shows the choices of the user for mails.
func (s *Screens) Choices(v *web.Visit) (*web.Answer, error) {
	choices, err := s.App.FindMailChoices(v.Context(), v.Call)
	if err != nil {
		return nil, err
	}
	return &web.Answer{
		Title: ui.T(v.Context(), "Mails about notifications"), Area: "notifications",
		Body: choicesPage(choicesView{Choices: choices, Mails: s.Mails, Local: s.Local != nil, Saved: v.URL.Query().Has("saved")}),
	}, nil
}

// SaveChoices stores the choices of the user for mails.
func (s *Screens) SaveChoices(v *web.Visit) (*web.Answer, error) {
	form, err := v.Form()
	if err != nil {
		return nil, err
	}
	choices := map[domain.NotificationKind]domain.MailChoice{}
	for _, kind := range domain.NotificationKinds() {
		if value := form.Get(string(kind)); value != "" {
			choices[kind] = domain.MailChoice(value)
		}
	}
	if err := s.App.StoreMailChoices(v.Context(), v.Call, choices); err != nil {
		return nil, err
	}
	return web.SeeOther(web.Root + "notifications/mails?saved"), nil
}

// AskUnsubscribe asks a visitor whether to end mails. The address is in mails, and programs that read mails open it.
func (s *Screens) AskUnsubscribe(v *web.Visit) (*web.Answer, error) {
	kinds, err := s.App.UnsubscribedKinds(v.Param("token"))
	if err != nil {
		return nil, err
	}
	return &web.Answer{Title: ui.T(v.Context(), "No more mails"), Bare: true, Body: unsubscribePage(v.Param("token"), kinds, false)}, nil
}

// Unsubscribe ends mails by the address in one of them, without a sign-in (RFC 8058).
func (s *Screens) Unsubscribe(v *web.Visit) (*web.Answer, error) {
	kinds, err := s.App.Unsubscribe(v.Context(), v.Param("token"))
	if err != nil {
		return nil, err
	}
	return &web.Answer{
		Title: ui.T(v.Context(), "No more mails"), Bare: true, Status: http.StatusOK, Body: unsubscribePage(v.Param("token"), kinds, true),
	}, nil
}

// kindName returns the name of a kind of notification.
func kindName(ctx context.Context, kind domain.NotificationKind) string {
	switch kind {
	case domain.NotifyMentioned:
		return ui.T(ctx, "Mentions")
	case domain.NotifyAssigned:
		return ui.T(ctx, "Assigned tasks")
	case domain.NotifyOverdue:
		return ui.T(ctx, "Overdue tasks")
	case domain.NotifyDueSoon:
		return ui.T(ctx, "Tasks that are due soon")
	case domain.NotifyClaimable:
		return ui.T(ctx, "Tasks to claim in your own processes")
	case domain.NotifyMessage:
		return ui.T(ctx, "Messages")
	case domain.NotifyFinished:
	}
	return ui.T(ctx, "Finished processes")
}

// choiceName returns the name of a choice for mails.
func choiceName(ctx context.Context, choice domain.MailChoice) string {
	switch choice {
	case domain.MailAtOnce:
		return ui.T(ctx, "At once")
	case domain.MailDigest:
		return ui.T(ctx, "Once a day")
	case domain.MailNever:
	}
	return ui.T(ctx, "Never")
}
