package forms

import (
	"context"
	"time"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/form"
	"github.com/procession-dev/procession/form/locale"
)

// hasEcho reports whether the value of a control is repeated below it in words.
func hasEcho(n *form.Node) bool {
	switch n.Kind { //nolint:exhaustive // the others show their value
	case form.KindDate, form.KindTime, form.KindDateTime, form.KindDuration, form.KindNumber, form.KindInteger:
		return !n.IsLocked()
	}
	return false
}

// echoText returns a stored value in words of the viewer's language, "" if the control shows it alike: the weekday and the
// distance of a date, a duration in words, a number with groups.
func (p *page) echoText(ctx context.Context, n *form.Node) string {
	if _, isTyped := p.inputs[n.Name]; isTyped || !n.Present() {
		return ""
	}
	text := p.valueText(ctx, n)
	switch n.Kind { //nolint:exhaustive // the others are numbers
	case form.KindDate:
		if day, err := time.Parse(time.DateOnly, n.Text(p.locale)); err == nil {
			return text + " · " + ui.RelativeDay(ctx, day)
		}
		return ""
	case form.KindDateTime:
		if at, ok := n.Instant(); ok {
			v := ui.ViewerOf(ctx)
			calendar := locale.CalendarOf(v.Locale)
			return text + " " + calendar.Zone(at.In(v.Zone)) + " · " + calendar.Relative(at, v.Now, locale.Words)
		}
		return ""
	case form.KindTime, form.KindDuration:
		if text == n.Text(p.locale) {
			return ""
		}
		return text
	}
	if formatted := ui.Number(ctx, n.JSON()); formatted != n.Text(p.locale) && n.JSON() != "null" && n.JSON()[0] != '"' {
		return formatted
	}
	return ""
}

// echoes returns the repeated values of the controls of a post, by the ids of their elements.
func (e *entry) echoes(ctx context.Context, p *page) map[string]string {
	texts := map[string]string{}
	for name := range e.submission.Texts {
		if n := p.editor.Find(e.change.NewName(name)); n != nil && hasEcho(n) {
			texts[nodeID(n)+"-echo"] = p.echoText(ctx, n)
		}
	}
	return texts
}
