package contracttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
)

// maxObserved is the size in bytes of the largest answer with recorded members.
const maxObserved = 1 << 20

// members records which members answers had and which values of enums occurred in
// them. A member is named by its schema, as in Process.state, an enum value by that
// of the enum, as in ProcessState=RUNNING.
type members struct {
	mu   sync.Mutex
	seen map[string]bool
}

// observeBody records the members in the body of an answer.
func (m *members) observeBody(schema *openapi3.SchemaRef, body []byte) {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(body))
	// Numbers may have more digits and larger exponents than Go has.
	decoder.UseNumber()
	if schema == nil || len(body) > maxObserved || decoder.Decode(&value) != nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seen == nil {
		m.seen = map[string]bool{}
	}
	walker{see: func(name string) { m.seen[name] = true }}.walkValue(schema, "", value)
}

// MissingMembers lists the documented members that no answer through a Transport of
// this contract has had yet, and the enum values that did not occur in one, in order.
func (c *Contract) MissingMembers() []string {
	c.members.mu.Lock()
	defer c.members.mu.Unlock()
	missing := map[string]bool{}
	for _, op := range c.operations {
		for status := range op.route.Operation.Responses.Map() {
			w := walker{declared: map[string]bool{}, see: func(name string) {
				if !c.members.seen[name] {
					missing[name] = true
				}
			}}
			w.walkValue(op.answerSchema(status), "", nil)
		}
	}
	return slices.Sorted(maps.Keys(missing))
}

// answerSchema returns the schema of the JSON that the operation answers with, nil for none.
func (op *operation) answerSchema(status string) *openapi3.SchemaRef {
	response := op.route.Operation.Responses.Value(status)
	if response == nil || response.Value == nil {
		return nil
	}
	media := response.Value.Content.Get("application/json")
	if media == nil {
		return nil
	}
	return media.Schema
}

// walker goes through a schema, along a value or, with declared, through all of it.
type walker struct {
	see func(name string)
	// declared are the schemas gone through, by their names.
	declared map[string]bool
}

func (w walker) walkValue(ref *openapi3.SchemaRef, name string, value any) {
	if ref == nil || ref.Value == nil {
		return
	}
	if ref.Ref != "" {
		name = path.Base(ref.Ref)
	}
	if w.declared != nil {
		if w.declared[name] && ref.Ref != "" {
			return
		}
		w.declared[name] = true
	}
	w.walkParts(ref.Value, name, value)
}

// walkParts walks a schema and its parts of allOf, which share its name.
func (w walker) walkParts(schema *openapi3.Schema, name string, value any) {
	for _, one := range schema.Enum {
		if w.declared != nil || one == value {
			w.see(fmt.Sprintf("%s=%v", name, one))
		}
	}
	for _, part := range schema.AllOf {
		w.walkParts(part.Value, name, value)
	}
	for _, branch := range w.matchingBranches(schema, value) {
		w.walkValue(branch, name, value)
	}
	object, _ := value.(map[string]any)
	for property, child := range schema.Properties {
		member, has := object[property]
		if w.declared == nil && !has || child.Value.WriteOnly {
			continue
		}
		w.see(name + "." + property)
		w.walkValue(child, name+"."+property, member)
	}
	if additional := schema.AdditionalProperties.Schema; additional != nil {
		if w.declared != nil {
			w.walkValue(additional, name+".*", nil)
		}
		for property, member := range object {
			if _, named := schema.Properties[property]; !named {
				w.walkValue(additional, name+".*", member)
			}
		}
	}
	if w.declared != nil {
		w.walkValue(schema.Items, name+"[]", nil)
	}
	list, _ := value.([]any)
	for _, element := range list {
		w.walkValue(schema.Items, name+"[]", element)
	}
}

// matchingBranches returns the branches of oneOf that the value may be: all, or the one that the
// discriminator names.
func (w walker) matchingBranches(schema *openapi3.Schema, value any) openapi3.SchemaRefs {
	if w.declared != nil || schema.Discriminator == nil {
		return schema.OneOf
	}
	object, _ := value.(map[string]any)
	kind, _ := object[schema.Discriminator.PropertyName].(string)
	target := schema.Discriminator.Mapping[kind].Ref
	return slices.DeleteFunc(slices.Clone(schema.OneOf), func(branch *openapi3.SchemaRef) bool {
		return target == "" || path.Base(branch.Ref) != path.Base(target)
	})
}
