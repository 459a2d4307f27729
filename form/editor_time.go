package form

import (
	"strings"
	"time"

	"github.com/procession-dev/procession/form/locale"
)

// Layouts of HTML inputs for a date with a time.
const (
	minutes     = "2006-01-02T15:04"
	withSeconds = "2006-01-02T15:04:05"
)

// fullTime is a date with a time of RFC 3339.
type fullTime struct {
	time.Time

	text string
	// fraction is the point and the digits of a fraction of a second, "" for none.
	fraction string
}

// readFullTime reads a date with a time of RFC 3339.
func readFullTime(text string) (fullTime, bool) {
	t, err := time.Parse(time.RFC3339Nano, strings.ToUpper(text))
	return fullTime{t, text, cutFraction(text)}, err == nil && !strings.Contains(text, ",")
}

func cutFraction(text string) string {
	at := strings.IndexByte(text, '.')
	if at < 0 {
		return ""
	}
	rest := strings.TrimLeft(text[at+1:], "0123456789")
	return text[at : len(text)-len(rest)]
}

// isUTC reports whether the offset is Z.
func (f fullTime) isUTC() bool { return strings.HasSuffix(strings.ToUpper(f.text), "Z") }

// localText returns a time as the text of an HTML input in a zone.
func (f fullTime) localText(zone *time.Location) string {
	t := f.In(zone)
	if f.fraction == "" && t.Second() == 0 {
		return t.Format(minutes)
	}
	return t.Format(withSeconds) + f.fraction
}

// spell writes an instant as RFC 3339 in the style of f: in UTC if f is, in the zone of the instant if f has an offset of that
// zone, else with the offset of f.
func (f fullTime) spell(t time.Time, fraction string) string {
	if f.text != "" {
		_, own := f.Zone()
		_, there := f.In(t.Location()).Zone()
		switch {
		case f.isUTC():
			t = t.UTC()
		case own != there:
			t = t.In(time.FixedZone("", own))
		}
		if trimFraction(fraction) == trimFraction(f.fraction) {
			fraction = f.fraction
		}
	}
	text := locale.FormatRFC3339(t.Truncate(time.Second))
	return text[:len(withSeconds)] + fraction + text[len(withSeconds):]
}

func trimFraction(fraction string) string { return strings.TrimRight(fraction, ".0") }

// Instant returns the instant of a value with a date and a time.
func (n *Node) Instant() (time.Time, bool) {
	f, ok := n.storedTime()
	return f.Time, ok
}

func (n *Node) storedTime() (fullTime, bool) {
	text, isText := n.value.(string)
	if !isText || n.Kind != KindDateTime {
		return fullTime{}, false
	}
	return readFullTime(text)
}

// Doubled returns the two instants of the local time of a value in a doubled hour, the earlier first, nil for other values.
func (n *Node) Doubled(zone *time.Location) []time.Time {
	f, ok := n.storedTime()
	if !ok {
		return nil
	}
	if found := locale.Resolve(f.In(zoneOr(zone)), zoneOr(zone)); len(found.Instants) > 1 {
		return found.Instants
	}
	return nil
}

// parseLocal reads the text of an HTML input for a date with a time.
func parseLocal(text string) (time.Time, bool) {
	for _, layout := range []string{minutes, withSeconds} {
		if t, err := time.Parse(layout, text); err == nil && !strings.Contains(text, ",") {
			return t, true
		}
	}
	return time.Time{}, false
}

// parseDateTime returns the RFC 3339 text of a local time. The current value stays for the time that it is shown as. It returns
// the locale.Resolution of a time in a gap or a doubled hour, and other text unchanged.
func (n *Node) parseDateTime(text string, in Locale) any {
	text, zone := strings.TrimSpace(text), zoneOr(in.Zone)
	local, ok := parseLocal(text)
	if !ok {
		return text
	}
	old, hasOld := n.storedTime()
	if !hasOld {
		old = fullTime{}
	}
	fraction := cutFraction(text)
	if shown, _ := parseLocal(old.localText(zone)); hasOld && shown.Equal(local) && trimFraction(fraction) == trimFraction(old.fraction) {
		return old.text
	}
	found := locale.Resolve(local, zone)
	if len(found.Instants) == 2 && len(n.Doubled(zone)) == 2 {
		// The value stays in the same one of the two hours.
		_, offset := old.In(zone).Zone()
		for _, at := range found.Instants {
			if _, other := at.Zone(); other == offset {
				return old.spell(at, fraction)
			}
		}
	}
	if len(found.Instants) != 1 {
		return found
	}
	return old.spell(found.Instants[0], fraction)
}

// parseInstant returns the value for an instant of RFC 3339 that a person has chosen.
func (n *Node) parseInstant(text string, in Locale) (any, bool) {
	chosen, ok := readFullTime(text)
	old, _ := n.storedTime()
	if !ok {
		return nil, false
	}
	return old.spell(chosen.In(zoneOr(in.Zone)), chosen.fraction), true
}

// clockText returns a time of day without zone and without zero seconds, other text unchanged.
func clockText(text string) string {
	clock, _ := cutOffset(text)
	t, err := time.Parse("15:04:05", clock)
	switch {
	case err != nil || strings.Contains(clock, ","):
		return text
	case t.Second() == 0 && cutFraction(clock) == "":
		return t.Format("15:04")
	}
	return clock
}

// cutOffset splits a time of day before its offset.
func cutOffset(text string) (clock, offset string) {
	if at := strings.LastIndexAny(text, "Zz+-"); at > 0 && isOffset(text[at:]) {
		return text[:at], text[at:]
	}
	return text, ""
}

// isOffset reports whether a text is an offset of RFC 3339.
func isOffset(text string) bool {
	_, err := time.Parse("Z07:00", strings.ToUpper(text))
	return err == nil
}

// parseClock completes a time of day with seconds and an offset.
func parseClock(text, offset string) string {
	text = strings.TrimSpace(text)
	if t, err := time.Parse("15:04", text); err == nil {
		return t.Format("15:04:05") + offset
	}
	if _, err := time.Parse("15:04:05", text); err == nil && !strings.Contains(text, ",") {
		return text + offset
	}
	return text
}
