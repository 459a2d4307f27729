package deadline

import (
	"errors"
	"regexp"
	"strconv"
	"time"
)

// Duration is a duration of ISO 8601. Its date moves by the calendar, its time by the clock.
type Duration struct {
	Years, Months, Weeks, Days int
	Time                       time.Duration
}

// maxYears is the maximum length of a duration in years.
const maxYears = 10

// errDuration is the error of all durations that cannot be used.
var errDuration = errors.New("must be a duration of ISO 8601 of at most 10 years, such as P3D or PT4H")

var durationPattern = regexp.MustCompile(`^P(?:(\d{1,7})Y)?(?:(\d{1,7})M)?(?:(\d{1,7})W)?(?:(\d{1,7})D)?(?:T(?:(\d{1,7})H)?(?:(\d{1,7})M)?(?:(\d{1,9})S)?)?$`)

// ParseDuration parses a duration of whole units.
func ParseDuration(text string) (Duration, error) {
	parts := durationPattern.FindStringSubmatch(text)
	if parts == nil || text == "P" || text[len(text)-1] == 'T' {
		return Duration{}, errDuration
	}
	n := make([]int, len(parts))
	for i, part := range parts[1:] {
		if part != "" {
			// The pattern has digits that fit.
			n[i], _ = strconv.Atoi(part)
		}
	}
	d := Duration{
		Years: n[0], Months: n[1], Weeks: n[2], Days: n[3],
		Time: time.Duration(n[4])*time.Hour + time.Duration(n[5])*time.Minute + time.Duration(n[6])*time.Second,
	}
	const dayOfYear = 366
	if days := d.Years*dayOfYear + d.Months*31 + d.Weeks*7 + d.Days + int(d.Time/(24*time.Hour)); days > maxYears*dayOfYear {
		return Duration{}, errDuration
	}
	return d, nil
}

// AddTo returns the time after a time in a zone. The date moves first, and keeps the time of day.
func (d Duration) AddTo(at time.Time, zone *time.Location) time.Time {
	return at.In(zone).AddDate(d.Years, d.Months, 7*d.Weeks+d.Days).Add(d.Time)
}
