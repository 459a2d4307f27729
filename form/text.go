package form

import (
	"encoding/json"
	"strings"
	"time"
	"unicode"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/kuflowref"
)

const (
	textYes = "Yes"
	textNo  = "No"
	// masked replaces passwords.
	masked = "••••••"
)

// plainText returns a scalar as text, formatted according to its schema.
func plainText(p *jsondoc.Place, value any) string {
	if title, ok := titleOf(p, value); ok {
		return title
	}
	switch plain := value.(type) {
	case bool:
		if plain {
			return textYes
		}
		return textNo
	case json.Number:
		return plain.String()
	case string:
		about := p.Annotations()
		if about.Format == "password" || about.WriteOnly {
			return masked
		}
		if named, ok := referenceText(plain); ok {
			return named
		}
		return dateText(about.Format, plain)
	}
	return rawText(value)
}

// referenceText returns the name in a reference, or its id.
func referenceText(text string) (string, bool) {
	found, ok := kuflowref.Parse(text)
	if !ok {
		return "", false
	}
	var name, id string
	switch r := found.(type) {
	case kuflowref.Principal:
		name, id = r.Name, r.ID.String()
	case kuflowref.Group:
		name, id = r.Name, r.ID.String()
	case kuflowref.BusinessArtifact:
		name, id = r.Title, r.ID.String()
	case kuflowref.DataSource:
		name, id = r.Name, r.ID.String()
	case kuflowref.Process:
		name, id = r.Name, r.ID.String()
	default:
		return "", false
	}
	if strings.TrimSpace(name) == "" {
		return id, true
	}
	return name, true
}

// dateText formats a date or time of JSON Schema, and returns other text unchanged. Times keep their zone.
func dateText(format, text string) string {
	switch format {
	case "date":
		if t, err := time.Parse(time.DateOnly, text); err == nil {
			return t.Format("2 January 2006")
		}
	case "date-time":
		if t, err := time.Parse(time.RFC3339Nano, strings.ToUpper(text)); err == nil {
			return t.Format("2 January 2006, 15:04") + secondsText(t) + zoneText(t)
		}
	case "time":
		for _, layout := range []string{"15:04:05Z07:00", "15:04:05", "15:04"} {
			t, err := time.Parse(layout, strings.ToUpper(text))
			if err != nil {
				continue
			}
			if layout == "15:04:05Z07:00" {
				return t.Format("15:04") + secondsText(t) + zoneText(t)
			}
			return t.Format("15:04") + secondsText(t)
		}
	}
	return text
}

func secondsText(t time.Time) string {
	switch {
	case t.Nanosecond() != 0:
		return t.Format(":05.999999999")
	case t.Second() != 0:
		return t.Format(":05")
	}
	return ""
}

func zoneText(t time.Time) string {
	if _, offset := t.Zone(); offset == 0 {
		return " UTC"
	}
	return t.Format(" UTC-07:00")
}

// humaniseName returns the words in a name: FIRST_NAME, firstName and first-name become First name.
func humaniseName(name string) string {
	var words strings.Builder
	var last rune
	shouts := strings.ToUpper(name) == name
	for i, r := range name {
		switch {
		case r == '_' || r == '-' || unicode.IsSpace(r):
			if words.Len() > 0 && last != ' ' {
				words.WriteByte(' ')
				last = ' '
			}
			continue
		case words.Len() == 0:
			words.WriteRune(unicode.ToUpper(r))
		case shouts:
			words.WriteRune(unicode.ToLower(r))
		case unicode.IsUpper(r) && (unicode.IsLower(last) || unicode.IsDigit(last)):
			words.WriteByte(' ')
			if next := strings.IndexFunc(name[i+1:], unicode.IsUpper); next == 0 {
				words.WriteRune(r) // An abbreviation keeps its capitals.
			} else {
				words.WriteRune(unicode.ToLower(r))
			}
		default:
			words.WriteRune(r)
		}
		last = r
	}
	text := strings.TrimSpace(words.String())
	if text == "" {
		return name
	}
	return text
}
