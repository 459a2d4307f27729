package deadline_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/deadline"
)

func TestParseDuration(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]deadline.Duration{
		"P2D": {Days: 2}, "P1W": {Weeks: 1}, "P1Y2M3W4DT5H6M7S": {Years: 1, Months: 2, Weeks: 3, Days: 4, Time: 5*time.Hour + 6*time.Minute + 7*time.Second},
		"PT0S": {}, "P3660D": {Days: 3660}, "PT36H": {Time: 36 * time.Hour},
	} {
		got, err := deadline.ParseDuration(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "P", "PT", "P1", "2D", "P-1D", "P1.5D", "P1DT", "P11Y", "P9999999D", "PT999999999S", " P1D", "P1D\n"} {
		_, err := deadline.ParseDuration(text)
		require.Error(t, err, text)
	}
}

func TestExpressions(t *testing.T) {
	t.Parallel()
	due := time.Date(2027, 1, 31, 12, 0, 0, 0, time.UTC)
	values := &deadline.Values{
		Metadata: json.RawMessage(`{"AMOUNT":25000,"DAYS":3,"UNTIL":"2027-02-01","BIG":1e999,"PRIORITY":"HIGH"}`),
		Data:     json.RawMessage(`{"a b":{"c":true}}`), DueAt: &due, CreatedAt: due,
	}
	for text, want := range map[string]string{
		"P2D":                          "P2D",
		"${ .process.metadata.UNTIL }": "2027-02-01",

		` ${ if .process.metadata.AMOUNT >= 10000 then "P1D" else "P5D" end }`: "P1D",
		`${ "P\(.process.metadata.DAYS)D" }`:                                   "P3D",
		`${ .process.metadata.NONE // "P7D" }`:                                 "P7D",
		`${ .process.entity.NONE }`:                                            "",
		`${ .process.metadata.DAYS }`:                                          "",
		`${ .process.metadata.UNTIL.more }`:                                    "",
		`${ .process.dueAt }`:                                                  "2027-01-31T12:00:00Z",

		`${ if .task.data["a b"].c and .process.metadata.BIG > 1 then "PT1H" else null end }`:                                      "PT1H",
		`${ if .process.metadata.PRIORITY == "HIGH" then "URGENT" elif .process.metadata.DAYS != 3 then "LOW" else "NORMAL" end }`: "URGENT",
	} {
		rule, err := deadline.Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, want, rule.Evaluate(t.Context(), values), text)
	}
	for text, want := range map[string]string{
		"${ .process.metadata.A":              "ends with }",
		"${ }":                                "is empty",
		"${ .metadata.A }":                    "paths begin with",
		"${ .process.state }":                 "paths begin with",
		"${ . }":                              "rules have",
		"${ .process.metadata[] }":            "not one value",
		"${ .process.metadata.A[0:2] }":       "names only",
		"${ .process.metadata.A | length }":   "operator |",
		`${ "P1D" * 1000000 }`:                "operator *",
		"${ def f: f; f }":                    "defines",
		"${ .process.metadata.A as $a | $a }": "rules",
		"${ now }":                            "rules have",
		"${ [1] }":                            "rules have",

		`${ if .process.metadata.A then "P1D" end }`:                                         "without else",
		"${ " + strings.Repeat(`1 // `, 200) + `"P1D" }`:                                     "parts",
		`${ "\(.task.data.A)\(.task.data.A)\(.task.data.A)\(.task.data.A)\(.task.data.A)" }`: "inserts",
		"${ " + strings.Repeat(" ", 2000) + "true }":                                         "longer than",
	} {
		_, err := deadline.Parse(text)
		require.ErrorContains(t, err, want, text)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"P1D", `${ .process.metadata.A // "P1D" }`, `${ if true then "\(.task.data.x)" else null end }`} {
		f.Add(text)
	}
	values := &deadline.Values{Metadata: json.RawMessage(`{"A":[1,{"b":"c"}]}`)}
	f.Fuzz(func(t *testing.T, text string) {
		if rule, err := deadline.Parse(text); err == nil {
			deadline.Clock{Zone: time.UTC}.Resolve(rule.Evaluate(t.Context(), values), time.Unix(0, 0))
		}
	})
}

func TestResolve(t *testing.T) {
	t.Parallel()
	clock := deadline.ZoneClock("Europe/Berlin")
	// The clock changes on 28 March 2027: a day has 23 hours.
	at := time.Date(2027, 3, 27, 12, 0, 0, 0, clock.Zone)
	for result, want := range map[string]string{
		"P1D": "2027-03-28T12:00:00+02:00", "PT24H": "2027-03-28T13:00:00+02:00", "2027-04-01": "2027-04-01T23:59:59+02:00",
		"2027-04-01T08:30": "2027-04-01T08:30:00+02:00", "2027-04-01T08:30:00Z": "2027-04-01T10:30:00+02:00",
	} {
		got := clock.Resolve(result, at)
		require.NotNil(t, got, result)
		require.Equal(t, want, got.In(clock.Zone).Format(time.RFC3339), result)
	}
	for _, result := range []string{"", "soon", "2027-02-30", "P1"} {
		require.Nil(t, clock.Resolve(result, at), result)
	}
	require.Equal(t, time.UTC, deadline.ZoneClock("Nowhere/Land").Zone)
}

