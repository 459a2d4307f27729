package locale

import "time"

// Resolution contains the instants of a local time. A time in a gap has none, a time of a doubled hour two.
type Resolution struct {
	// Instants are in the zone, the earlier first.
	Instants []time.Time
	// Near are the instants before and after the gap, empty without a gap. They differ from the local time by the length
	// of the gap.
	Near []time.Time
}

// transitionDistance is longer than the largest difference between two offsets of a zone, 24 hours, and shorter than the
// time between two transitions.
const transitionDistance = 26 * time.Hour

// Resolve returns the instants at which clocks of a zone show the date and time of local. The zone of local is ignored.
// time.ParseInLocation and time.Date do not say which of two instants they return.
func Resolve(local time.Time, zone *time.Location) Resolution {
	local = time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), local.Second(), local.Nanosecond(), time.UTC)
	_, before := local.Add(-transitionDistance).In(zone).Zone()
	_, after := local.Add(transitionDistance).In(zone).Zone()
	// The larger offset is the earlier instant.
	offsets := []int{max(before, after), min(before, after)}
	if before == after {
		offsets = offsets[:1]
	}
	var r Resolution
	for _, offset := range offsets {
		at := local.Add(-time.Duration(offset) * time.Second).In(zone)
		if _, actual := at.Zone(); actual == offset {
			r.Instants = append(r.Instants, at)
		} else {
			r.Near = append(r.Near, at)
		}
	}
	if len(r.Instants) > 0 {
		r.Near = nil
	}
	return r
}

// FormatRFC3339 returns a time with its offset, and in UTC if the offset has seconds, which RFC 3339 cannot express.
func FormatRFC3339(t time.Time) string {
	if _, offset := t.Zone(); offset%60 != 0 {
		t = t.UTC()
	}
	return t.Format(time.RFC3339Nano)
}
