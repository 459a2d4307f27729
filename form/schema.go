package form

import (
	"net/url"
	"slices"
	"strings"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
)

const (
	// maxSchemaDepth is the maximum nesting of schemas and UI schemas. Deeper parts are ignored.
	maxSchemaDepth = 64
	// maxExpansions is the maximum number of subschemas followed for one document, maxParts the maximum number that
	// apply to one value.
	maxExpansions = 200_000
	maxParts      = 200
)

// schemas reads labels and order from a JSON Schema. Package jsondoc validates.
type schemas struct {
	root       any
	expansions int
	views      map[*object]*view
}

// A view contains everything that a schema states about one value: the schema itself, referenced and combined ones.
// Schemas in sure apply to every value, schemas in maybe to some.
type view struct {
	sure, maybe []*object
	// needed caches the result of requiredNames.
	needed map[string]bool
}

func newSchemas(root any) *schemas {
	return &schemas{root: root, views: map[*object]*view{}}
}

// viewOf returns the view of schemas that apply together.
func (s *schemas) viewOf(nodes ...any) *view {
	if len(nodes) == 1 {
		if o, ok := nodes[0].(*object); ok {
			if known, ok := s.views[o]; ok {
				return known
			}
			v := &view{}
			s.expand(v, o, true)
			s.views[o] = v
			return v
		}
	}
	v := &view{}
	for _, node := range nodes {
		s.expand(v, node, true)
	}
	return v
}

func (s *schemas) expand(v *view, node any, sure bool) {
	o, ok := node.(*object)
	if !ok || slices.Contains(v.sure, o) || slices.Contains(v.maybe, o) {
		return
	}
	s.expansions++
	if s.expansions > maxExpansions || len(v.sure)+len(v.maybe) >= maxParts {
		return
	}
	if sure {
		v.sure = append(v.sure, o)
	} else {
		v.maybe = append(v.maybe, o)
	}
	if reference := o.Text("$ref"); reference != "" {
		s.expand(v, s.resolveReference(reference), sure)
	}
	s.expandAll(v, o, "allOf", sure)
	s.expandAll(v, o, "oneOf", false)
	s.expandAll(v, o, "anyOf", false)
	for _, keyword := range []string{"then", "else"} {
		if branch, ok := o.Get(keyword); ok {
			s.expand(v, branch, false)
		}
	}
}

func (s *schemas) expandAll(v *view, o *object, keyword string, sure bool) {
	list, _ := o.Members[keyword].([]any)
	for _, node := range list {
		s.expand(v, node, sure)
	}
}

// resolveReference returns the target of a reference within the schema, or nil.
func (s *schemas) resolveReference(reference string) any {
	fragment, ok := strings.CutPrefix(reference, "#")
	if !ok {
		return nil
	}
	if decoded, err := url.PathUnescape(fragment); err == nil {
		fragment = decoded
	}
	path, ok := jsontext.SplitPointer(fragment)
	if !ok {
		return nil
	}
	node, _ := lookUp(s.root, path)
	return node
}

// propertyView returns the view of a member. known reports whether the schema names it, always whether it does for
// every value.
func (s *schemas) propertyView(v *view, name string) (of *view, known, always bool) {
	var sure, maybe []any
	collect := func(parts []*object, nodes *[]any) {
		for _, part := range parts {
			properties, _ := part.Members["properties"].(*object)
			if node, ok := properties.Get(name); ok {
				*nodes = append(*nodes, node)
			}
		}
	}
	collect(v.sure, &sure)
	collect(v.maybe, &maybe)
	if len(sure) == 0 && len(maybe) == 0 {
		for _, part := range v.sure {
			if additional, ok := part.Members["additionalProperties"].(*object); ok {
				return s.viewOf(additional), true, false
			}
		}
		return &view{}, false, false
	}
	if len(sure) == 0 {
		return s.viewOf(maybe...), true, false
	}
	if len(maybe) == 0 {
		return s.viewOf(sure...), true, true
	}
	of = &view{}
	for _, node := range sure {
		s.expand(of, node, true)
	}
	for _, node := range maybe {
		s.expand(of, node, false)
	}
	return of, true, true
}

// propertyNames returns the members that the schema names, in its order.
func (v *view) propertyNames() []string {
	var names []string
	seen := map[string]bool{}
	for _, part := range slices.Concat(v.sure, v.maybe) {
		properties, _ := part.Members["properties"].(*object)
		if properties == nil {
			continue
		}
		for _, name := range properties.Names {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}

// isOpen reports whether the schema names no member, so that every member is known.
func (v *view) isOpen() bool {
	for _, part := range slices.Concat(v.sure, v.maybe) {
		if _, ok := part.Members["properties"]; ok {
			return false
		}
		if _, ok := part.Members["additionalProperties"].(*object); ok {
			return false
		}
	}
	return true
}

// elementView returns the view of an element of an array.
func (s *schemas) elementView(v *view, index int) *view {
	var nodes []any
	for _, part := range slices.Concat(v.sure, v.maybe) {
		prefix, _ := part.Members["prefixItems"].([]any)
		items := part.Members["items"]
		if list, ok := items.([]any); ok { // As in the older drafts.
			prefix, items = list, part.Members["additionalItems"]
		}
		switch {
		case index < len(prefix):
			nodes = append(nodes, prefix[index])
		case items != nil:
			nodes = append(nodes, items)
		}
	}
	return s.viewOf(nodes...)
}

// textOf returns the first string of a keyword. Alternatives are ignored: they may have their own title.
func (v *view) textOf(keyword string) string {
	for _, part := range v.sure {
		if text := part.Text(keyword); text != "" {
			return text
		}
	}
	return ""
}

// isTrue reports whether a keyword is true.
func (v *view) isTrue(keyword string) bool {
	return slices.ContainsFunc(v.sure, func(part *object) bool { return part.Members[keyword] == true })
}

// expectsType reports whether the schema allows the JSON type. A schema without types allows all.
func (v *view) expectsType(jsonType string) bool {
	stated := false
	for _, part := range v.sure {
		switch t := part.Members["type"].(type) {
		case string:
			stated = true
			if t == jsonType || t == "integer" && jsonType == "number" {
				return true
			}
		case []any:
			stated = true
			if slices.Contains(t, any(jsonType)) || jsonType == "number" && slices.Contains(t, any("integer")) {
				return true
			}
		}
	}
	return !stated
}

// titleOf returns the title of a value in an enumeration.
func (v *view) titleOf(value any) (string, bool) {
	for _, part := range v.sure {
		for _, keyword := range []string{"oneOf", "anyOf"} {
			list, _ := part.Members[keyword].([]any)
			for _, entry := range list {
				alternative, _ := entry.(*object)
				constant, ok := alternative.Get("const")
				if ok && jsondoc.Equal(constant, value) {
					if title := alternative.Text("title"); title != "" {
						return title, true
					}
				}
			}
		}
	}
	return "", false
}
