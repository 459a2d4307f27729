package notifications

import (
	"context"
	"strings"

	"golang.org/x/text/language"

	"github.com/procession-dev/procession/console/lang"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/form/locale"
)

// mailLine is a notification in a mail.
type mailLine struct{ Reason, About, Link, When string }

// mailView is a mail about notifications.
type mailView struct {
	Language    language.Tag
	Title, Lead string
	Lines       []mailLine
	Link        string
	Choices     string
	Unsubscribe string
}

// ComposeMail writes a mail about notifications in the language of its recipient: the subject, the text and the HTML. It has the
// reasons, the names of people, tasks and definitions, and links; no values, no texts of messages and no subjects of processes.
func ComposeMail(mail domain.NotificationMail) (subject, text, html string, err error) {
	tag := lang.Match(mail.Locale, "")
	shown := locale.Match(tag.String())
	if mail.Locale != "" {
		shown = locale.Match(mail.Locale)
	}
	ctx := ui.WithViewer(context.Background(), &ui.Viewer{
		Language: tag, Locale: shown, Zone: mail.Zone, Reader: translation.NewReader(tag),
	})
	view := mailView{
		Language: tag, Link: mail.BaseURL + "/console/notifications", Choices: mail.BaseURL + "/console/notifications/mails",
		Unsubscribe: mail.Unsubscribe, Lead: ui.T(ctx, "News for you in %s:", mail.TenantName),
	}
	for i := range mail.Entries {
		n := &mail.Entries[i]
		about := ui.NameOf(ctx, mail.DefinitionNames[i])
		if name := ui.NameOf(ctx, n.ItemName); name != "" {
			about += " · " + name
		}
		view.Lines = append(view.Lines, mailLine{
			Reason: describeReason(ctx, n), About: about, Link: mail.BaseURL + pathOf(n), When: ui.Moment(ctx, n.CreatedAt),
		})
	}
	view.Title = mail.TenantName + ": " + view.Lines[0].Reason
	if len(view.Lines) > 1 {
		view.Title = ui.T(ctx, "%s: %d notifications", mail.TenantName, len(view.Lines))
	}
	var page strings.Builder
	err = mailPage(view).Render(ctx, &page)
	return view.Title, view.writeText(ctx), page.String(), err
}

// writeText returns the mail as plain text.
func (m *mailView) writeText(ctx context.Context) string {
	var out strings.Builder
	out.WriteString(m.Lead + "\n")
	for _, l := range m.Lines {
		out.WriteString("\n- " + l.Reason + "\n  " + l.About + "\n  " + l.When + "\n  " + l.Link + "\n")
	}
	out.WriteString("\n" + ui.T(ctx, "All notifications:") + " " + m.Link + "\n")
	out.WriteString(ui.T(ctx, "Choose your mails:") + " " + m.Choices + "\n")
	out.WriteString(ui.T(ctx, "No more mails like this:") + " " + m.Unsubscribe + "\n")
	return out.String()
}
