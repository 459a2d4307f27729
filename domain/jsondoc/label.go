package jsondoc

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"

	"github.com/procession-dev/procession/domain/kuflowref"
)

// Humanise returns the words in a name: FIRST_NAME, firstName and first-name become First name.
func Humanise(name string) string {
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

// Label returns the title of the alternative, or one made of its reference or of the members that it requires, or "".
func (b *Branch) Label() string {
	if b.Title != "" {
		if b.IsTitled {
			return b.Title
		}
		return Humanise(b.Title)
	}
	if !b.Types.Only(TypeObject) {
		return ""
	}
	names := make([]string, len(b.Required))
	for i, name := range b.Required {
		names[i] = Humanise(name)
	}
	return strings.Join(names, ", ")
}

// Label returns the title of the value, or the value as text; "" for true and false, which readers name.
func (v EnumValue) Label() string {
	if v.Title != "" {
		return v.Title
	}
	if _, ok := v.Value.(bool); ok {
		return ""
	}
	if text, ok := v.Value.(string); ok {
		if named, ok := ReferenceName(text); ok {
			return named
		}
	}
	return ReadableText(v.Value)
}

// ReferenceName returns the name in a reference, or its id.
func ReferenceName(text string) (string, bool) {
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

// ReadableText returns a value that Decode returned as indented JSON, or a string without quotes.
func ReadableText(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case Deep:
		return string(v)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return "" // Values that were decoded can be encoded.
	}
	return string(bytes.TrimRight(text.Bytes(), "\n"))
}
