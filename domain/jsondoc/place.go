package jsondoc

import (
	"encoding/json"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/procession-dev/procession/domain/jsontext"
)

// Standing is the degree to which a statement of a schema applies.
type Standing uint8

const (
	// Always applies to every value at the place.
	Always Standing = iota
	// Now applies because of the value: a condition holds, or an alternative is selected.
	Now
	// Possible may apply to another value.
	Possible
)

// A part is a subschema that applies to a place.
type part struct {
	node     *jsonschema.Schema
	standing Standing
	// branch reports whether the part belongs to the selected alternative of a choice, named by one of its subschemas.
	branch bool
	// because is the name of the member that makes the part apply, "" for none.
	because string
}

// Place is a value of a document, present or not, with the statements of the schema about it.
type Place struct {
	outline *Outline
	outer   *Place
	pointer string
	value   any
	present bool

	// roots are the subschemas of the place itself and of selected alternatives, parts all that apply because of them.
	roots []*jsonschema.Schema
	parts []part
	// excluded are subschemas that another value would select.
	excluded []*jsonschema.Schema
	// combinations are anyOf and oneOf that are not yet resolved, conditional are parts with conditions.
	combinations []combination
	conditional  []part
	types        Types
	// nullable reports whether an alternative without a choice allows null.
	nullable  bool
	options   []EnumValue
	finite    bool
	suggested bool
	choices   []*Choice
	// sufficient are sets of members, one of which has to be present.
	sufficient [][]string
	valid      *bool
	// labels are further subschemas with annotations.
	labels   []*jsonschema.Schema
	children map[string]*Place
	members  *Members
	// limited reports whether a limit prevented parts of the place.
	limited bool
}

// newPlace creates the place of a value and collects the subschemas that apply to it. Beyond maxPlaces there are none.
func (o *Outline) newPlace(outer *Place, pointer string, value any, present bool, parts []part) *Place {
	if o.places++; o.places > maxPlaces {
		o.exhausted = true
		parts = nil
	}
	p := &Place{outline: o, outer: outer, pointer: pointer, value: value, present: present, types: TypeAny}
	for _, part := range parts {
		p.roots = append(p.roots, part.node)
		p.collect(part)
	}
	// Each of them may add more.
	for len(p.combinations)+len(p.conditional) > 0 {
		if len(p.combinations) > 0 {
			next := p.combinations[0]
			p.combinations = p.combinations[1:]
			p.resolve(next)
			continue
		}
		next := p.conditional[0]
		p.conditional = p.conditional[1:]
		p.collectConditional(next)
	}
	return p
}

// collect adds a subschema with the ones that apply because of it.
func (p *Place) collect(s part) {
	if i := slices.IndexFunc(p.parts, func(existing part) bool { return existing.node == s.node }); i >= 0 {
		p.parts[i].standing = min(p.parts[i].standing, s.standing)
		p.parts[i].branch = p.parts[i].branch && s.branch
		return
	}
	if len(p.parts) >= maxParts {
		p.limited = true
		return
	}
	p.parts = append(p.parts, s)
	f := p.outline.facts
	p.types &= ownTypes(s.node)
	f.mu.Lock()
	if own, ok := f.ownOptions(s.node); ok {
		p.options, p.finite = intersectOptions(p.options, p.finite, own)
	}
	f.mu.Unlock()
	for _, node := range withoutNil([]*jsonschema.Schema{s.node.Ref, s.node.RecursiveRef, s.node.DynamicRef}) {
		p.collect(s.with(node))
	}
	for _, node := range s.node.AllOf {
		p.collect(s.with(node))
	}
	if s.node.If != nil || len(s.node.DependentSchemas)+len(s.node.Dependencies) > 0 {
		p.conditional = append(p.conditional, s)
	}
	for _, c := range []combination{{s, s.node.AnyOf, keywordAnyOf}, {s, s.node.OneOf, keywordOneOf}} {
		if len(c.branches) > 0 {
			p.combinations = append(p.combinations, c)
		}
	}
}

// with returns a part with another subschema that applies for the same reason.
func (s part) with(node *jsonschema.Schema) part {
	s.node = node
	return s
}

// collectConditional adds the subschemas of if and of the keywords for dependencies.
func (p *Place) collectConditional(s part) {
	object, isObject := p.value.(map[string]any)
	if node := s.node; node.If != nil {
		taken, other := node.Then, node.Else
		value := p.value
		if !p.present {
			value = map[string]any{}
		}
		met, ok := p.outline.isValid(node.If, value)
		if !met {
			taken, other = other, taken
		}
		if taken != nil && ok {
			p.collect(part{node: taken, standing: max(s.standing, Now), branch: s.branch, because: p.cause(node.If)})
		}
		if other != nil {
			p.excluded = append(p.excluded, other)
		}
	}
	depend := func(name string, node *jsonschema.Schema) {
		if _, present := object[name]; present && isObject {
			p.collect(part{node: node, standing: max(s.standing, Now), branch: s.branch, because: name})
			return
		}
		p.excluded = append(p.excluded, node)
	}
	for _, name := range sortedNames(s.node.DependentSchemas) {
		depend(name, s.node.DependentSchemas[name])
	}
	for _, name := range sortedNames(s.node.Dependencies) {
		if node, ok := s.node.Dependencies[name].(*jsonschema.Schema); ok {
			depend(name, node)
		}
	}
}

