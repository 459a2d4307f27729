package jsondoc

import (
	"cmp"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/procession-dev/procession/domain/jsontext"
)

const (
	keywordAnyOf = "anyOf"
	keywordOneOf = "oneOf"
)

// Choice is an anyOf or oneOf at a place with several alternatives.
type Choice struct {
	Key ChoiceKey
	// Exclusive reports whether exactly one alternative may match.
	Exclusive bool
	Branches  []Branch
	// Selected is the index of the branch that the place follows, -1 if the member By has to be chosen first.
	Selected int
	// Certain reports whether the value or a person has selected the branch, or it is the only valid one.
	Certain bool
	// By is the member with different values in all branches, "" for none.
	By string
	// OfTypes reports whether the branches are the types of a place that states several, or none.
	OfTypes bool
}

// Branch is an alternative of a Choice.
type Branch struct {
	// Title is the title of the alternative, or a name made from its reference, or "".
	Title string
	// IsTitled reports whether Title is a title.
	IsTitled bool
	// I18n is the key of the translation of the title, "" for none of its own.
	I18n  string
	Types Types
	// Schema is the pointer of the alternative in the schema.
	Schema string
	// Required are the members that the alternative requires.
	Required []string

	node *jsonschema.Schema
	// mapped are the values of the discriminating member if the subschema does not state them.
	mapped []EnumValue
}

// A combination is an anyOf or oneOf of a part.
type combination struct {
	part     part
	branches []*jsonschema.Schema
	keyword  string
}

// resolve adds the branches of a combination that apply, or a choice.
func (p *Place) resolve(c combination) {
	var branches []*jsonschema.Schema
	for _, branch := range c.branches {
		types := p.outline.typesOf(branch) & p.types
		if types == 0 || types == TypeNull && p.types != TypeNull {
			continue
		}
		branches = append(branches, branch)
	}
	union := p.unionTypes(c.branches)
	p.nullable = p.nullable || (union & p.types).Has(TypeNull)
	p.types &= union
	switch {
	case len(branches) == 0:
	case len(branches) == 1 && !p.outline.isConstant(branches[0]):
		p.collect(c.part.with(branches[0]))
	case len(branches) > maxBranches:
		p.limited = true
	case p.resolveValues(branches), p.resolveRequirements(branches), p.resolveScalars(branches):
	default:
		p.choose(c, branches)
	}
}

// isConstant reports whether a subschema allows one value only.
func (o *Outline) isConstant(node *jsonschema.Schema) bool {
	o.facts.mu.Lock()
	defer o.facts.mu.Unlock()
	options, finite := o.facts.optionsOf(node)
	return finite && len(options) == 1
}

func (p *Place) unionTypes(branches []*jsonschema.Schema) (union Types) {
	for _, branch := range branches {
		union |= p.outline.typesOf(branch)
	}
	return union
}

// resolveValues handles branches with a few values each, and such branches next to one plain type.
func (p *Place) resolveValues(branches []*jsonschema.Schema) bool {
	f := p.outline.facts
	f.mu.Lock()
	defer f.mu.Unlock()
	values, closed, ok := f.valuesOf(branches)
	switch {
	case !ok || !closed && p.finite:
		return false
	case closed:
		p.options, p.finite = intersectOptions(p.options, p.finite, values)
	default:
		p.options, p.suggested = values, true
	}
	return true
}

// valuesOf returns the values of branches with a few values each, which are closed, or of such branches next to one plain type.
// Other branches have none.
func (f *facts) valuesOf(branches []*jsonschema.Schema) (values []EnumValue, closed, ok bool) {
	if union, all := f.unionOf(branches); all {
		return slices.DeleteFunc(union, func(v EnumValue) bool { return v.Value == nil }), true, true
	}
	free := slices.DeleteFunc(slices.Clone(branches), func(branch *jsonschema.Schema) bool {
		_, finite := f.optionsOf(branch)
		return finite
	})
	if len(free) != 1 || len(branches) < 2 || !f.typesOf(free[0]).Only(TypeScalar) {
		return nil, false, false
	}
	union, _ := f.unionOf(slices.DeleteFunc(slices.Clone(branches), func(branch *jsonschema.Schema) bool { return branch == free[0] }))
	for _, option := range union {
		if !typeOf(option.Value).Only(f.typesOf(free[0])) {
			return nil, false, false
		}
	}
	return union, false, len(union) > 0
}

// resolveRequirements handles branches that only require members.
func (p *Place) resolveRequirements(branches []*jsonschema.Schema) bool {
	f := p.outline.facts
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.areRequirements(branches) {
		return false
	}
	for _, branch := range branches {
		if len(branch.Required) > 0 {
			p.sufficient = append(p.sufficient, branch.Required)
		}
	}
	return true
}

// areRequirements reports whether branches only require members.
func (f *facts) areRequirements(branches []*jsonschema.Schema) bool {
	key := [2]*jsonschema.Schema{branches[0], branches[len(branches)-1]}
	only, known := f.requirements[key]
	if !known {
		only = isRequirement(branches)
		f.requirements[key] = only
	}
	return only
}

// isRequirement reports whether branches only require members.
func isRequirement(branches []*jsonschema.Schema) bool {
	return !slices.ContainsFunc(branches, func(branch *jsonschema.Schema) bool {
		of := branch
		if branch.Not != nil {
			of = branch.Not
		}
		expected := blankSchema(of)
		expected.Required = of.Required
		if len(of.Types) == 1 && of.Types[0] == "object" {
			expected.Types = of.Types
		}
		if len(of.Required) == 0 || !hasSameKeywords(of, expected) {
			return true
		}
		outer := blankSchema(branch)
		outer.Not, outer.Required = branch.Not, branch.Required
		outer.Types = branch.Types
		return !hasSameKeywords(branch, outer)
	})
}

