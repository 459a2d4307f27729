package jsondoc

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/procession-dev/procession/domain/jsontext"
)

// Object is a JSON object with ordered members. The last one of duplicate members counts.
type Object struct {
	Names   []string
	Members map[string]any
}

// Deep is the text of an object or array nested too deeply to be decoded.
type Deep json.RawMessage

// NewObject returns an empty object.
func NewObject() *Object { return &Object{Members: map[string]any{}} }

// Get returns a member. The object may be nil.
func (o *Object) Get(name string) (any, bool) {
	if o == nil {
		return nil, false
	}
	value, ok := o.Members[name]
	return value, ok
}

// Set sets a member. A new one is the last.
func (o *Object) Set(name string, value any) {
	if _, exists := o.Members[name]; !exists {
		o.Names = append(o.Names, name)
	}
	o.Members[name] = value
}

// Remove removes a member.
func (o *Object) Remove(name string) {
	if _, exists := o.Members[name]; exists {
		delete(o.Members, name)
		o.Names = slices.DeleteFunc(o.Names, func(other string) bool { return other == name })
	}
}

// Text returns a string member, or "".
func (o *Object) Text(name string) string {
	value, _ := o.Get(name)
	text, _ := value.(string)
	return text
}

// MarshalJSON writes the members in their order.
func (o *Object) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	text.WriteByte('{')
	for i, name := range o.Names {
		if i > 0 {
			text.WriteByte(',')
		}
		member, err := jsontext.Marshal(o.Members[name])
		if err != nil {
			return nil, err
		}
		text.Write(jsontext.Quote(name))
		text.WriteByte(':')
		text.Write(member)
	}
	text.WriteByte('}')
	return text.Bytes(), nil
}

// MarshalJSON returns the text.
func (d Deep) MarshalJSON() ([]byte, error) { return d, nil }

// Decode decodes JSON to *Object, []any, string, json.Number, bool or nil, and objects and arrays nested deeper
// than depth to Deep. Empty text is nil.
func Decode(text json.RawMessage, depth int) (any, error) {
	return decodeWith(text, depth, decodeNext)
}

// decodeWith decodes text by next, which decodes the next value of a reader.
func decodeWith(text json.RawMessage, depth int, next func(*jsontext.Reader, int) any) (any, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	r := jsontext.NewLooseReader(text)
	value := next(r, depth)
	if err := r.End(); err != nil {
		return nil, err
	}
	return value, nil
}

func decodeNext(r *jsontext.Reader, depth int) any {
	switch kind := r.Kind(); {
	case depth <= 0 && (kind == '{' || kind == '['):
		return Deep(r.Raw())
	case kind == '{':
		o := NewObject()
		for name := range r.Members() {
			o.Set(jsontext.Unquote(name), decodeNext(r, depth-1))
		}
		return o
	case kind == '[':
		elements := []any{}
		for range r.Elements() {
			elements = append(elements, decodeNext(r, depth-1))
		}
		return elements
	}
	return r.Value()
}

// DecodeExactly is Decode for values that are written back: text that decoding would alter is Deep.
func DecodeExactly(text json.RawMessage, depth int) (any, error) {
	return decodeWith(text, depth, exactNext)
}

func exactNext(r *jsontext.Reader, depth int) any {
	whole := r.Fork()
	switch kind := r.Kind(); {
	case depth <= 0 && (kind == '{' || kind == '['):
		return Deep(r.Raw())
	case kind == '{':
		o := NewObject()
		for name := range r.Members() {
			if _, again := o.Get(jsontext.Unquote(name)); again || jsontext.Key(name) != jsontext.Unquote(name) {
				r.Skip()
				o = nil
				break
			}
			o.Set(jsontext.Unquote(name), exactNext(r, depth-1))
		}
		if o == nil {
			raw := whole.Raw()
			*r = *whole
			return Deep(raw)
		}
		return o
	case kind == '[':
		elements := []any{}
		for range r.Elements() {
			elements = append(elements, exactNext(r, depth-1))
		}
		return elements
	case kind == '"':
		if raw := r.Raw(); len(raw) > 1 && jsontext.Key(raw) == jsontext.Unquote(raw) {
			return jsontext.Unquote(raw)
		} else if len(raw) > 1 {
			return Deep(raw)
		}
		return nil
	}
	return r.Value()
}
