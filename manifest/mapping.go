package manifest

import "go.yaml.in/yaml/v3"

// mapping reads the members of a mapping: its own, then what it merges (<<) and
// does not have itself.
func (r *yamlReader) mapping(n *yaml.Node, made *node, depth int) error {
	index := map[string]bool{}
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind == yaml.ScalarNode && key.ShortTag() == tagMerge {
			merged = append(merged, value)
			continue
		}
		name, err := r.name(key)
		if err != nil {
			return err
		}
		if index[name] {
			return r.fail(key, "%s is given twice", name)
		}
		index[name] = true
		v, err := r.value(value, depth+1)
		if err != nil {
			return err
		}
		made.members = append(made.members, member{name: name, line: key.Line, column: key.Column, value: v})
	}
	if len(merged) > 1 {
		return r.fail(merged[1], "<< is given twice: merge a list instead")
	}
	for _, source := range merged {
		if err := r.merge(source, made, index, depth); err != nil {
			return err
		}
	}
	return nil
}

// name returns the name of a member. Aliases of names are allowed as they are.
func (r *yamlReader) name(key *yaml.Node) (string, error) {
	if key.Kind == yaml.AliasNode {
		key = key.Alias
	}
	if key.Kind != yaml.ScalarNode {
		return "", r.fail(key, "the name of a member must be text")
	}
	if key.ShortTag() != tagText {
		return "", r.fail(key, "the name of a member must be text: put %q in quotes", key.Value)
	}
	r.text += len(key.Value)
	return key.Value, nil
}

// merge adds the members of a mapping, or of those of a list, that are not there
// yet. They stand where they are merged.
func (r *yamlReader) merge(source *yaml.Node, made *node, index map[string]bool, depth int) error {
	value, err := r.value(source, depth)
	if err != nil {
		return err
	}
	from := []*node{value}
	if value.kind == list {
		from = value.elements
	}
	for _, mapping := range from {
		if mapping.kind != object {
			return r.fail(source, "<< must be followed by a mapping, or a list of mappings")
		}
		for _, m := range mapping.members {
			if !index[m.name] {
				index[m.name] = true
				made.members = append(made.members, member{name: m.name, line: source.Line, column: source.Column, value: m.value})
			}
		}
	}
	return nil
}
