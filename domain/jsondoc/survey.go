package jsondoc

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/procession-dev/procession/domain/pattern"
)

// surveySchemas measures a compiled schema: it maps the subschemas by location, and determines the maximum number of them in
// a row that apply to the same value. It refuses schemas with references that are too expensive: chains of them can
// double the work with every link. Expressions become translations of the patterns.
func (s *Schema) surveySchemas(replaced *expressions) error {
	measured := surveyor{
		nodes: map[string]*jsonschema.Schema{}, sizes: map[*jsonschema.Schema]int{}, chains: map[*jsonschema.Schema]int{},
		replaced: replaced,
	}
	size := measured.countSchemas(s.compiled)
	if measured.failed != nil {
		return measured.failed
	}
	if size > maxExpanded {
		return fmt.Errorf("it has more than %d subschemas once its references are followed", maxExpanded)
	}
	s.nodes, s.subschemas = measured.nodes, slices.Collect(maps.Keys(measured.sizes))
	for location, node := range s.nodes {
		if len(location) > maxLocation {
			return fmt.Errorf("the location of a subschema has more than %d bytes", maxLocation)
		}
		if s.chain = max(s.chain, measured.chainLength(node)); s.chain > maxChain {
			return fmt.Errorf("more than %d of its subschemas in a row look at the same value", maxChain)
		}
		s.measureSchema(node)
	}
	return nil
}

// measureSchema determines the sizes of the patterns of a subschema and of the locations of the subschemas in it.
func (s *Schema) measureSchema(node *jsonschema.Schema) {
	if node.Pattern != nil {
		s.addPattern(node.Pattern)
	}
	for expression := range node.PatternProperties {
		s.addPattern(expression)
		s.addStep(expression.String())
	}
	for name := range node.Properties {
		s.addStep(name)
	}
	for name := range node.Dependencies {
		s.addStep(name)
	}
	for name := range node.DependentSchemas {
		s.addStep(name)
	}
}

func (s *Schema) addPattern(expression *regexp.Regexp) {
	if parsed, err := syntax.Parse(expression.String(), syntax.Perl); err == nil {
		s.patterns[expression] = pattern.Size(parsed, maxPattern)
	}
}

// addStep considers a name in a location, where a byte may become three.
func (s *Schema) addStep(name string) { s.step = max(s.step, len("patternProperties//")+3*len(name)) }

type surveyor struct {
	nodes  map[string]*jsonschema.Schema
	sizes  map[*jsonschema.Schema]int
	chains map[*jsonschema.Schema]int

	replaced *expressions
	// failed is the error of the first pattern that cannot be translated.
	failed error
}

// countSchemas counts a subschema and its descendants, with references followed.
func (s *surveyor) countSchemas(schema *jsonschema.Schema) int {
	if cached, ok := s.sizes[schema]; ok {
		return cached
	}
	s.failed = cmp.Or(s.failed, s.replaced.translateSchema(schema))
	s.nodes[schema.Location] = schema
	if schema.ContentSchema != nil {
		// contentSchema is an annotation in every draft, but the library applies it in draft 7, to text that was not
		// measured.
		schema.ContentSchema = nil
	}
	// A recursive reference counts once.
	s.sizes[schema] = 1
	size := 1
	for _, child := range inPlace(schema) {
		size += s.countSchemas(child)
	}
	for _, child := range innerSchemas(schema) {
		size += s.countSchemas(child)
	}
	s.sizes[schema] = min(size, maxExpanded+1)
	return s.sizes[schema]
}

// chainLength returns how many subschemas in a row from this one on apply to the same value.
func (s *surveyor) chainLength(schema *jsonschema.Schema) int {
	if cached, ok := s.chains[schema]; ok {
		return cached
	}
	// A recursive reference here does not terminate.
	s.chains[schema] = maxChain + 1
	chain := 1
	for _, child := range inPlace(schema) {
		chain = max(chain, 1+s.chainLength(child))
	}
	s.chains[schema] = chain
	return chain
}

// inPlace lists the subschemas that apply to the same value as the schema.
func inPlace(s *jsonschema.Schema) []*jsonschema.Schema {
	var found []*jsonschema.Schema
	found = append(found, s.AllOf...)
	found = append(found, s.AnyOf...)
	found = append(found, s.OneOf...)
	for _, dependency := range s.Dependencies {
		if child, ok := dependency.(*jsonschema.Schema); ok {
			found = append(found, child)
		}
	}
	for _, child := range s.DependentSchemas {
		found = append(found, child)
	}
	return withoutNil(append(found, s.Ref, s.RecursiveRef, s.DynamicRef, s.Not, s.If, s.Then, s.Else))
}

// innerSchemas lists the subschemas that apply to a part of the value.
func innerSchemas(s *jsonschema.Schema) []*jsonschema.Schema {
	var found []*jsonschema.Schema
	for _, child := range s.Properties {
		found = append(found, child)
	}
	for _, child := range s.PatternProperties {
		found = append(found, child)
	}
	found = append(found, s.PrefixItems...)
	for _, keyword := range []any{s.AdditionalProperties, s.Items, s.AdditionalItems} {
		switch child := keyword.(type) {
		case *jsonschema.Schema:
			found = append(found, child)
		case []*jsonschema.Schema:
			found = append(found, child...)
		}
	}
	return withoutNil(append(found,
		s.PropertyNames, s.UnevaluatedProperties, s.Items2020, s.Contains, s.UnevaluatedItems))
}

func withoutNil(schemas []*jsonschema.Schema) []*jsonschema.Schema {
	found := schemas[:0]
	for _, schema := range schemas {
		if schema != nil {
			found = append(found, schema)
		}
	}
	return found
}
