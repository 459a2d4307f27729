package translation

import (
	"slices"
	"strings"
	"unicode"

	"github.com/procession-dev/procession/domain/searchkey"
)

// Texts finds texts of a definition for a reader. A nil Texts returns the texts of the definition.
type Texts struct {
	reader *Reader
	// catalogues are the catalogue of the definition and the ones around it.
	catalogues []*Catalogue
	// within are the names around the value of the definition.
	within []string
}

// New returns the texts of a definition for a reader, nil if there are no translations. Catalogues that are not nil are
// searched in their order; the first one names the language of the definition.
func New(reader *Reader, catalogues ...*Catalogue) *Texts {
	t := &Texts{reader: reader}
	for _, c := range catalogues {
		if c != nil {
			t.catalogues = append(t.catalogues, c)
		}
	}
	if reader == nil || len(t.catalogues) == 0 {
		return nil
	}
	return t
}

// Within returns the texts of a value within the value of the definition.
func (t *Texts) Within(path ...string) *Texts {
	if t == nil {
		return nil
	}
	inner := *t
	inner.within = slices.Concat(t.within, path)
	return &inner
}

// Prefix returns the prefix of the keys of a value without a key of its own: the names on the path to it, without indexes of
// arrays.
func (t *Texts) Prefix(path []string) string {
	if t == nil {
		return PathPrefix(path)
	}
	return PathPrefix(slices.Concat(t.within, path))
}

// Find returns a text in the first of the reader's languages that has it, or the source, the text of the definition. Keys
// are in the order of preference.
func (t *Texts) Find(source string, keys ...string) Text {
	if t == nil {
		return Text{Text: source}
	}
	return t.reader.choose(source, t.catalogues[0].Default, func(tag string) string { return t.lookUp(tag, keys) })
}

// FindOwn is Find for a text that the definition does not have, such as the message of an error. It returns false if no
// language of the reader has it.
func (t *Texts) FindOwn(keys ...string) (Text, bool) {
	if t == nil {
		return Text{}, false
	}
	for _, tag := range t.reader.chain {
		if found := t.lookUp(tag, keys); found != "" {
			return t.reader.mark(found, tag), true
		}
	}
	return Text{}, false
}

// Has reports whether a text is a translation of one of the keys in any language.
func (t *Texts) Has(text string, keys ...string) bool {
	if t == nil {
		return false
	}
	return slices.ContainsFunc(t.catalogues, func(c *Catalogue) bool {
		for _, texts := range c.texts {
			if slices.ContainsFunc(keys, func(key string) bool { return texts[key] != "" && searchkey.Equal(texts[key], text) }) {
				return true
			}
		}
		return false
	})
}

func (t *Texts) lookUp(tag string, keys []string) string {
	for _, key := range keys {
		for _, c := range t.catalogues {
			if found := c.texts[tag][key]; found != "" {
				return found
			}
		}
	}
	return ""
}

// ErrorKeys returns the keys of the message of an error of a keyword at a value with prefixes, in the order of preference.
func ErrorKeys(keyword string, prefixes ...string) []string {
	var keys []string
	for _, prefix := range prefixes {
		keys = append(keys, prefix+suffixError+"custom", prefix+suffixError+keyword)
	}
	return append(keys, strings.TrimPrefix(suffixError, ".")+keyword)
}

// TextKeys returns the keys of a text with a prefix and a suffix, in the order of preference. A key may contain the text, because
// a schema can have several texts for one value, for alternatives.
func TextKeys(prefix, suffix, text string) []string {
	return []string{prefix + suffix + "." + HeadingKey(text), prefix + suffix}
}

// OptionKey returns the key of the title of an option of a value with a prefix.
func OptionKey(prefix, title string) string { return prefix + "." + HeadingKey(title) }

// EntryPrefix returns the prefix of the label and description of the entries of a list with a prefix.
func EntryPrefix(prefix string) string { return prefix + ".*" }

// HeadingKey returns the key of a text that is its own key. Keys have no control characters.
func HeadingKey(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}

// Suffixes of keys.
const (
	SuffixLabel       = ".label"
	SuffixDescription = ".description"
	SuffixPlaceholder = ".placeholder"
	SuffixText        = ".text"
	SuffixName        = ".name"
	suffixError       = ".error."
)

// PathPrefix returns the prefix of the keys of a value at a path, "root" for a whole value.
func PathPrefix(path []string) string {
	var names []string
	for _, name := range path {
		if !IsIndex(name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "root"
	}
	return strings.Join(names, ".")
}

// IsIndex reports whether a name is the index of an element, or stands for one: "-" is after the last element, and the
// forms of the console write {0}.
func IsIndex(name string) bool {
	if name == "-" {
		return true
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "{"), "}")
	return name != "" && strings.Trim(name, "0123456789") == ""
}
