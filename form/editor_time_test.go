package form_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/form"
)

const timeSchema = `{"type":"object","properties":{"t":{"type":"string","format":"date-time"},"c":{"type":"string","format":"time"}}}`

// submitTime enters a local time for /t, and the chosen reading of it.
func submitTime(tb testing.TB, zone, stored, text, chosen string) *form.Change {
	tb.Helper()
	value := `{}`
	if stored != "" {
		value = `{"t":"` + stored + `"}`
	}
	s := newEditor(tb, timeSchema, "", value)
	in := form.Submission{Locale: form.Locale{Zone: loadZone(tb, zone)}, Texts: map[string][]string{"/t": {text}}}
	if chosen != "" {
		in.Readings = map[string]string{"/t": chosen}
	}
	change, err := s.Changes(in)
	require.NoError(tb, err)
	return change
}

func loadZone(tb testing.TB, name string) *time.Location {
	tb.Helper()
	zone, err := time.LoadLocation(name)
	require.NoError(tb, err)
	return zone
}

// TestLocalTimes checks that times in gaps and doubled hours are chosen by a person, and that the style of the stored time stays.
func TestLocalTimes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, zone, stored, text, chosen, want string }{
		{"new", "Europe/Berlin", "", "2026-06-01T10:00", "", "2026-06-01T10:00:00+02:00"},
		{"new in UTC", "UTC", "", "2026-06-01T10:00", "", "2026-06-01T10:00:00Z"},
		{"new with an offset of seconds", "Africa/Monrovia", "", "1930-06-01T12:00", "", "1930-06-01T12:44:30Z"},
		{"gap", "Europe/Berlin", "", "2026-03-29T02:30", "", "?2026-03-29T01:30:00+01:00 2026-03-29T03:30:00+02:00"},
		{"gap, chosen", "Europe/Berlin", "", "2026-03-29T02:30", "2026-03-29T01:30:00+01:00", "2026-03-29T01:30:00+01:00"},
		{"doubled hour", "Europe/Berlin", "", "2026-10-25T02:30", "", "?2026-10-25T02:30:00+02:00 2026-10-25T02:30:00+01:00"},
		{"earlier one", "Europe/Berlin", "", "2026-10-25T02:30", "2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+02:00"},
		{"later one", "Europe/Berlin", "", "2026-10-25T02:30", "2026-10-25T02:30:00+01:00", "2026-10-25T02:30:00+01:00"},
		{"doubled hour in New York", "America/New_York", "", "2026-11-01T01:30", "", "?2026-11-01T01:30:00-04:00 2026-11-01T01:30:00-05:00"},
		{"minutes within the later hour", "Europe/Berlin", "2026-10-25T02:30:00+01:00", "2026-10-25T02:45", "", "2026-10-25T02:45:00+01:00"},
		{"minutes within the earlier hour", "Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-25T02:45", "", "2026-10-25T00:45:00Z"},
		{"into the doubled hour", "Europe/Berlin", "2026-06-01T12:00:00+02:00", "2026-10-25T02:30", "", "?2026-10-25T02:30:00+02:00 2026-10-25T02:30:00+01:00"},
		{"UTC stays", "Europe/Berlin", "2026-06-01T10:00:00Z", "2026-12-02T12:00", "", "2026-12-02T11:00:00Z"},
		{"other offset stays", "Europe/Berlin", "2026-06-01T05:00:00-05:00", "2026-06-02T12:00", "", "2026-06-02T05:00:00-05:00"},
		{"own offset follows the zone", "Europe/Berlin", "2026-06-01T12:00:00+02:00", "2026-12-01T12:00", "", "2026-12-01T12:00:00+01:00"},
		{"old offset stays", "Europe/Berlin", "1890-01-01T12:00:00+00:53", "1890-01-02T12:00:28", "", "1890-01-02T12:00:00+00:53"},
		{"fraction stays", "UTC", "2026-06-01T10:00:00.120Z", "2026-06-02T10:00:00.12", "", "2026-06-02T10:00:00.120Z"},
		{"many digits", "UTC", "2026-06-01T10:00:00.123456789012Z", "2026-06-01T10:00:00.123456789013", "", "2026-06-01T10:00:00.123456789013Z"},
		{"spelling of the browser", "UTC", "2026-06-01T10:00:05.120z", "2026-06-01T10:00:05.12", "", ""},
		{"no time", "UTC", "2026-06-01T10:00:00Z", "tomorrow", "", "tomorrow"},
	} {
		change := submitTime(t, c.zone, c.stored, c.text, c.chosen)
		if got, ok := change.Times["/t"]; ok {
			text := "?"
			for i, at := range append(got.Near, got.Instants...) {
				if i > 0 {
					text += " "
				}
				text += at.Format(time.RFC3339Nano)
			}
			require.Equal(t, c.want, text, c.name)
			require.Empty(t, change.Patch, c.name)
			continue
		}
		if c.want == "" {
			require.Empty(t, change.Patch, c.name)
			continue
		}
		require.Len(t, change.Patch, 1, c.name)
		require.Equal(t, `"`+c.want+`"`, string(change.Patch[0].Value), c.name)
	}
}

