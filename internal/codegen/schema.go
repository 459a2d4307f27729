package codegen

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/procession-dev/procession/domain/jsontext"
)

// kind is the type of a value.
type kind int

const (
	anything kind = iota
	text
	integer
	number
	boolean
	null
	// objects have the name of their type, maps and arrays the type of their elements.
	objects
	maps
	arrays
	// literals list the permitted values as JSON.
	literals
	// unions permit several types.
	unions
)

// valueType is the type of a value.
type valueType struct {
	kind kind
	// name is the name of an object's type, or of the type of literals in languages with named ones.
	name string
	of   []valueType
	// values are literals in JSON.
	values []string
}

// object is a type with members.
type object struct {
	name, about string
	members     []member
}

type member struct {
	name, about string
	required    bool
	valueType   valueType
}

// schema contains the supported keywords of a JSON Schema.
type schema struct {
	Type        oneOrMore         `json:"type"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Format      string            `json:"format"`
	Properties  properties        `json:"properties"`
	Required    []string          `json:"required"`
	Items       json.RawMessage   `json:"items"`
	Additional  json.RawMessage   `json:"additionalProperties"`
	Enum        []json.RawMessage `json:"enum"`
	Const       json.RawMessage   `json:"const"`
	Ref         string            `json:"$ref"`
	AllOf       []json.RawMessage `json:"allOf"`
}

// oneOrMore is a list that may be written as its only element.
type oneOrMore []string

func (o *oneOrMore) UnmarshalJSON(raw []byte) error {
	if bytes.HasPrefix(raw, []byte("[")) {
		return json.Unmarshal(raw, (*[]string)(o))
	}
	*o = []string{""}
	return json.Unmarshal(raw, &(*o)[0])
}

// properties are the properties of a schema in their order.
type properties []property

type property struct {
	name   string
	schema json.RawMessage
}

func (p *properties) UnmarshalJSON(raw []byte) error {
	r := jsontext.NewLooseReader(raw)
	for name := range r.Members() {
		*p = append(*p, property{jsontext.Unquote(name), r.Raw()})
	}
	return r.End()
}

// reader derives types from a schema.
type reader struct {
	root json.RawMessage
	// prefix is the first part of the names of types.
	prefix string
	// named maps references to types, so that a schema may refer to itself.
	named map[string]string
	taken map[string]bool
	// types are in reverse order: an object follows the types of its members.
	types []object
}

// readAll returns the type of the whole schema, followed by the types of its members. It returns none for a schema that is
// not an object with properties.
func (r *reader) readAll(about string) []object {
	s, ok := parseSchema(r.root)
	if ok && s.Ref != "" {
		s, ok = r.resolve(s.Ref)
	}
	if !ok || len(s.Properties)+len(s.AllOf) == 0 {
		return nil
	}
	r.addObject(r.takeName(r.prefix), about, s)
	slices.Reverse(r.types)
	return r.types
}

// parseSchema parses a schema. It returns false if the schema is not an object.
func parseSchema(raw json.RawMessage) (schema, bool) {
	var s schema
	err := json.Unmarshal(raw, &s)
	return s, err == nil && bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{"))
}

// resolve returns the target of a reference within the schema.
func (r *reader) resolve(ref string) (schema, bool) {
	tokens, ok := jsontext.SplitPointer(strings.TrimPrefix(ref, "#"))
	if !ok || !strings.HasPrefix(ref, "#") {
		return schema{}, false
	}
	at := r.root
	for _, token := range tokens {
		var members map[string]json.RawMessage
		if json.Unmarshal(at, &members) != nil {
			return schema{}, false
		}
		at = members[token]
	}
	return parseSchema(at)
}

// takeName returns a name that is not taken by another type, and takes it.
func (r *reader) takeName(name string) string {
	for r.taken[name] {
		name += "_2"
	}
	r.taken[name] = true
	return name
}

// addObject adds the type of an object.
func (r *reader) addObject(name, about string, s schema) {
	o := object{name: name, about: about}
	r.addMembers(&o, s, 0)
	r.types = append(r.types, o)
}

// mostParts bounds how deep the parts of allOf may be nested.
const mostParts = 10

// addMembers adds the properties of a schema and of its allOf to an object.
func (r *reader) addMembers(o *object, s schema, depth int) {
	for _, p := range s.Properties {
		sub, _ := parseSchema(p.schema)
		o.members = append(o.members, member{
			name: p.name, about: describeValue(sub), required: slices.Contains(s.Required, p.name),
			valueType: r.valueType(o.name+"_"+p.name, p.schema),
		})
	}
	for _, raw := range s.AllOf {
		part, _ := parseSchema(raw)
		if part.Ref != "" {
			part, _ = r.resolve(part.Ref)
		}
		if depth < mostParts {
			r.addMembers(o, part, depth+1)
		}
	}
}

// describeValue returns the description of a value in one line.
func describeValue(s schema) string {
	parts := []string{s.Title, s.Description}
	if s.Format != "" {
		parts = append(parts, "Format: "+s.Format)
	}
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	return singleLine(strings.Join(parts, ". "))
}

// valueType returns the type of a value. New types get the given name.
func (r *reader) valueType(name string, raw json.RawMessage) valueType {
	s, ok := parseSchema(raw)
	switch {
	case !ok:
		return valueType{}
	case s.Ref != "":
		return r.referencedType(s.Ref)
	case s.Const != nil:
		return r.literalType(name, []json.RawMessage{s.Const})
	case len(s.Enum) > 0:
		return r.literalType(name, s.Enum)
	case len(s.Type) == 0 && len(s.Properties) > 0:
		return r.typeNamed("object", name, s)
	case len(s.Type) == 1:
		return r.typeNamed(s.Type[0], name, s)
	}
	union := valueType{kind: unions}
	for _, typeName := range s.Type {
		union.of = append(union.of, r.typeNamed(typeName, name, s))
	}
	if len(union.of) == 0 {
		return valueType{}
	}
	return union
}

// referencedType returns the type of the target of a reference.
func (r *reader) referencedType(ref string) valueType {
	if typeName, ok := r.named[ref]; ok {
		return valueType{kind: objects, name: typeName}
	}
	s, ok := r.resolve(ref)
	if !ok || len(s.Properties) == 0 {
		return valueType{}
	}
	name := r.takeName(r.prefix + "_" + ref[strings.LastIndexByte(ref, '/')+1:])
	r.named[ref] = name
	r.addObject(name, "is part of "+r.prefix+".", s)
	return valueType{kind: objects, name: name}
}

func (r *reader) literalType(name string, values []json.RawMessage) valueType {
	t := valueType{kind: literals, name: r.takeName(name)}
	for _, value := range values {
		literal := string(bytes.TrimSpace(value))
		switch literal[0] {
		case '{', '[':
			return valueType{}
		case '"':
			literal = quoteJSON(jsontext.Unquote(value))
		}
		t.values = append(t.values, literal)
	}
	return t
}

// typeNamed returns the type for one of the type names of JSON Schema.
func (r *reader) typeNamed(typeName, name string, s schema) valueType {
	switch typeName {
	case "string":
		return valueType{kind: text}
	case "integer":
		return valueType{kind: integer}
	case "number":
		return valueType{kind: number}
	case "boolean":
		return valueType{kind: boolean}
	case "null":
		return valueType{kind: null}
	case "array":
		if len(s.Items) == 0 {
			return valueType{kind: arrays, of: []valueType{{}}}
		}
		return valueType{kind: arrays, of: []valueType{r.valueType(name+"_ITEM", s.Items)}}
	case "object":
		if len(s.Properties)+len(s.AllOf) == 0 {
			return valueType{kind: maps, of: []valueType{r.valueType(name+"_VALUE", s.Additional)}}
		}
		name = r.takeName(name)
		r.addObject(name, "is part of "+r.prefix+".", s)
		return valueType{kind: objects, name: name}
	}
	return valueType{}
}
