package scim

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	filter "github.com/scim2/filter-parser/v2"
)

const (
	// maxPatchOperations bounds the operations of a PATCH.
	maxPatchOperations = 200
	// maxPath bounds a path of a PATCH, and maxFilter a filter of a list, in bytes.
	maxPath, maxFilter = 256, 1000
)

// object is a resource or a complex value, by the canonical names of its attributes.
type object = map[string]any

// patchBody is the body of a PATCH (RFC 7644, section 3.5.2).
type patchBody struct {
	Schemas    []string         `json:"schemas"`
	Operations []patchOperation `json:"Operations"`
}

type patchOperation struct {
	Op    string          `json:"op"`
	Path  string          `json:"path"`
	Value json.RawMessage `json:"value"`
}

// patcher applies operations to the attributes of a kind of resource. uri is the schema of the attributes.
type patcher struct {
	uri        string
	attributes []attribute
}

// applyAll applies the operations to a copy of the resource and returns it.
func (p patcher) applyAll(resource object, operations []patchOperation) (object, error) {
	if len(operations) == 0 || len(operations) > maxPatchOperations {
		return nil, refuseAs(errInvalidSyntax, fmt.Sprintf("Operations must have 1 to %d elements", maxPatchOperations))
	}
	result := cloneObject(resource)
	for i, operation := range operations {
		if err := p.applyOne(result, operation); err != nil {
			return nil, inOperation(err, i)
		}
	}
	return result, nil
}

func cloneObject(o object) object {
	clone := maps.Clone(o)
	for name, value := range clone {
		switch v := value.(type) {
		case object:
			clone[name] = cloneObject(v)
		case []any:
			values := slices.Clone(v)
			for i := range values {
				if element, ok := values[i].(object); ok {
					values[i] = cloneObject(element)
				}
			}
			clone[name] = values
		}
	}
	return clone
}

func (p patcher) applyOne(resource object, operation patchOperation) error {
	op := strings.ToLower(operation.Op)
	var value any
	if len(operation.Value) > 0 {
		if err := json.Unmarshal(operation.Value, &value); err != nil {
			return refuseAs(errInvalidSyntax, "value is not JSON")
		}
	}
	switch {
	case op != "add" && op != "replace" && op != "remove":
		return refuseAs(errInvalidSyntax, "op must be add, replace or remove")
	case op == "remove" && operation.Path == "":
		return refuseAs(errNoTarget, "remove needs a path")
	case op != "remove" && len(operation.Value) == 0:
		return refuseAs(errInvalidValue, op+" needs a value")
	case operation.Path != "":
		return p.applyAt(resource, op, operation.Path, value)
	}
	members, ok := value.(object)
	if !ok {
		return refuseAs(errInvalidValue, "value must be an object when there is no path")
	}
	for _, path := range slices.Sorted(maps.Keys(members)) {
		if strings.EqualFold(path, "schemas") || strings.EqualFold(path, enterpriseSchema) {
			continue
		}
		if err := p.applyAt(resource, op, path, members[path]); err != nil {
			return err
		}
	}
	return nil
}

// target is an attribute that a path names. sub is nil for the whole attribute, which for all of its values.
type target struct {
	attribute *attribute
	sub       *attribute
	which     filter.Expression
}

// parseTarget returns the target of a path, nil for an attribute that the service does not offer.
func (p patcher) parseTarget(text string) (*target, error) {
	if len(text) > maxPath {
		return nil, refuseAs(errInvalidPath, fmt.Sprintf("the path must have at most %d bytes", maxPath))
	}
	path, err := filter.ParsePath([]byte(text))
	if err != nil {
		return nil, refuseAs(errInvalidPath, "the path is not one of RFC 7644, section 3.5.2")
	}
	if isForeign(path.AttributePath.URI(), path.AttributePath.AttributeName) {
		return nil, nil //nolint:nilnil // it has no target here
	}
	if uri := path.AttributePath.URI(); uri != "" && !strings.EqualFold(uri, p.uri) {
		return nil, refuseAs(errInvalidPath, "the schema "+uri+" is not one of the resource")
	}
	t := &target{attribute: findAttribute(p.attributes, path.AttributePath.AttributeName), which: path.ValueExpression}
	if t.attribute == nil {
		return nil, refuseAs(errInvalidPath, "there is no attribute "+path.AttributePath.AttributeName)
	}
	name := path.AttributePath.SubAttributeName()
	if path.SubAttribute != nil {
		name = *path.SubAttribute
	}
	if name != "" {
		if t.sub = findAttribute(t.attribute.Sub, name); t.sub == nil {
			if isForeign("", name) {
				return nil, nil //nolint:nilnil // it has no target here
			}
			return nil, refuseAs(errInvalidPath, "there is no attribute "+t.attribute.Name+"."+name)
		}
	}
	if t.which != nil && !t.attribute.MultiValued {
		return nil, refuseAs(errInvalidPath, t.attribute.Name+" has one value only")
	}
	return t, nil
}

