package resource

import (
	"cmp"
	"slices"
	"strings"

	"github.com/procession-dev/procession/domain/translation"
)

// Message is a text of a definition that can be translated.
type Message struct {
	Key string
	// Source is the text in the default language.
	Source string
}

// Translatable is a definition, or one of its items or actions, with its messages.
type Translatable struct {
	// Pointer is the pointer of its translations in the manifest. Code is the code of the item or action, "" for the
	// definition.
	Pointer, Code string
	Messages      []Message

	// own are the translations, outer the ones of the definition around it.
	own, outer *translation.Catalogue
	// sources are the texts of the messages by their keys, prefixes the prefixes of values.
	sources  map[string]string
	prefixes map[string]bool
	// optional are further keys that have an effect.
	optional map[string]bool
}

// Translatables returns the definition and its items and actions, none for kinds without translations. Invalid
// translations are left out.
func (d Document) Translatables() []Translatable {
	var list []Translatable
	switch d.Spec.(type) {
	case *ProcessDefinitionSpec, *BusinessArtifactDefinitionSpec, *DataStructureSpec:
	default:
		return nil
	}
	for i, member := range catalogueMembers(d.Spec) {
		t := Translatable{
			Pointer: member.pointer, Code: member.code, own: translation.ParseCached(member.source),
			sources: map[string]string{}, prefixes: map[string]bool{}, optional: map[string]bool{},
		}
		if i > 0 {
			t.outer = list[0].own
		}
		list = append(list, t)
	}
	addMessages(d, list)
	return list
}

// Default returns the language of the messages.
func (t *Translatable) Default() string {
	for _, c := range []*translation.Catalogue{t.own, t.outer} {
		if c != nil {
			return c.Default
		}
	}
	return "en"
}

// Translation returns the translation of a key into exactly one language, "" for none.
func (t *Translatable) Translation(tag, key string) string {
	return cmp.Or(t.own.Translation(tag, key), t.outer.Translation(tag, key))
}

// ErrorTexts returns the messages of errors in exactly one language, by their keys.
func (t *Translatable) ErrorTexts(tag string) map[string]string {
	texts := map[string]string{}
	for _, key := range t.own.Keys(tag) {
		if t.sources[key] == "" && t.Knows(key) {
			texts[key] = t.own.Translation(tag, key)
		}
	}
	return texts
}

// Knows reports whether a key has a text, or is the key of the message of an error.
func (t *Translatable) Knows(key string) bool {
	prefix, _, isError := strings.Cut(key, ".error.")
	return t.sources[key] != "" || t.optional[key] || strings.HasPrefix(key, "error.") || isError && t.prefixes[prefix]
}

// UnknownKey is a key of translations that no text has.
type UnknownKey struct{ Pointer, Language, Key string }

// UnknownKeys returns the keys of translations that no text of the definition has.
func UnknownKeys(list []Translatable) []UnknownKey {
	var unknown []UnknownKey
	for i := range list {
		known := []Translatable{list[i]}
		if i == 0 {
			known = list // The translations of a definition are for its items and actions as well.
		}
		for _, tag := range list[i].own.Languages() {
			for _, key := range list[i].own.Keys(tag) {
				if !slices.ContainsFunc(known, func(t Translatable) bool { return t.Knows(key) }) {
					unknown = append(unknown, UnknownKey{extendPointer(list[i].Pointer, tag, key), tag, key})
				}
			}
		}
	}
	return unknown
}

// Coverage is the number of messages with a translation into a language.
type Coverage struct {
	Language          string
	Translated, Total int
}

// Percent returns the share of messages with a translation, rounded down.
func (c Coverage) Percent() int { return 100 * c.Translated / max(1, c.Total) }

// CoverageOf returns the coverage of the languages of a definition, without its default language.
func CoverageOf(list []Translatable) []Coverage {
	var languages []string
	for i := range list {
		languages = append(languages, list[i].own.Languages()...)
	}
	slices.Sort(languages)
	var coverage []Coverage
	for _, tag := range slices.Compact(languages) {
		c := Coverage{Language: tag}
		for i := range list {
			if list[i].Default() == tag {
				continue
			}
			c.Total += len(list[i].Messages)
			for _, m := range list[i].Messages {
				if list[i].Translation(tag, m.Key) != "" {
					c.Translated++
				}
			}
		}
		if c.Total > 0 {
			coverage = append(coverage, c)
		}
	}
	return coverage
}

// addMessages adds the messages of a definition to its parts.
func addMessages(d Document, list []Translatable) {
	whole := &list[0]
	switch s := d.Spec.(type) {
	case *ProcessDefinitionSpec:
		whole.addName(d.Metadata.Code, s.Name)
		whole.addDescription(d.Metadata.Code, s.Description)
		whole.addForm(s.MetadataSchema, s.MetadataUISchema)
		whole.addColumns(s.MetadataIndexes)
		whole.addForm(s.EntitySchema, s.EntityUISchema)
		whole.addElements(s.Elements)
		for i := range s.Items {
			item := &list[1+i]
			item.addName(s.Items[i].Code, s.Items[i].Name)
			item.addDescription(s.Items[i].Code, s.Items[i].Description)
			item.addForm(s.Items[i].DataSchema, s.Items[i].UISchema)
			item.addForm(s.Items[i].ContextDataSchema, nil)
			item.addElements(s.Items[i].Elements)
		}
		for i := range s.UserActions {
			list[1+len(s.Items)+i].addName(s.UserActions[i].Code, s.UserActions[i].Name)
		}
	case *BusinessArtifactDefinitionSpec:
		whole.addName(d.Metadata.Code, s.Name)
		whole.addForm(s.DataSchema, s.UISchema)
		whole.addColumns(s.Indexes)
		for i := range s.Actions {
			list[1+i].addName(s.Actions[i].Code, s.Actions[i].Name)
			list[1+i].addForm(s.Actions[i].InputSchema, nil)
		}
	case *DataStructureSpec:
		whole.addName(d.Metadata.Code, s.Name)
		whole.addForm(s.Schema, nil)
	}
}

// addColumns allows names of indexed members, which replace their labels in lists.
func (t *Translatable) addColumns(indexes []IndexSpec) {
	for i := range indexes {
		t.optional[indexes[i].Field+translation.SuffixName] = true
	}
}

func (t *Translatable) addName(code, name string) { t.add(code+translation.SuffixName, name) }

func (t *Translatable) addDescription(code, description string) {
	t.add(code+translation.SuffixDescription, description)
}

// add adds a message. The first text of a key counts.
func (t *Translatable) add(key, source string) {
	if source != "" && t.sources[key] == "" {
		t.sources[key] = source
		t.Messages = append(t.Messages, Message{key, source})
	}
}

// addElements adds the texts of elements, under their codes.
func (t *Translatable) addElements(elements []ElementSpec) {
	for i := range elements {
		e := &elements[i]
		t.prefixes[e.Code] = true
		t.add(e.Code+translation.SuffixLabel, cmp.Or(e.Name, e.Code))
		for _, option := range e.Options {
			title := cmp.Or(option.Name, option.Code)
			t.add(e.Code+"."+title, title)
		}
		t.addForm(e.Schema, nil, e.Code)
	}
}
