package jsondoc

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/procession-dev/procession/domain/jsontext"
)

// Members describes the members of an object at a place.
type Members struct {
	// Named are the members that the schema names, in its order.
	Named []Named
	// Stray are the members of the value that the schema excludes, or names in alternatives that are not selected.
	Stray []string
	// Rest reports whether other names are allowed, and Typed whether their values have a schema.
	Rest, Typed bool
	// Min and Max limit the number of members; -1 means no limit.
	Min, Max int
}

// Named is a member with a name.
type Named struct {
	Name     string
	Required Requirement
}

// Requirement is the reason why a member is required. It applies if Standing is not Possible.
type Requirement struct {
	Standing Standing
	// Because is the member that causes it, "" for none.
	Because string
}

// IsRequired reports whether the member is required now.
func (r Requirement) IsRequired() bool { return r.Standing != Possible }

// Members returns the description of the members of an object.
func (p *Place) Members() Members {
	if p.members == nil {
		m := p.readMembers()
		p.members = &m
	}
	return *p.members
}

func (p *Place) readMembers() Members {
	m := Members{Rest: true, Min: -1, Max: -1}
	seen := map[string]bool{}
	required := p.requirements()
	patterns := false
	for _, s := range p.parts {
		for _, name := range p.outline.propertyNames(s.node) {
			if seen[name] {
				continue
			}
			seen[name] = true
			need, ok := required[name]
			if !ok {
				need.Standing = Possible
			}
			m.Named = append(m.Named, Named{Name: name, Required: need})
		}
		m.limitRest(s.node)
		patterns = patterns || len(s.node.PatternProperties) > 0
	}
	p.nameDiscriminators(&m, seen, required)
	m.Typed = m.Typed && m.Rest || patterns
	m.Stray = p.strayNames(seen)
	return m
}

// limitRest adds the keywords of a subschema about members without a name.
func (m *Members) limitRest(node *jsonschema.Schema) {
	rest, _ := node.AdditionalProperties.(*jsonschema.Schema)
	for _, of := range withoutNil([]*jsonschema.Schema{rest, node.UnevaluatedProperties}) {
		m.Rest = m.Rest && (of.Always == nil || *of.Always)
		m.Typed = m.Typed || of.Always == nil
	}
	m.Rest = m.Rest && node.AdditionalProperties != false
	m.Min, m.Max = max(m.Min, node.MinProperties), smallerCount(m.Max, node.MaxProperties)
}

// nameDiscriminators adds the members that select the branch of a choice.
func (p *Place) nameDiscriminators(m *Members, seen map[string]bool, required map[string]Requirement) {
	for _, choice := range p.choices {
		if choice.By == "" || seen[choice.By] {
			continue
		}
		seen[choice.By] = true
		need, ok := required[choice.By]
		if !ok {
			need = Requirement{Standing: Always}
			for _, branch := range choice.Branches {
				if !slices.Contains(branch.Required, choice.By) {
					need.Standing = Possible
				}
			}
		}
		m.Named = append(m.Named, Named{Name: choice.By, Required: need})
	}
}

// requirements returns the required members.
func (p *Place) requirements() map[string]Requirement {
	required := map[string]Requirement{}
	add := func(name string, need Requirement) {
		if need.Because == name {
			need.Because = ""
		}
		if before, ok := required[name]; !ok || need.Standing < before.Standing {
			required[name] = need
		}
	}
	object, _ := p.value.(map[string]any)
	depend := func(s part, name string, needed []string) {
		standing := Possible
		if _, present := object[name]; present {
			standing = max(s.standing, Now)
		}
		for _, other := range needed {
			add(other, Requirement{Standing: standing, Because: name})
		}
	}
	for _, s := range p.parts {
		names := s.node.Required
		if rules := rulesOf(s.node); rules != nil {
			names = slices.Concat(names, rules.onUpdate)
		}
		for _, name := range names {
			add(name, Requirement{Standing: s.standing, Because: s.because})
		}
		for _, name := range sortedNames(s.node.DependentRequired) {
			depend(s, name, s.node.DependentRequired[name])
		}
		for _, name := range sortedNames(s.node.Dependencies) {
			if needed, ok := s.node.Dependencies[name].([]string); ok {
				depend(s, name, needed)
			}
		}
	}
	return required
}

