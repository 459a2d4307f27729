package jsondoc

import (
	"reflect"
	"regexp"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/procession-dev/procession/domain"
)

// A run is the state of one validation at a time: the library has no place for it but the subschemas, so a run has a
// copy of them.
type run struct {
	schema *Schema
	// root is the copy of the schema without its gate, which is nil if there is none.
	root  *jsonschema.Schema
	gate  *gate
	meter meter
	// advise selects causes of violations, nil to list all.
	advise  advisor
	options validationOptions
	copies  map[*jsonschema.Schema]*jsonschema.Schema
}

func newRun(s *Schema) *run {
	r := &run{schema: s, copies: map[*jsonschema.Schema]*jsonschema.Schema{}}
	r.root = r.copySchema(s.compiled)
	if r.gate, _ = r.root.Extensions[gateExtension].(*gate); r.gate != nil {
		r.root = r.gate.inner
	}
	return r
}

// blankSchema returns a schema without keywords in the place of another one.
func blankSchema(s *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{
		Location: s.Location, Draft: s.Draft, MinProperties: -1, MaxProperties: -1, MinItems: -1, MaxItems: -1,
		MinContains: -1, MaxContains: -1, MinLength: -1, MaxLength: -1,
	}
}

// copySchema copies a subschema and its descendants. The copy of one with descendants is a gate before its keywords. The
// keywords of checks are left out.
func (r *run) copySchema(s *jsonschema.Schema) *jsonschema.Schema {
	if s == nil || outsideDocument(s) {
		return s
	}
	if existing, ok := r.copies[s]; ok {
		return existing
	}
	if isReference(s) {
		r.copies[s] = r.copySchema(s.Ref)
		return r.copies[s]
	}
	outer := blankSchema(s)
	r.copies[s] = outer
	inner := outer
	if len(inPlace(s))+len(innerSchemas(s))+len(s.Required)+len(s.DependentRequired)+len(s.Dependencies) > 0 || s.AdditionalProperties == false {
		inner = blankSchema(s)
		outer.Extensions = map[string]jsonschema.ExtSchema{gateExtension: r.gateOf(s, inner)}
	}
	outer.RecursiveAnchor = s.RecursiveAnchor
	r.copyAssertions(inner, s)
	r.copyApplicators(inner, s)
	if c := r.checksOf(s); c != nil {
		inner.Extensions = map[string]jsonschema.ExtSchema{extension: c}
	}
	return outer
}

// isReference reports whether a subschema is only a reference to another one in the document.
func isReference(s *jsonschema.Schema) bool {
	if s.Ref == nil || outsideDocument(s.Ref) || s.RecursiveAnchor {
		return false
	}
	expected := blankSchema(s)
	expected.Ref = s.Ref
	return hasSameKeywords(s, expected)
}

// hasSameKeywords compares two subschemas. The library sets the fields about contains for subschemas without it.
func hasSameKeywords(a, b *jsonschema.Schema) bool {
	have, want := reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem()
	for i := range have.NumField() {
		field := have.Type().Field(i)
		if field.IsExported() && field.Name != "MinContains" && field.Name != "ContainsEval" && !reflect.DeepEqual(have.Field(i).Interface(), want.Field(i).Interface()) {
			return false
		}
	}
	return true
}

// copyAssertions copies the keywords that have no subschemas.
func (r *run) copyAssertions(to, s *jsonschema.Schema) {
	to.Always, to.Types, to.Required, to.DependentRequired = s.Always, s.Types, s.Required, s.DependentRequired
	to.MinProperties, to.MaxProperties, to.MinItems, to.MaxItems = s.MinProperties, s.MaxProperties, s.MinItems, s.MaxItems
	to.MinContains, to.MaxContains, to.ContainsEval = s.MinContains, s.MaxContains, s.ContainsEval
	to.Minimum, to.Maximum, to.MultipleOf = s.Minimum, s.Maximum, s.MultipleOf
	to.ExclusiveMinimum, to.ExclusiveMaximum = s.ExclusiveMinimum, s.ExclusiveMaximum
}

// copyApplicators copies the keywords that have subschemas. The references of $dynamicRef are static: static has rewritten the
// schemas for which that makes a difference.
func (r *run) copyApplicators(to, s *jsonschema.Schema) {
	to.Ref, to.RecursiveRef, to.DynamicRef = r.copySchema(s.Ref), r.copySchema(s.RecursiveRef), r.copySchema(s.DynamicRef)
	to.Not, to.If, to.Then, to.Else = r.copySchema(s.Not), r.copySchema(s.If), r.copySchema(s.Then), r.copySchema(s.Else)
	to.AllOf, to.AnyOf, to.OneOf, to.PrefixItems = r.copyList(s.AllOf), r.copyList(s.AnyOf), r.copyList(s.OneOf), r.copyList(s.PrefixItems)
	to.Properties, to.DependentSchemas = copyNamed(r, s.Properties), copyNamed(r, s.DependentSchemas)
	to.PatternProperties = copyNamed[*regexp.Regexp](r, s.PatternProperties)
	to.PropertyNames, to.Contains, to.Items2020 = r.copySchema(s.PropertyNames), r.copySchema(s.Contains), r.copySchema(s.Items2020)
	to.UnevaluatedProperties, to.UnevaluatedItems = r.copySchema(s.UnevaluatedProperties), r.copySchema(s.UnevaluatedItems)
	to.AdditionalProperties, to.Items = r.copyAny(s.AdditionalProperties), r.copyAny(s.Items)
	to.AdditionalItems = r.copyAny(s.AdditionalItems)
	if s.Dependencies != nil {
		to.Dependencies = make(map[string]any, len(s.Dependencies))
		for name, dependency := range s.Dependencies {
			to.Dependencies[name] = r.copyAny(dependency)
		}
	}
}

func (r *run) copyList(schemas []*jsonschema.Schema) []*jsonschema.Schema {
	var copies []*jsonschema.Schema
	for _, s := range schemas {
		copies = append(copies, r.copySchema(s))
	}
	return copies
}

func copyNamed[K comparable](r *run, schemas map[K]*jsonschema.Schema) map[K]*jsonschema.Schema {
	if schemas == nil {
		return nil
	}
	copies := make(map[K]*jsonschema.Schema, len(schemas))
	for name, s := range schemas {
		copies[name] = r.copySchema(s)
	}
	return copies
}

// copyAny copies the value of a keyword that is a schema, a list of schemas or anything else.
func (r *run) copyAny(keyword any) any {
	switch v := keyword.(type) {
	case *jsonschema.Schema:
		return r.copySchema(v)
	case []*jsonschema.Schema:
		return r.copyList(v)
	}
	return keyword
}

// validateValue validates a value with the given nesting and pointers of up to longest bytes. It returns nil for a valid
// value. A violation is listed under the meter as well.
func (r *run) validateValue(value any, levels, longest int, options validationOptions) (errs []domain.ValueError, err error) {
	// A gate doubles the subschemas that are entered.
	r.meter.startRun(longest, 2*(levels+1)*r.schema.chain, r.schema.step, options)
	r.options = options
	defer func() {
		r.options, r.meter.watch = validationOptions{}, nil
		if reason := recover(); reason != nil {
			errs, err = nil, refusalOf(reason)
		}
	}()
	if r.gate != nil {
		r.gate.chargeValue(value)
	}
	invalid, err := libraryResult(r.root.Validate(value))
	if invalid == nil || err != nil {
		return nil, err
	}
	return r.listViolations(invalid, value), nil
}
