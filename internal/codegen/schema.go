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
	// objects have the name of their type, maps and arrays what is in them.
	objects
	maps
	arrays
	// literals are the JSON texts of the only values.
	literals
	// unions are of several kinds.
	unions
)

// valueType is the type of a value.
type valueType struct {
	kind kind
	// name is the name of an object's type, or of the type of literals in languages that need one.
	name string
	of   []valueType
	// values are the texts of literals.
	values []string
}

// object is the type of an object.
type object struct {
	name, about string
	members     []member
}

type member struct {
	name, about string
	required    bool
	valueType   valueType
}

// schema contains the parts of a JSON Schema that are read.
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

// properties are members of a schema in their order.
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

// reader makes types of the parts of a schema.
type reader struct {
	root json.RawMessage
	// prefix is what the types are named after.
	prefix string
	// named are the types of references, so that a schema may refer to itself.
	named map[string]string
	taken map[string]bool
	// types are in reverse order: what an object needs before it.
	types []object
}

// all returns the type of the whole schema, before those that it needs. There is none for what is not an object with
// members.
func (r *reader) all(about string) []object {
	s, ok := parse(r.root)
	if ok && s.Ref != "" {
		s, ok = r.resolve(s.Ref)
	}
	if !ok || len(s.Properties)+len(s.AllOf) == 0 {
		return nil
	}
	r.object(r.unique(r.prefix), about, s)
	slices.Reverse(r.types)
	return r.types
}

// parse reads a schema. It returns false for one that a type cannot be made of.
func parse(raw json.RawMessage) (schema, bool) {
	var s schema
	err := json.Unmarshal(raw, &s)
	return s, err == nil && bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{"))
}

// resolve finds what a reference within the schema leads to.
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
	return parse(at)
}

// unique returns a name that no other type has.
func (r *reader) unique(name string) string {
	for r.taken[name] {
		name += "_2"
	}
	r.taken[name] = true
	return name
}

// object adds the type of an object.
func (r *reader) object(name, about string, s schema) {
	o := object{name: name, about: about}
	r.members(&o, s, 0)
	r.types = append(r.types, o)
}

// mostParts bounds how deep the parts of allOf may be nested.
const mostParts = 10

// members adds the members of a schema to an object, and those of the schemas that it combines.
func (r *reader) members(o *object, s schema, depth int) {
	for _, p := range s.Properties {
		sub, _ := parse(p.schema)
		o.members = append(o.members, member{
			name: p.name, about: about(sub), required: slices.Contains(s.Required, p.name),
			valueType: r.valueType(o.name+"_"+p.name, p.schema),
		})
	}
	for _, raw := range s.AllOf {
		part, _ := parse(raw)
		if part.Ref != "" {
			part, _ = r.resolve(part.Ref)
		}
		if depth < mostParts {
			r.members(o, part, depth+1)
		}
	}
}

// about describes a value in a line.
func about(s schema) string {
	parts := []string{s.Title, s.Description}
	if s.Format != "" {
		parts = append(parts, "Format: "+s.Format)
	}
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	return line(strings.Join(parts, ". "))
}

// valueType returns the type of a value. Types that it needs are named so.
func (r *reader) valueType(name string, raw json.RawMessage) valueType {
	s, ok := parse(raw)
	switch {
	case !ok:
		return valueType{}
	case s.Ref != "":
		return r.reference(s.Ref)
	case s.Const != nil:
		return r.literals(name, []json.RawMessage{s.Const})
	case len(s.Enum) > 0:
		return r.literals(name, s.Enum)
	case len(s.Type) == 0 && len(s.Properties) > 0:
		return r.typed("object", name, s)
	case len(s.Type) == 1:
		return r.typed(s.Type[0], name, s)
	}
	union := valueType{kind: unions}
	for _, typeName := range s.Type {
		union.of = append(union.of, r.typed(typeName, name, s))
	}
	if len(union.of) == 0 {
		return valueType{}
	}
	return union
}

// reference returns the type of what a reference leads to.
func (r *reader) reference(ref string) valueType {
	if known, ok := r.named[ref]; ok {
		return valueType{kind: objects, name: known}
	}
	s, ok := r.resolve(ref)
	if !ok || len(s.Properties) == 0 {
		return valueType{}
	}
	name := r.unique(r.prefix + "_" + ref[strings.LastIndexByte(ref, '/')+1:])
	r.named[ref] = name
	r.object(name, "is part of "+r.prefix+".", s)
	return valueType{kind: objects, name: name}
}

func (r *reader) literals(name string, values []json.RawMessage) valueType {
	t := valueType{kind: literals, name: r.unique(name)}
	for _, value := range values {
		literal := string(bytes.TrimSpace(value))
		switch literal[0] {
		case '{', '[':
			return valueType{}
		case '"':
			literal = quoted(jsontext.Unquote(value))
		}
		t.values = append(t.values, literal)
	}
	return t
}

// typed returns the type of values of one of the types of JSON Schema.
func (r *reader) typed(typeName, name string, s schema) valueType {
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
		name = r.unique(name)
		r.object(name, "is part of "+r.prefix+".", s)
		return valueType{kind: objects, name: name}
	}
	return valueType{}
}
