package form

import (
	"cmp"

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
}

// TextsOf returns the texts of a form with one schema. They may be nil.
func TextsOf(texts *translation.Texts) Texts { return Texts{whole: texts} }

// within returns the texts of a value within the value of the form.
func (s Texts) within(path []string) Texts { return Texts{whole: s.whole.Within(path...)} }

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
	// prefix is the prefix of the keys. isEntry reports whether it belongs to the array around the value.
	prefix  string
	isEntry bool
}

// at returns the wording of the value at a path, with the element that shows it or nil.
func (s Texts) at(path []string, p *jsondoc.Place, e *element) wording {
	w := wording{texts: s.whole}
	if s.parts != nil && len(path) > 0 {
		w.texts, path = s.parts[path[0]], path[1:]
	}
	if w.texts == nil {
		return w
	}
	own := ""
	if e != nil {
		own = e.i18n
	}
	own = cmp.Or(own, p.Annotations().I18n)
	w.prefix = cmp.Or(own, w.texts.Prefix(path))
	w.isEntry = own == "" && len(path) > 0 && translation.IsIndex(path[len(path)-1])
	return w
}

// find returns the text with a suffix, or the source.
func (w wording) find(source, suffix string) translation.Text {
	if w.isEntry {
		return w.texts.Find(source)
	}
	return w.texts.Find(source, w.prefix+suffix)
}

// optionKey returns the key of the title of an option. own is the option's own key, "" for none.
func (w wording) optionKey(title, own string) string { return cmp.Or(own, w.prefix+"."+title) }

// setTitle sets the title of an option in the language of the reader. key is the option's own key, "" for none.
func (w wording) setTitle(o *Option, title, key string) {
	o.source, o.key = title, w.optionKey(title, key)
	if title != "" {
		found := w.texts.Find(title, o.key)
		o.Title, o.Lang = found.Text, found.Lang
	}
}

// hasTitle reports whether a text is the title of an option in some language: the page may be older than the choice of the
// language.
func (n *Node) hasTitle(o Option, text string) bool {
	return searchkey.Equal(o.Title, text) || searchkey.Equal(o.source, text) || n.wording.texts.Has(text, o.key)
}

// heading returns the text of a group, category or note.
func (s Texts) heading(e *element, suffix string) translation.Text {
	if e.label == "" && e.i18n == "" {
		return translation.Text{}
	}
	if e.i18n != "" {
		return s.ofElement(e.part).Find(e.label, e.i18n+suffix, e.i18n+translation.SuffixLabel)
	}
	return s.ofElement(e.part).Find(e.label, e.label)
}

// Message returns the definition's own message for an error of the value, and false if there is none.
func (n *Node) Message(keyword string) (translation.Text, bool) {
	return n.wording.texts.FindOwn(translation.ErrorKeys(n.wording.prefix, keyword)...)
}

// pathOf returns the tokens of a pointer.
func pathOf(pointer string) []string {
	path, _ := jsontext.SplitPointer(pointer)
	return path
}