// office is a calendar of Monday to Friday with a break at noon, in Berlin, with a holiday.
func office(t *testing.T) *deadline.Calendar {
	t.Helper()
	zone := deadline.ZoneClock("Europe/Berlin").Zone
	week := map[time.Weekday][]deadline.Hours{}
	for day := time.Monday; day <= time.Friday; day++ {
		week[day] = []deadline.Hours{{From: 13 * 60, To: 17 * 60}, {From: 9 * 60, To: 12 * 60}}
	}
	c, err := deadline.NewCalendar(zone, week, []time.Time{time.Date(2027, 1, 1, 0, 0, 0, 0, zone)})
	require.NoError(t, err)
	return c
}

func TestWorkingTime(t *testing.T) {
	t.Parallel()
	c := office(t)
	zone := deadline.ZoneClock("Europe/Berlin").Zone
	for _, test := range []struct{ from, duration, want string }{
		{"2026-12-30T10:00", "PT1H", "2026-12-30T11:00"},
		{"2026-12-30T11:30", "PT1H", "2026-12-30T13:30"},
		{"2026-12-30T16:30", "PT1H", "2026-12-31T09:30"},
		{"2026-12-31T16:30", "PT1H", "2027-01-04T09:30"}, // New Year's Day, then a weekend
		{"2026-12-31T10:00", "P1D", "2027-01-04T10:00"},
		{"2026-12-31T12:30", "P1D", "2027-01-04T13:00"},
		{"2027-01-02T10:00", "P1D", "2027-01-05T09:00"}, // a Saturday
		{"2026-12-25T18:00", "P1W", "2027-01-04T09:00"},
		{"2026-12-30T10:00", "PT0S", "2026-12-30T10:00"},
		{"2026-12-30T09:00", "PT7H", "2026-12-30T17:00"},
		{"2026-12-30T09:00", "P1DT7H", "2026-12-31T17:00"},
	} {
		from, err := time.ParseInLocation("2006-01-02T15:04", test.from, zone)
		require.NoError(t, err)
		d, err := deadline.ParseDuration(test.duration)
		require.NoError(t, err)
		got, ok := c.Add(from, d)
		require.True(t, ok)
		require.Equal(t, test.want, got.Format("2006-01-02T15:04"), "%s after %s", test.duration, test.from)
	}
	clock := deadline.Clock{Zone: zone, Calendar: c}
	require.Equal(t, "17:00", clock.Resolve("2026-12-30", time.Now()).Format("15:04"))
	require.Equal(t, "23:59", clock.Resolve("2027-01-01", time.Now()).Format("15:04"))
}

func TestCalendarsWithoutWorkAreRefused(t *testing.T) {
	t.Parallel()
	for want, week := range map[string]map[time.Weekday][]deadline.Hours{
		"at least one weekday": {},
		"begin before":         {time.Monday: {{From: 600, To: 600}}},
		"overlap":              {time.Monday: {{From: 0, To: 600}, {From: 599, To: 700}}},
	} {
		_, err := deadline.NewCalendar(time.UTC, week, nil)
		require.ErrorContains(t, err, want)
	}
}

// Properties of working time in calendars of all kinds, in zones that change their clocks, one of them at midnight.
func TestPropertiesOfWorkingTime(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	zones := []string{"UTC", "Europe/Berlin", "America/New_York", "America/Santiago", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Tehran"}
	for range 3000 {
		zone := deadline.ZoneClock(zones[random.IntN(len(zones))]).Zone
		week := map[time.Weekday][]deadline.Hours{}
		for day := time.Sunday; day <= time.Saturday; day++ {
			switch random.IntN(4) {
			case 0:
				week[day] = []deadline.Hours{{From: 0, To: 24 * 60}}
			case 1:
				from := random.IntN(20 * 60)
				week[day] = []deadline.Hours{{From: from, To: from + 1 + random.IntN(4*60)}}
			}
		}
		begin := time.Date(2010+random.IntN(20), time.Month(1+random.IntN(12)), 1+random.IntN(28), random.IntN(24), random.IntN(60), 0, 0, zone)
		var holidays []time.Time
		for range random.IntN(20) {
			holidays = append(holidays, begin.AddDate(0, 0, random.IntN(60)))
		}
		c, err := deadline.NewCalendar(zone, week, holidays)
		if err != nil {
			require.Empty(t, week)
			continue
		}
		first, second := time.Duration(random.IntN(2000))*time.Minute, time.Duration(random.IntN(2000))*time.Minute
		one, ok := c.Add(begin, deadline.Duration{Time: first})
		require.True(t, ok)
		both, ok := c.Add(begin, deadline.Duration{Time: first + second})
		require.True(t, ok)
		rest, ok := c.Add(one, deadline.Duration{Time: second})
		require.True(t, ok)
		next, ok := c.Next(begin)
		require.True(t, ok)
		require.False(t, next.Before(begin), "working time begins later")
		require.False(t, one.Before(next.Add(first)), "working time takes no less than the time of the clock")
		if second > 0 {
			require.True(t, both.Equal(rest), "durations add up: %s + %s after %s is %s, not %s", first, second, begin, both, rest)
		}
		days := 1 + random.IntN(10)
		moved, ok := c.Add(begin, deadline.Duration{Days: days})
		require.True(t, ok)
		require.True(t, moved.After(next) || moved.Equal(next))
		require.GreaterOrEqual(t, moved.Sub(next), time.Duration(days-1)*23*time.Hour)
		for _, holiday := range holidays {
			day := holiday.Format(time.DateOnly)
			ends := moved.Add(-time.Nanosecond).In(zone).Format(time.DateOnly) == day && moved.In(zone).Format(time.DateOnly) == day
			require.False(t, ends, "nobody works on holidays")
		}
	}
}
