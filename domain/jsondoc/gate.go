package jsondoc

import (
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// gateExtension is the name of gates in the library.
const gateExtension = "gate"

// A gate is the only keyword of the copy of a subschema that has subschemas or restricts names. It charges the
// cost of the original keywords before it applies them.
type gate struct {
	run *run
	// inner is the copy with the keywords.
	inner *jsonschema.Schema
	// inPlace is the number of subschemas of the same value. branches counts the ones that may fail in a valid value.
	inPlace, branches int
	// parts is the number of subschemas for every part of the value. listed counts subschemas for one part at most.
	parts, listed int
	// fixed is the cost of keywords that does not depend on the value.
	fixed int
	// patterns is the number of patterns for names, and perByte their cost for each byte of a name, in instructions.
	patterns, perByte int
	// dependencies are the costs of the lists of names that a member requires.
	dependencies map[string]int
	// contains is set for a keyword that may fail for every element of a valid array, strict for an object without
	// additional properties, and outside for a reference to the schema of a draft, which has no gates.
	contains, strict, outside bool
}

// Validate implements jsonschema.ExtSchema.
func (g *gate) Validate(ctx jsonschema.ValidationContext, value any) error {
	m := &g.run.meter
	reserved := g.chargeValue(value)
	err := ctx.Validate(g.inner, "", value, "")
	m.reserve(-reserved)
	if invalid, ok := err.(*jsonschema.ValidationError); ok { //nolint:errorlint // the library returns it as it is
		m.spend((1 + len(invalid.Causes)) * (unitsPerCheck + m.failure))
	}
	return err
}

// chargeValue charges the cost of the keywords for a value, and reserves the possible cost of violations in it.
func (g *gate) chargeValue(value any) (reserved int) {
	m := &g.run.meter
	m.spend(g.fixed + g.inPlace*m.check + g.branches*m.failure)
	size, children := 0, 0
	switch v := value.(type) {
	case map[string]any:
		size, children = len(v), len(v)*(g.parts+g.patterns)+min(g.listed, len(v))
		g.chargeNames(v)
	case []any:
		size, children = len(v), len(v)*g.parts+min(g.listed, len(v))
		if g.contains {
			m.spend(len(v) * m.failure)
		}
	}
	m.spend((2+g.inPlace)*size*unitsPerMember + children*m.check)
	if g.outside {
		m.chargeOutside(value)
	}
	m.reserve(children * m.failure)
	return children * m.failure
}

// chargeNames charges the keywords for the names of an object.
func (g *gate) chargeNames(object map[string]any) {
	m := &g.run.meter
	if g.patterns > 0 {
		for name := range object {
			m.spend((len(name) + 1) * g.perByte / instructionsPerUnit)
		}
	}
	if g.strict {
		m.spend(3 * len(object) * unitsPerMember)
	}
	for name, cost := range g.dependencies {
		if _, ok := object[name]; ok {
			m.spend(cost)
		}
	}
}

// chargeOutside charges the schema of a draft applied to a value. It checks regular expressions by compiling them, and
// elements to be unique with an effort that may grow with the square of their number.
func (m *meter) chargeOutside(value any) {
	m.spend(100 * m.check)
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			m.spend(len(name) * 2 * unitsPerRegexByte)
			m.chargeOutside(member)
		}
	case []any:
		m.spend(len(v) * len(v) * unitsPerMember)
		for _, element := range v {
			m.chargeOutside(element)
		}
	case string:
		m.spend(len(v) * 2 * unitsPerRegexByte)
	}
}

// gateOf returns the gate before the keywords of a subschema.
func (r *run) gateOf(s, inner *jsonschema.Schema) *gate {
	g := &gate{run: r, inner: inner, inPlace: len(inPlace(s)), patterns: len(s.PatternProperties)}
	g.listed = len(s.Properties) + len(s.PrefixItems)
	g.branches = len(s.AnyOf) + len(s.OneOf) + len(withoutNil([]*jsonschema.Schema{s.Not, s.If}))
	g.contains, g.strict = s.Contains != nil, s.AdditionalProperties == false
	g.parts = len(withoutNil([]*jsonschema.Schema{
		s.PropertyNames, s.UnevaluatedProperties, s.Items2020, s.Contains, s.UnevaluatedItems,
	}))
	for _, keyword := range []any{s.AdditionalProperties, s.Items, s.AdditionalItems} {
		switch keyword := keyword.(type) {
		case *jsonschema.Schema:
			g.parts++
		case []*jsonschema.Schema:
			g.listed += len(keyword)
		}
	}
	for pattern := range s.PatternProperties {
		g.perByte += r.schema.patterns[pattern]
	}
	g.fixed = unitsPerMember*(len(s.Properties)+len(s.Dependencies)+len(s.DependentRequired)+len(s.DependentSchemas)) + costOfNames(s.Required)
	for name, required := range s.DependentRequired {
		g.chargeDependency(name, required)
	}
	for name, dependency := range s.Dependencies {
		if required, ok := dependency.([]string); ok {
			g.chargeDependency(name, required)
		}
	}
	g.outside = slices.ContainsFunc(withoutNil([]*jsonschema.Schema{s.Ref, s.RecursiveRef, s.DynamicRef}), outsideDocument)
	return g
}

func (g *gate) chargeDependency(name string, required []string) {
	if g.dependencies == nil {
		g.dependencies = map[string]int{}
	}
	// Each missing name is a violation.
	g.dependencies[name] += costOfNames(required) + unitsPerCheck*len(required)
}

// costOfNames returns the cost of looking for names and listing the missing ones in a message.
func costOfNames(names []string) int {
	cost := 0
	for _, name := range names {
		cost += unitsPerMember + len(name)/unitsPerMember
	}
	return cost
}
