package jsondoc

import (
	"encoding/binary"
	"regexp"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

const (
	// maxTextPlaces limits the places of a schema with texts, maxTextParts the subschemas about them. Beyond maxTextRepeats
	// places, subschemas that were followed before are not followed again.
	maxTextPlaces  = 20_000
	maxTextParts   = 200_000
	maxTextRepeats = 500
	// maxTextDepth limits the nesting of places.
	maxTextDepth = 64
)

// textWalk is a walk over the places that documents may have.
type textWalk struct {
	facts  *facts
	queue  []*textPlace
	places []*textPlace
	// origins are the first places of the subschemas, and alternatives the subschemas that are alternatives there.
	origins      map[*jsonschema.Schema][]Origin
	alternatives map[*jsonschema.Schema]bool
	// visited are sets of subschemas about a place, by the numbers of the subschemas.
	visited map[string]bool
	numbers map[*jsonschema.Schema]uint32
	parts   int
}

// textPlace is a place of a textWalk.
type textPlace struct {
	outer   *textPlace
	texts   PlaceTexts
	repeats bool
	roots   []textPart
	parts   []textPart
	// indexes are the indexes of the parts.
	indexes map[*jsonschema.Schema]int
	// labels are further subschemas with annotations. selects reports whether the member selects a branch.
	labels  []*jsonschema.Schema
	selects bool
	choices []textChoice
	types   Types
	// combinations and conditional are not yet followed.
	combinations []textCombination
	conditional  []textPart
}

// A textPart is a subschema about a place. A firm one always applies with its root, and a firm root to every value. One of a branch
// applies to the values of an alternative.
type textPart struct {
	node         *jsonschema.Schema
	root         int
	firm, branch bool
}

func (s textPart) with(node *jsonschema.Schema) textPart {
	s.node = node
	return s
}

// textCombination is an anyOf or oneOf of a part.
type textCombination struct {
	part     textPart
	branches []*jsonschema.Schema
}

// textChoice is a choice by a member, or "".
type textChoice struct {
	by       string
	branches []Branch
}

// walkTexts visits the places that documents may have, outer ones first. It needs the lock.
func (f *facts) walkTexts(root *jsonschema.Schema) *textWalk {
	w := &textWalk{
		facts: f, origins: map[*jsonschema.Schema][]Origin{}, alternatives: map[*jsonschema.Schema]bool{}, visited: map[string]bool{}, numbers: map[*jsonschema.Schema]uint32{},
	}
	w.queue = []*textPlace{{roots: []textPart{{node: root, firm: true}}}}
	for len(w.queue) > 0 && len(w.places) < maxTextPlaces && w.parts < maxTextParts {
		next := w.queue[0]
		w.queue = w.queue[1:]
		w.visit(next)
	}
	return w
}

// visit collects the texts of a place, and adds the places within it.
func (w *textWalk) visit(p *textPlace) {
	w.places = append(w.places, p)
	p.types, p.indexes = TypeAny, map[*jsonschema.Schema]int{}
	for i, root := range p.roots {
		p.collect(textPart{node: root.node, root: i, firm: true})
	}
	for len(p.combinations)+len(p.conditional) > 0 {
		if len(p.combinations) > 0 {
			next := p.combinations[0]
			p.combinations = p.combinations[1:]
			w.facts.resolveTexts(p, next)
			continue
		}
		next := p.conditional[0]
		p.conditional = p.conditional[1:]
		p.collectConditional(next)
	}
	w.parts += len(p.parts)
	p.setTexts(w.facts)
	for _, s := range p.parts {
		w.addOrigin(s.node, p, s.branch)
	}
	for _, node := range p.labels {
		w.addOrigin(node, p, false)
	}
	if !w.isFollowed(p) {
		w.addMembers(p)
		w.addEntries(p)
	}
	p.roots, p.parts, p.labels, p.choices = nil, nil, nil, nil
}

// addOrigin records the first place of a subschema and, ahead of one where it is an alternative, the first one where it is not: its
// texts name the alternative, or the place.
func (w *textWalk) addOrigin(node *jsonschema.Schema, p *textPlace, branch bool) {
	known := w.origins[node]
	switch {
	case len(known) == 0:
		w.origins[node], w.alternatives[node] = []Origin{p.texts.Origin}, branch
	case w.alternatives[node] && !branch:
		w.origins[node], w.alternatives[node] = []Origin{p.texts.Origin, known[0]}, false
	}
}

// isFollowed reports whether the places within a place are known: its subschemas describe an enclosing place, or were followed
// before in a large schema.
func (w *textWalk) isFollowed(p *textPlace) bool {
	depth := 0
	for outer := p.outer; outer != nil; outer = outer.outer {
		if depth++; p.isWithin(outer) {
			outer.repeats = true
			return true
		}
	}
	key := w.keyOf(p)
	visited := w.visited[key]
	w.visited[key] = true
	return depth > maxTextDepth || visited && len(w.places) > maxTextRepeats
}

// isWithin reports whether all subschemas about a place, but references, are about another one as well.
func (p *textPlace) isWithin(outer *textPlace) bool {
	found := false
	for _, s := range p.parts {
		if isReference(s.node) {
			continue
		}
		if _, found = outer.indexes[s.node]; !found {
			return false
		}
	}
	return found
}

// keyOf returns a text that is the same for places with the same subschemas only.
func (w *textWalk) keyOf(p *textPlace) string {
	numbers := make([]uint32, 0, len(p.parts))
	for _, s := range p.parts {
		if isReference(s.node) {
			continue
		}
		number, known := w.numbers[s.node]
		if !known {
			number = uint32(len(w.numbers)) //nolint:gosec // Schemas have fewer subschemas.
			w.numbers[s.node] = number
		}
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	key := make([]byte, 0, 4*len(numbers))
	for _, number := range numbers {
		key = binary.BigEndian.AppendUint32(key, number)
	}
	return string(key)
}

// collect adds a subschema with the ones that apply because of it.
func (p *textPlace) collect(s textPart) {
	if i, known := p.indexes[s.node]; known {
		if s.firm && p.roots[s.root].firm {
			p.parts[i].root, p.parts[i].firm = s.root, true
		}
		p.parts[i].branch = p.parts[i].branch && s.branch
		return
	}
	p.indexes[s.node] = len(p.parts)
	p.parts = append(p.parts, s)
	if s.firm && p.roots[s.root].firm {
		p.types &= ownTypes(s.node)
	}
	for _, node := range withoutNil([]*jsonschema.Schema{s.node.Ref, s.node.RecursiveRef, s.node.DynamicRef}) {
		p.collect(s.with(node))
	}
	for _, node := range s.node.AllOf {
		p.collect(s.with(node))
	}
	if s.node.If != nil || len(s.node.DependentSchemas)+len(s.node.Dependencies) > 0 {
		p.conditional = append(p.conditional, s)
	}
	for _, branches := range [][]*jsonschema.Schema{s.node.AnyOf, s.node.OneOf} {
		if len(branches) > 0 {
			p.combinations = append(p.combinations, textCombination{s, branches})
		}
	}
}

// collectConditional adds all subschemas of if and of the keywords for dependencies.
func (p *textPlace) collectConditional(s textPart) {
	s.firm = false
	if s.node.If != nil {
		for _, node := range withoutNil([]*jsonschema.Schema{s.node.Then, s.node.Else}) {
			p.collect(s.with(node))
		}
	}
	for _, name := range sortedNames(s.node.DependentSchemas) {
		p.collect(s.with(s.node.DependentSchemas[name]))
	}
	for _, name := range sortedNames(s.node.Dependencies) {
		if node, ok := s.node.Dependencies[name].(*jsonschema.Schema); ok {
			p.collect(s.with(node))
		}
	}
}

// resolveTexts adds all branches of a combination, by the rules of Place.resolve.
func (f *facts) resolveTexts(p *textPlace, c textCombination) {
	var branches []*jsonschema.Schema
	var union Types
	for _, branch := range c.branches {
		types := f.typesOf(branch)
		union |= types
		if types &= p.types; types != 0 && (types != TypeNull || p.types == TypeNull) {
			branches = append(branches, branch)
		}
	}
	if c.part.firm && p.roots[c.part.root].firm {
		p.types &= union
	}
	if len(branches) == 0 || len(branches) > maxBranches {
		return
	}
	values, _, hasValues := f.valuesOf(branches)
	switch {
	case len(branches) == 1 && (!hasValues || len(values) != 1):
		p.collect(c.part.with(branches[0]))
	case hasValues:
		p.texts.Options = append(p.texts.Options, values...)
	case f.areRequirements(branches), f.areScalars(branches):
	default:
		facts := f.choiceOf(branches, f.sources[c.part.node])
		choice := textChoice{by: facts.by, branches: f.branchesOf(branches, facts)}
		p.choices = append(p.choices, choice)
		if choice.by == "" {
			p.texts.Branches = append(p.texts.Branches, choice.branches...)
		}
		for _, node := range branches {
			p.collect(textPart{node: node, root: c.part.root, branch: true})
		}
	}
}

// addMembers adds the members of an object that the schema names, in its order.
func (w *textWalk) addMembers(p *textPlace) {
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			w.addMember(p, name)
		}
	}
	for _, s := range p.parts {
		for _, name := range w.facts.propertyNames(s.node) {
			add(name)
		}
	}
	for _, choice := range p.choices {
		if choice.by != "" {
			add(choice.by)
		}
	}
}

