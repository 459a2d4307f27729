package form

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/form/locale"
)

// Locale is the format of dates and numbers.
type Locale struct {
	// Zone is the zone of dates with times, nil for UTC.
	Zone *time.Location
	// Numbers is the notation of numbers, nil for JSON's own.
	Numbers *locale.Notation
}

// number returns a JSON number as the text of an input.
func (in Locale) number(text string) string {
	if in.Numbers == nil {
		return text
	}
	return in.Numbers.FormatInput(text, true)
}

const (
	minutes     = "2006-01-02T15:04"
	withSeconds = "2006-01-02T15:04:05"
)

// Text returns the value as displayed. Submitting the same text leaves the value unchanged.
func (n *Node) Text(in Locale) string {
	switch n.Kind { //nolint:exhaustive // the other kinds show their value as it is
	case KindJSON:
		if !n.present {
			return ""
		}
		if text, ok := n.value.(string); ok {
			return string(jsonText(text))
		}
		return rawText(n.value)
	case KindCheck, KindToggle:
		if n.value == true {
			return "true"
		}
		return "false"
	case KindRadio, KindSelect, KindSearch:
		return n.chosenText()
	case KindTags:
		elements, _ := n.value.([]any)
		lines := make([]string, len(elements))
		for i, element := range elements {
			lines[i] = n.lineText(element, in)
		}
		return strings.Join(lines, "\n")
	case KindSecret:
		return ""
	}
	text, isText := n.value.(string)
	switch {
	case n.value == nil:
		return ""
	case n.Kind == KindNumber || n.Kind == KindInteger || n.numbers:
		return n.lineText(n.value, in)
	case !isText:
		return rawText(n.value)
	case n.Kind == KindDateTime:
		return localTime(text, zoneOr(in.Zone))
	case n.Kind == KindTime:
		return clockTime(text)
	case n.Kind.IsReference():
		if named, ok := referenceText(text); ok {
			return named
		}
	}
	return text
}

// lineText returns a scalar as a line, numbers in the notation of the viewer unless texts are expected.
func (n *Node) lineText(value any, in Locale) string {
	if number, ok := value.(json.Number); ok && !n.texts {
		return in.number(number.String())
	}
	return rawText(value)
}

// chosenText returns the value of the current option, or its title for KindSearch.
func (n *Node) chosenText() string {
	if n.value == nil {
		return ""
	}
	for _, option := range n.Options {
		switch {
		case !jsondoc.Equal(option.value, n.value):
		case n.Kind == KindSearch:
			return option.Title
		default:
			return option.Value
		}
	}
	return ""
}

// Texts returns the selected options, or the references to files.
func (n *Node) Texts() []string {
	var texts []string
	elements, _ := n.value.([]any)
	for _, element := range elements {
		text, isText := element.(string)
		switch i := slices.IndexFunc(n.Options, func(o Option) bool { return jsondoc.Equal(o.value, element) }); {
		case i >= 0:
			texts = append(texts, n.Options[i].Value)
		case isText:
			texts = append(texts, text)
		}
	}
	return texts
}

// IsChosen reports whether an option is selected.
func (n *Node) IsChosen(o Option) bool {
	if n.Kind == KindChoices {
		return slices.Contains(n.Texts(), o.Value)
	}
	return n.present && jsondoc.Equal(o.value, n.value)
}

// Reference returns the value if it is a reference, or "".
func (n *Node) Reference() string {
	text, _ := n.value.(string)
	if _, ok := kuflowref.Parse(text); !ok {
		return ""
	}
	return text
}

// localTime formats a time for an HTML input in a zone. Other text is returned unchanged.
func localTime(text string, zone *time.Location) string {
	t, err := time.Parse(time.RFC3339Nano, strings.ToUpper(text))
	if err != nil {
		return text
	}
	if t = t.In(zone); t.Second() != 0 {
		return t.Format(withSeconds)
	}
	return t.Format(minutes)
}

// clockTime returns a time of day without zone and without zero seconds.
func clockTime(text string) string {
	for _, layout := range []string{"15:04:05Z07:00", "15:04:05"} {
		t, err := time.Parse(layout, strings.ToUpper(text))
		switch {
		case err != nil:
		case t.Second() != 0:
			return t.Format("15:04:05")
		default:
			return t.Format("15:04")
		}
	}
	return text
}

