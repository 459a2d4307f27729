package main

import (
	"encoding/json"
	"strings"
)

// pattern is a pattern of CLDR, which some files wrap into an object.
type pattern string

func (p *pattern) UnmarshalJSON(text []byte) error {
	var wrapped struct {
		Value string `json:"_value"`
	}
	if json.Unmarshal(text, &wrapped) == nil {
		*p = pattern(wrapped.Value)
		return nil
	}
	return json.Unmarshal(text, (*string)(p))
}

// names are the names of months or weekdays by width.
type names map[string]map[string]string

type gregorian struct {
	Months, Days struct {
		Format     names
		StandAlone names `json:"stand-alone"`
	}
	DayPeriods struct{ Format names }
	Eras       struct{ EraAbbr map[string]string }

	DateFormats, TimeFormats map[string]pattern
	DateTimeFormats          struct{ AvailableFormats map[string]pattern }
	AtTime                   struct{ Standard map[string]pattern } `json:"dateTimeFormats-atTime"`
}

// readLanguage returns the sections of a language by the letters of fields in patterns (UTS 35, part 4), and by name.
func readLanguage(name string) (map[string]string, error) {
	var g gregorian
	err := readJSON(name, "cldr-dates-full/main/"+name+"/ca-gregorian.json", &g, "dates", "calendars", "gregorian")
	if err != nil {
		return nil, err
	}
	months := []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"}
	days := []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}
	medium, short := g.TimeFormats["medium"], g.TimeFormats["short"]
	if strings.ContainsRune(string(short), 'B') { // Periods of the day without fixed limits: the 24-hour clock is as common.
		medium, short = g.DateTimeFormats.AvailableFormats["Hms"], g.DateTimeFormats.AvailableFormats["Hm"]
	}
	sections := map[string]string{
		"MMMM":   joinNames(g.Months.Format["wide"], months),
		"MMM":    joinNames(g.Months.Format["abbreviated"], months),
		"EEEE":   joinNames(g.Days.Format["wide"], days),
		"E":      joinNames(g.Days.Format["abbreviated"], days),
		"cccc":   joinNames(g.Days.StandAlone["wide"], days),
		"a":      joinNames(g.DayPeriods.Format["abbreviated"], []string{"am", "pm"}),
		"G":      g.Eras.EraAbbr["1"],
		"full":   string(g.DateFormats["full"]),
		"long":   string(g.DateFormats["long"]),
		"medium": string(g.DateFormats["medium"]),
		"day":    string(g.DateTimeFormats.AvailableFormats["yMMMEd"]),
		"time":   string(short) + "|" + string(medium),
		"at":     string(g.AtTime.Standard["medium"]) + "|" + string(g.AtTime.Standard["long"]) + "|" + string(g.AtTime.Standard["full"]),
	}
	if err := readZone(name, sections); err != nil {
		return nil, err
	}
	if err := readRelative(name, sections); err != nil {
		return nil, err
	}
	return sections, readUnits(name, sections)
}

func joinNames(from map[string]string, keys []string) string {
	found := make([]string, len(keys))
	for i, key := range keys {
		found[i] = from[key]
	}
	return strings.Join(found, "|")
}

// readZone reads the format of offsets.
func readZone(name string, sections map[string]string) error {
	var zone struct{ GmtFormat, GmtZeroFormat, HourFormat string }
	err := readJSON(name, "cldr-dates-full/main/"+name+"/timeZoneNames.json", &zone, "dates", "timeZoneNames")
	sections["zone"] = zone.GmtFormat + "|" + zone.GmtZeroFormat + "|" + strings.ReplaceAll(zone.HourFormat, ";", "|")
	return err
}

// plurals are the categories of CLDR, in the order of the table. An absent one equals other, the last.
const plurals = "zero one two few many other"

func joinPlurals(from map[string]json.RawMessage, prefix string) string {
	forms := strings.Fields(plurals)
	for i, form := range forms {
		forms[i] = ""
		_ = json.Unmarshal(from[prefix+form], &forms[i]) // A language lacks the forms that it does not need.
	}
	return strings.Join(forms, "|")
}

func timeUnits() []string { return strings.Fields("year month week day hour minute second") }

// readRelative reads the words of relative times, in long and short style.
func readRelative(name string, sections map[string]string) error {
	var fields map[string]map[string]json.RawMessage
	err := readJSON(name, "cldr-dates-full/main/"+name+"/dateFields.json", &fields, "dates", "fields")
	if err != nil {
		return err
	}
	for _, unit := range timeUnits() {
		for _, style := range []string{"", "-short"} {
			for _, direction := range []string{"past", "future"} {
				var forms map[string]json.RawMessage
				if err := json.Unmarshal(fields[unit+style]["relativeTime-type-"+direction], &forms); err != nil {
					return err
				}
				sections[direction+"-"+unit+style] = joinPlurals(forms, "relativeTimePattern-count-")
			}
		}
	}
	words := make([]string, 0, 4)
	for _, at := range [][2]string{{"day", "-1"}, {"day", "0"}, {"day", "1"}, {"second", "0"}} {
		var word string
		if err := json.Unmarshal(fields[at[0]]["relative-type-"+at[1]], &word); err != nil {
			return err
		}
		words = append(words, word)
	}
	sections["words"] = strings.Join(words, "|")
	return nil
}

// readUnits reads the units of durations, and their separators.
func readUnits(name string, sections map[string]string) error {
	for _, style := range []string{"long", "short"} {
		var units map[string]map[string]json.RawMessage
		if err := readJSON(name, "cldr-units-full/main/"+name+"/units.json", &units, "units", style); err != nil {
			return err
		}
		for _, unit := range timeUnits() {
			sections[style+"-"+unit] = joinPlurals(units["duration-"+unit], "unitPattern-count-")
		}
	}
	var lists map[string]map[string]string
	if err := readJSON(name, "cldr-misc-full/main/"+name+"/listPatterns.json", &lists, "listPatterns"); err != nil {
		return err
	}
	sections["list"] = joinNames(lists["listPattern-type-unit"], []string{"2", "start", "middle", "end"})
	sections["list-short"] = joinNames(lists["listPattern-type-unit-short"], []string{"2", "start", "middle", "end"})
	return nil
}
