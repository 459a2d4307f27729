package jsondoc

import (
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// Origin identifies places in documents by the names of members that lead to them, without indexes and without names that the
// schema does not state.
type Origin struct {
	Path []string
	// IsEntry reports whether the place is an element of an array, or a member of an object, without a name of its own.
	IsEntry bool
}

// PlaceTexts are the texts of a schema about a place. Forms show one title and one description, depending on the document.
type PlaceTexts struct {
	Origin

	// Repeats reports whether documents have the place at other paths as well: the schema is recursive.
	Repeats bool
	Types   Types
	// IsTitled reports whether a title always applies, so that forms never show the name of the member.
	IsTitled bool
	// I18n are the prefixes of the keys of translations that subschemas state. HasPrefix reports whether one always applies.
	I18n                 []string
	HasPrefix            bool
	Titles, Descriptions []string
	Options              []EnumValue
	Branches             []Branch
}

// Texts lists the places that documents may have with the texts about them, outer places first. No document is needed:
// conditions, dependencies and alternatives are all met. Recursive schemas are followed once, and the list ends at a limit.
func (s *Schema) Texts() []PlaceTexts {
	if s == nil {
		return nil
	}
	f := s.facts()
	f.mu.Lock()
	defer f.mu.Unlock()
	places := f.walkTexts(s.compiled).places
	texts := make([]PlaceTexts, len(places))
	for i, p := range places {
		for outer := p; outer != nil && !p.texts.Repeats; outer = outer.outer {
			p.texts.Repeats = outer.repeats
		}
		texts[i] = p.texts
	}
	return texts
}

// TitleOrigin returns the origin of a title of the place, or of its name if no subschema has the title: the first place of Texts with
// the subschema.
func (p *Place) TitleOrigin(title string) (Origin, bool) {
	if origin, ok := p.originOf(keywordTitle, title); ok {
		return origin, true
	}
	for _, node := range slices.Concat(p.roots, p.labels) {
		if origin, ok := p.outline.origin(node); ok {
			return origin, true
		}
	}
	return Origin{}, false
}

// DescriptionOrigin returns the origin of a description of the place.
func (p *Place) DescriptionOrigin(description string) (Origin, bool) {
	return p.originOf(keywordDescription, description)
}

// originOf returns the origin of the subschema that states a text.
func (p *Place) originOf(keyword, text string) (Origin, bool) {
	for _, node := range p.nodes() {
		if p.outline.facts.sources[node].Text(keyword) == text {
			return p.outline.origin(node)
		}
	}
	return Origin{}, false
}

// Origins returns the origins of the subschemas about the place.
func (p *Place) Origins() (origins []Origin) {
	for _, node := range p.nodes() {
		for _, origin := range p.outline.origins(node) {
			if !slices.ContainsFunc(origins, func(o Origin) bool { return slices.Equal(o.Path, origin.Path) }) {
				origins = append(origins, origin)
			}
		}
	}
	return origins
}

// nodes lists the subschemas with annotations about the place.
func (p *Place) nodes() []*jsonschema.Schema {
	nodes := make([]*jsonschema.Schema, 0, len(p.parts)+len(p.labels))
	for _, s := range p.parts {
		nodes = append(nodes, s.node)
	}
	return append(nodes, p.labels...)
}

// origin returns the first origin of a subschema.
func (o *Outline) origin(node *jsonschema.Schema) (Origin, bool) {
	if origins := o.origins(node); len(origins) > 0 {
		return origins[0], true
	}
	return Origin{}, false
}

// origins returns the origins of a subschema.
func (o *Outline) origins(node *jsonschema.Schema) []Origin {
	o.facts.mu.Lock()
	defer o.facts.mu.Unlock()
	if o.facts.origins == nil {
		o.facts.origins = o.facts.walkTexts(o.schema.compiled).origins
	}
	return o.facts.origins[node]
}

// setTexts sets the texts of a place by its parts.
func (p *textPlace) setTexts(f *facts) {
	var titles, descriptions, prefixes textList
	for _, s := range p.parts {
		if !p.selects {
			own, _ := f.ownOptions(s.node)
			p.texts.Options = append(p.texts.Options, own...)
		}
		if source := f.sources[s.node]; !s.branch {
			titles.add(p, s, source.Text(keywordTitle))
			descriptions.add(p, s, source.Text(keywordDescription))
			prefixes.add(p, s, source.Text(keywordI18n))
		}
	}
	for _, node := range p.labels {
		source := f.sources[node]
		titles.add(p, textPart{}, source.Text(keywordTitle))
		descriptions.add(p, textPart{}, source.Text(keywordDescription))
		prefixes.add(p, textPart{}, source.Text(keywordI18n))
	}
	p.texts.Types, p.texts.Descriptions = p.types, descriptions.texts
	p.texts.Titles, p.texts.IsTitled = titles.texts, titles.isSettled(p)
	p.texts.I18n, p.texts.HasPrefix = prefixes.texts, prefixes.isSettled(p)
}

// textList is a list of texts. Forms show one of them.
type textList struct {
	texts []string
	// settled are the roots of a place with a text that always applies with them, all reports whether one of them always applies.
	settled map[int]bool
	all     bool
}

// add adds a text that may be shown. Forms do not show others after one that always applies.
func (l *textList) add(p *textPlace, s textPart, text string) {
	if text == "" || l.all || s.firm && l.settled[s.root] {
		return
	}
	if s.firm {
		if l.settled == nil {
			l.settled = map[int]bool{}
		}
		l.settled[s.root], l.all = true, p.roots[s.root].firm
	}
	if !slices.Contains(l.texts, text) {
		l.texts = append(l.texts, text)
	}
}

// isSettled reports whether one of the texts is shown in every document with the place.
func (l *textList) isSettled(p *textPlace) bool {
	return l.all || len(l.settled) > 0 && len(l.settled) == len(p.roots)
}
