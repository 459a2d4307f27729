package form

import (
	"cmp"
	"slices"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/domain/searchkey"
	"github.com/procession-dev/procession/domain/translation"
)

// Texts finds the texts of the schemas of a form in the language of the reader.
type Texts struct {
	whole *translation.Texts
	// parts are the texts of the parts of a joined form by their names, nil for other forms.
	parts map[string]*translation.Texts
	// base leads to the value of the form from the value of the schema.
	base []string
}

// TextsOf returns the texts of a form with one schema. They may be nil.
func TextsOf(texts *translation.Texts) Texts { return Texts{whole: texts} }

// within returns the texts of a value within the value of the form.
func (s Texts) within(path []string) Texts {
	return Texts{whole: s.whole, parts: s.parts, base: slices.Concat(s.base, path)}
}

// ofElement returns the translations for an element of a layout within a part.
func (s Texts) ofElement(part string) *translation.Texts {
	if s.parts != nil {
		return s.parts[part]
	}
	return s.whole
}

// wording finds the texts about a value.
type wording struct {
	texts *translation.Texts
	place *jsondoc.Place
	// isLabelled and isHelped report whether the layout states the label and the description.
	isLabelled, isHelped bool
	// prefix is the prefix of the keys. isOwn reports whether the definition states it, isEntry whether it belongs to the array
	// around the value, inPart whether the first name of origins is the one of a part.
	prefix                 string
	isOwn, isEntry, inPart bool
}

// at returns the wording of the value at a path, with the element that shows it or nil.
func (s Texts) at(path []string, p *jsondoc.Place, e *element) wording {
	path = slices.Concat(s.base, path)
	w := wording{texts: s.whole, place: p}
	if s.parts != nil && len(path) > 0 {
		w.texts, path, w.inPart = s.parts[path[0]], path[1:], true
	}
	if w.texts == nil {
		return w
	}
	own := ""
	if e != nil {
		own, w.isLabelled, w.isHelped = e.i18n, e.label != "", e.options.Text("help") != ""
	}
	own = cmp.Or(own, p.Annotations().I18n)
	w.prefix, w.isOwn = cmp.Or(own, w.texts.Prefix(path)), own != ""
	w.isEntry = own == "" && len(path) > 0 && translation.IsIndex(path[len(path)-1])
	return w
}

// label returns the label of the value at a path: its title, or words from its name.
func (s Texts) label(path []string, p *jsondoc.Place) translation.Text {
	return s.at(path, p, nil).find(labelFor(p, path[len(path)-1]), translation.SuffixLabel)
}

// find returns the text with a suffix, or the source. The same text of another place with the subschema is a fallback.
func (w wording) find(source, suffix string) translation.Text {
	if w.texts == nil || source == "" {
		return w.texts.Find(source)
	}
	if w.isOwn {
		return w.texts.Find(source, w.prefix+suffix)
	}
	var keys []string
	if !w.isEntry {
		keys = translation.TextKeys(w.prefix, suffix, source)
	}
	origin, ok := jsondoc.Origin{}, false
	switch {
	case suffix == translation.SuffixLabel && !w.isLabelled:
		origin, ok = w.place.TitleOrigin(source)
	case suffix == translation.SuffixDescription && !w.isHelped:
		origin, ok = w.place.DescriptionOrigin(source)
	}
	if ok {
		keys = append(keys, translation.TextKeys(w.prefixOf(origin), suffix, source)...)
	}
	return w.texts.Find(source, keys...)
}

// prefixOf returns the prefix of the keys of texts with an origin.
func (w wording) prefixOf(o jsondoc.Origin) string {
	path := o.Path
	if w.inPart && len(path) > 0 {
		path = path[1:]
	}
	if o.IsEntry {
		return translation.EntryPrefix(w.texts.Prefix(path))
	}
	return w.texts.Prefix(path)
}

// prefixes returns the prefix of the value and the ones of the origins of its subschemas.
func (w wording) prefixes() []string {
	prefixes := []string{w.prefix}
	if w.texts == nil || w.isOwn {
		return prefixes
	}
	for _, origin := range w.place.Origins() {
		origin.IsEntry = false
		if prefix := w.prefixOf(origin); prefix != w.prefix {
			prefixes = append(prefixes, prefix)
		}
	}
	return prefixes
}

// optionKeys returns the keys of the title of an option. own is the option's own key, "" for none.
func (w wording) optionKeys(title, own string) []string {
	if own != "" {
		return []string{own}
	}
	var keys []string
	for _, prefix := range w.prefixes() {
		keys = append(keys, translation.OptionKey(prefix, title))
	}
	return keys
}

// setTitle sets the title of an option in the language of the reader. key is the option's own key, "" for none.
func (w wording) setTitle(o *Option, title, key string) {
	o.source, o.keys = title, w.optionKeys(title, key)
	if title != "" {
		found := w.texts.Find(title, o.keys...)
		o.Title, o.Lang = found.Text, found.Lang
	}
}

// hasTitle reports whether a text is the title of an option in some language: the page may be older than the choice of the
// language.
func (n *Node) hasTitle(o Option, text string) bool {
	return searchkey.Equal(o.Title, text) || searchkey.Equal(o.source, text) || n.wording.texts.Has(text, o.keys...)
}

// heading returns the text of a group, category or note.
func (s Texts) heading(e *element, suffix string) translation.Text {
	if e.label == "" && e.i18n == "" {
		return translation.Text{}
	}
	if e.i18n != "" {
		return s.ofElement(e.part).Find(e.label, e.i18n+suffix, e.i18n+translation.SuffixLabel)
	}
	return s.ofElement(e.part).Find(e.label, translation.HeadingKey(e.label))
}

// Message returns the definition's own message for an error of the value, and false if there is none.
func (n *Node) Message(keyword string) (translation.Text, bool) {
	return n.wording.texts.FindOwn(translation.ErrorKeys(keyword, n.wording.prefixes()...)...)
}

// pathOf returns the tokens of a pointer.
func pathOf(pointer string) []string {
	path, _ := jsontext.SplitPointer(pointer)
	return path
}
