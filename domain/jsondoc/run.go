package jsondoc

import (
	"reflect"
	"regexp"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/procession-dev/procession/domain"
)

// A run is the state of one validation at a time: the library has no place for it but the subschemas, so a run has a
// copy of them.
type run struct {
	schema *Schema
	// root is the copy of the schema without its gate, which is nil if there is none.
	root   *jsonschema.Schema
	gate   *gate
	meter  meter
	now    circumstances
	copies map[*jsonschema.Schema]*jsonschema.Schema
}

func newRun(s *Schema) *run {
	r := &run{schema: s, copies: map[*jsonschema.Schema]*jsonschema.Schema{}}
	r.root = r.copy(s.compiled)
	if r.gate, _ = r.root.Extensions[gateExtension].(*gate); r.gate != nil {
		r.root = r.gate.inner
	}
	r.copies = nil
	return r
}

// outsideDocument reports whether a subschema is part of the schema of a draft, which all validations share.
func outsideDocument(s *jsonschema.Schema) bool { return !strings.HasPrefix(s.Location, base) }

// blank returns a schema without keywords in the place of another one.
func blank(s *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{
		Location: s.Location, Draft: s.Draft, MinProperties: -1, MaxProperties: -1, MinItems: -1, MaxItems: -1,
		MinContains: -1, MaxContains: -1, MinLength: -1, MaxLength: -1,
	}
}

// copy copies a subschema and its descendants. The copy of one with descendants is a gate before its keywords. The
// keywords of checks are left out.
func (r *run) copy(s *jsonschema.Schema) *jsonschema.Schema {
	if s == nil || outsideDocument(s) {
		return s
	}
	if known, ok := r.copies[s]; ok {
		return known
	}
	if isReference(s) {
		r.copies[s] = r.copy(s.Ref)
		return r.copies[s]
	}
	outer := blank(s)
	r.copies[s] = outer
	inner := outer
	if len(inPlace(s))+len(inside(s))+len(s.Required)+len(s.DependentRequired)+len(s.Dependencies) > 0 || s.AdditionalProperties == false {
		inner = blank(s)
		outer.Extensions = map[string]jsonschema.ExtSchema{gateExtension: r.gateOf(s, inner)}
	}
	outer.RecursiveAnchor = s.RecursiveAnchor
	r.assert(inner, s)
	r.apply(inner, s)
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
	expected := blank(s)
	expected.Ref = s.Ref
	given, want := reflect.ValueOf(s).Elem(), reflect.ValueOf(expected).Elem()
	for i := range given.NumField() {
		field := given.Type().Field(i)
		if field.IsExported() && field.Name != "MinContains" && !reflect.DeepEqual(given.Field(i).Interface(), want.Field(i).Interface()) {
			return false
		}
	}
	return true
}

// assert copies the keywords that have no subschemas.
func (r *run) assert(to, s *jsonschema.Schema) {
	to.Always, to.Types, to.Required, to.DependentRequired = s.Always, s.Types, s.Required, s.DependentRequired
	to.MinProperties, to.MaxProperties, to.MinItems, to.MaxItems = s.MinProperties, s.MaxProperties, s.MinItems, s.MaxItems
	to.MinContains, to.MaxContains, to.ContainsEval = s.MinContains, s.MaxContains, s.ContainsEval
	to.Minimum, to.Maximum, to.MultipleOf = s.Minimum, s.Maximum, s.MultipleOf
	to.ExclusiveMinimum, to.ExclusiveMaximum = s.ExclusiveMinimum, s.ExclusiveMaximum
}

// apply copies the keywords that have subschemas. The references of $dynamicRef are static: static has rewritten the
// schemas for which that makes a difference.
func (r *run) apply(to, s *jsonschema.Schema) {
	to.Ref, to.RecursiveRef, to.DynamicRef = r.copy(s.Ref), r.copy(s.RecursiveRef), r.copy(s.DynamicRef)
	to.Not, to.If, to.Then, to.Else = r.copy(s.Not), r.copy(s.If), r.copy(s.Then), r.copy(s.Else)
	to.AllOf, to.AnyOf, to.OneOf, to.PrefixItems = r.list(s.AllOf), r.list(s.AnyOf), r.list(s.OneOf), r.list(s.PrefixItems)
	to.Properties, to.DependentSchemas = copyNamed(r, s.Properties), copyNamed(r, s.DependentSchemas)
	to.PatternProperties = copyNamed[*regexp.Regexp](r, s.PatternProperties)
	to.PropertyNames, to.Contains, to.Items2020 = r.copy(s.PropertyNames), r.copy(s.Contains), r.copy(s.Items2020)
	to.UnevaluatedProperties, to.UnevaluatedItems = r.copy(s.UnevaluatedProperties), r.copy(s.UnevaluatedItems)
	to.AdditionalProperties, to.Items = r.any(s.AdditionalProperties), r.any(s.Items)
	to.AdditionalItems = r.any(s.AdditionalItems)
	if s.Dependencies != nil {
		to.Dependencies = make(map[string]any, len(s.Dependencies))
		for name, dependency := range s.Dependencies {
			to.Dependencies[name] = r.any(dependency)
		}
	}
}

func (r *run) list(schemas []*jsonschema.Schema) []*jsonschema.Schema {
	var copies []*jsonschema.Schema
	for _, s := range schemas {
		copies = append(copies, r.copy(s))
	}
	return copies
}

func copyNamed[K comparable](r *run, schemas map[K]*jsonschema.Schema) map[K]*jsonschema.Schema {
	if schemas == nil {
		return nil
	}
	copies := make(map[K]*jsonschema.Schema, len(schemas))
	for name, s := range schemas {
		copies[name] = r.copy(s)
	}
	return copies
}

// any copies the value of a keyword that is a schema, a list of schemas or anything else.
func (r *run) any(keyword any) any {
	switch v := keyword.(type) {
	case *jsonschema.Schema:
		return r.copy(v)
	case []*jsonschema.Schema:
		return r.list(v)
	}
	return keyword
}

// validate validates a value with the given nesting and pointers of up to longest bytes. It returns nil for a valid
// value. A violation is listed under the meter as well.
func (r *run) validate(value any, levels, longest int, now circumstances) (errs []domain.ValueError, err error) {
	// A gate doubles the subschemas that are entered.
	r.meter.start(longest, 2*(levels+1)*r.schema.chain, r.schema.step, now)
	r.now = now
	defer func() {
		r.now, r.meter.watch = circumstances{}, nil
		if reason := recover(); reason != nil {
			errs, err = nil, refusalOf(reason)
		}
	}()
	if r.gate != nil {
		r.gate.charge(value)
	}
	invalid, err := libraryResult(r.root.Validate(value))
	if invalid == nil || err != nil {
		return nil, err
	}
	return r.violations(invalid, value), nil
}
