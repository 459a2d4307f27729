package form

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/domain/searchkey"
	"github.com/procession-dev/procession/form/locale"
)

// Locale is the format of dates and numbers.
type Locale struct {
	// Zone is the zone of dates with times, nil for UTC.
	Zone *time.Location
	// Numbers is the notation of numbers, nil for JSON's own.
	Numbers *locale.Notation

	// chosen is the reading of ambiguous numbers, nil for none.
	chosen *locale.Candidate
}

// number returns a JSON number as the text of an input.
func (in Locale) number(text string) string {
	if in.Numbers == nil {
		return text
	}
	return in.Numbers.FormatInput(text, true)
}

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
		return jsondoc.ReadableText(n.value)
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
		return jsondoc.ReadableText(n.value)
	case n.Kind == KindDateTime:
		if stored, ok := readFullTime(text); ok {
			return stored.localText(zoneOr(in.Zone))
		}
	case n.Kind == KindTime:
		return clockText(text)
	case n.Kind == KindDuration:
		number, _ := splitDuration(text)
		return number
	case n.Kind.IsReference():
		if named, ok := jsondoc.ReferenceName(text); ok {
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
	return jsondoc.ReadableText(value)
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
		switch {
		case n.numbers:
			return n.parseNumber(text, Locale{}), true
		case !isAddressFormat(n.Bounds.Format):
		case locale.Trim(text) == "":
			return nil, true
		default:
			return locale.Trim(text), true
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
		written := strings.TrimSpace(text)
		i := slices.IndexFunc(n.Options, func(o Option) bool { return searchkey.Equal(o.Title, written) })
		if i < 0 {
			i = slices.IndexFunc(n.Options, func(o Option) bool { return n.hasTitle(o, written) })
		}
		if i >= 0 {
			return n.Options[i].value, true
		}
		if n.open && !n.texts {
			return n.parseNumber(text, in), true
		}
		return text, true
	case KindTags:
		return n.parseTags(text, in), true
	case KindDateTime:
		return n.parseDateTime(text, in), true
	case KindTime, KindDuration:
		return n.parseQualified(text, n.Qualifier(), in), true
	}
	return text, true
}

// isAddressFormat reports whether texts of a format have no blanks at their ends, so that pasted ones are removed.
func isAddressFormat(format string) bool {
	switch format {
	case "email", "idn-email", "uri", "uri-reference", "iri", "iri-reference", "hostname", "idn-hostname", "ipv4", "ipv6", "uuid":
		return true
	}
	return false
}

// parseChosen returns the value of a text like parseText. Ambiguous numbers are read as in the chosen reading of the first.
func (n *Node) parseChosen(text, chosen string, in Locale) (value any, ok bool) {
	value, ok = n.parseText(text, in)
	asked, _ := value.(ambiguous)
	i := slices.IndexFunc(asked, func(c locale.Candidate) bool { return c.Value == chosen })
	if i < 0 {
		return value, ok
	}
	in.chosen = &asked[i]
	return n.parseText(text, in)
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

// prefers reports whether a person has chosen to read numbers like a candidate.
func (in Locale) prefers(c locale.Candidate) bool {
	return in.chosen != nil && c.Sign == in.chosen.Sign && c.Grouped == in.chosen.Grouped
}

// ambiguous is the value of a number that can be read in two ways.
type ambiguous []locale.Candidate

// parseNumber returns a number with its digits, the readings of an ambiguous text, or other text unchanged.
func (n *Node) parseNumber(text string, in Locale) any {
	written := strings.TrimSpace(text)
	if in.Numbers != nil {
		read := in.Numbers.Parse(written, locale.Want{Integer: n.Types.Only(jsondoc.TypeInteger), Accepts: n.accepts})
		if i := slices.IndexFunc(read.Candidates, in.prefers); i >= 0 {
			read.Value = read.Candidates[i].Value
		} else if len(read.Candidates) > 0 {
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
