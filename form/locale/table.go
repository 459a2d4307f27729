package locale

import (
	_ "embed"
	"strings"
	"sync"

	"golang.org/x/text/language"
)

//go:generate go run ../../tools/cldr

// datesText has a line per language with sections, separated by tabs. A language without a section has its parent's.
//
//go:embed dates.txt
var datesText string

// table contains the parsed languages, English first, and their matcher.
type table struct {
	tags     []language.Tag
	calendar map[language.Tag]*Calendar
	matcher  language.Matcher
}

//nolint:gochecknoglobals // parsed by the first use
var dates = sync.OnceValue(readTable)

func readTable() *table {
	lines := map[language.Tag]map[string]string{}
	t := &table{tags: []language.Tag{language.English}, calendar: map[language.Tag]*Calendar{}}
	for line := range strings.Lines(datesText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		sections := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		tag := language.Make(sections[0])
		lines[tag] = map[string]string{}
		for _, section := range sections[1:] {
			key, value, _ := strings.Cut(section, "=")
			lines[tag][key] = value
		}
		if tag != language.English {
			t.tags = append(t.tags, tag)
		}
	}
	for _, tag := range t.tags {
		t.calendar[tag] = &Calendar{tag: tag, notation: Of(tag), own: lines[tag], parent: lines[tag.Parent()]}
	}
	t.matcher = language.NewMatcher(t.tags)
	return t
}

// Languages returns the languages with patterns of dates, English first.
func Languages() []language.Tag { return dates().tags }

// Match returns the language of Languages that fits best to one of BCP 47 tags or Accept-Language headers, in the order
// of preference. It returns English if none fits.
func Match(preferred ...string) language.Tag {
	_, index := language.MatchStrings(dates().matcher, preferred...)
	return Languages()[index]
}