// cause returns the member that a condition is about, "" if there are several.
func (p *Place) cause(condition *jsonschema.Schema) string {
	names := p.outline.declaredNames(condition)
	if len(names) == 1 {
		return names[0]
	}
	if len(names) == 0 && len(condition.Required) == 1 {
		return condition.Required[0]
	}
	return ""
}

func sortedNames[V any](named map[string]V) []string {
	names := make([]string, 0, len(named))
	for name := range named {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (o *Outline) declaredNames(node *jsonschema.Schema) []string {
	o.facts.mu.Lock()
	defer o.facts.mu.Unlock()
	return o.facts.declaredNames(node)
}

func (o *Outline) typesOf(node *jsonschema.Schema) Types {
	o.facts.mu.Lock()
	defer o.facts.mu.Unlock()
	return o.facts.typesOf(node)
}

// Pointer returns the pointer of the place in the document.
func (p *Place) Pointer() string { return p.pointer }

// HasStatements reports whether the schema says anything about the place.
func (p *Place) HasStatements() bool { return len(p.parts) > 0 }

// Present reports whether the document has a value at the place.
func (p *Place) Present() bool { return p.present }

// IsLimited reports whether a limit prevented statements about the place: only its JSON is known.
func (p *Place) IsLimited() bool { return p.limited || p.outline.exhausted }

// Types returns the types that the schema allows for the selected alternatives, all of them if it states none.
func (p *Place) Types() Types {
	if p.nullable {
		return p.types | TypeNull
	}
	return p.types
}

// IsValid reports whether the value is absent, or satisfies the statements of the schema about it.
func (p *Place) IsValid() bool {
	if p.valid == nil {
		valid := !p.present || p.satisfies(p.value)
		p.valid = &valid
	}
	return *p.valid
}

// Accepts reports whether another value, a JSON text, would satisfy the statements of the schema about the place.
func (p *Place) Accepts(text json.RawMessage) bool {
	value, levels, err := decodeText(text)
	var r reading
	return err == nil && levels <= jsontext.MaxDepth && r.measureValue(value, len(p.pointer)) && p.satisfies(value)
}

func (p *Place) satisfies(value any) bool {
	for _, node := range p.roots {
		if met, ok := p.outline.isValid(node, value); !met && ok {
			return false
		}
	}
	return true
}

// Schema returns the pointer of the first subschema for the place, "" for none or for the whole schema.
func (p *Place) Schema() string {
	if len(p.parts) == 0 {
		return ""
	}
	return pointerIn(p.parts[0].node.Location)
}

// IsRecursive reports whether the value is absent and the subschemas about it apply to an enclosing place as well.
func (p *Place) IsRecursive() bool {
	if p.present || len(p.parts) == 0 {
		return false
	}
	core := p.core()
	for outer := p.outer; outer != nil; outer = outer.outer {
		if len(core) > 0 && slices.Equal(core, outer.core()) || len(core) == 0 && p.isPartOf(outer) {
			return true
		}
	}
	return false
}

// isPartOf reports whether all subschemas about the place, but references, are about another one as well.
func (p *Place) isPartOf(outer *Place) bool {
	return !slices.ContainsFunc(p.parts, func(s part) bool {
		return !isReference(s.node) && !slices.ContainsFunc(outer.parts, func(other part) bool { return other.node == s.node })
	})
}

// core returns the subschemas that always apply and state anything but a reference.
func (p *Place) core() []*jsonschema.Schema {
	var core []*jsonschema.Schema
	for _, s := range p.parts {
		if s.standing == Always && !s.branch && !isReference(s.node) {
			core = append(core, s.node)
		}
	}
	return core
}

// Enumeration returns the values to choose from. Closed enumerations exclude null if other values are allowed.
func (p *Place) Enumeration() Enumeration {
	values := slices.DeleteFunc(slices.Clone(p.options), func(v EnumValue) bool { return v.Value == nil && len(p.options) > 1 })
	return Enumeration{Values: values, Closed: p.finite && !p.suggested}
}

// Sufficient returns sets of members of an object if one of them has to be present.
func (p *Place) Sufficient() [][]string { return p.sufficient }

// Choices returns the alternatives that have to be picked or are selected by the value.
func (p *Place) Choices() []*Choice { return p.choices }