func (p patcher) applyAt(resource object, op, path string, value any) error {
	t, err := p.parseTarget(path)
	if err != nil || t == nil {
		return err
	}
	if t.attribute.Mutability == readOnly || t.sub != nil && t.sub.Mutability == readOnly {
		return refuseAs(errMutability, path+" is read-only")
	}
	if op == "remove" || value == nil {
		return p.removeTarget(resource, t, value)
	}
	switch {
	case t.attribute.MultiValued:
		return p.writeValues(resource, op, t, value)
	case t.sub != nil:
		single, err := t.sub.readValue(value)
		if err != nil {
			return err
		}
		whole, _ := resource[t.attribute.Name].(object)
		if whole == nil {
			whole = object{}
		}
		whole[t.sub.Name] = single
		resource[t.attribute.Name] = whole
		return nil
	}
	next, err := t.attribute.readValue(value)
	if err != nil {
		return err
	}
	if before, ok := resource[t.attribute.Name].(object); ok && op == "add" {
		if added, ok := next.(object); ok {
			maps.Copy(before, added)
			return nil
		}
	}
	resource[t.attribute.Name] = next
	return nil
}

func (p patcher) removeTarget(resource object, t *target, value any) error {
	name := t.attribute.Name
	switch {
	case t.attribute.Required && t.sub == nil && t.which == nil:
		return refuseAs(errMutability, name+" is required")
	case t.attribute.MultiValued:
		return t.removeValues(resource, value)
	case t.sub != nil:
		if whole, ok := resource[name].(object); ok {
			delete(whole, t.sub.Name)
			if len(whole) == 0 {
				delete(resource, name)
			}
		}
	default:
		delete(resource, name)
	}
	return nil
}

// removeValues removes the values of a multi-valued attribute that the target selects, or that the operation lists.
func (t *target) removeValues(resource object, value any) error {
	values, _ := resource[t.attribute.Name].([]any)
	var listed []any
	if value != nil {
		read, err := t.attribute.readValue(value)
		if err != nil {
			return err
		}
		listed, _ = read.([]any)
	}
	in := indexValues(listed)
	var kept []any
	for _, v := range values {
		element, _ := v.(object)
		selected, err := t.selectsValue(element)
		if err != nil {
			return err
		}
		if value != nil {
			_, isListed := in[keyOf(element)]
			selected = selected && isListed
		}
		switch {
		case !selected:
			kept = append(kept, v)
		case t.sub != nil && t.sub.Name != "value":
			delete(element, t.sub.Name)
			kept = append(kept, v)
		}
	}
	setValues(resource, t.attribute.Name, kept)
	return nil
}

func setValues(resource object, name string, values []any) {
	if len(values) == 0 {
		delete(resource, name)
		return
	}
	resource[name] = values
}

// selectsValue reports whether the filter of the target matches a value.
func (t *target) selectsValue(element object) (bool, error) {
	if t.which == nil {
		return true, nil
	}
	return matchValue(t.which, t.attribute, element, 0)
}

// writeValues adds or replaces values of a multi-valued attribute.
func (p patcher) writeValues(resource object, op string, t *target, value any) error {
	values, _ := resource[t.attribute.Name].([]any)
	if t.which == nil && t.sub == nil {
		read, err := t.attribute.readValue(value)
		if err != nil {
			return err
		}
		next, _ := read.([]any)
		if op == "add" {
			next = append(values, next...)
		}
		setValues(resource, t.attribute.Name, uniqueValues(next))
		return nil
	}
	matched := false
	for _, v := range values {
		element, _ := v.(object)
		selected, err := t.selectsValue(element)
		if err != nil {
			return err
		}
		if !selected {
			continue
		}
		matched = true
		if err := t.writeElement(element, value); err != nil {
			return err
		}
	}
	switch {
	case matched:
		setValues(resource, t.attribute.Name, uniqueValues(values))
		return nil
	case op == "replace" && t.which != nil:
		return refuseAs(errNoTarget, "no value of "+t.attribute.Name+" matches the filter")
	}
	element := object{}
	if equal, ok := t.which.(*filter.AttributeExpression); ok && equal.Operator == filter.EQ {
		if sub := findAttribute(t.attribute.Sub, equal.AttributePath.AttributeName); sub != nil {
			element[sub.Name] = equal.CompareValue
		}
	}
	if err := t.writeElement(element, value); err != nil {
		return err
	}
	setValues(resource, t.attribute.Name, uniqueValues(append(values, element)))
	return nil
}

func (t *target) writeElement(element object, value any) error {
	if t.sub != nil {
		single, err := t.sub.readValue(value)
		if err != nil {
			return err
		}
		element[t.sub.Name] = single
		return nil
	}
	one := *t.attribute
	one.MultiValued = false
	read, err := one.readValue(value)
	if err != nil {
		return err
	}
	if members, ok := read.(object); ok {
		maps.Copy(element, members)
	}
	return nil
}

// keyOf returns the identity of a complex value: its value, or all of it.
func keyOf(element object) string {
	if text, ok := element["value"].(string); ok {
		return strings.ToLower(text)
	}
	encoded, _ := json.Marshal(element) //nolint:errchkjson // it was decoded from JSON
	return string(encoded)
}

func indexValues(values []any) map[string]int {
	index := map[string]int{}
	for i, v := range values {
		element, _ := v.(object)
		index[keyOf(element)] = i
	}
	return index
}

// uniqueValues keeps the last of equal values, at the place of the first.
func uniqueValues(values []any) []any {
	index := map[string]int{}
	var unique []any
	for _, v := range values {
		element, _ := v.(object)
		key := keyOf(element)
		if at, ok := index[key]; ok {
			if !reflect.DeepEqual(unique[at], v) {
				unique[at] = v
			}
			continue
		}
		index[key] = len(unique)
		unique = append(unique, v)
	}
	return unique
}
