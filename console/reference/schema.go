package reference

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/procession-dev/procession/api/openapi"
)

// deepest bounds how many schemas with names are shown within each other; the others are linked.
const deepest = 2

// schema is a JSON Schema as pages show it.
type schema struct {
	// Type is the type, with its format or the name of the schema: string<uuid>, Process[].
	Type string
	// Name is the name of the page of the schema, "" for one that has none.
	Name string
	// About is HTML.
	About string
	// Rules are the keywords that bound values.
	Rules []string
	// Values are the allowed values, nil without an enumeration.
	Values  []string
	Members []member
	Choices []*schema
}

// member is a member of an object, a parameter or a header. The name * stands for all members without a name. Only
// parameters have In; only parameters and headers have an About of their own.
type member struct {
	Name, In, About string
	Required        bool
	Schema          *schema
}

// reading is the position of the reader in a schema.
type reading struct {
	// within are the names of the schemas that are being read.
	within []string
	// linked schemas are not read when they have a name.
	linked bool
}

// readSchema returns a schema with its members. It leaves out members of recursive and of deep schemas.
func (r reading) readSchema(ref *openapi3.SchemaRef) *schema {
	if ref == nil || ref.Value == nil {
		return &schema{Type: "any"}
	}
	value, name := ref.Value, nameOf(ref)
	if value.Type.Is(openapi3.TypeArray) && value.Items != nil {
		return r.readArray(value, name)
	}
	parts := partsOf(value)
	s := &schema{Name: name, Type: typeOf(parts, name), About: renderMarkdown(value.Description)}
	if s.About == "" && len(value.AllOf) == 1 && len(value.Properties) == 0 {
		s.About = renderMarkdown(value.AllOf[0].Value.Description)
	}
	for _, part := range parts {
		s.Rules = append(s.Rules, rulesOf(part)...)
		s.Values = append(s.Values, enumTexts(part.Enum)...)
	}
	inner := r
	if name != "" {
		if r.linked || len(r.within) >= deepest || slices.Contains(r.within, name) {
			return s
		}
		inner.within = append(slices.Clone(r.within), name)
	}
	s.Members, s.Choices = inner.mergeMembers(parts), inner.readChoices(parts)
	return s
}

// readArray returns the schema of a list: the schema of its items with the rules of both.
func (r reading) readArray(value *openapi3.Schema, name string) *schema {
	s := r.readSchema(value.Items)
	s.Type += "[]"
	s.Name = cmp.Or(s.Name, name)
	s.Rules = append(rulesOf(value), s.Rules...)
	if value.Description != "" {
		s.About = renderMarkdown(value.Description)
	}
	return s
}

// nameOf returns the name of a schema. One that only describes another has its name.
func nameOf(ref *openapi3.SchemaRef) string {
	if ref.Ref != "" {
		return path.Base(ref.Ref)
	}
	if v := ref.Value; len(v.AllOf) == 1 && len(v.Properties) == 0 {
		return nameOf(v.AllOf[0])
	}
	return ""
}

// partsOf returns the schemas that values have to fit all of, that itself first.
func partsOf(value *openapi3.Schema) []*openapi3.Schema {
	parts := []*openapi3.Schema{value}
	for _, part := range value.AllOf {
		parts = append(parts, partsOf(part.Value)...)
	}
	return parts
}

func typeOf(parts []*openapi3.Schema, name string) string {
	written, nullable := "any", false
	for _, part := range parts {
		nullable = nullable || part.Nullable
		if written == "any" {
			written = typeOfOne(part, name)
		}
	}
	if nullable {
		written += " | null"
	}
	return written
}

func typeOfOne(value *openapi3.Schema, name string) string {
	kinds := value.Type.Slice()
	object := len(value.Properties) > 0 || slices.Contains(kinds, openapi3.TypeObject) || len(value.OneOf) > 0
	switch {
	case object && name != "":
		return name
	case object:
		return openapi3.TypeObject
	case len(kinds) == 0:
		return "any"
	case value.Format != "":
		return kinds[0] + "<" + value.Format + ">"
	}
	return kinds[0]
}

// mergeMembers returns the members of the parts of an object, the required ones first.
func (r reading) mergeMembers(parts []*openapi3.Schema) []member {
	var found []member
	for _, part := range parts {
		for name, of := range part.Properties {
			required := slices.ContainsFunc(parts, func(p *openapi3.Schema) bool { return slices.Contains(p.Required, name) })
			found = append(found, member{Name: name, Required: required, Schema: r.readSchema(of)})
		}
		if of := part.AdditionalProperties.Schema; of != nil {
			found = append(found, member{Name: "*", Schema: r.readSchema(of)})
		}
	}
	slices.SortFunc(found, func(a, b member) int {
		if a.Required != b.Required {
			if a.Required {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Name, b.Name)
	})
	return found
}

// readChoices returns alternative schemas; a value matches one of them.
func (r reading) readChoices(parts []*openapi3.Schema) []*schema {
	var found []*schema
	for _, part := range parts {
		for _, choice := range part.OneOf {
			found = append(found, r.readSchema(choice))
		}
	}
	return found
}

// rulesOf returns the keywords of a schema that bound values, as they are written in it.
func rulesOf(v *openapi3.Schema) []string {
	var rules []string
	add := func(applies bool, keyword, value string) {
		if applies {
			rules = append(rules, keyword+": "+value)
		}
	}
	flag := func(applies bool, keyword string) { add(applies, keyword, "true") }
	least := func(bound uint64, keyword string) { add(bound > 0, keyword, strconv.FormatUint(bound, 10)) }
	most := func(bound *uint64, keyword string) {
		if bound != nil {
			add(true, keyword, strconv.FormatUint(*bound, 10))
		}
	}
	least(v.MinLength, "minLength")
	most(v.MaxLength, "maxLength")
	add(v.Pattern != "", "pattern", v.Pattern)
	if v.Min != nil {
		add(true, "minimum", formatNumber(*v.Min))
	}
	if v.Max != nil {
		add(true, "maximum", formatNumber(*v.Max))
	}
	least(v.MinItems, "minItems")
	most(v.MaxItems, "maxItems")
	flag(v.UniqueItems, "uniqueItems")
	least(v.MinProps, "minProperties")
	most(v.MaxProps, "maxProperties")
	if v.Default != nil {
		add(true, "default", fmt.Sprint(v.Default))
	}
	for _, example := range v.Examples {
		add(true, "example", fmt.Sprint(example))
	}
	flag(v.ReadOnly, "readOnly")
	flag(v.WriteOnly, "writeOnly")
	flag(v.Deprecated, "deprecated")
	if v.Discriminator != nil {
		add(true, "discriminator", v.Discriminator.PropertyName)
	}
	needed := openapi.AtLeastOneOf(v)
	add(len(needed) > 0, "at least one of", strings.Join(needed, " | "))
	return rules
}
