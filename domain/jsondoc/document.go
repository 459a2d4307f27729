package jsondoc

import (
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/domain/kuflowref"
)

// DocumentRule holds the rules of a schema for documents at one of its places.
type DocumentRule struct {
	rules      []*rules
	isDocument bool
}

// DocumentAt returns the rules for documents at a place in the schema: a JSON Pointer, which # may precede as in
// a reference. References on the way are followed. It returns false if the schema has no such place. The nil
// Schema has every place.
func (s *Schema) DocumentAt(path string) (DocumentRule, bool) {
	if s == nil {
		return DocumentRule{isDocument: true}, true
	}
	target, ok := jsontext.SplitPointer(strings.TrimPrefix(path, "#"))
	if !ok {
		return DocumentRule{}, false
	}
	root, _, _ := strings.Cut(s.compiled.Location, "#")
	for location, schema := range s.nodes {
		document, fragment, _ := strings.Cut(location, "#")
		if document != root {
			continue
		}
		if found, ok := jsontext.SplitPointer(unescapeLocation(fragment)); ok && slices.Equal(found, target) {
			var rule DocumentRule
			rule.addSchema(schema, map[*jsonschema.Schema]bool{})
			rule.isDocument = holdsDocument(schema, map[*jsonschema.Schema]bool{})
			return rule, true
		}
	}
	return DocumentRule{}, false
}

// addSchema adds the keywords of a subschema and of the subschemas that always apply to the same value.
func (r *DocumentRule) addSchema(schema *jsonschema.Schema, seen map[*jsonschema.Schema]bool) {
	if schema == nil || seen[schema] {
		return
	}
	seen[schema] = true
	if found := rulesOf(schema); found != nil {
		r.rules = append(r.rules, found)
	}
	r.addSchema(schema.Ref, seen)
	r.addSchema(schema.DynamicRef, seen)
	for _, part := range schema.AllOf {
		r.addSchema(part, seen)
	}
}

// IsDocument reports whether the schema allows documents at the place: one, a list of them, or one as an
// alternative.
func (r *DocumentRule) IsDocument() bool { return r.isDocument }

// holdsDocument reports whether values of a subschema may be documents.
func holdsDocument(schema *jsonschema.Schema, seen map[*jsonschema.Schema]bool) bool {
	if schema == nil || seen[schema] {
		return false
	}
	seen[schema] = true
	if found := rulesOf(schema); found != nil && (found.kind == kuflowref.KindFile || found.accept != nil || found.maxSize != nil) {
		return true
	}
	parts := slices.Concat(schema.AllOf, schema.AnyOf, schema.OneOf, schema.PrefixItems,
		[]*jsonschema.Schema{schema.Ref, schema.DynamicRef, schema.If, schema.Then, schema.Else, schema.Items2020})
	if items, ok := schema.Items.(*jsonschema.Schema); ok {
		parts = append(parts, items)
	}
	return slices.ContainsFunc(parts, func(part *jsonschema.Schema) bool { return holdsDocument(part, seen) })
}

// Accepts reports whether the media type or the name of a document is accepted.
func (r *DocumentRule) Accepts(d Stored) bool {
	for _, rule := range r.rules {
		if rule.accept != nil && !isAccepted(rule.accept, d) {
			return false
		}
	}
	return true
}

// MaxSize returns the maximum size of a document in bytes, and whether there is one.
func (r *DocumentRule) MaxSize() (size int64, bounded bool) {
	for _, rule := range r.rules {
		if rule.maxSize != nil && (!bounded || *rule.maxSize < size) {
			size, bounded = *rule.maxSize, true
		}
	}
	return size, bounded
}
