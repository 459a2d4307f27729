package deadline

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Hours are working hours of a day, in minutes after midnight. To is at most 1440, midnight.
type Hours struct{ From, To int }

// Calendar is the working time of a tenant.
type Calendar struct {
	zone     *time.Location
	week     [7][]Hours
	holidays map[civilDate]struct{}
}

type civilDate struct {
	year  int
	month time.Month
	day   int
}

const (
	minutesOfDay = 24 * 60
	// maxDays is the number of days that the working time of a deadline may spread over.
	maxDays = 40_000
)

// errNoWork is the error of a calendar without working time.
var errNoWork = errors.New("must have working hours on at least one weekday")

// NewCalendar returns a calendar in a time zone. Hours of a day must not overlap.
func NewCalendar(zone *time.Location, week map[time.Weekday][]Hours, holidays []time.Time) (*Calendar, error) {
	c := &Calendar{zone: zone, holidays: make(map[civilDate]struct{}, len(holidays))}
	works := false
	for day, hours := range week {
		sorted := slices.SortedFunc(slices.Values(hours), func(a, b Hours) int { return a.From - b.From })
		for i, h := range sorted {
			if h.From < 0 || h.To > minutesOfDay || h.From >= h.To {
				return nil, fmt.Errorf("the hours of %s must begin before they end", day)
			}
			if i > 0 && h.From < sorted[i-1].To {
				return nil, fmt.Errorf("the hours of %s must not overlap", day)
			}
			works = true
		}
		c.week[day] = sorted
	}
	if !works {
		return nil, errNoWork
	}
	for _, h := range holidays {
		c.holidays[dateOf(h)] = struct{}{}
	}
	return c, nil
}

// Zone returns the time zone of the calendar.
func (c *Calendar) Zone() *time.Location { return c.zone }

func dateOf(at time.Time) civilDate {
	year, month, day := at.Date()
	return civilDate{year, month, day}
}

// period is working time.
type period struct{ from, to time.Time }

// periods returns the working time of the day of a time, in order. Hours that a change of the clock skips are left out.
func (c *Calendar) periods(day time.Time) []period {
	date := dateOf(day)
	if _, ok := c.holidays[date]; ok {
		return nil
	}
	var periods []period
	for _, h := range c.week[day.Weekday()] {
		p := period{c.timeOf(date, h.From), c.timeOf(date, h.To)}
		if n := len(periods); n > 0 && p.from.Before(periods[n-1].to) {
			p.from = periods[n-1].to
		}
		if p.from.Before(p.to) {
			periods = append(periods, p)
		}
	}
	return periods
}

func (c *Calendar) timeOf(d civilDate, minute int) time.Time {
	return time.Date(d.year, d.month, d.day, minute/60, minute%60, 0, 0, c.zone)
}

// nextDay returns noon of the next day: no change of the clock skips noon.
func (c *Calendar) nextDay(day time.Time) time.Time {
	year, month, date := day.Date()
	return time.Date(year, month, date+1, 12, 0, 0, 0, c.zone)
}

// Next returns the first moment of working time at a time or after it, and false beyond the range of a calendar.
func (c *Calendar) Next(at time.Time) (time.Time, bool) {
	at = at.In(c.zone)
	for day, n := at, 0; n < maxDays; day, n = c.nextDay(day), n+1 {
		for _, p := range c.periods(day) {
			if at.Before(p.from) {
				return p.from, true
			}
			if at.Before(p.to) {
				return at, true
			}
		}
	}
	return at, false
}

// Add returns the time after a time by a duration of working time: years, months and weeks move the date, days count days with
// working time, and hours, minutes and seconds count working time. It returns false beyond the range of a calendar.
func (c *Calendar) Add(at time.Time, d Duration) (time.Time, bool) {
	at, ok := c.Next(at.In(c.zone).AddDate(d.Years, d.Months, 7*d.Weeks))
	if !ok {
		return at, false
	}
	if at, ok = c.addDays(at, d.Days); !ok || d.Time == 0 {
		return at, ok
	}
	left := d.Time
	for day, n := at, 0; n < maxDays; day, n = c.nextDay(day), n+1 {
		for _, p := range c.periods(day) {
			from := p.from
			if from.Before(at) {
				from = at
			}
			if length := p.to.Sub(from); length > 0 {
				if left <= length {
					return from.Add(left), true
				}
				left -= length
			}
		}
	}
	return at, false
}

// addDays moves a moment of working time by days with working time, at the same time of day, or at the next moment of working time
// if there is none at that time.
func (c *Calendar) addDays(at time.Time, days int) (time.Time, bool) {
	if days == 0 {
		return at, true
	}
	hour, minute, second := at.Clock()
	day := at
	for n := 0; n < maxDays; n++ {
		day = c.nextDay(day)
		periods := c.periods(day)
		if len(periods) == 0 {
			continue
		}
		if days--; days > 0 {
			continue
		}
		year, month, date := day.Date()
		moved := time.Date(year, month, date, hour, minute, second, at.Nanosecond(), c.zone)
		if last := periods[len(periods)-1].to; !moved.Before(last) {
			return last, true
		}
		return c.Next(moved)
	}
	return at, false
}

// EndOfDay returns the end of the working time of a day, and false for a day without any.
func (c *Calendar) EndOfDay(day time.Time) (time.Time, bool) {
	year, month, date := day.Date()
	periods := c.periods(time.Date(year, month, date, 12, 0, 0, 0, c.zone))
	if len(periods) == 0 {
		return day, false
	}
	return periods[len(periods)-1].to, true
}