// strayNames returns the members of the value that are only named by excluded subschemas, or forbidden.
func (p *Place) strayNames(named map[string]bool) []string {
	object, _ := p.value.(map[string]any)
	if len(object) == 0 {
		return nil
	}
	excluded := map[string]bool{}
	for _, node := range p.excluded {
		for _, name := range p.outline.declaredNames(node) {
			excluded[name] = true
		}
	}
	var stray []string
	for _, name := range sortedNames(object) {
		if named[name] {
			continue
		}
		forbidden := slices.ContainsFunc(p.parts, func(s part) bool { return forbids(s.node, name) })
		if excluded[name] || forbidden {
			stray = append(stray, name)
		}
	}
	return stray
}

// forbids reports whether a subschema allows no member with a name that it does not declare.
func forbids(node *jsonschema.Schema, name string) bool {
	closed := node.AdditionalProperties == false
	if rest, ok := node.AdditionalProperties.(*jsonschema.Schema); ok {
		closed = rest.Always != nil && !*rest.Always
	}
	return closed && !isDeclared(node, name)
}

// Child returns the place of a member or an element by its token in a pointer.
func (p *Place) Child(token string) *Place {
	if _, isArray := p.value.([]any); isArray || !p.present && !p.types.Has(TypeObject) {
		return p.Item(token)
	}
	return p.Member(token)
}

// Member returns the place of a member, which may be absent.
func (p *Place) Member(name string) *Place {
	if child, ok := p.children[name]; ok {
		return child
	}
	object, _ := p.value.(map[string]any)
	value, present := object[name]
	var parts []part
	by := p.choiceBy(name)
	for _, s := range p.parts {
		if by != nil && s.branch {
			continue
		}
		for _, node := range p.memberSchemas(s.node, name) {
			parts = append(parts, part{node: node, standing: s.standing})
		}
	}
	child := p.addChild(name, value, present, parts)
	if by != nil {
		p.addDiscriminator(child, by, name)
		return child
	}
	child.resolveTypes()
	return child
}

func (p *Place) choiceBy(name string) *Choice {
	for _, choice := range p.choices {
		if choice.By == name {
			return choice
		}
	}
	return nil
}

// addDiscriminator gives a member that selects a branch the values of all branches.
func (p *Place) addDiscriminator(child *Place, c *Choice, name string) {
	f := p.outline.facts
	f.mu.Lock()
	defer f.mu.Unlock()
	union := f.selectorOptions(c.Branches, name)
	if child.finite {
		for i := range child.options {
			if at := findOption(union, child.options[i].Value); at >= 0 && child.options[i].Title == "" {
				child.options[i].Title = union[at].Title
			}
		}
		return
	}
	child.options, child.finite = union, true
	var types Types
	for _, option := range union {
		types |= typeOf(option.Value)
	}
	child.types &= types
	child.labels = append(child.labels, f.selectorNodes(c.Branches, name)...)
}

// memberSchemas returns the subschemas of a part for a member.
func (p *Place) memberSchemas(node *jsonschema.Schema, name string) []*jsonschema.Schema {
	found := memberNodes(node, name, p.outline.matches)
	if rest := node.UnevaluatedProperties; len(found) == 0 && rest != nil && !p.isNamed(name) {
		found = append(found, rest)
	}
	return found
}

// memberNodes returns the subschemas of one for a member: by its name, by patterns, or else the one for other members.
func memberNodes(node *jsonschema.Schema, name string, matches func(*regexp.Regexp, string) bool) (found []*jsonschema.Schema) {
	if of := node.Properties[name]; of != nil {
		found = append(found, of)
	}
	for _, expression := range sortedPatterns(node) {
		if matches(expression, name) {
			found = append(found, node.PatternProperties[expression])
		}
	}
	if rest, ok := node.AdditionalProperties.(*jsonschema.Schema); ok && len(found) == 0 {
		found = append(found, rest)
	}
	return found
}

