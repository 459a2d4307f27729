package scim

import (
	"fmt"
	"strings"
)

// maxValues bounds the values of a multi-valued attribute, as many as a group may have members.
const maxValues = 10_000

// readResource returns the writable attributes of a resource in a body. Read-only attributes and attributes that the service does not
// offer are left out (RFC 7644, section 3.3).
func readResource(attributes []attribute, body object) (object, error) {
	resource := object{}
	for name, value := range body {
		a := findAttribute(attributes, name)
		if a == nil || a.Mutability == readOnly || value == nil {
			continue
		}
		read, err := a.readValue(value)
		if err != nil {
			return nil, err
		}
		if values, ok := read.([]any); ok {
			setValues(resource, a.Name, uniqueValues(values))
			continue
		}
		resource[a.Name] = read
	}
	for i := range attributes {
		if a := &attributes[i]; a.Required && !a.hasDefault && resource[a.Name] == nil {
			return nil, refuseAs(errInvalidValue, a.Name+" is required")
		}
	}
	return resource, nil
}

// readValue returns a value of the attribute with the canonical names of its parts.
func (a *attribute) readValue(value any) (any, error) {
	if a.MultiValued {
		return a.readValues(value)
	}
	switch a.Type {
	case typeBoolean:
		switch v := value.(type) {
		case bool:
			return v, nil
		case string:
			// Microsoft Entra ID writes "True" and "False".
			if strings.EqualFold(v, "true") || strings.EqualFold(v, "false") {
				return strings.EqualFold(v, "true"), nil
			}
		}
		return nil, refuseAs(errInvalidValue, a.Name+" must be true or false")
	case typeComplex:
		members, ok := value.(object)
		if !ok {
			return nil, refuseAs(errInvalidValue, a.Name+" must be an object")
		}
		result := object{}
		for name, member := range members {
			sub := findAttribute(a.Sub, name)
			if sub == nil || sub.Mutability == readOnly || member == nil {
				continue
			}
			read, err := sub.readValue(member)
			if err != nil {
				return nil, err
			}
			result[sub.Name] = read
		}
		return result, nil
	}
	text, ok := value.(string)
	if !ok {
		return nil, refuseAs(errInvalidValue, a.Name+" must be a text")
	}
	return text, nil
}

func (a *attribute) readValues(value any) (any, error) {
	values, ok := value.([]any)
	if !ok {
		values = []any{value}
	}
	if len(values) > maxValues {
		return nil, refuseAs(errInvalidValue, fmt.Sprintf("%s must have at most %d values", a.Name, maxValues))
	}
	one := *a
	one.MultiValued = false
	result := make([]any, 0, len(values))
	for _, v := range values {
		if text, ok := v.(string); ok {
			v = object{"value": text}
		}
		read, err := one.readValue(v)
		if err != nil {
			return nil, err
		}
		result = append(result, read)
	}
	return result, nil
}
