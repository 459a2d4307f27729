package jsondoc

import (
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/procession-dev/procession/domain/jsontext"
)

// choiceFacts are the properties of a combination that no value changes.
type choiceFacts struct {
	// by is the discriminating member, values the index of a branch by the key of its value.
	by     string
	values map[string]int
	// mapped are the values of the branches if only a discriminator of OpenAPI states them.
	mapped [][]EnumValue
}

// choiceOf returns the facts of a combination in a source.
func (f *facts) choiceOf(branches []*jsonschema.Schema, source *Object) *choiceFacts {
	key := [2]*jsonschema.Schema{branches[0], branches[len(branches)-1]}
	if cached, ok := f.choices[key]; ok {
		return cached
	}
	found := &choiceFacts{}
	f.choices[key] = found
	for _, name := range f.declaredNames(branches[0]) {
		if _, finite := f.memberOptions(branches[0], name); !finite {
			continue
		}
		if values := f.discriminate(branches, name); values != nil {
			found.by, found.values = name, values
			return found
		}
	}
	f.readMapping(found, branches, source)
	return found
}

// readMapping sets the facts by the keyword discriminator of OpenAPI 3 (section "Discriminator Object"): the values of a branch
// are the keys of the mapping that lead to it, or else its name.
func (f *facts) readMapping(found *choiceFacts, branches []*jsonschema.Schema, source *Object) {
	stated, _ := source.Get("discriminator")
	discriminator, _ := stated.(*Object)
	stated, _ = discriminator.Get("mapping")
	mapping, _ := stated.(*Object)
	name := discriminator.Text("propertyName")
	if name == "" {
		return
	}
	values, mapped := map[string]int{}, make([][]EnumValue, len(branches))
	for i, branch := range branches {
		keys := keysOf(mapping, f.sources[branch].Text("$ref"))
		for _, key := range keys {
			at := valueKey(key)
			if _, exists := values[at]; exists || key == "" {
				return
			}
			values[at] = i
			mapped[i] = append(mapped[i], EnumValue{Value: key})
		}
	}
	found.by, found.values, found.mapped = name, values, mapped
}

// discriminate returns the index of the branch of each value of a member, nil if branches share one or allow all.
func (f *facts) discriminate(branches []*jsonschema.Schema, name string) map[string]int {
	values := map[string]int{}
	for i, branch := range branches {
		options, finite := f.memberOptions(branch, name)
		if !finite || len(options) == 0 {
			return nil
		}
		for _, option := range options {
			if !typeOf(option.Value).Only(TypeScalar) {
				return nil
			}
			key := valueKey(option.Value)
			if before, exists := values[key]; exists && before != i {
				return nil
			}
			values[key] = i
		}
	}
	return values
}

// keysOf returns the keys of a mapping that lead to a reference, or the last name of the reference.
func keysOf(mapping *Object, reference string) []string {
	own := reference[strings.LastIndexByte(reference, '/')+1:]
	if path, ok := jsontext.SplitPointer("/" + own); ok {
		own = path[0]
	}
	var keys []string
	if mapping != nil {
		for _, key := range mapping.Names {
			if target := mapping.Text(key); target != "" && (target == reference || target == own) {
				keys = append(keys, key)
			}
		}
	}
	if len(keys) == 0 {
		keys = []string{own}
	}
	return keys
}

// selectorOptions returns the values of a member that selects one of the branches.
func (f *facts) selectorOptions(branches []Branch, name string) (union []EnumValue) {
	for _, branch := range branches {
		options, _ := f.memberOptions(branch.node, name)
		if branch.mapped != nil {
			options = branch.mapped
		}
		for _, option := range options {
			if len(options) == 1 && option.Title == "" && branch.IsTitled {
				option.Title, option.I18n = branch.Title, branch.I18n
			}
			option.Branch = branch.Schema
			union = append(union, option)
		}
	}
	return union
}

// selectorNodes returns the subschemas of the branches for a member that selects one of them.
func (f *facts) selectorNodes(branches []Branch, name string) (nodes []*jsonschema.Schema) {
	for _, branch := range branches {
		for _, part := range f.closureOf(branch.node) {
			nodes = append(nodes, part.Properties[name])
		}
	}
	return withoutNil(nodes)
}
