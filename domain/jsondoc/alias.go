package jsondoc

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/procession-dev/procession/domain/jsontext"
)

// aliasMark begins the aliases of names. What follows is the name in hexadecimal digits.
const aliasMark = "="

// addressable reports whether the library json-patch finds the member of that name, and takes the name for an array
// index only if RFC 6901 does.
func addressable(name string) bool {
	if name == "" || strings.HasPrefix(name, aliasMark) || !utf8.ValidString(name) {
		return false
	}
	_, index := jsontext.Index(name)
	return index || name == "-" || !strings.ContainsRune("+-0123456789", rune(name[0]))
}

// alias returns the name under which the library knows a member.
func alias(name string) string {
	if addressable(name) {
		return name
	}
	return aliasMark + hex.EncodeToString([]byte(name))
}

// names has the spelling of names, with their quotes, where the library may spell one otherwise. A name that is spelled
// in several ways has none.
type names map[string][]byte

// namesOf returns the map that hide adds names to, nil when no text has a name that the library spells otherwise.
func namesOf(texts ...json.RawMessage) names {
	for _, text := range texts {
		if bytes.ContainsAny(text, "\\\u2028\u2029") {
			return names{}
		}
	}
	return nil
}

// hide returns the compact text of a value in which names have their aliases.
func (n names) hide(value json.RawMessage) json.RawMessage {
	var out bytes.Buffer
	out.Grow(len(value))
	rename(&out, jsontext.NewLooseReader(value), func(raw []byte) []byte {
		name := jsontext.Key(raw)
		if spelled, ok := n[name]; n != nil && !ok {
			n[name] = raw
		} else if ok && !bytes.Equal(spelled, raw) {
			n[name] = nil
		}
		if addressable(name) {
			return raw
		}
		return jsontext.Quote(alias(name))
	})
	return out.Bytes()
}

// show returns a name that hide or the library has written as it was spelled before.
func (n names) show(raw []byte) []byte {
	aliased := bytes.HasPrefix(raw, []byte(`"`+aliasMark))
	if n == nil && !aliased {
		return raw
	}
	name := jsontext.Key(raw)
	if digits, err := hex.DecodeString(strings.TrimPrefix(name, aliasMark)); aliased && err == nil {
		name = string(digits)
		raw = jsontext.Quote(name)
	}
	if spelled := n[name]; spelled != nil {
		return spelled
	}
	return raw
}

// hidePath returns the path below root whose names have their aliases.
func hidePath(tokens []string) []string {
	path := append(make([]string, 0, len(tokens)+1), root)
	for _, token := range tokens {
		path = append(path, alias(token))
	}
	return path
}

// rename writes the next value of r without white space, with names as the function returns them.
func rename(out *bytes.Buffer, r *jsontext.Reader, name func(raw []byte) []byte) {
	switch r.Kind() {
	case '{':
		separator := byte('{')
		for raw := range r.Members() {
			out.WriteByte(separator)
			out.Write(name(raw))
			out.WriteByte(':')
			rename(out, r, name)
			separator = ','
		}
		if separator == '{' {
			out.WriteByte('{')
		}
		out.WriteByte('}')
	case '[':
		out.WriteByte('[')
		for i := range r.Elements() {
			if i > 0 {
				out.WriteByte(',')
			}
			rename(out, r, name)
		}
		out.WriteByte(']')
	default:
		out.Write(r.Raw())
	}
}