// resolveScalars handles branches of one scalar type: one control without bounds.
func (p *Place) resolveScalars(branches []*jsonschema.Schema) bool {
	p.outline.facts.mu.Lock()
	defer p.outline.facts.mu.Unlock()
	return p.outline.facts.areScalars(branches)
}

// areScalars reports whether branches are of one scalar type.
func (f *facts) areScalars(branches []*jsonschema.Schema) bool {
	first := f.typesOf(branches[0])
	for _, branch := range branches {
		types := f.typesOf(branch)
		if types != first || !types.Only(TypeScalar) || types != TypeNumber && types != TypeInteger && types != TypeString && types != TypeBoolean {
			return false
		}
	}
	return true
}

// choose adds a choice and collects its selected branch.
func (p *Place) choose(c combination, branches []*jsonschema.Schema) {
	choice := &Choice{
		Key:       ChoiceKey{Pointer: p.pointer, Schema: pointerIn(c.part.node.Location) + "/" + c.keyword},
		Exclusive: c.keyword == keywordOneOf,
	}
	o := p.outline
	o.facts.mu.Lock()
	facts := o.facts.choiceOf(branches, o.facts.sources[c.part.node])
	choice.By, choice.Branches = facts.by, o.facts.branchesOf(branches, facts)
	o.facts.mu.Unlock()
	p.selectBranch(choice, facts)
	p.choices = append(p.choices, choice)
	for i, branch := range branches {
		if choice.Selected < 0 {
			break
		}
		if i != choice.Selected {
			p.excluded = append(p.excluded, branch)
			continue
		}
		p.roots = append(p.roots, branch)
		p.collect(part{node: branch, standing: max(c.part.standing, Now), branch: true, because: choice.By})
	}
}

// branchesOf returns the branches of a choice.
func (f *facts) branchesOf(nodes []*jsonschema.Schema, facts *choiceFacts) []Branch {
	branches := make([]Branch, len(nodes))
	for i, node := range nodes {
		title, isTitled := f.branchTitle(node)
		branches[i] = Branch{
			Title: title, IsTitled: isTitled, I18n: f.sources[node].Text(keywordI18n), Types: f.typesOf(node), Schema: pointerIn(node.Location),
			Required: f.requiredNames(node), node: node,
		}
		if facts.mapped != nil {
			branches[i].mapped = facts.mapped[i]
		}
	}
	return branches
}

// selectBranch selects the branch of the discriminating value, the picked one, the only valid one, or the one that fits
// best.
func (p *Place) selectBranch(c *Choice, facts *choiceFacts) {
	object, _ := p.value.(map[string]any)
	if value, ok := object[c.By]; ok && c.By != "" {
		if i, ok := facts.values[valueKey(value)]; ok {
			c.Selected, c.Certain = i, true
			return
		}
	}
	if i, ok := p.outline.picked[c.Key]; ok && i >= 0 && i < len(c.Branches) {
		c.Selected, c.Certain = i, true
		return
	}
	if !p.present || len(object) == 0 && typeOf(p.value) == TypeObject {
		c.Selected = p.firstBranch(c)
		return
	}
	best := branchFit{}
	valid := 0
	for i, branch := range c.Branches {
		fit := p.fitOf(branch.node, object)
		if fit.valid {
			valid++
		}
		if i == 0 || fit.compare(best) > 0 {
			best, c.Selected = fit, i
		}
	}
	c.Certain = valid == 1 && best.valid
	if c.By != "" && !c.Certain {
		c.Selected = -1
	}
}

// firstBranch returns the branch for an absent or empty value: the first one with its type, -1 if a member selects the branch.
func (p *Place) firstBranch(c *Choice) int {
	if c.By != "" {
		return -1
	}
	if !p.present {
		return 0
	}
	return max(0, slices.IndexFunc(c.Branches, func(b Branch) bool { return typeOf(p.value).Only(b.Types) }))
}

// branchFit is the degree to which a value fits a branch.
type branchFit struct {
	valid, typed       bool
	members            int
	violations, depths int
}

func (f branchFit) compare(other branchFit) int {
	return cmp.Or(
		compareBools(f.valid, other.valid), compareBools(f.typed, other.typed), cmp.Compare(f.members, other.members),
		cmp.Compare(other.violations, f.violations), cmp.Compare(f.depths, other.depths),
	)
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func (p *Place) fitOf(branch *jsonschema.Schema, object map[string]any) branchFit {
	fit := branchFit{typed: typeOf(p.value).Only(p.outline.typesOf(branch))}
	for _, name := range p.outline.declaredNames(branch) {
		if _, ok := object[name]; ok {
			fit.members++
		}
	}
	invalid, ok := p.outline.validateNode(branch, p.value)
	fit.valid = ok && invalid == nil
	for ; invalid != nil && len(invalid.Causes) > 0; invalid = invalid.Causes[0] {
		fit.violations += len(invalid.Causes)
		fit.depths++
	}
	return fit
}

// branchTitle returns the title of a branch or of its target, or the last name of its reference.
func (f *facts) branchTitle(branch *jsonschema.Schema) (title string, isTitled bool) {
	for _, part := range f.closureOf(branch) {
		if title := f.sources[part].Text(keywordTitle); title != "" {
			return title, true
		}
	}
	if branch.Ref == nil {
		return "", false
	}
	path, _ := jsontext.SplitPointer(pointerIn(branch.Ref.Location))
	if len(path) == 0 {
		return "", false
	}
	if _, number := jsontext.Index(path[len(path)-1]); number {
		return "", false
	}
	return path[len(path)-1], false
}
