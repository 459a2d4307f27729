package form

import (
	"strings"
	"unicode"

	"github.com/procession-dev/procession/domain/kuflowref"
)

// masked replaces passwords.
const masked = "••••••"

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
