package locale_test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"github.com/procession-dev/procession/form/locale"
)

// intl prints the texts of JavaScript's Intl for the languages and times of its arguments.
const intl = `
const [tags, times] = JSON.parse(process.argv[1]);
const zone = 'Europe/Amsterdam', found = {};
for (const tag of tags) {
  const date = o => new Intl.DateTimeFormat(tag, {calendar: 'gregory', timeZone: zone, ...o});
  const texts = [];
  for (const time of times) {
    const at = new Date(time);
    for (const style of ['medium', 'long', 'full']) {
      texts.push(date({dateStyle: style}).format(at), date({dateStyle: style, timeStyle: 'short'}).format(at),
        date({dateStyle: style, timeStyle: 'medium'}).format(at));
    }
    texts.push(date({weekday: 'short', day: 'numeric', month: 'short', year: 'numeric'}).format(at));
    texts.push(date({timeZoneName: 'shortOffset'}).formatToParts(at).find(p => p.type == 'timeZoneName').value);
  }
  for (const style of ['long', 'short']) {
    const relative = new Intl.RelativeTimeFormat(tag, {style});
    for (const n of [1, 2, 3, 5, 11, 21]) {
      for (const unit of ['second', 'minute', 'hour', 'day']) if (unit != 'day' || n < 7) texts.push(relative.format(-n, unit), relative.format(n, unit));
    }
    const unit = (n, unit) => new Intl.NumberFormat(tag, {style: 'unit', unit, unitDisplay: style}).format(n);
    const list = new Intl.ListFormat(tag, {type: 'unit', style});
    for (const n of [1, 2, 3, 5, 11, 21]) {
      texts.push(list.format([unit(n, 'hour'), unit(n, 'minute')]), list.format([unit(n, 'year'), unit(n, 'month'), unit(n, 'day'), unit(n, 'second')]));
    }
  }
  const auto = new Intl.RelativeTimeFormat(tag, {numeric: 'auto'});
  texts.push(auto.format(-1, 'day'), auto.format(0, 'day'), auto.format(1, 'day'), auto.format(0, 'second'));
  found[tag] = texts;
}
console.log(JSON.stringify(found));
`

var moments = []string{
	"2026-11-25T21:15:05Z", "2026-03-01T00:05:09Z", "1999-12-31T11:59:00Z", "2026-05-02T22:30:00Z", "2026-08-16T10:00:00Z",
	"2027-01-04T05:00:00Z", "2026-02-03T12:00:00Z", "2026-04-09T12:00:00Z", "2026-06-19T12:00:00Z", "2026-07-24T12:00:00Z",
	"2026-09-12T12:00:00Z", "2026-10-11T12:00:00Z",
}

func TestCalendarAgreesWithIntl(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs Node.js")
	}
	tags := make([]string, len(locale.Languages()))
	for i, tag := range locale.Languages() {
		tags[i] = tag.String()
	}
	require.GreaterOrEqual(t, len(tags), 40)
	argument, err := json.Marshal([]any{tags, moments})
	require.NoError(t, err)
	out, err := exec.Command(node, "-e", intl, string(argument)).Output()
	require.NoError(t, err)
	var expected map[string][]string
	require.NoError(t, json.Unmarshal(out, &expected))
	zone, err := time.LoadLocation("Europe/Amsterdam")
	require.NoError(t, err)
	for i, tag := range locale.Languages() {
		texts := formatSamples(locale.CalendarOf(tag), zone)
		require.Len(t, texts, len(expected[tags[i]]))
		for j, want := range expected[tags[i]] {
			if normalizeText(want) != normalizeText(texts[j]) && !isExcepted(tags[i], texts[j]) {
				t.Errorf("%s: %q, and not %q", tag, texts[j], want)
			}
		}
	}
}

// isExcepted reports whether a text differs on purpose: Traditional Chinese has the 24-hour clock, and Node.js 20 has
// English words for the halves of the day in Korean.
func isExcepted(tag, text string) bool {
	return (tag == "zh-Hant" || tag == "ko") && strings.Contains(text, ":")
}

// normalizeText hides that V8 replaces narrow blanks, and that languages have changed their usual digits since the
// version of CLDR in x/text.
func normalizeText(text string) string { return toASCII(strings.ReplaceAll(text, "\u202f", " ")) }

func formatSamples(c *locale.Calendar, zone *time.Location) []string {
	var texts []string
	for _, moment := range moments {
		at, _ := time.Parse(time.RFC3339, moment)
		at = at.In(zone)
		for _, style := range []locale.Style{locale.Medium, locale.Long, locale.Full} {
			texts = append(texts, c.Date(at, style), c.DateTime(at, style, locale.Minutes), c.DateTime(at, style, locale.Seconds))
		}
		texts = append(texts, c.Date(at, locale.WithWeekday), c.Zone(at))
	}
	now := time.Date(2026, 11, 25, 12, 0, 0, 0, zone)
	counts := []int{1, 2, 3, 5, 11, 21}
	for _, width := range []locale.Width{locale.Words, locale.Abbreviations} {
		for _, n := range counts {
			for _, unit := range []time.Duration{time.Second, time.Minute, time.Hour, 24 * time.Hour} {
				if unit > time.Hour && n > 6 {
					continue // It is given in weeks.
				}
				distance := time.Duration(n) * unit
				texts = append(texts, c.Relative(now.Add(-distance), now, width), c.Relative(now.Add(distance), now, width))
			}
		}
		for _, n := range counts {
			texts = append(texts, c.Duration(locale.Span{Hours: n, Minutes: n}, width),
				c.Duration(locale.Span{Years: n, Months: n, Days: n, Seconds: n}, width))
		}
	}
	return append(texts, c.Day(now.AddDate(0, 0, -1), now), c.Day(now, now), c.Day(now.AddDate(0, 0, 1), now), c.Relative(now, now, locale.Words))
}

func TestCalendar(t *testing.T) {
	t.Parallel()
	at := time.Date(1937, 6, 30, 12, 0, 32, 120000000, time.FixedZone("", 1172))
	de := locale.CalendarOf(language.MustParse("de-AT"))
	require.Equal(t, "30. Juni 1937 um 12:00:32,12", de.DateTime(at, locale.Long, locale.Seconds))
	require.Equal(t, "GMT+0:19:32", de.Zone(at))
	require.Equal(t, "3. Jänner 2026", de.Date(time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC), locale.Long))
	require.Equal(t, "0 Sekunden", de.Duration(locale.Span{}, locale.Words))
	require.Equal(t, "1 Tag, 2 Stunden", de.Duration(locale.SpanOf(26*time.Hour), locale.Words))
	require.Equal(t, "vor 2 Wochen", de.Relative(at, at.AddDate(0, 0, 20), locale.Words))
	require.Equal(t, "in 1 Jahr", de.Relative(at.AddDate(0, 0, 400), at, locale.Words))
	require.Empty(t, de.Day(at, at.AddDate(0, 0, 2)))
}

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"de-CH,en;q=0.5", "de-CH"},
		{"de-LI", "de"},
		{"de-DE", "de"},
		{"en-US", "en"},
		{"zh-TW", "zh-Hant"},
		{"tlh", "en"},
		{"", "en"},
		{"pt-AO", "pt-PT"},
		{"no", "nb"},
	} {
		require.Equal(t, c[1], locale.Match(c[0]).String(), c[0])
	}
}
