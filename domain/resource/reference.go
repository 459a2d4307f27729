package resource

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/procession-dev/procession/domain/jsontext"
)

// Field describes a member of the manifests of a kind, as their JSON Schema does.
type Field struct {
	Name string
	// Type is the type of the value, as in "string" or "list of object".
	Type        string
	Description string
	Required    bool
	// Default is the JSON text of the value that stands for an absent one, empty if there is none.
	Default string
	// Values are all values of a member that has a fixed set of them.
	Values []string
	// Rule is a further requirement on the value, empty if there is none.
	Rule string
	// Fields are the fields of an object, or of the objects of a list, in the order of the schema.
	Fields []Field
}

// Describe describes the manifests of a kind. Kinds that do not exist have no members.
func Describe(kind Kind) Field {
	var root struct {
		schemaNode

		Definitions map[string]schemaNode `json:"$defs"`
	}
	if err := json.Unmarshal(Schema(kind), &root); err != nil {
		return Field{Name: string(kind)}
	}
	m := root.describe(root.Definitions)
	m.Name = string(kind)
	return m
}

// Find returns a member by the names on the way to it, without indexes of lists, as in ["spec", "items", "code"]. The
// error lists the existing members.
func (m Field) Find(path ...string) (Field, error) {
	for _, name := range path {
		i := slices.IndexFunc(m.Fields, func(o Field) bool { return o.Name == name })
		if i >= 0 {
			m = m.Fields[i]
			continue
		}
		var names []string
		for _, o := range m.Fields {
			names = append(names, o.Name)
		}
		otherwise := ", but " + strings.Join(names, ", ")
		if len(names) == 0 {
			otherwise = ": it is a " + m.Type
		}
		return Field{}, fmt.Errorf("%s has no member %q%s", m.Name, name, DidYouMean(name, names, otherwise))
	}
	return m, nil
}

// schemaNode is a part of a schema, as far as Describe shows it.
type schemaNode struct {
	Ref                 string            `json:"$ref"`
	Type                string            `json:"type"`
	Description         string            `json:"description"`
	Const               json.RawMessage   `json:"const"`
	Enum                []json.RawMessage `json:"enum"`
	Default             json.RawMessage   `json:"default"`
	Format              string            `json:"format"`
	PatternErrorMessage string            `json:"patternErrorMessage"`
	MinLength           int               `json:"minLength"`
	MaxLength           int               `json:"maxLength"`
	MinItems            int               `json:"minItems"`
	MaxItems            int               `json:"maxItems"`
	MaxProperties       int               `json:"maxProperties"`
	Minimum             json.Number       `json:"minimum"`
	Maximum             json.Number       `json:"maximum"`
	Required            []string          `json:"required"`
	Properties          orderedNodes      `json:"properties"`
	Items               *schemaNode       `json:"items"`
	Additional          json.RawMessage   `json:"additionalProperties"`
}

// orderedNodes are the members of an object in the order of the text.
type orderedNodes []namedNode

type namedNode struct {
	name string
	schemaNode
}

// UnmarshalJSON implements json.Unmarshaler.
func (o *orderedNodes) UnmarshalJSON(text []byte) error {
	r := jsontext.NewReader(text)
	for name := range r.Members() {
		node := namedNode{name: jsontext.Unquote(name)}
		if err := json.Unmarshal(r.Raw(), &node.schemaNode); err != nil {
			return err
		}
		*o = append(*o, node)
	}
	return r.End()
}

// describe describes a value. The schemas do not refer to themselves.
func (n schemaNode) describe(definitions map[string]schemaNode) Field {
	if name, ok := strings.CutPrefix(n.Ref, "#/$defs/"); ok {
		m := definitions[name].describe(definitions)
		m.Description = cmp.Or(n.Description, m.Description)
		m.Default = cmp.Or(string(n.Default), m.Default)
		return m
	}
	m := Field{Type: n.Type, Description: n.Description, Default: string(n.Default), Rule: n.ruleText()}
	if n.Const != nil {
		n.Enum = append(n.Enum, n.Const)
	}
	for _, value := range n.Enum {
		m.Values = append(m.Values, strings.Trim(string(value), `"`))
		m.Type = "string"
	}
	for _, property := range n.Properties {
		member := property.describe(definitions)
		member.Name, member.Required = property.name, slices.Contains(n.Required, property.name)
		m.Fields = append(m.Fields, member)
	}
	var value schemaNode
	switch {
	case n.Items != nil:
		element := n.Items.describe(definitions)
		m.Type, m.Fields, m.Values = "list of "+element.Type, element.Fields, element.Values
		m.Rule = joinRules(m.Rule, element.Rule)
	case n.Type == "object" && json.Unmarshal(n.Additional, &value) == nil && value.Type != "":
		m.Type = "map of " + value.Type
	}
	return m
}

// ruleText returns the requirements on a value besides its type, in words.
func (n schemaNode) ruleText() string {
	var rules []string
	add := func(required bool, format string, args ...any) {
		if required {
			rules = append(rules, fmt.Sprintf(format, args...))
		}
	}
	add(n.PatternErrorMessage != "", "%s", n.PatternErrorMessage)
	add(n.Format != "", "has the format %s", n.Format)
	add(n.MaxLength > 0 && n.PatternErrorMessage == "", "has at most %d characters", n.MaxLength)
	add(n.MaxLength > 0 && n.PatternErrorMessage != "" && n.MinLength > 0, "has at most %d characters", n.MaxLength)
	add(n.MinItems > 0, "has at least %d element%s", n.MinItems, pluralSuffix(n.MinItems))
	add(n.MaxItems > 0, "has at most %d element%s", n.MaxItems, pluralSuffix(n.MaxItems))
	add(n.MaxProperties > 1, "has at most %d members", n.MaxProperties)
	add(n.MaxProperties == 1, "has exactly one of these members")
	add(n.Minimum != "", "is at least %s", n.Minimum)
	add(n.Maximum != "", "is at most %s", n.Maximum)
	return joinRules(rules...)
}

func joinRules(rules ...string) string {
	return strings.Join(slices.DeleteFunc(rules, func(rule string) bool { return rule == "" }), "; ")
}
