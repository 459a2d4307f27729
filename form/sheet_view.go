package form

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
)

// required returns the members that an object needs.
func (v *view) required() map[string]bool {
	if v.needed != nil {
		return v.needed
	}
	names := map[string]bool{}
	v.needed = names
	for _, part := range v.sure {
		for _, keyword := range []string{"required", "requiredOnUpdate"} {
			list, _ := part.members[keyword].([]any)
			for _, entry := range list {
				if name, ok := entry.(string); ok {
					names[name] = true
				}
			}
		}
		properties, _ := part.members["properties"].(*object)
		if properties == nil {
			continue
		}
		for _, name := range properties.names {
			if member, ok := properties.members[name].(*object); ok && member.members["requiredOnUpdate"] == true {
				names[name] = true
			}
		}
	}
	return names
}

// types returns the JSON types that the schema states, without null.
func (v *view) types() []string {
	for _, part := range v.sure {
		var types []string
		switch t := part.members["type"].(type) {
		case string:
			types = []string{t}
		case []any:
			for _, entry := range t {
				if name, ok := entry.(string); ok && name != "null" {
					types = append(types, name)
				}
			}
		}
		if len(types) > 0 {
			return types
		}
	}
	return nil
}

// guessed returns the type that keywords imply where the schema states none.
func (v *view) guessed() string {
	for _, of := range []struct {
		name     string
		keywords []string
	}{
		{"object", []string{"properties", "required"}},
		{"array", []string{"items", "minItems", "uniqueItems"}},
		{"string", []string{"format", "pattern", "minLength", "maxLength", "accept"}},
		{"number", []string{"minimum", "maximum", "multipleOf"}},
	} {
		for _, keyword := range of.keywords {
			for _, part := range v.sure {
				if _, ok := part.get(keyword); ok {
					return of.name
				}
			}
		}
	}
	return ""
}

func (v *view) bounds() Bounds {
	b := Bounds{
		Minimum: v.number("minimum"), Maximum: v.number("maximum"), MultipleOf: v.number("multipleOf"),
		Above: v.number("exclusiveMinimum"), Below: v.number("exclusiveMaximum"),
		MinLength: v.size("minLength"), MaxLength: v.size("maxLength"),
		MinItems: v.size("minItems"), MaxItems: v.size("maxItems"), Unique: v.flag("uniqueItems"),
		Pattern: v.text("pattern"), Format: v.text("format"),
	}
	// In draft 4 they say how minimum and maximum are meant.
	if v.flag("exclusiveMinimum") {
		b.Minimum, b.Above = "", b.Minimum
	}
	if v.flag("exclusiveMaximum") {
		b.Maximum, b.Below = "", b.Maximum
	}
	for _, part := range v.sure {
		switch accept := part.members["accept"].(type) {
		case string:
			b.Accept = strings.Split(accept, ",")
		case []any:
			for _, entry := range accept {
				if text, ok := entry.(string); ok {
					b.Accept = append(b.Accept, text)
				}
			}
		}
		if size, err := jsondoc.ReadSize(part.members["maxSize"]); err == nil && (b.MaxSize == 0 || size < b.MaxSize) {
			b.MaxSize = size
		}
	}
	for i := range b.Accept {
		b.Accept[i] = strings.TrimSpace(b.Accept[i])
	}
	return b
}

// number returns the text of a number, "" for none.
func (v *view) number(keyword string) string {
	for _, part := range v.sure {
		if number, ok := part.members[keyword].(json.Number); ok {
			return number.String()
		}
	}
	return ""
}

// size returns a number that counts something, -1 for none.
func (v *view) size(keyword string) int {
	if size, ok := jsontext.Index(v.number(keyword)); ok {
		return size
	}
	return -1
}

// fitting leaves out the alternatives that contradict the value: those that demand
// another value of a member, and the branch of an if that is not taken.
func (b *sheetBuilder) fitting(v *view, value *object) *view {
	if len(v.maybe) == 0 {
		return v
	}
	out := map[*object]bool{}
	for _, part := range slices.Concat(v.sure, v.maybe) {
		condition, ok := part.members["if"].(*object)
		if !ok {
			continue
		}
		branch := "else"
		if !b.holds(jsonText(condition), value) {
			branch = "then"
		}
		if node, ok := part.members[branch].(*object); ok {
			for _, excluded := range b.schemas.view(node).sure {
				out[excluded] = true
			}
		}
	}
	fitting := &view{sure: v.sure}
	for _, part := range v.maybe {
		if !out[part] && !contradicts(part, value) {
			fitting.maybe = append(fitting.maybe, part)
		}
	}
	return fitting
}

// contradicts reports whether a member has another value than the schema demands.
func contradicts(part, value *object) bool {
	properties, _ := part.members["properties"].(*object)
	if properties == nil || value == nil {
		return false
	}
	for _, name := range properties.names {
		member, present := value.get(name)
		of, _ := properties.members[name].(*object)
		if !present || of == nil {
			continue
		}
		if constant, ok := of.get("const"); ok && !same(constant, member) {
			return true
		}
	}
	return false
}

// options returns what the schema offers to choose from, nil where it offers nothing.
func (v *view) options() []Option {
	for _, part := range v.sure {
		for _, keyword := range []string{"oneOf", "anyOf"} {
			list, _ := part.members[keyword].([]any)
			if found := titled(list); found != nil {
				return found
			}
		}
		if list, ok := part.members["enum"].([]any); ok && len(list) > 0 {
			return plainOptions(list)
		}
	}
	if constants := v.constants(); len(constants) > 0 {
		return plainOptions(constants)
	}
	return nil
}

// constants returns the constant values by which alternatives differ.
func (v *view) constants() []any {
	var constants []any
	for _, part := range v.sure {
		constant, ok := part.get("const")
		if ok && !slices.ContainsFunc(constants, func(known any) bool { return same(known, constant) }) {
			constants = append(constants, constant)
		}
	}
	return constants
}

// memberView returns the schema of a member in the alternatives that fit. A member by
// which alternatives differ has the constants of all of them.
func (b *sheetBuilder) memberView(v, fitting *view, name string) (of *view, known bool) {
	of, known, _ = b.schemas.property(fitting, name)
	if v == fitting {
		return of, known
	}
	if all, _, _ := b.schemas.property(v, name); len(all.constants()) > len(of.constants()) {
		return all, true
	}
	return of, known
}

func titled(list []any) []Option {
	var options []Option
	for _, entry := range list {
		alternative, _ := entry.(*object)
		constant, ok := alternative.get("const")
		if !ok {
			return nil
		}
		title := alternative.text("title")
		if title == "" {
			title = optionTitle(constant)
		}
		options = append(options, Option{Value: string(jsonText(constant)), Title: title, value: constant})
	}
	return options
}

func plainOptions(list []any) []Option {
	var options []Option
	for _, value := range list {
		if value != nil {
			options = append(options, Option{Value: string(jsonText(value)), Title: optionTitle(value), value: value})
		}
	}
	return options
}

func optionTitle(value any) string {
	if _, ok := value.(bool); ok {
		return ""
	}
	if text, ok := value.(string); ok {
		if named, ok := referenceText(text); ok {
			return named
		}
	}
	return rawText(value)
}
