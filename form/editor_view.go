package form

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
)

// requiredNames returns the required members.
func (v *view) requiredNames() map[string]bool {
	if v.needed != nil {
		return v.needed
	}
	names := map[string]bool{}
	v.needed = names
	for _, part := range v.sure {
		for _, keyword := range []string{"required", "requiredOnUpdate"} {
			list, _ := part.Members[keyword].([]any)
			for _, entry := range list {
				if name, ok := entry.(string); ok {
					names[name] = true
				}
			}
		}
		properties, _ := part.Members["properties"].(*object)
		if properties == nil {
			continue
		}
		for _, name := range properties.Names {
			if member, ok := properties.Members[name].(*object); ok && member.Members["requiredOnUpdate"] == true {
				names[name] = true
			}
		}
	}
	return names
}

// typeNames returns the JSON types that the schema states, without null.
func (v *view) typeNames() []string {
	for _, part := range v.sure {
		var types []string
		switch t := part.Members["type"].(type) {
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

// guessType returns the type that keywords imply if the schema states none.
func (v *view) guessType() string {
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
				if _, ok := part.Get(keyword); ok {
					return of.name
				}
			}
		}
	}
	return ""
}

func (v *view) readBounds() Bounds {
	b := Bounds{
		Minimum: v.numberText("minimum"), Maximum: v.numberText("maximum"), MultipleOf: v.numberText("multipleOf"),
		Above: v.numberText("exclusiveMinimum"), Below: v.numberText("exclusiveMaximum"),
		MinLength: v.countOf("minLength"), MaxLength: v.countOf("maxLength"),
		MinItems: v.countOf("minItems"), MaxItems: v.countOf("maxItems"), Unique: v.isTrue("uniqueItems"),
		Pattern: v.textOf("pattern"), Format: v.textOf("format"),
	}
	// In draft 4 these are booleans that modify minimum and maximum.
	if v.isTrue("exclusiveMinimum") {
		b.Minimum, b.Above = "", b.Minimum
	}
	if v.isTrue("exclusiveMaximum") {
		b.Maximum, b.Below = "", b.Maximum
	}
	for _, part := range v.sure {
		switch accept := part.Members["accept"].(type) {
		case string:
			b.Accept = strings.Split(accept, ",")
		case []any:
			for _, entry := range accept {
				if text, ok := entry.(string); ok {
					b.Accept = append(b.Accept, text)
				}
			}
		}
		if size, err := jsondoc.ReadSize(part.Members["maxSize"]); err == nil && (b.MaxSize == 0 || size < b.MaxSize) {
			b.MaxSize = size
		}
	}
	for i := range b.Accept {
		b.Accept[i] = strings.TrimSpace(b.Accept[i])
	}
	return b
}

// numberText returns a numeric keyword, or "".
func (v *view) numberText(keyword string) string {
	for _, part := range v.sure {
		if number, ok := part.Members[keyword].(json.Number); ok {
			return number.String()
		}
	}
	return ""
}

// countOf returns a keyword that is a count, or -1.
func (v *view) countOf(keyword string) int {
	if size, ok := jsontext.Index(v.numberText(keyword)); ok {
		return size
	}
	return -1
}

// fittingView returns the view without alternatives that contradict the value: alternatives with another constant for
// a member, and the untaken branch of an if.
func (b *editorBuilder) fittingView(v *view, value *object) *view {
	if len(v.maybe) == 0 {
		return v
	}
	out := map[*object]bool{}
	for _, part := range slices.Concat(v.sure, v.maybe) {
		condition, ok := part.Members["if"].(*object)
		if !ok {
			continue
		}
		branch := "else"
		if !b.isSatisfied(jsonText(condition), value) {
			branch = "then"
		}
		if node, ok := part.Members[branch].(*object); ok {
			for _, excluded := range b.schemas.viewOf(node).sure {
				out[excluded] = true
			}
		}
	}
	fitting := &view{sure: v.sure}
	for _, part := range v.maybe {
		if !out[part] && !contradictsValue(part, value) {
			fitting.maybe = append(fitting.maybe, part)
		}
	}
	return fitting
}

// contradictsValue reports whether a member differs from a constant of the schema.
func contradictsValue(part, value *object) bool {
	properties, _ := part.Members["properties"].(*object)
	if properties == nil || value == nil {
		return false
	}
	for _, name := range properties.Names {
		member, present := value.Get(name)
		of, _ := properties.Members[name].(*object)
		if !present || of == nil {
			continue
		}
		if constant, ok := of.Get("const"); ok && !jsondoc.Equal(constant, member) {
			return true
		}
	}
	return false
}

// listOptions returns the options of the schema, nil for none.
func (v *view) listOptions() []Option {
	for _, part := range v.sure {
		for _, keyword := range []string{"oneOf", "anyOf"} {
			list, _ := part.Members[keyword].([]any)
			if found := titledOptions(list); found != nil {
				return found
			}
		}
		if list, ok := part.Members["enum"].([]any); ok && len(list) > 0 {
			return plainOptions(list)
		}
	}
	if constants := v.listConstants(); len(constants) > 0 {
		return plainOptions(constants)
	}
	return nil
}

// listConstants returns the distinct constants of alternatives.
func (v *view) listConstants() []any {
	var constants []any
	for _, part := range v.sure {
		constant, ok := part.Get("const")
		if ok && !slices.ContainsFunc(constants, func(known any) bool { return jsondoc.Equal(known, constant) }) {
			constants = append(constants, constant)
		}
	}
	return constants
}

// memberView returns the view of a member in the fitting alternatives. A member that selects an alternative has the
// constants of all of them.
func (b *editorBuilder) memberView(v, fitting *view, name string) (of *view, known bool) {
	of, known, _ = b.schemas.propertyView(fitting, name)
	if v == fitting {
		return of, known
	}
	if all, _, _ := b.schemas.propertyView(v, name); len(all.listConstants()) > len(of.listConstants()) {
		return all, true
	}
	return of, known
}

func titledOptions(list []any) []Option {
	var options []Option
	for _, entry := range list {
		alternative, _ := entry.(*object)
		constant, ok := alternative.Get("const")
		if !ok {
			return nil
		}
		title := alternative.Text("title")
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