// parseText returns the value of a text, nil for none. Invalid text is kept as a string for the schema to refuse. It
// returns false if the text has no value.
func (n *Node) parseText(text string, in Locale) (value any, ok bool) {
	if strings.TrimSpace(text) == "" && n.Kind != KindLine && n.Kind != KindLines || text == "" {
		return nil, true
	}
	switch n.Kind { //nolint:exhaustive // in the other kinds a text is the value
	case KindJSON:
		return parseJSON(text)
	case KindNumber, KindInteger:
		return n.parseNumber(text, in), true
	case KindLine:
		if n.numbers {
			return n.parseNumber(text, Locale{}), true
		}
	case KindCheck, KindToggle:
		return text == "true", text == "true" || text == "false"
	case KindRadio, KindSelect:
		i := slices.IndexFunc(n.Options, func(o Option) bool { return o.Value == text })
		if i < 0 {
			return nil, false
		}
		return n.Options[i].value, true
	case KindSearch:
		if i := slices.IndexFunc(n.Options, func(o Option) bool { return strings.EqualFold(o.Title, strings.TrimSpace(text)) }); i >= 0 {
			return n.Options[i].value, true
		}
		if n.open && !n.texts {
			return n.parseNumber(text, in), true
		}
		return text, true
	case KindTags:
		return n.parseTags(text, in), true
	case KindDateTime:
		return fullTime(text, zoneOr(in.Zone)), true
	case KindTime:
		return n.fullClock(text), true
	}
	return text, true
}

func parseJSON(text string) (any, bool) {
	r := jsontext.NewReader([]byte(text))
	r.RefuseHugeNumbers()
	r.Skip()
	if r.End() != nil {
		return nil, false
	}
	value, err := jsondoc.DecodeExactly(json.RawMessage(text), jsontext.MaxDepth)
	return value, err == nil
}

// ambiguous is the value of a number that can be read in two ways.
type ambiguous []locale.Candidate

// parseNumber returns a number with its digits, the readings of an ambiguous text, or other text unchanged.
func (n *Node) parseNumber(text string, in Locale) any {
	written := strings.TrimSpace(text)
	if in.Numbers != nil {
		read := in.Numbers.Parse(written, locale.Want{Integer: n.Types.Only(jsondoc.TypeInteger), Accepts: n.accepts})
		if len(read.Candidates) > 0 {
			return ambiguous(read.Candidates)
		}
		if read.Value != "" {
			written = read.Value
		}
	}
	r := jsontext.NewReader([]byte(written))
	r.RefuseHugeNumbers()
	if r.Kind() != '0' {
		return text
	}
	r.Skip()
	if r.End() != nil {
		return text
	}
	return json.Number(written)
}

// parseTags returns the lines of a text as elements. Unchanged lines keep their element.
func (n *Node) parseTags(text string, in Locale) any {
	old, _ := n.value.([]any)
	old = slices.Clone(old)
	elements := []any{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		i := slices.IndexFunc(old, func(element any) bool { return n.lineText(element, in) == line })
		switch {
		case i >= 0:
			elements = append(elements, old[i])
			old = slices.Delete(old, i, i+1)
		case n.texts:
			elements = append(elements, line)
		default:
			number := n.parseNumber(line, in)
			if _, unclear := number.(ambiguous); unclear {
				return number
			}
			elements = append(elements, number)
		}
	}
	if len(elements) == 0 {
		return nil
	}
	return elements
}

func fullTime(text string, zone *time.Location) string {
	for _, layout := range []string{minutes, withSeconds} {
		if t, err := time.ParseInLocation(layout, strings.TrimSpace(text), zone); err == nil {
			return t.Format(time.RFC3339)
		}
	}
	return text
}

// fullClock completes a time of day with seconds and with the zone of the current value.
func (n *Node) fullClock(text string) string {
	zone := "Z"
	if old, ok := n.value.(string); ok {
		i := strings.LastIndexAny(old, "Zz+-")
		switch {
		case clockTime(old) == old: // It is no time with seconds.
		case i > 0:
			zone = old[i:]
		default:
			zone = ""
		}
	}
	text = strings.TrimSpace(text)
	if t, err := time.Parse("15:04", text); err == nil {
		return t.Format("15:04:05") + zone
	}
	if t, err := time.Parse("15:04:05", text); err == nil {
		return t.Format("15:04:05") + zone
	}
	return text
}
