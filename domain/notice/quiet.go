package notice

import (
	"fmt"
	"time"
)

// QuietHours is a daily interval without messages, from From until before To, as HH:MM. An interval with From after To passes
// midnight.
type QuietHours struct{ From, To string }

// Check reports times that are equal or not valid.
func (q QuietHours) Check() error {
	if q.From == q.To {
		return fmt.Errorf("must not begin and end at %s", q.From)
	}
	for _, text := range []string{q.From, q.To} {
		if _, err := time.Parse("15:04", text); err != nil {
			return fmt.Errorf("%s is not a time of day such as 22:00", text)
		}
	}
	return nil
}

// End returns the end of the quiet hours at now in a time zone, the zero time outside of them.
func (q QuietHours) End(now time.Time, zone *time.Location) time.Time {
	if q.Check() != nil {
		return time.Time{}
	}
	local := now.In(zone)
	year, month, day := local.Date()
	clock := local.Format("15:04")
	begun, ended := clock >= q.From, clock >= q.To
	overnight := q.From > q.To
	switch {
	case !overnight && (!begun || ended), overnight && !begun && ended:
		return time.Time{}
	case overnight && begun:
		day++
	}
	to, _ := time.Parse("15:04", q.To)
	return time.Date(year, month, day, to.Hour(), to.Minute(), 0, 0, zone)
}
