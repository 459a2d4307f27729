package resource

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/domain/translation"
)

const (
	// maxMessageDepth is the maximum nesting of schemas with messages, maxMessageNodes the maximum number of subschemas.
	maxMessageDepth = 64
	maxMessageNodes = 20_000
)

// messageReader adds the texts of a form to the messages of a definition.
type messageReader struct {
	to   *Translatable
	root *jsondoc.Object
	// controls are the elements of the layout by the paths of their values, without indexes.
	controls map[string]*jsondoc.Object
	nodes    int
}

func newMessageReader(to *Translatable, schema json.RawMessage) *messageReader {
	decoded, _ := jsondoc.Decode(schema, maxMessageDepth)
	root, _ := decoded.(*jsondoc.Object)
	return &messageReader{to: to, root: root, controls: map[string]*jsondoc.Object{}}
}

// readForm adds the texts of a layout and of the schema. within are the names around the value.
func (r *messageReader) readForm(layout json.RawMessage, within []string) {
	decoded, _ := jsondoc.Decode(layout, maxMessageDepth)
	r.readLayout(decoded, within)
	if r.root != nil {
		r.readValue([]*jsondoc.Object{r.root}, within, len(within) > 0, nil)
	}
}

// readLayout adds the texts of an element of a layout, and keeps its controls.
func (r *messageReader) readLayout(element any, within []string) {
	e, ok := element.(*jsondoc.Object)
	if !ok {
		return
	}
	options, _ := e.Members["options"].(*jsondoc.Object)
	label, _ := e.Members["label"].(string)
	switch kind := e.Text("type"); kind {
	case "Control", "ListWithDetail":
		path, ok := jsondoc.ScopePath(e.Text("scope"))
		if !ok {
			return
		}
		path = slices.Concat(within, path)
		if at := translation.PathPrefix(path); r.controls[at] == nil {
			r.controls[at] = e
		}
		detail, _ := options.Get("detail")
		r.readLayout(detail, path)
	case "Label":
		r.addHeading(e, cmp.Or(label, e.Text("text")), translation.SuffixText)
	case "Group", "Category":
		r.addHeading(e, label, translation.SuffixLabel)
	}
	list, _ := e.Members["elements"].([]any)
	for _, child := range list {
		r.readLayout(child, within)
	}
}

func (r *messageReader) addHeading(e *jsondoc.Object, text, suffix string) {
	if key := e.Text("i18n"); key != "" {
		r.to.add(key+suffix, text)
		return
	}
	r.to.add(text, text)
}

// readValue adds the texts of a value. Nodes are the subschemas about it; labelled reports whether forms show a label, seen
// are the subschemas about the values around it.
func (r *messageReader) readValue(nodes []*jsondoc.Object, path []string, labelled bool, seen []*jsondoc.Object) {
	parts, branches := r.expand(nodes)
	if len(parts) == 0 || r.nodes > maxMessageNodes || len(path) > maxMessageDepth {
		return
	}
	control := r.controls[translation.PathPrefix(path)]
	own := cmp.Or(control.Text("i18n"), firstText(parts, "i18n"))
	prefix := cmp.Or(own, translation.PathPrefix(path))
	r.to.prefixes[prefix] = true
	isEntry := own == "" && len(path) > 0 && translation.IsIndex(path[len(path)-1])
	if labelled && !isEntry {
		r.addLabel(control, parts, path, prefix)
	}
	if slices.Contains(seen, coreOf(parts)) {
		return
	}
	seen = append(slices.Clone(seen), parts...)
	for _, part := range append(slices.Clone(parts), branches...) {
		r.addOptions(part, prefix)
	}
	r.readMembers(append(parts, branches...), path, seen)
}

// coreOf returns the first of the subschemas that is not a reference.
func coreOf(parts []*jsondoc.Object) *jsondoc.Object {
	for _, part := range parts {
		if part.Text("$ref") == "" {
			return part
		}
	}
	return parts[0]
}

func (r *messageReader) addLabel(control *jsondoc.Object, parts []*jsondoc.Object, path []string, prefix string) {
	label, _ := control.Get("label")
	text, _ := label.(string)
	if o, ok := label.(*jsondoc.Object); ok {
		text = o.Text("text")
	}
	options, _ := control.Get("options")
	shown, _ := options.(*jsondoc.Object)
	title := cmp.Or(text, firstText(parts, "title"))
	if title == "" && len(path) > 0 {
		title = path[len(path)-1]
	}
	r.to.add(prefix+translation.SuffixLabel, title)
	r.to.add(prefix+translation.SuffixDescription, cmp.Or(shown.Text("help"), firstText(parts, "description")))
	r.to.add(prefix+translation.SuffixPlaceholder, shown.Text("placeholder"))
}

// addOptions adds the titles of the values of enumerations and of alternatives.
func (r *messageReader) addOptions(part *jsondoc.Object, prefix string) {
	if values, ok := part.Members["enum"].([]any); ok {
		for _, value := range values {
			if title := optionTitle(value); title != "" {
				r.to.add(prefix+"."+title, title)
			}
		}
	}
	for _, keyword := range []string{"oneOf", "anyOf"} {
		list, _ := part.Members[keyword].([]any)
		branches := alternatives(list)
		for _, branch := range branches {
			title := branch.Text("title")
			if value, ok := branch.Get("const"); ok && title == "" {
				title = optionTitle(value)
			}
			if _, isConst := branch.Get("const"); title != "" && (isConst || len(branches) > 1) {
				r.to.add(cmp.Or(branch.Text("i18n"), prefix+"."+title), title)
			}
		}
	}
}

