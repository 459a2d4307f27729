package jsondoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/procession-dev/procession/domain/jsontext"
)

// A bundle is a schema of draft 2020-12 with the schema resources in it: the
// subschemas that have an address of their own (draft 2020-12, core, section 9.3).
type bundle struct {
	resources []*bundled
	// roots maps JSON Pointers to the resources that begin there, addresses maps addresses to resources.
	roots     map[string]int
	addresses map[string]int
	// names are the dynamic anchors that several resources have, sorted.
	names []string
}

// bundled is one schema resource.
type bundled struct {
	address *url.URL
	// at is the place of the resource in the document.
	at   []string
	node map[string]any
	// anchors and dynamic are the places of its anchors in the document.
	anchors map[string][]string
	dynamic map[string][]string
}

var errAddress = errors.New("an $id in it is not the address of a schema")

// readBundle splits a schema into its resources. It returns nil for a schema of another draft, and for one
// without a dynamic anchor in several resources.
func readBundle(source json.RawMessage) (*bundle, error) {
	decoder := json.NewDecoder(bytes.NewReader(source))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	node, _ := value.(map[string]any)
	draft, _ := node["$schema"].(string)
	if node == nil || draft != "" && strings.TrimSuffix(draft, "#") != "https://json-schema.org/draft/2020-12/schema" {
		return nil, nil
	}
	address, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	b := &bundle{roots: map[string]int{}, addresses: map[string]int{}}
	if err := b.openResource(node, address, nil); err != nil {
		return nil, err
	}
	if err := b.collectMembers(node, 0, nil); err != nil {
		return nil, err
	}
	owners := map[string]int{}
	for _, r := range b.resources {
		for name := range r.dynamic {
			if owners[name]++; owners[name] == 2 {
				b.names = append(b.names, name)
			}
		}
	}
	if len(b.names) == 0 {
		return nil, nil
	}
	slices.Sort(b.names)
	return b, nil
}

// openResource begins a resource.
func (b *bundle) openResource(node map[string]any, base *url.URL, at []string) error {
	id, _ := node["$id"].(string)
	reference, err := url.Parse(id)
	if err != nil {
		return errAddress
	}
	address := base.ResolveReference(reference)
	address.Fragment, address.RawFragment = "", ""
	b.roots[pointerOf(at)] = len(b.resources)
	b.addresses[address.String()] = len(b.resources)
	b.resources = append(b.resources, &bundled{
		address: address, at: at, node: node, anchors: map[string][]string{}, dynamic: map[string][]string{},
	})
	return nil
}

// collectSchema collects resources and anchors in a value that is a schema or a list of them, within the resource in.
func (b *bundle) collectSchema(value any, in int, at []string) error {
	switch v := value.(type) {
	case map[string]any:
		if _, ok := v["$id"].(string); ok {
			if err := b.openResource(v, b.resources[in].address, at); err != nil {
				return err
			}
			in = len(b.resources) - 1
		}
		return b.collectMembers(v, in, at)
	case []any:
		for i, element := range v {
			if err := b.collectSchema(element, in, extendPath(at, strconv.Itoa(i))); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *bundle) collectMembers(node map[string]any, in int, at []string) error {
	if name, ok := node["$anchor"].(string); ok {
		b.resources[in].anchors[name] = at
	}
	if name, ok := node["$dynamicAnchor"].(string); ok {
		b.resources[in].dynamic[name] = at
	}
	for keyword, value := range node {
		var err error
		switch contentsOf(keyword) {
		case holdsData:
		case holdsNamed:
			named, _ := value.(map[string]any)
			for name, schema := range named {
				err = errors.Join(err, b.collectSchema(schema, in, extendPath(at, keyword, name)))
			}
		case holdsSchemas:
			err = b.collectSchema(value, in, extendPath(at, keyword))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// contents is the kind of content of a keyword's value.
type contents int

const (
	// holdsSchemas: a schema or an array of schemas, or none. Keywords unknown to all drafts are treated this
	// way too, since references lead there.
	holdsSchemas contents = iota
	// holdsNamed: an object of schemas with arbitrary names.
	holdsNamed
	// holdsData: values that contain no schemas.
	holdsData
)

func contentsOf(keyword string) contents {
	switch keyword {
	case "properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions":
		return holdsNamed
	case "const", "enum", "default", "examples":
		return holdsData
	}
	return holdsSchemas
}

// resolveReference resolves a reference in a resource. name is the anchor, if the reference has one. For a target
// outside the document it returns only outside, the whole address.
func (b *bundle) resolveReference(in int, reference string) (at []string, name, outside string) {
	address, err := b.resources[in].address.Parse(reference)
	if err != nil {
		return nil, "", reference
	}
	whole, fragment := address.String(), address.Fragment
	address.Fragment, address.RawFragment = "", ""
	found, ok := b.addresses[address.String()]
	if !ok {
		return nil, "", whole
	}
	r := b.resources[found]
	if path, isPointer := jsontext.SplitPointer(fragment); isPointer {
		return extendPath(r.at, path...), "", ""
	}
	if at, ok = r.anchors[fragment]; !ok {
		at, ok = r.dynamic[fragment]
	}
	if !ok {
		return nil, "", whole
	}
	return at, fragment, ""
}

// resourceOf returns the resource to which a place in the document belongs.
func (b *bundle) resourceOf(at []string) int {
	for length := len(at); length > 0; length-- {
		if r, ok := b.roots[pointerOf(at[:length])]; ok {
			return r
		}
	}
	return 0
}

func pointerOf(path []string) string {
	var pointer strings.Builder
	for _, name := range path {
		pointer.WriteString("/" + jsontext.EscapeToken(name))
	}
	return pointer.String()
}

// extendPath returns a path extended by more, without sharing memory with it.
func extendPath(path []string, more ...string) []string { return slices.Concat(path, more) }
