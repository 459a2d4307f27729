package resource

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/procession-dev/procession/domain/deadline"
)

// CalendarSpec describes the working time of a tenant, for the due dates of definitions that name it.
type CalendarSpec struct {
	// Name is the display name of the calendar, 1..50 characters.
	Name string `json:"name" right:"no"`
	// TimeZone is a name of the IANA time zone database.
	TimeZone string `json:"timeZone" right:"no"`
	// Hours are the working hours of the week. Hours of the same day must not overlap.
	Hours []CalendarHours `json:"hours" right:"no"`
	// Holidays are days without working hours.
	Holidays []CalendarHoliday `json:"holidays,omitempty" right:"no"`
}

// CalendarHours are working hours of weekdays, as HH:MM. To may be 24:00, midnight.
type CalendarHours struct {
	Days []string `json:"days" right:"no"`
	From string   `json:"from" right:"no"`
	To   string   `json:"to" right:"no"`
}

// CalendarHoliday is a day without working hours.
type CalendarHoliday struct {
	// Date is the day as YYYY-MM-DD.
	Date string `json:"date" right:"no"`
	// Name is the name of the day, up to 50 characters.
	Name string `json:"name,omitempty" right:"no"`
}

func weekdays() map[string]time.Weekday {
	days := make(map[string]time.Weekday, 7)
	for day := time.Sunday; day <= time.Saturday; day++ {
		days[strings.ToUpper(day.String())] = day
	}
	return days
}

// Calendar returns the working time.
func (s *CalendarSpec) Calendar() (*deadline.Calendar, error) {
	zone, err := time.LoadLocation(s.TimeZone)
	if err != nil || s.TimeZone == "" || s.TimeZone == "Local" {
		return nil, fmt.Errorf("names no time zone: %s", s.TimeZone)
	}
	week := map[time.Weekday][]deadline.Hours{}
	for _, h := range s.Hours {
		for _, day := range h.Days {
			weekday := weekdays()[day]
			week[weekday] = append(week[weekday], deadline.Hours{From: minuteOf(h.From), To: minuteOf(h.To)})
		}
	}
	holidays := make([]time.Time, 0, len(s.Holidays))
	for _, h := range s.Holidays {
		date, err := time.Parse(time.DateOnly, h.Date)
		if err != nil {
			return nil, fmt.Errorf("has a holiday that is no date: %s", h.Date)
		}
		holidays = append(holidays, date)
	}
	return deadline.NewCalendar(zone, week, holidays)
}

// minuteOf returns the minute of a time of day, which the schema checks.
func minuteOf(clock string) int {
	hours, minutes, _ := strings.Cut(clock, ":")
	hour, _ := strconv.Atoi(hours)
	minute, _ := strconv.Atoi(minutes)
	return 60*hour + minute
}

func (*CalendarSpec) fillDefaults() {}

func (s *CalendarSpec) checkSpec(r *report) {
	for i, h := range s.Holidays {
		if _, err := time.Parse(time.DateOnly, h.Date); err != nil {
			r.add(extendPointer("/spec/holidays", i, "date"), "must be a date such as 2027-12-25")
			return
		}
	}
	checkUnique(memberValues(s.Holidays, func(h *CalendarHoliday) string { return h.Date }), "/spec/holidays", "date", r)
	if _, err := time.LoadLocation(s.TimeZone); err != nil || s.TimeZone == "Local" {
		r.add("/spec/timeZone", "must be a name of the IANA time zone database such as Europe/Berlin")
		return
	}
	for i, h := range s.Hours {
		if minuteOf(h.From) >= minuteOf(h.To) {
			r.add(extendPointer("/spec/hours", i, "to"), "must be after from: hours do not pass midnight")
			return
		}
	}
	if _, err := s.Calendar(); err != nil {
		r.add("/spec/hours", "%v", err)
	}
}

// References implements Spec.
func (*CalendarSpec) References() []Reference { return nil }

// Rights implements Spec.
func (*CalendarSpec) Rights() []Right { return nil }

func (s *CalendarSpec) displayName() string { return s.Name }

// AddHolidays adds holidays to the calendar, in the order of their dates, and returns the number of new ones.
func (s *CalendarSpec) AddHolidays(holidays []CalendarHoliday) int {
	added := 0
	for _, h := range holidays {
		if !slices.ContainsFunc(s.Holidays, func(known CalendarHoliday) bool { return known.Date == h.Date }) {
			s.Holidays = append(s.Holidays, h)
			added++
		}
	}
	slices.SortStableFunc(s.Holidays, func(a, b CalendarHoliday) int { return strings.Compare(a.Date, b.Date) })
	return added
}
