package jsondoc

import (
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/procession-dev/procession/domain/jsontext"
)

// facts are the properties of the subschemas of a schema that no value changes. They are computed once. The functions
// that compute them need the lock.
type facts struct {
	mu       sync.Mutex
	sources  map[*jsonschema.Schema]*Object
	types    map[*jsonschema.Schema]Types
	options  map[*jsonschema.Schema][]EnumValue
	finite   map[*jsonschema.Schema]bool
	names    map[*jsonschema.Schema][]string
	closures map[*jsonschema.Schema][]*jsonschema.Schema
	choices  map[[2]*jsonschema.Schema]*choiceFacts
	// requirements report whether branches only require members, by the first and the last one.
	requirements map[[2]*jsonschema.Schema]bool
	// ofType are subschemas for the branches of choices between types.
	ofType map[Types]*jsonschema.Schema
	// origins are the origins of the subschemas, nil until they are needed.
	origins map[*jsonschema.Schema][]Origin
}

// newFacts locates the subschemas in the source of the schema.
func newFacts(s *Schema) *facts {
	f := &facts{
		sources: map[*jsonschema.Schema]*Object{}, types: map[*jsonschema.Schema]Types{},
		options: map[*jsonschema.Schema][]EnumValue{}, finite: map[*jsonschema.Schema]bool{},
		names: map[*jsonschema.Schema][]string{}, choices: map[[2]*jsonschema.Schema]*choiceFacts{},
		closures: map[*jsonschema.Schema][]*jsonschema.Schema{}, ofType: map[Types]*jsonschema.Schema{},
		requirements: map[[2]*jsonschema.Schema]bool{},
	}
	root, err := Decode(s.source, maxSchemaDepth+1)
	if err != nil {
		return f
	}
	address, _, _ := strings.Cut(s.compiled.Location, "#")
	documents := map[string]any{address: root}
	for _, node := range s.subschemas {
		within, _, _ := strings.Cut(node.Location, "#")
		document, known := documents[within]
		if !known {
			document, _ = Decode(draftSources()[within], maxSchemaDepth)
			documents[within] = document
		}
		if path, ok := jsontext.SplitPointer(pointerIn(node.Location)); ok {
			f.sources[node], _ = valueAt(document, path).(*Object)
		}
	}
	return f
}

// pointerIn returns the pointer of a subschema in its document.
func pointerIn(location string) string {
	_, fragment, _ := strings.Cut(location, "#")
	return unescapeLocation(fragment)
}

// valueAt returns the value at a path of a value that Decode returned, or nil.
func valueAt(value any, path []string) any {
	for _, token := range path {
		switch container := value.(type) {
		case *Object:
			value = container.Members[token]
		case []any:
			i, ok := jsontext.Index(token)
			if !ok || i >= len(container) {
				return nil
			}
			value = container[i]
		default:
			return nil
		}
	}
	return value
}

// sameValue lists the subschemas that always apply to the same value: references and allOf.
func sameValue(node *jsonschema.Schema) []*jsonschema.Schema {
	return withoutNil(append(slices.Clone(node.AllOf), node.Ref, node.RecursiveRef, node.DynamicRef))
}

// typesOf returns the types that a subschema allows.
func (f *facts) typesOf(node *jsonschema.Schema) Types {
	if cached, ok := f.types[node]; ok {
		return cached
	}
	f.types[node] = TypeAny // A recursive reference adds no restriction.
	types := ownTypes(node)
	for _, part := range sameValue(node) {
		types &= f.typesOf(part)
	}
	for _, list := range [][]*jsonschema.Schema{node.AnyOf, node.OneOf} {
		var union Types
		for _, branch := range list {
			union |= f.typesOf(branch)
		}
		if len(list) > 0 {
			types &= union
		}
	}
	f.types[node] = types
	return types
}

// ownTypes returns the types that the keywords of a subschema allow.
func ownTypes(node *jsonschema.Schema) Types {
	if node.Always != nil && !*node.Always {
		return 0
	}
	types := TypeAny
	if len(node.Types) > 0 {
		types = 0
		for _, name := range node.Types {
			types |= typesByName[name]
		}
	}
	for _, list := range [][]any{node.Constant, node.Enum} {
		var union Types
		for _, value := range list {
			union |= typeOf(value)
		}
		if len(list) > 0 {
			types &= union
		}
	}
	if node.Not != nil && len(node.Not.Types) > 0 && isPlainType(node.Not) {
		types &^= ownTypes(node.Not)
	}
	return types
}

