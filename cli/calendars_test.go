package cli_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cli"
)

func TestHolidaysAreImported(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	w.succeeds("apply", "-f", w.writeFile("calendar.yaml", `
apiVersion: procession/v1
kind: Calendar
metadata: { code: OFFICE, tenant: north }
spec:
  name: Office
  timeZone: UTC
  hours: [{ days: [MONDAY], from: "09:00", to: "17:00" }]
`))
	year := time.Now().Year()
	file := w.writeFile("holidays.ics", fmt.Sprintf("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:1\r\n"+
		"DTSTART;VALUE=DATE:%d0101\r\nRRULE:FREQ=YEARLY\r\nSUMMARY:New Year\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n", year-3))
	require.Equal(t, "2 holidays added to OFFICE\n", w.succeeds("calendars", "import", "OFFICE", file, "--years", "2"))
	require.Equal(t, "OFFICE has all of 2 days\n", w.succeeds("calendars", "import", "OFFICE", file, "--years", "2"))
	require.Equal(t, fmt.Sprintf("%d-01-01 New Year\n", year), w.succeeds("get", "calendar", "OFFICE", "-o", `jq=.spec.holidays[0] | .date + " " + .name`))
	w.fails(cli.ExitUsage, "calendars", "import", "OFFICE", w.writeFile("wrong.ics", "x"))
	w.fails(cli.ExitUsage, "calendars", "import", "OFFICE", file, "--years", "0")
	w.fails(cli.ExitNotFound, "calendars", "import", "NONE", file)
}