func (w *textWalk) addMember(p *textPlace, name string) {
	member := &textPlace{outer: p}
	member.texts.Path = slices.Concat(p.texts.Path, []string{name})
	for _, choice := range p.choices {
		if choice.by == name && name != "" {
			member.selects = true
			member.texts.Options = append(member.texts.Options, w.facts.selectorOptions(choice.branches, name)...)
			member.labels = append(member.labels, w.facts.selectorNodes(choice.branches, name)...)
		}
	}
	for _, s := range p.parts {
		if s.branch && member.selects {
			continue
		}
		for _, node := range memberNodes(s.node, name, (*regexp.Regexp).MatchString) {
			member.roots = append(member.roots, textPart{node: node, firm: s.firm})
		}
	}
	w.queue = append(w.queue, member)
}

// addEntries adds the elements of an array, and the members of an object without a name of their own.
func (w *textWalk) addEntries(p *textPlace) {
	for _, s := range p.parts {
		prefix, rest := itemSchemas(s.node)
		entries := append(slices.Clone(prefix), rest, s.node.UnevaluatedProperties)
		for _, expression := range sortedPatterns(s.node) {
			entries = append(entries, s.node.PatternProperties[expression])
		}
		others, _ := s.node.AdditionalProperties.(*jsonschema.Schema)
		for _, node := range withoutNil(append(entries, others)) {
			entry := &textPlace{outer: p, roots: []textPart{{node: node, firm: true}}}
			entry.texts.Origin = Origin{Path: p.texts.Path, IsEntry: true}
			w.queue = append(w.queue, entry)
		}
	}
}