// alternatives returns the subschemas of a list, but the one of null.
func alternatives(list []any) []*jsondoc.Object {
	return slices.DeleteFunc(objectsOf(list), func(o *jsondoc.Object) bool { return o.Text("type") == "null" })
}

// optionTitle returns the text of a value in an enumeration, "" for values that the console names.
func optionTitle(value any) string {
	switch v := value.(type) {
	case nil, bool:
		return ""
	case string:
		return v
	}
	text, err := jsontext.Marshal(value)
	if err != nil {
		return ""
	}
	return string(text)
}

// readMembers adds the texts of the members and entries of a value.
func (r *messageReader) readMembers(parts []*jsondoc.Object, path []string, seen []*jsondoc.Object) {
	members, names := map[string][]*jsondoc.Object{}, []string{}
	var entries []*jsondoc.Object
	for _, part := range parts {
		properties, _ := part.Members["properties"].(*jsondoc.Object)
		if properties == nil {
			properties = jsondoc.NewObject()
		}
		for _, name := range properties.Names {
			if o, ok := properties.Members[name].(*jsondoc.Object); ok {
				if members[name] == nil {
					names = append(names, name)
				}
				members[name] = append(members[name], o)
			} else if properties.Members[name] == true && members[name] == nil {
				names, members[name] = append(names, name), []*jsondoc.Object{jsondoc.NewObject()}
			}
		}
		for _, keyword := range []string{"items", "prefixItems", "additionalItems"} {
			switch items := part.Members[keyword].(type) {
			case *jsondoc.Object:
				entries = append(entries, items)
			case []any:
				entries = append(entries, objectsOf(items)...)
			}
		}
	}
	for _, name := range names {
		r.readValue(members[name], slices.Concat(path, []string{name}), true, seen)
	}
	for _, entry := range entries {
		r.readValue([]*jsondoc.Object{entry}, slices.Concat(path, []string{"0"}), true, seen)
	}
}

func objectsOf(list []any) []*jsondoc.Object {
	var objects []*jsondoc.Object
	for _, entry := range list {
		if o, ok := entry.(*jsondoc.Object); ok {
			objects = append(objects, o)
		}
	}
	return objects
}

// expand returns the subschemas that apply to one value: parts always, branches as alternatives or under conditions.
func (r *messageReader) expand(nodes []*jsondoc.Object) (parts, branches []*jsondoc.Object) {
	var collect func(node any, into *[]*jsondoc.Object)
	collect = func(node any, into *[]*jsondoc.Object) {
		o, ok := node.(*jsondoc.Object)
		if r.nodes++; !ok || r.nodes > maxMessageNodes || slices.Contains(*into, o) {
			return
		}
		*into = append(*into, o)
		if target := r.target(o.Text("$ref")); target != nil {
			collect(target, into)
		}
		list, _ := o.Members["allOf"].([]any)
		for _, entry := range list {
			collect(entry, into)
		}
		for _, keyword := range []string{"anyOf", "oneOf"} {
			list, _ := o.Members[keyword].([]any)
			choices := alternatives(list)
			for _, entry := range choices {
				if len(choices) == 1 {
					collect(entry, into)
				} else {
					collect(entry, &branches)
				}
			}
		}
		collect(o.Members["then"], &branches)
		collect(o.Members["else"], &branches)
		for _, keyword := range []string{"dependentSchemas", "dependencies"} {
			named, _ := o.Members[keyword].(*jsondoc.Object)
			if named != nil {
				for _, name := range named.Names {
					collect(named.Members[name], &branches)
				}
			}
		}
	}
	for _, node := range nodes {
		collect(node, &parts)
	}
	return parts, branches
}

// target returns the subschema that a local reference names, nil for none.
func (r *messageReader) target(reference string) any {
	if len(reference) == 0 || reference[0] != '#' {
		return nil
	}
	fragment, err := url.PathUnescape(reference[1:])
	if err != nil {
		return nil
	}
	tokens, ok := jsontext.SplitPointer(fragment)
	if !ok {
		return findAnchor(r.root, fragment)
	}
	at, _ := jsondoc.ValueAt(r.root, tokens)
	return at
}

// findAnchor returns the subschema with an anchor, nil for none.
func findAnchor(node any, anchor string) any {
	switch n := node.(type) {
	case *jsondoc.Object:
		if n.Text("$anchor") == anchor {
			return n
		}
		for _, name := range n.Names {
			if found := findAnchor(n.Members[name], anchor); found != nil {
				return found
			}
		}
	case []any:
		for _, entry := range n {
			if found := findAnchor(entry, anchor); found != nil {
				return found
			}
		}
	}
	return nil
}

func firstText(parts []*jsondoc.Object, keyword string) string {
	for _, part := range parts {
		if text := part.Text(keyword); text != "" {
			return text
		}
	}
	return ""
}
