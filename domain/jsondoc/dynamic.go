package jsondoc

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/procession-dev/procession/domain/jsontext"
)

var errCombinations = errors.New("its dynamic references lead to too many combinations of schemas")

// resolveDynamic returns an equivalent schema without dynamic references, if the library does not resolve those it has:
// with the same dynamic anchor in several resources the library uses any of them below a schema it has passed,
// entered or not. It returns nil for every other schema. The schema must compile.
//
// The target of a dynamic reference depends only on which of the entered resources was the first to have each
// anchor. So every resource is copied once for each such state in which it is reached, and in that copy the
// reference is an ordinary one.
func resolveDynamic(source json.RawMessage) (json.RawMessage, error) {
	b, err := readBundle(source)
	if b == nil || err != nil {
		return nil, err
	}
	s := specializer{bundle: b, places: map[string]int{}}
	unbound := make([]int, len(b.names))
	for i := range unbound {
		unbound[i] = -1
	}
	first := s.copyNumber(0, s.enterResource(unbound, 0))
	copies := map[string]any{}
	for i := 0; i < len(s.queue); i++ {
		c := s.queue[i]
		copies[strconv.Itoa(i)] = s.copySchema(b.resources[c.resource].node, c, b.resources[c.resource].at)
		if s.nodes > maxSchemaNodes {
			return nil, errCombinations
		}
	}
	return json.Marshal(map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$ref": s.copyPointer(first, nil), "$defs": copies,
	})
}

// A specializer writes the copies of the resources of a bundle.
type specializer struct {
	*bundle
	queue []specialized
	// places maps copies to their index in queue.
	places map[string]int
	nodes  int
}

// specialized is a copy of a resource. bound holds, for each of the bundle's names, the first resource on the
// way here that has the anchor, -1 if none has.
type specialized struct {
	resource int
	bound    []int
}

// enterResource returns the state after a resource is entered.
func (s *specializer) enterResource(bound []int, resource int) []int {
	after := make([]int, len(bound))
	for i, r := range bound {
		after[i] = r
		if _, has := s.resources[resource].dynamic[s.names[i]]; has && r < 0 {
			after[i] = resource
		}
	}
	return after
}

// copyNumber returns the number of a copy, which is queued to be written.
func (s *specializer) copyNumber(resource int, bound []int) int {
	key := fmt.Sprint(resource, bound)
	number, ok := s.places[key]
	if !ok {
		number = len(s.queue)
		s.places[key] = number
		s.queue = append(s.queue, specialized{resource, bound})
	}
	return number
}

// copyPointer returns a reference to a place in a copy.
func (s *specializer) copyPointer(number int, within []string) string {
	var text strings.Builder
	text.WriteString("#/$defs/" + strconv.Itoa(number))
	for _, name := range within {
		text.WriteString("/" + url.PathEscape(jsontext.EscapeToken(name)))
	}
	return text.String()
}

// copySchema copies a value that is a schema or a list of them.
func (s *specializer) copySchema(value any, c specialized, at []string) any {
	if s.nodes++; s.nodes > maxSchemaNodes {
		return nil
	}
	switch v := value.(type) {
	case map[string]any:
		if r, begins := s.roots[pointerOf(at)]; begins && r != c.resource {
			inner := map[string]any{"$ref": s.referenceTo(c, at)}
			if flag, ok := v[keywordRequiredOnUpdate].(bool); ok {
				inner[keywordRequiredOnUpdate] = flag
			}
			return inner
		}
		return s.copyMembers(v, c, at)
	case []any:
		list := make([]any, len(v))
		for i, element := range v {
			list[i] = s.copySchema(element, c, extendPath(at, strconv.Itoa(i)))
		}
		return list
	}
	return value
}

func (s *specializer) copyMembers(node map[string]any, c specialized, at []string) any {
	written := make(map[string]any, len(node))
	for keyword, value := range node {
		switch keyword {
		case "$id", "$schema", "$anchor", "$dynamicAnchor", "$ref", "$dynamicRef":
			continue
		}
		switch contentsOf(keyword) {
		case holdsData:
			written[keyword] = value
		case holdsNamed:
			written[keyword] = s.copyNamed(value, c, extendPath(at, keyword))
		case holdsSchemas:
			written[keyword] = s.copySchema(value, c, extendPath(at, keyword))
		}
	}
	reference, ok := node["$ref"].(string)
	if ok {
		written["$ref"] = s.followReference(c, reference)
	}
	if dynamic, isDynamic := node["$dynamicRef"].(string); isDynamic {
		followed := s.followDynamic(c, dynamic)
		if !ok {
			written["$ref"] = followed
			return written
		}
		// Appended at the end, so that places that others refer to do not move.
		list, _ := written["allOf"].([]any)
		written["allOf"] = append(list, map[string]any{"$ref": followed})
	}
	return written
}

func (s *specializer) copyNamed(value any, c specialized, at []string) any {
	schemas, ok := value.(map[string]any)
	if !ok {
		return value
	}
	written := make(map[string]any, len(schemas))
	for name, schema := range schemas {
		written[name] = s.copySchema(schema, c, extendPath(at, name))
	}
	return written
}

// referenceTo returns a reference to a place in the document, from a copy.
func (s *specializer) referenceTo(c specialized, at []string) string {
	resource := s.resourceOf(at)
	return s.copyPointer(s.copyNumber(resource, s.enterResource(c.bound, resource)), at[len(s.resources[resource].at):])
}

// followReference returns the reference that replaces $ref in a copy. A reference out of the document is to a draft's own
// schema.
func (s *specializer) followReference(c specialized, reference string) string {
	at, _, outside := s.resolveReference(c.resource, reference)
	if outside != "" {
		return outside
	}
	return s.referenceTo(c, at)
}

// followDynamic returns the reference that replaces $dynamicRef in a copy.
func (s *specializer) followDynamic(c specialized, reference string) string {
	at, name, outside := s.resolveReference(c.resource, reference)
	if outside != "" {
		return outside
	}
	// The way here only matters if an ordinary reference leads to a dynamic anchor.
	if place, dynamic := s.resources[s.resourceOf(at)].dynamic[name]; dynamic && slices.Equal(place, at) {
		for i, bound := range c.bound {
			if s.names[i] == name && bound >= 0 {
				at = s.resources[bound].dynamic[name]
			}
		}
	}
	return s.referenceTo(c, at)
}
