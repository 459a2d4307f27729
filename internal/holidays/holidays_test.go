package holidays_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/internal/holidays"
)

// calendarOf returns a file with events; each is the lines of one.
func calendarOf(events ...string) string {
	var text strings.Builder
	text.WriteString("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\n")
	for i, event := range events {
		text.WriteString("BEGIN:VEVENT\r\nUID:" + strings.Repeat("u", i+1) + "\r\n" + strings.ReplaceAll(event, "\n", "\r\n") + "\r\nEND:VEVENT\r\n")
	}
	text.WriteString("END:VCALENDAR\r\n")
	return text.String()
}

func year(n int) time.Time { return time.Date(n, 1, 1, 0, 0, 0, 0, time.UTC) }

func TestRead(t *testing.T) {
	t.Parallel()
	days, err := holidays.Read(strings.NewReader(calendarOf(
		"DTSTART;VALUE=DATE:20270101\nSUMMARY:New Year's Day",
		"DTSTART;VALUE=DATE:20201225\nDTEND;VALUE=DATE:20201227\nRRULE:FREQ=YEARLY\nEXDATE;VALUE=DATE:20281225\nSUMMARY:Christmas",
		"DTSTART:20270601T090000Z\nDTEND:20270601T100000Z\nSUMMARY:A meeting",
		"DTSTART;VALUE=DATE:20260501\nSUMMARY:Too early",
		"DTSTART;VALUE=DATE:20270101\nSUMMARY:The same day",
	)), year(2027), year(2029))
	require.NoError(t, err)
	var found []string
	for _, day := range days {
		found = append(found, day.Date.Format(time.DateOnly)+" "+day.Name)
	}
	require.Equal(t, []string{"2027-01-01 New Year's Day", "2027-12-25 Christmas", "2027-12-26 Christmas"}, found)
}

func TestReadIsBounded(t *testing.T) {
	t.Parallel()
	for want, text := range map[string]string{
		"larger than":           strings.Repeat("x", 1<<20+1),
		"more than 1000 days":   calendarOf("DTSTART;VALUE=DATE:20270101\nRRULE:FREQ=DAILY"),
		"more often than daily": calendarOf("DTSTART;VALUE=DATE:20270101\nRRULE:FREQ=SECONDLY"),
		"recurrence":            calendarOf("DTSTART;VALUE=DATE:20270101\nRRULE:FREQ=NEVER"),
	} {
		_, err := holidays.Read(strings.NewReader(text), year(2027), year(2037))
		require.ErrorContains(t, err, want)
	}
	days, err := holidays.Read(strings.NewReader(calendarOf("DTSTART;VALUE=DATE:20270101\nRRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31")), year(2027), year(2037))
	require.NoError(t, err)
	require.Empty(t, days)
}
