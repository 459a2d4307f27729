package locale_test

import (
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/form/locale"
)

func formatTimes(times []time.Time) []string {
	var texts []string
	for _, t := range times {
		texts = append(texts, locale.FormatRFC3339(t))
	}
	return texts
}

func TestResolve(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, zone, local string
		instants, near    []string
	}{
		{"ordinary", "Europe/Amsterdam", "2026-07-01T12:00", []string{"2026-07-01T12:00:00+02:00"}, nil},
		{"gap", "Europe/Amsterdam", "2026-03-29T02:30", nil, []string{"2026-03-29T01:30:00+01:00", "2026-03-29T03:30:00+02:00"}},
		{"before the gap", "Europe/Amsterdam", "2026-03-29T01:59", []string{"2026-03-29T01:59:00+01:00"}, nil},
		{"after the gap", "Europe/Amsterdam", "2026-03-29T03:00", []string{"2026-03-29T03:00:00+02:00"}, nil},
		{"doubled", "Europe/Amsterdam", "2026-10-25T02:30", []string{"2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00"}, nil},
		{"offset with seconds", "Europe/Amsterdam", "1937-06-30T12:00", []string{"1937-06-30T10:40:28Z"}, nil},
		{"gap", "America/New_York", "2026-03-08T02:30", nil, []string{"2026-03-08T01:30:00-05:00", "2026-03-08T03:30:00-04:00"}},
		{"doubled", "America/New_York", "2026-11-01T01:30", []string{"2026-11-01T01:30:00-04:00", "2026-11-01T01:30:00-05:00"}, nil},
		{"missing day", "Pacific/Apia", "2011-12-30T12:00", nil, []string{"2011-12-29T12:00:00-10:00", "2011-12-31T12:00:00+14:00"}},
		{"before the missing day", "Pacific/Apia", "2011-12-29T23:59", []string{"2011-12-29T23:59:00-10:00"}, nil},
		{"after the missing day", "Pacific/Apia", "2011-12-31T00:00", []string{"2011-12-31T00:00:00+14:00"}, nil},
		{"gap of half an hour", "Australia/Lord_Howe", "2026-10-04T02:15", nil, []string{"2026-10-04T01:45:00+10:30", "2026-10-04T02:45:00+11:00"}},
		{"doubled half hour", "Australia/Lord_Howe", "2026-04-05T01:45", []string{"2026-04-05T01:45:00+11:00", "2026-04-05T01:45:00+10:30"}, nil},
		{"gap of 44.5 minutes", "Africa/Monrovia", "1972-01-07T00:10", nil, []string{"1972-01-07T00:10:00Z", "1972-01-07T00:54:30Z"}},
		{"before it", "Africa/Monrovia", "1972-01-06T12:00", []string{"1972-01-06T12:44:30Z"}, nil},
		{"UTC", "UTC", "2026-03-29T02:30", []string{"2026-03-29T02:30:00Z"}, nil},
	} {
		zone, err := time.LoadLocation(c.zone)
		require.NoError(t, err)
		local, err := time.Parse("2006-01-02T15:04", c.local)
		require.NoError(t, err)
		r := locale.Resolve(local, zone)
		require.Equal(t, c.instants, formatTimes(r.Instants), "%s %s", c.zone, c.name)
		require.Equal(t, c.near, formatTimes(r.Near), "%s %s", c.zone, c.name)
	}
}

// Every instant of a year of transitions is one of the instants of its local time.
func TestResolveFindsEveryInstant(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		zone string
		year int
	}{
		{"Europe/Amsterdam", 2026},
		{"Europe/Amsterdam", 1937},
		{"America/New_York", 2026},
		{"Pacific/Apia", 2011},
		{"Africa/Casablanca", 2026},
		{"Australia/Lord_Howe", 2026},
		{"Africa/Monrovia", 1972},
		{"Asia/Manila", 1844},
		{"America/Juneau", 1867},
		{"Antarctica/Troll", 2026},
	} {
		zone, err := time.LoadLocation(c.zone)
		require.NoError(t, err)
		for at := time.Date(c.year, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() == c.year; at = at.Add(15 * time.Minute) {
			local := at.In(zone)
			found := false
			for _, instant := range locale.Resolve(local, zone).Instants {
				found = found || instant.Equal(at)
			}
			if !found {
				require.Fail(t, "instant is missing", local.String())
			}
		}
	}
}
