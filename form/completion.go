package form

import (
	"encoding/json"
	"slices"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/translation"
)

// maxCompletions is the maximum number of completions of one position.
const maxCompletions = 200

// Completion is a text to insert in a JSON text.
type Completion struct {
	// Text is JSON: the name of a member, or a value.
	Text string
	// Title is the title of the member or value, "" for none, and Help the description.
	Title, Help string
	// Types are the types of the member.
	Types jsondoc.Types
	// IsName reports whether Text is the name of a member, Required whether the member is required.
	IsName, Required bool
}

// Completions are texts that replace the bytes from From to To of a JSON text.
type Completions struct {
	From, To int
	// Comma reports whether a comma is missing in front.
	Comma bool
	List  []Completion
}

// CompleteJSON returns the names and values that the schema allows at a byte of the text of a control of KindJSON. The text may be
// incomplete.
func (s *Editor) CompleteJSON(n *Node, text string, cursor int) (Completions, error) {
	k, value := readSketch(text, cursor)
	if k.slot == nil {
		return Completions{}, nil
	}
	whole, err := ReplaceValue(s.Value(), n.Pointer, value)
	if err != nil {
		return Completions{}, err
	}
	outline, err := s.outline.With(whole)
	if err != nil {
		return Completions{}, err
	}
	found := Completions{From: k.slot.From, To: k.slot.To, Comma: !k.slot.separated}
	p := outline.At(n.Pointer + k.slot.pointer)
	if p == nil || p.IsLimited() || !p.HasStatements() {
		return found, nil
	}
	if k.slot.isName {
		found.List = s.completeNames(p, k.slot)
	} else {
		found.List = s.completeValues(p)
	}
	found.List = found.List[:min(len(found.List), maxCompletions)]
	return found, nil
}

// completeNames returns the members that an object lacks, the required ones first.
func (s *Editor) completeNames(p *jsondoc.Place, at *slot) []Completion {
	var names []Completion
	for _, named := range p.Members().Named {
		if at.has(named.Name) {
			continue
		}
		member := p.Member(named.Name)
		a := member.Annotations()
		w := s.sources.at(pathOf(member.Pointer()), member, nil)
		names = append(names, Completion{
			Text: string(jsonText(named.Name)), Title: w.find(a.Title, translation.SuffixLabel).Text,
			Help: w.find(a.Description, translation.SuffixDescription).Text, Types: member.StatedTypes(),
			IsName: true, Required: named.Required.IsRequired(),
		})
	}
	slices.SortStableFunc(names, func(a, b Completion) int {
		switch {
		case a.Required == b.Required:
			return 0
		case a.Required:
			return -1
		}
		return 1
	})
	return names
}

// completeValues returns the values that a schema names, and beginnings of the types that it allows.
func (s *Editor) completeValues(p *jsondoc.Place) (values []Completion) {
	add := func(text, title string) {
		if text != "" && !slices.ContainsFunc(values, func(c Completion) bool { return c.Text == text }) {
			values = append(values, Completion{Text: text, Title: title})
		}
	}
	options, closed := listOptions(p, s.sources.at(pathOf(p.Pointer()), p, nil))
	for _, option := range options {
		title := option.Title
		if title == memberName(option.Value) {
			title = ""
		}
		add(option.Value, title)
	}
	types := p.StatedTypes()
	if (closed || types != jsondoc.TypeAny) && p.Accepts(json.RawMessage("null")) {
		defer func() { add("null", "") }()
	}
	if closed {
		return values
	}
	a := p.Annotations()
	add(string(a.Default), "")
	for _, example := range a.Examples {
		add(string(example), "")
	}
	if types == jsondoc.TypeAny {
		return values
	}
	if types.Has(jsondoc.TypeBoolean) {
		add("true", "")
		add("false", "")
	}
	if types.Has(jsondoc.TypeObject) {
		add(string(jsonText(requiredMembers(p))), "")
		add("{}", "")
	}
	if types.Has(jsondoc.TypeArray) {
		add("[]", "")
	}
	if types.Has(jsondoc.TypeString) && len(values) == 0 {
		add(`""`, "")
	}
	return values
}

// requiredMembers returns an object with the required members of a place: constants, defaults, and empty values.
func requiredMembers(p *jsondoc.Place) *object {
	made := jsondoc.NewObject()
	for _, named := range p.Members().Named {
		if !named.Required.IsRequired() {
			continue
		}
		member := p.Member(named.Name)
		if options := member.Enumeration(); len(options.Values) > 0 {
			made.Set(named.Name, options.Values[0].Value)
			continue
		}
		if value, err := jsondoc.DecodeExactly(member.Annotations().Default, maxSketchDepth); err == nil && value != nil {
			made.Set(named.Name, value)
			continue
		}
		switch types := member.StatedTypes(); {
		case types.Has(jsondoc.TypeString):
			made.Set(named.Name, "")
		case types.Has(jsondoc.TypeBoolean):
			made.Set(named.Name, false)
		case types.Has(jsondoc.TypeArray):
			made.Set(named.Name, []any{})
		case types.Has(jsondoc.TypeObject):
			made.Set(named.Name, jsondoc.NewObject())
		default:
			made.Set(named.Name, nil)
		}
	}
	return made
}

// LocateJSON returns the bytes of a JSON text that contain the value at a pointer, or the closest value around it.
func LocateJSON(text, pointer string) (from, to int) {
	k, _ := readSketch(text, -1)
	found := k.locate(pointer)
	return found.From, found.To
}
