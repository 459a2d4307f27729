package httpio

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// memberUse says what becomes of an object's member.
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

// isFreeForm reports whether values of the schema are handed on as raw text.
func isFreeForm(schema *openapi3.Schema) bool {
	goType, _ := schema.Extensions["x-go-type"].(string)
	return goType == "json.RawMessage"
}

// nameSet holds the member names of one object. Most objects are small, so a
// map is made for large ones only.
type nameSet struct {
	few  []string
	many map[string]struct{}
}

const fewNames = 16

// add reports whether name was not in the set yet.
func (s *nameSet) add(name string) bool {
	if s.many != nil {
		if _, ok := s.many[name]; ok {
			return false
		}
		s.many[name] = struct{}{}
		return true
	}
	for _, other := range s.few {
		if other == name {
			return false
		}
	}
	s.few = append(s.few, name)
	if len(s.few) > fewNames {
		s.many = make(map[string]struct{}, 2*len(s.few))
		for _, other := range s.few {
			s.many[other] = struct{}{}
		}
	}
	return true
}

// unquote decodes a JSON string that has its quotes.
func unquote(raw []byte) (string, error) {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), nil
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return "", fmt.Errorf("decoding string: %w", err)
	}
	return text, nil
}

func indexToken(index int) string { return strconv.Itoa(index) }

// maxPointerToken bounds how much of a member name is repeated in an answer.
const maxPointerToken = 64

// jsonPointer joins reference tokens to a JSON Pointer (RFC 6901). Overlong
// tokens are cut: a pointer is a hint for people, not a copy of the body.
func jsonPointer(tokens []string) string {
	var b strings.Builder
	for _, token := range tokens {
		if len(token) > maxPointerToken {
			token = strings.ToValidUTF8(token[:maxPointerToken], "") + "…"
		}
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(token))
	}
	return b.String()
}
