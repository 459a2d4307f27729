package forms

import (
	"context"
	"strings"
	"time"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/form"
	"github.com/procession-dev/procession/form/locale"
)

// isShownAsText reports whether a control that cannot be changed is shown as text. Groups and rows contain such
// controls; files are cards.
func isShownAsText(n *form.Node) bool {
	switch n.Kind { //nolint:exhaustive // all other kinds
	case form.KindFile, form.KindFiles, form.KindObject, form.KindList, form.KindTable, form.KindCards, form.KindChoice, form.KindAdd, form.KindMap, form.KindTuple:
		return false
	}
	return n.IsLocked()
}

// valueText returns the value of a control for people to read, "" for none.
func (p *page) valueText(ctx context.Context, n *form.Node) string {
	if !n.Present() {
		return ""
	}
	text := n.Text(p.locale)
	switch n.Kind { //nolint:exhaustive // the others are shown as they are stored
	case form.KindCheck, form.KindToggle:
		return map[string]string{"true": ui.T(ctx, "Yes"), "false": ui.T(ctx, "No")}[text]
	case form.KindRadio, form.KindSelect, form.KindSearch, form.KindChoices:
		return chosenTitles(ctx, n, text)
	case form.KindSecret:
		return strings.Repeat("•", 8)
	case form.KindDate:
		if day, err := time.Parse(time.DateOnly, text); err == nil {
			return ui.StoredDate(ctx, day)
		}
	case form.KindTime:
		calendar := locale.CalendarOf(ui.ViewerOf(ctx).Locale)
		if at, err := time.Parse("15:04", text); err == nil {
			return calendar.Time(at, locale.Minutes)
		}
		if at, err := time.Parse(time.TimeOnly, text); err == nil {
			return calendar.Time(at, locale.Seconds)
		}
	case form.KindDuration:
		if span, ok := locale.ParseSpan(rawDuration(n)); ok {
			return locale.CalendarOf(ui.ViewerOf(ctx).Locale).Duration(span, locale.Words)
		}
		return rawDuration(n)
	case form.KindDateTime:
		if at, ok := n.Instant(); ok {
			return ui.StoredTime(ctx, at)
		}
	}
	return text
}

// rawDuration returns the stored text of a duration.
func rawDuration(n *form.Node) string { return form.ReadableJSON(n.JSON()) }

// chosenTitles returns the titles of the chosen options, or the text of a value that is none of them.
func chosenTitles(ctx context.Context, n *form.Node, text string) string {
	var titles []string
	for _, option := range n.Options {
		if n.IsChosen(option) {
			titles = append(titles, optionTitle(ctx, option))
		}
	}
	if len(titles) == 0 {
		return text
	}
	return strings.Join(titles, "\n")
}

// widthClass returns the class of the width that the values of a control need, "" for all there is.
func widthClass(n *form.Node) string {
	switch n.Kind { //nolint:exhaustive // the others need all
	case form.KindDate, form.KindTime, form.KindDuration:
		return "form-short"
	case form.KindNumber, form.KindInteger:
		switch digits := len(n.JSON()); {
		case digits > maxMedium-maxMedium/4:
			return ""
		case digits > maxShort-maxShort/4:
			return "form-medium" // A sign stands in front of each group of three digits.
		}
		return "form-short"
	case form.KindDateTime:
		return "form-medium"
	case form.KindLine, form.KindSecret:
		switch limit := n.Bounds.MaxLength; {
		case limit < 0:
		case limit <= maxShort:
			return "form-short"
		case limit <= maxMedium:
			return "form-medium"
		}
	case form.KindSelect:
		for _, option := range n.Options {
			if len(option.Title) > maxMedium {
				return ""
			}
		}
		return "form-medium"
	}
	return ""
}

// fieldClass returns the classes of a control with its label. Narrow ones stand in pairs.
func fieldClass(n *form.Node) string {
	class := "form-field"
	if widthClass(n) != "" {
		class += " form-narrow"
	}
	return class
}

// Values of up to maxShort and maxMedium characters have a short and a medium input.
const (
	maxShort  = 16
	maxMedium = 32
)