// TestShownTimesStay checks that a shown time that is sent back changes no value, in any zone and style.
func TestShownTimesStay(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(rand.Uint64(), 0))
	zones := []string{"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Monrovia", "Asia/Kathmandu"}
	for range 2000 {
		at := time.Unix(r.Int64N(5e9)-2.5e9, 0).In(time.FixedZone("", 900*(r.IntN(96)-48)))
		stored := at.Format("2006-01-02T15:04:05") + []string{"", ".5", ".120", ".000", ".123456789"}[r.IntN(5)] + at.Format("Z07:00")
		zone := zones[r.IntN(len(zones))]
		s := newEditor(t, timeSchema, "", `{"t":"`+stored+`"}`)
		text := s.Find("/t").Text(form.Locale{Zone: loadZone(t, zone)})
		change := submitTime(t, zone, stored, text, "")
		require.Empty(t, change.Patch, "%s in %s", stored, zone)
		require.Empty(t, change.Times, "%s in %s", stored, zone)
		// The confirmed text is read as the same time.
		submission := form.Submission{Locale: form.Locale{Zone: loadZone(t, zone)}, Texts: map[string][]string{"/t": {text}}, Confirmed: map[string]bool{"/t": true}}
		require.Empty(t, patchOf(t, s, submission), "%s in %s", stored, zone)
	}
}

// TestTimesOfDayHaveAnOffset checks that a time of day keeps its offset until a person changes it.
func TestTimesOfDayHaveAnOffset(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ stored, text, offset, want string }{
		{`{}`, "10:00", "", `add /c "10:00:00Z"`},
		{`{}`, "10:00", "+02:00", `add /c "10:00:00+02:00"`},
		{`{"c":"10:00:00+02:00"}`, "10:00", "+02:00", ""},
		{`{"c":"10:00:00+02:00"}`, "11:30:05", "", `replace /c "11:30:05+02:00"`},
		{`{"c":"10:00:00+02:00"}`, "10:00", "Z", `replace /c "10:00:00Z"`},
		{`{"c":"10:00:00.250z"}`, "10:00:00.250", "z", ""},
		{`{"c":"10:00:00.250z"}`, "10:00:00.250", "-03:30", `replace /c "10:00:00.250-03:30"`},
		{`{"c":"10:00:00"}`, "10:15", "", `replace /c "10:15:00Z"`},
		{`{"c":"10:00:00Z"}`, "10:00", "CET", ""},
		{`{"c":"10:00:00Z"}`, "", "+02:00", `remove /c `},
	} {
		submission := form.Submission{Texts: map[string][]string{"/c": {c.text}}, Qualifiers: map[string]string{"/c": c.offset}}
		var want []string
		if c.want != "" {
			want = []string{c.want}
		}
		require.Equal(t, want, patchOf(t, newEditor(t, timeSchema, "", c.stored), submission), fmt.Sprint(c))
	}
}

// TestChosenReadingOfList checks that one choice decides about all ambiguous numbers of a list.
func TestChosenReadingOfList(t *testing.T) {
	t.Parallel()
	s := newEditor(t, `{"properties":{"tags":{"type":"array","items":{"type":"number"}}}}`, "", `{}`)
	submission := form.Submission{
		Locale: berlin(t), Texts: map[string][]string{"/tags": {"1,5\n100.000\n2.500"}}, Readings: map[string]string{"/tags": "100000"},
	}
	require.Equal(t, []string{`add /tags [1.5,100000,2500]`}, patchOf(t, s, submission))
	submission.Readings["/tags"] = "100.000"
	require.Equal(t, []string{`add /tags [1.5,100.000,2.500]`}, patchOf(t, s, submission))
}
