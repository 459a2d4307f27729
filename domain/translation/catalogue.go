package translation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/language"

	"github.com/procession-dev/procession/domain/parsecache"
)

const (
	// MaxLanguages limits the languages of a catalogue.
	MaxLanguages = 64
	// MaxSize limits the catalogues of a manifest, in bytes of JSON.
	MaxSize = 500_000
	// keyDefault is the member with the default language.
	keyDefault = "default"
	// fallbackLanguage is the default language of a catalogue that names none.
	fallbackLanguage = "en"
	// maxCachedSource limits the sources of the catalogues that ParseCached keeps, in bytes.
	maxCachedSource = 8 << 20
)

// Catalogue contains the translations of a definition. It must not be changed.
type Catalogue struct {
	// Default is the language of the texts in the definition, a canonical BCP 47 tag.
	Default string
	// texts are translations by their language and key.
	texts map[string]map[string]string
}

// Error is an invalid member of a catalogue.
type Error struct {
	// Path leads to the member.
	Path    []string
	Message string
}

func (e *Error) Error() string { return e.Message }

// Parse parses the member i18n of a manifest, {"default": "en", "de": {"loan.amount.label": "Betrag"}}. It returns nil for
// an absent one, and an *Error for an invalid one.
func Parse(source json.RawMessage) (*Catalogue, error) {
	if source = bytes.TrimSpace(source); len(source) == 0 || string(source) == "null" {
		return nil, nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(source, &members); err != nil {
		return nil, &Error{Message: "must be an object with a member for each language"}
	}
	c := &Catalogue{Default: fallbackLanguage, texts: map[string]map[string]string{}}
	spelled := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if name == keyDefault {
			var tag string
			if err := json.Unmarshal(members[name], &tag); err != nil {
				return nil, &Error{[]string{name}, "must be a language tag such as en or de-AT"}
			}
			canonical, err := parseTag(tag)
			if err != nil {
				return nil, &Error{[]string{name}, err.Error()}
			}
			c.Default = canonical
			continue
		}
		tag, err := parseTag(name)
		if err != nil {
			return nil, &Error{[]string{name}, err.Error()}
		}
		if other, twice := spelled[tag]; twice {
			return nil, &Error{[]string{name}, "is the same language as " + other}
		}
		spelled[tag] = name
		var texts map[string]string
		if err := json.Unmarshal(members[name], &texts); err != nil {
			return nil, &Error{[]string{name}, "must be an object with a text for each key"}
		}
		for key, text := range texts {
			if strings.ContainsFunc(key, unicode.IsControl) || strings.ContainsFunc(text, isForbidden) {
				return nil, &Error{[]string{name, key}, "has a control character"}
			}
		}
		c.texts[tag] = texts
	}
	if len(c.texts) > MaxLanguages {
		return nil, &Error{Message: fmt.Sprintf("has %d languages: at most %d are allowed", len(c.texts), MaxLanguages)}
	}
	return c, nil
}

// isForbidden reports whether texts must not contain a character.
func isForbidden(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }

// parseTag returns the canonical form of a language tag.
func parseTag(text string) (string, error) {
	tag, err := language.Parse(text)
	if err != nil || tag == language.Und {
		return "", errors.New(text + " is not a language tag such as en or de-AT")
	}
	return tag.String(), nil
}

// Languages returns the languages with translations, sorted.
func (c *Catalogue) Languages() []string {
	if c == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(c.texts))
}

// Keys returns the keys with a translation into a language, sorted.
func (c *Catalogue) Keys(tag string) []string {
	if c == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(c.texts[tag]))
}

// Translation returns the translation of a key into exactly one language, "" for none.
func (c *Catalogue) Translation(tag, key string) string {
	if c == nil {
		return ""
	}
	return c.texts[tag][key]
}

var shared = sync.OnceValue(func() *parsecache.Cache[*Catalogue] { //nolint:gochecknoglobals // one per process
	return parsecache.New(maxCachedSource, Parse)
})

// ParseCached is Parse with a cache of the process, for sources that Parse has accepted before. An invalid source has no
// translations.
func ParseCached(source json.RawMessage) *Catalogue {
	if len(source) == 0 {
		return nil
	}
	catalogue, err := shared().Parse(source)
	if err != nil {
		return nil
	}
	return catalogue
}
