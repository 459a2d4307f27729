package form

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/procession-dev/procession/domain/jsontext"
)

// An object is a JSON object with ordered members. The last one of duplicate members counts.
type object struct {
	names   []string
	members map[string]any
}

// deep is the text of an object or array nested too deeply to be decoded.
type deep json.RawMessage

func newObject() *object { return &object{members: map[string]any{}} }

func (o *object) get(name string) (any, bool) {
	if o == nil {
		return nil, false
	}
	value, ok := o.members[name]
	return value, ok
}

func (o *object) set(name string, value any) {
	if _, known := o.members[name]; !known {
		o.names = append(o.names, name)
	}
	o.members[name] = value
}

func (o *object) remove(name string) {
	if _, known := o.members[name]; known {
		delete(o.members, name)
		o.names = slices.DeleteFunc(o.names, func(other string) bool { return other == name })
	}
}

// textMember returns a string member, or "".
func (o *object) textMember(name string) string {
	value, _ := o.get(name)
	text, _ := value.(string)
	return text
}

// MarshalJSON writes the members in their order.
func (o *object) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	text.WriteByte('{')
	for i, name := range o.names {
		if i > 0 {
			text.WriteByte(',')
		}
		member, err := jsontext.Marshal(o.members[name])
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
func (d deep) MarshalJSON() ([]byte, error) { return d, nil }

// decodeValue decodes JSON to *object, []any, string, json.Number, bool or nil, and objects and arrays nested deeper
// than depth to deep. Empty text is nil.
func decodeValue(text json.RawMessage, depth int) (any, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	r := jsontext.NewLooseReader(text)
	value := decodeNext(r, depth)
	if err := r.End(); err != nil {
		return nil, err
	}
	return value, nil
}

func decodeNext(r *jsontext.Reader, depth int) any {
	switch kind := r.Kind(); {
	case depth <= 0 && (kind == '{' || kind == '['):
		return deep(r.Raw())
	case kind == '{':
		o := newObject()
		for name := range r.Members() {
			o.set(jsontext.Unquote(name), decodeNext(r, depth-1))
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

// rawText returns a value as indented JSON, or a string without quotes.
func rawText(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case deep:
		return string(v)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return "" // Values that were decoded can be encoded.
	}
	return string(bytes.TrimRight(text.Bytes(), "\n"))
}

// isEmpty reports whether a value has no content to show.
func isEmpty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case *object:
		return len(v.names) == 0
	}
	return false
}

// decodeExactly is decodeValue for values that are written back: text that decoding would alter is deep.
func decodeExactly(text json.RawMessage, depth int) (any, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	r := jsontext.NewLooseReader(text)
	value := exactNext(r, depth)
	if err := r.End(); err != nil {
		return nil, err
	}
	return value, nil
}

func exactNext(r *jsontext.Reader, depth int) any {
	whole := r.Fork()
	switch kind := r.Kind(); {
	case depth <= 0 && (kind == '{' || kind == '['):
		return deep(r.Raw())
	case kind == '{':
		o := newObject()
		for name := range r.Members() {
			if _, again := o.get(jsontext.Unquote(name)); again || jsontext.Key(name) != jsontext.Unquote(name) {
				r.Skip()
				o = nil
				break
			}
			o.set(jsontext.Unquote(name), exactNext(r, depth-1))
		}
		if o == nil {
			raw := whole.Raw()
			*r = *whole
			return deep(raw)
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
			return deep(raw)
		}
		return nil
	}
	return r.Value()
}

// jsonText returns a value as compact JSON.
func jsonText(value any) json.RawMessage {
	text, err := jsontext.Marshal(value)
	if err != nil {
		return json.RawMessage("null") // Values that were decoded can be encoded.
	}
	return text
}
