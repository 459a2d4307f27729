package translation

import (
	"slices"

	"golang.org/x/text/language"
)

// Reader is a person with languages. A nil Reader reads the texts of the definitions.
type Reader struct {
	page string
	// chain are the languages in the order of preference, each before its parents.
	chain []string
}

// maxReaderLanguages limits the languages of a reader.
const maxReaderLanguages = 16

// NewReader returns the reader of a page in a language, with the preferred languages. The language of the page is the last
// one.
func NewReader(page language.Tag, preferred ...language.Tag) *Reader {
	r := &Reader{page: page.String()}
	for _, tag := range append(slices.Clone(preferred[:min(len(preferred), maxReaderLanguages)]), page) {
		for ; tag != language.Und; tag = tag.Parent() {
			if name := tag.String(); !slices.Contains(r.chain, name) {
				r.chain = append(r.chain, name)
			}
		}
	}
	return r
}

// Language returns the reader's first language, "" for a nil Reader.
func (r *Reader) Language() string {
	if r == nil {
		return ""
	}
	return r.chain[0]
}

// Languages returns the reader's languages in the order of preference, none for a nil Reader.
func (r *Reader) Languages() []string {
	if r == nil {
		return nil
	}
	return slices.Clone(r.chain)
}

// covers reports whether a reader of a language reads another one as well: a regional form of it.
func covers(tag, other string) bool {
	parsed, err := language.Parse(other)
	for ; err == nil && parsed != language.Und; parsed = parsed.Parent() {
		if parsed.String() == tag {
			return true
		}
	}
	return false
}

// choose returns the text of the first of the reader's languages that has one, or the source, a text in a language. find
// returns the text in exactly one language, "" for none.
func (r *Reader) choose(source, of string, find func(tag string) string) Text {
	for _, tag := range r.chain {
		if found := find(tag); found != "" {
			return r.mark(found, tag)
		}
		if covers(tag, of) {
			break
		}
	}
	if source == "" {
		return Text{}
	}
	return r.mark(source, of)
}

// mark returns a text with its language, unless the page is in that language.
func (r *Reader) mark(text, tag string) Text {
	if tag == "" || covers(r.page, tag) {
		return Text{Text: text}
	}
	return Text{Text: text, Lang: tag}
}

// Text is a text for a page. Lang is its language, "" for the language of the page or an unknown one.
type Text struct{ Text, Lang string }

// String returns the text.
func (t Text) String() string { return t.Text }
