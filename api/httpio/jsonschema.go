package httpio

import (
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/procession-dev/procession/domain/jsontext"
)

// memberUse is how a member of an object is treated.
type memberUse int

const (
	ignored  memberUse = iota // no effect on decoding, left alone
	declared                  // validated and decoded
	blanked                   // would have an effect and must not
)

// memberOf finds the schema of a member, looking through allOf. A nil schema
// declares no members, and one for additional properties all of them.
func memberOf(schema *openapi3.Schema, name string) (*openapi3.Schema, memberUse) {
	if schema == nil {
		return nil, ignored
	}
	use := ignored
	for property, ref := range schema.Properties {
		switch {
		case property == name && ref.Value.ReadOnly:
			return nil, blanked
		case property == name:
			return ref.Value, declared
		case strings.EqualFold(property, name):
			use = blanked
		}
	}
	for _, part := range schema.AllOf {
		child, partUse := memberOf(part.Value, name)
		if partUse == declared {
			return child, declared
		}
		use = max(use, partUse)
	}
	if additional := schema.AdditionalProperties.Schema; additional != nil && use == ignored {
		return additional.Value, declared
	}
	return nil, use
}

// isOptional reports whether a schema declares a member by its name and does not
// require it, looking through allOf.
func isOptional(schema *openapi3.Schema, name string) bool {
	declares, requires := false, false
	parts := []*openapi3.Schema{schema}
	for len(parts) > 0 {
		part := parts[0]
		parts = parts[1:]
		declares = declares || part.Properties[name] != nil
		requires = requires || slices.Contains(part.Required, name)
		for _, ref := range part.AllOf {
			parts = append(parts, ref.Value)
		}
	}
	return declares && !requires
}

// acceptsNull reports whether null is a value of the schema, as it is of one that
// accepts anything.
func acceptsNull(schema *openapi3.Schema) bool {
	typed := !schema.Type.IsEmpty() || len(schema.OneOf)+len(schema.AllOf)+len(schema.AnyOf) > 0
	return !typed || schema.PermitsNull()
}

// isFreeForm reports whether values of the schema are handed on as raw text.
func isFreeForm(schema *openapi3.Schema) bool {
	goType, _ := schema.Extensions["x-go-type"].(string)
	return goType == "json.RawMessage"
}

// maxPointerToken bounds how much of a member name is repeated in an answer.
const maxPointerToken = 64

// jsonPointer joins reference tokens to a JSON Pointer (RFC 6901). Overlong
// tokens are cut: a pointer is a hint for people, not a copy of the body.
func jsonPointer(tokens []string) string {
	short := make([]string, len(tokens))
	for i, token := range tokens {
		if len(token) > maxPointerToken {
			token = strings.ToValidUTF8(token[:maxPointerToken], "") + "…"
		}
		short[i] = token
	}
	return jsontext.JoinPointer(short...)
}
