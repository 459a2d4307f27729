package httpio

import "github.com/getkin/kin-openapi/openapi3"

// alternative is the schema of the object that begins here: where a member tells
// several alternatives apart, the one that its value names. Without such a value
// the schema stays as it is, and the object is found to break it.
func (r *jsonReader) alternative(schema *openapi3.Schema) *openapi3.Schema {
	if schema == nil || schema.Discriminator == nil {
		return schema
	}
	name, ok := r.ahead().member(schema.Discriminator.PropertyName)
	if !ok {
		return memberless(schema)
	}
	for _, branch := range schema.OneOf {
		if branch.Ref == schema.Discriminator.Mapping[name].Ref {
			return branch.Value
		}
	}
	return memberless(schema)
}

// memberless declares the discriminator alone, so that whatever it is can be told
// from its absence.
func memberless(schema *openapi3.Schema) *openapi3.Schema {
	return &openapi3.Schema{Properties: openapi3.Schemas{
		schema.Discriminator.PropertyName: openapi3.NewSchemaRef("", &openapi3.Schema{}),
	}}
}

// ahead is a reader of the same text from the same place on.
func (r *jsonReader) ahead() *jsonReader {
	return &jsonReader{data: r.data, pos: r.pos, path: r.path[:len(r.path):len(r.path)]}
}

// member finds the text of a member of the object that begins here. Text that is
// not well formed is for whoever reads it next to refuse.
func (r *jsonReader) member(wanted string) (string, bool) {
	r.pos++
	for r.space(); r.peek() == '"'; r.space() {
		raw, err := r.text()
		if err != nil {
			return "", false
		}
		name, err := unquote(raw)
		r.space()
		if err != nil || r.peek() != ':' {
			return "", false
		}
		r.pos++
		r.space()
		if name == wanted {
			return r.string()
		}
		if _, err := r.value(nil); err != nil {
			return "", false
		}
		r.space()
		if r.peek() != ',' {
			return "", false
		}
		r.pos++
	}
	return "", false
}

// string is the text of the string that begins here.
func (r *jsonReader) string() (string, bool) {
	if r.peek() != '"' {
		return "", false
	}
	raw, err := r.text()
	if err != nil {
		return "", false
	}
	text, err := unquote(raw)
	return text, err == nil
}