// isPlainType reports whether a subschema has no keyword but type.
func isPlainType(node *jsonschema.Schema) bool {
	expected := blankSchema(node)
	expected.Types = node.Types
	return hasSameKeywords(node, expected)
}

// optionsOf returns the values that a subschema allows, and whether they are finite.
func (f *facts) optionsOf(node *jsonschema.Schema) ([]EnumValue, bool) {
	if finite, ok := f.finite[node]; ok {
		return f.options[node], finite
	}
	f.finite[node] = false
	options, finite := f.ownOptions(node)
	for _, part := range sameValue(node) {
		options, finite = f.intersect(options, finite, part)
	}
	for _, list := range [][]*jsonschema.Schema{node.AnyOf, node.OneOf} {
		if union, all := f.unionOf(list); all {
			options, finite = intersectOptions(options, finite, union)
		}
	}
	f.options[node], f.finite[node] = options, finite
	return options, finite
}

func (f *facts) intersect(options []EnumValue, finite bool, part *jsonschema.Schema) ([]EnumValue, bool) {
	others, ok := f.optionsOf(part)
	if !ok {
		return options, finite
	}
	return intersectOptions(options, finite, others)
}

// unionOf returns the options of alternatives that are all finite.
func (f *facts) unionOf(branches []*jsonschema.Schema) (union []EnumValue, all bool) {
	seen := map[string]bool{}
	for _, branch := range branches {
		options, finite := f.optionsOf(branch)
		if !finite {
			return nil, false
		}
		title := f.sources[branch].Text(keywordTitle)
		for _, option := range options {
			if len(options) == 1 && title != "" {
				option.Title = title
			}
			if key := f.sources[branch].Text(keywordI18n); len(options) == 1 && key != "" {
				option.I18n = key
			}
			if key := valueKey(option.Value); !seen[key] {
				seen[key] = true
				union = append(union, option)
			}
		}
	}
	return union, len(branches) > 0
}

// ownOptions returns the values of const and enum, as the source spells them.
func (f *facts) ownOptions(node *jsonschema.Schema) (options []EnumValue, finite bool) {
	source := f.sources[node]
	if len(node.Constant) > 0 {
		if value, ok := source.Get("const"); ok {
			options, finite = []EnumValue{{Value: value}}, true
		}
	}
	if list, ok := source.Get("enum"); ok && len(node.Enum) > 0 {
		values, _ := list.([]any)
		var named []EnumValue
		for _, value := range values {
			named = append(named, EnumValue{Value: value})
		}
		options, finite = intersectOptions(options, finite, named)
	}
	return options, finite
}

// closureOf returns a subschema and the ones that always apply with it, at most maxParts.
func (f *facts) closureOf(node *jsonschema.Schema) []*jsonschema.Schema {
	if cached, ok := f.closures[node]; ok {
		return cached
	}
	found := []*jsonschema.Schema{node}
	seen := map[*jsonschema.Schema]bool{node: true}
	for i := 0; i < len(found); i++ {
		for _, part := range sameValue(found[i]) {
			if !seen[part] && len(found) < maxParts {
				seen[part] = true
				found = append(found, part)
			}
		}
	}
	f.closures[node] = found
	return found
}

// declaredNames returns the members that a subschema names, in its order.
func (f *facts) declaredNames(node *jsonschema.Schema) []string {
	if cached, ok := f.names[node]; ok {
		return cached
	}
	var names []string
	seen := map[string]bool{}
	for _, part := range f.closureOf(node) {
		for _, name := range f.propertyNames(part) {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	f.names[node] = names
	return names
}

// propertyNames returns the names of properties in the order of the source.
func (f *facts) propertyNames(node *jsonschema.Schema) []string {
	if len(node.Properties) == 0 {
		return nil
	}
	value, _ := f.sources[node].Get("properties")
	ordered, _ := value.(*Object)
	names := make([]string, 0, len(node.Properties))
	if ordered != nil {
		for _, name := range ordered.Names {
			if node.Properties[name] != nil {
				names = append(names, name)
			}
		}
	}
	return names
}

// memberOptions returns the values that a subschema allows for a member, and whether they are finite.
func (f *facts) memberOptions(node *jsonschema.Schema, name string) (options []EnumValue, finite bool) {
	for _, part := range f.closureOf(node) {
		if of := part.Properties[name]; of != nil {
			options, finite = f.intersect(options, finite, of)
		}
	}
	return options, finite
}

// requiredNames returns the members that a subschema requires.
func (f *facts) requiredNames(node *jsonschema.Schema) []string {
	var names []string
	for _, part := range f.closureOf(node) {
		names = append(names, part.Required...)
	}
	return names
}
