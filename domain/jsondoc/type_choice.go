package jsondoc

import (
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// keywordType is the keyword of a choice between types.
const keywordType = "type"

// StatedTypes returns the types of values other than null that the schema states or its keywords imply, 0 for none.
func (p *Place) StatedTypes() Types {
	if types := p.Types() &^ TypeNull; types != TypeAny&^TypeNull {
		return types
	}
	if slices.ContainsFunc(p.choices, func(c *Choice) bool { return c.By != "" }) {
		return TypeObject
	}
	for _, implied := range []struct {
		types    Types
		keywords []string
	}{
		{TypeObject, []string{"properties", "required", "additionalProperties", "patternProperties", "propertyNames"}},
		{TypeArray, []string{"items", "prefixItems", "minItems", "uniqueItems"}},
		{TypeString, []string{"format", "pattern", "minLength", "maxLength", "accept"}},
		{TypeNumber, []string{"minimum", "maximum", "multipleOf"}},
	} {
		if p.HasKeyword(implied.keywords...) {
			return implied.types
		}
	}
	return 0
}

// resolveTypes adds a choice between the types of a place that allows several. Texts and numbers share a control, and the
// value of an absent document is no choice.
func (p *Place) resolveTypes() {
	if p.outer == nil || p.outline.schema == nil || p.limited || p.finite || p.suggested || p.types&^TypeNull == 0 {
		return
	}
	stated := p.StatedTypes()
	if stated == 0 {
		stated = TypeAny &^ TypeNull
	}
	types := p.orderTypes(stated)
	if len(types) < 2 || stated.Only(TypeString|TypeNumber) {
		return
	}
	choice := &Choice{Key: ChoiceKey{Pointer: p.pointer, Schema: p.Schema() + "/" + keywordType}, OfTypes: true}
	f := p.outline.facts
	f.mu.Lock()
	for _, of := range types {
		choice.Branches = append(choice.Branches, Branch{Types: of, Schema: choice.Key.Schema, node: f.typeSchema(of)})
	}
	f.mu.Unlock()
	if i, ok := p.outline.picked[choice.Key]; ok && i >= 0 && i < len(types) {
		choice.Selected, choice.Certain = i, true
	} else if i := slices.IndexFunc(types, func(of Types) bool { return of.Has(typeOf(p.value)) }); p.present && i >= 0 {
		choice.Selected, choice.Certain = i, true
	}
	p.nullable = p.nullable || p.types.Has(TypeNull)
	p.types &= types[choice.Selected]
	p.roots = append(p.roots, choice.Branches[choice.Selected].node)
	p.choices = append(p.choices, choice)
}

// orderTypes lists types in the order of the schema.
func (p *Place) orderTypes(stated Types) []Types {
	var names []string
	for _, s := range p.parts {
		names = append(names, s.node.Types...)
	}
	var found []Types
	for _, name := range append(names, "string", "number", "integer", "boolean", "array", "object") {
		if of := typesByName[name] & stated &^ TypeNull; of != 0 {
			found = append(found, of)
			stated &^= of
		}
	}
	return found
}

// typeSchema returns a subschema that allows values of a type.
func (f *facts) typeSchema(of Types) *jsonschema.Schema {
	if known, ok := f.ofType[of]; ok {
		return known
	}
	names := map[Types]string{
		TypeString: "string", TypeInteger: "integer", TypeBoolean: "boolean", TypeArray: "array", TypeObject: "object",
	}
	schema := blankSchema(&jsonschema.Schema{})
	schema.Types = []string{"number"}
	if name, ok := names[of]; ok {
		schema.Types = []string{name}
	}
	f.ofType[of] = schema
	return schema
}

// AllowsName reports whether the schema allows a member with a name.
func (p *Place) AllowsName(name string) bool {
	return !slices.ContainsFunc(p.parts, func(s part) bool {
		if forbids(s.node, name) {
			return true
		}
		if s.node.PropertyNames == nil {
			return false
		}
		met, known := p.outline.isValid(s.node.PropertyNames, name)
		return known && !met
	})
}

// NewMember returns the place of a new member of an object, by a token that stands for its name: its subschemas are the ones
// for members without a name, or for the first pattern of names.
func (p *Place) NewMember(token string) *Place {
	if known, ok := p.children[token]; ok {
		return known
	}
	var parts []part
	for _, s := range p.parts {
		rest, _ := s.node.AdditionalProperties.(*jsonschema.Schema)
		if rest == nil {
			rest = s.node.UnevaluatedProperties
		}
		if patterns := sortedPatterns(s.node); len(patterns) > 0 && (rest == nil || rest.Always != nil) {
			rest = s.node.PatternProperties[patterns[0]]
		}
		if rest != nil {
			parts = append(parts, part{node: rest, standing: s.standing})
		}
	}
	child := p.addChild(token, nil, false, parts)
	child.resolveTypes()
	return child
}
