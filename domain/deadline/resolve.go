package deadline

import "time"

// Clock is the time of a tenant or a calendar.
type Clock struct {
	Zone *time.Location
	// Calendar is the calendar of working time, nil for all hours.
	Calendar *Calendar
}

// ZoneClock returns the clock of a time zone, in UTC for an unknown one.
func ZoneClock(zone string) Clock {
	location, err := time.LoadLocation(zone)
	if err != nil {
		location = time.UTC
	}
	return Clock{Zone: location}
}

// After returns the time after a time by a duration, in working time if there is a calendar. It is nil beyond the range of the
// calendar.
func (c Clock) After(at time.Time, d Duration) *time.Time {
	if c.Calendar == nil {
		return new(d.AddTo(at, c.Zone))
	}
	end, ok := c.Calendar.Add(at, d)
	if !ok {
		return nil
	}
	return &end
}

// Resolve returns the time of a result of a rule: a duration after at, a time of RFC 3339, a time without offset in the zone, or a
// date, which stands for its end. It is nil for another text.
func (c Clock) Resolve(result string, at time.Time) *time.Time {
	if d, err := ParseDuration(result); err == nil {
		return c.After(at, d)
	}
	if t, err := time.Parse(time.RFC3339, result); err == nil {
		return &t
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if t, err := time.ParseInLocation(layout, result, c.Zone); err == nil {
			return &t
		}
	}
	day, err := time.ParseInLocation(time.DateOnly, result, c.Zone)
	if err != nil {
		return nil
	}
	if c.Calendar != nil {
		if end, ok := c.Calendar.EndOfDay(day); ok {
			return &end
		}
	}
	return new(time.Date(day.Year(), day.Month(), day.Day(), 23, 59, 59, 0, c.Zone))
}