// sortedPatterns lists the patterns of patternProperties by their texts.
func sortedPatterns(node *jsonschema.Schema) []*regexp.Regexp {
	if len(node.PatternProperties) == 0 {
		return nil
	}
	sorted := slices.Collect(maps.Keys(node.PatternProperties))
	slices.SortFunc(sorted, func(a, b *regexp.Regexp) int { return strings.Compare(a.String(), b.String()) })
	return sorted
}

// matches reports whether a name matches a pattern. Beyond the work of the outline none does.
func (o *Outline) matches(expression *regexp.Regexp, name string) bool {
	o.meter.spent += (len(name) + 1) * o.schema.patterns[expression] / instructionsPerUnit
	o.exhausted = o.exhausted || o.meter.spent > o.meter.limit
	return !o.exhausted && expression.MatchString(name)
}

// isNamed reports whether a part declares a member.
func (p *Place) isNamed(name string) bool {
	return slices.ContainsFunc(p.parts, func(s part) bool { return s.node.Properties[name] != nil })
}

func (p *Place) addChild(token string, value any, present bool, parts []part) *Place {
	child := p.outline.newPlace(p, p.pointer+"/"+jsontext.EscapeToken(token), value, present, parts)
	if p.children == nil {
		p.children = map[string]*Place{}
	}
	p.children[token] = child
	return child
}

// Elements describes the elements of an array at a place.
type Elements struct {
	// Prefix is the number of elements with schemas of their own.
	Prefix int
	// Rest reports whether more elements are allowed.
	Rest bool
}

// Elements returns the description of the elements of an array.
func (p *Place) Elements() Elements {
	e := Elements{Rest: true}
	for _, s := range p.parts {
		prefix, rest := itemSchemas(s.node)
		e.Prefix = max(e.Prefix, len(prefix))
		if rest != nil && rest.Always != nil && !*rest.Always || len(prefix) > 0 && s.node.AdditionalItems == false {
			e.Rest = false
		}
		if s.node.MaxItems >= 0 && s.node.MaxItems <= len(prefix) {
			e.Rest = false
		}
	}
	return e
}

// itemSchemas returns the subschemas of the first elements and the one of the others, which may be nil.
func itemSchemas(node *jsonschema.Schema) (prefix []*jsonschema.Schema, rest *jsonschema.Schema) {
	prefix, rest = node.PrefixItems, node.Items2020
	switch items := node.Items.(type) {
	case []*jsonschema.Schema:
		prefix = items
		rest, _ = node.AdditionalItems.(*jsonschema.Schema)
	case *jsonschema.Schema:
		rest = items
	}
	if rest == nil {
		rest = node.UnevaluatedItems
	}
	return prefix, rest
}

// Item returns the place of an element by its token in a pointer. A token that is no index stands for a new element at
// the end.
func (p *Place) Item(token string) *Place {
	if child, ok := p.children[token]; ok {
		return child
	}
	array, _ := p.value.([]any)
	i, isIndex := jsontext.Index(token)
	if !isIndex {
		i = len(array)
	}
	var value any
	present := i < len(array)
	if present {
		value = array[i]
	}
	var parts []part
	for _, s := range p.parts {
		prefix, rest := itemSchemas(s.node)
		switch {
		case i < len(prefix):
			parts = append(parts, part{node: prefix[i], standing: s.standing})
		case rest != nil:
			parts = append(parts, part{node: rest, standing: s.standing})
		}
	}
	child := p.addChild(token, value, present, parts)
	child.resolveTypes()
	return child
}

func (o *Outline) propertyNames(node *jsonschema.Schema) []string {
	o.facts.mu.Lock()
	defer o.facts.mu.Unlock()
	return o.facts.propertyNames(node)
}
