package jsondoc

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp/syntax"
	"strconv"
	"strings"

	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/domain/pattern"
)

const (
	// maxSchema limits the text of a schema, in bytes, and maxSchemaDepth its nesting.
	maxSchema      = 256 << 10
	maxSchemaDepth = 64
	// maxSchemaNodes limits the objects and arrays of a schema: compiling takes time that grows with their
	// square.
	maxSchemaNodes = 5000
	// maxExpanded limits the subschemas of a schema once every reference is replaced by its target; a recursive
	// reference counts once.
	maxExpanded = 100_000
	// maxChain limits how many subschemas in a row apply to the same value, which deepens the stack in addition
	// to the nesting of the value.
	maxChain = 64
	// maxDynamicAnchors limits the anchors that are only resolved while validating.
	maxDynamicAnchors = 8
	// maxPattern limits a regular expression, and maxPatterns all of a schema together, in instructions.
	maxPattern  = 5000
	maxPatterns = 50_000
	// maxLocation limits the location of a subschema, in bytes: each violation contains it.
	maxLocation = 2000
	// maxPaths limits the total size of the JSON Pointers of all values of a document, in bytes, with pathCost
	// added for each.
	maxPaths = 32 << 20
	pathCost = 128
)

// A reading measures a document before it is validated.
type reading struct {
	// paths is the total size of the JSON Pointers, longest the size of the longest one.
	paths, longest int
	// number is the JSON Pointer of a number that arithmetic must not be applied to.
	number *string
}

// measureValue measures a value. It reports whether the document can be used so far.
func (r *reading) measureValue(value any, pointerSize int) bool {
	r.paths += pointerSize + pathCost
	r.longest = max(r.longest, pointerSize)
	if r.paths > maxPaths {
		return false
	}
	switch v := value.(type) {
	case map[string]any:
		for key, member := range v {
			size := pointerSize + 1 + len(key) + strings.Count(key, "~") + strings.Count(key, "/")
			if !r.measureValue(member, size) {
				return r.prefixToken(jsontext.EscapeToken(key))
			}
		}
	case []any:
		for i, element := range v {
			if !r.measureValue(element, pointerSize+1+digitCount(i)) {
				return r.prefixToken(strconv.Itoa(i))
			}
		}
	case json.Number:
		if !jsontext.Computable(v.String()) {
			r.number = new(string)
			return false
		}
	}
	return true
}

// prefixToken prefixes the pointer of the number with the token of a container, and returns false.
func (r *reading) prefixToken(token string) bool {
	if r.number != nil {
		*r.number = "/" + token + *r.number
	}
	return false
}

// digitCount returns the number of decimal digits of an index.
func digitCount(i int) int {
	n := 1
	for ; i > 9; i /= 10 {
		n++
	}
	return n
}

// decodeText decodes a JSON text and returns its nesting depth.
func decodeText(text []byte) (value any, levels int, err error) {
	r := jsontext.NewLooseReader(text)
	value = r.Value()
	return value, r.Deepest(), r.End()
}

// checkSource refuses the text of a schema that is too expensive to compile. foreign reports whether it has patterns that
// RE2 does not have.
func checkSource(source json.RawMessage) (foreign bool, err error) {
	if len(source) > maxSchema {
		return false, fmt.Errorf("it has more than %d bytes", maxSchema)
	}
	value, levels, err := decodeText(source)
	if err != nil {
		return false, errors.New("it is not JSON")
	}
	if levels > maxSchemaDepth {
		return false, fmt.Errorf("it is nested deeper than %d", maxSchemaDepth)
	}
	var r reading
	r.measureValue(value, 0)
	if r.number != nil {
		return false, fmt.Errorf("%s %w", *r.number, jsontext.ErrNumber)
	}
	if r.paths > maxPaths {
		return false, errors.New("its names are too long")
	}
	var found inventory
	found.countValue(value)
	if found.nodes > maxSchemaNodes {
		return false, fmt.Errorf("it has more than %d objects and arrays", maxSchemaNodes)
	}
	if found.anchors > maxDynamicAnchors {
		return false, fmt.Errorf("it has more than %d dynamic anchors", maxDynamicAnchors)
	}
	return found.foreign, found.pattern
}

// An inventory counts the constructs in the text of a schema. It treats members as keywords everywhere, so it
// may count too many, never too few.
type inventory struct {
	nodes    int
	anchors  int
	patterns int
	pattern  error
	// foreign is set if RE2 does not have one of the patterns.
	foreign bool
}

func (i *inventory) countValue(value any) {
	switch v := value.(type) {
	case map[string]any:
		i.nodes++
		for key, member := range v {
			switch m := member.(type) {
			case string:
				switch key {
				case "$dynamicAnchor":
					i.anchors++
				case keywordPattern:
					i.measureText(m)
				}
			case map[string]any:
				if key == keywordPatternProperties {
					for name := range m {
						i.measureText(name)
					}
				}
			}
			i.countValue(member)
		}
	case []any:
		i.nodes++
		for _, element := range v {
			i.countValue(element)
		}
	}
}

func (i *inventory) measureText(text string) {
	if i.pattern != nil {
		return
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		i.foreign = true
		translated, fault := pattern.Translate(text)
		if fault != nil {
			return // It may be data. replacePatterns reports the error.
		}
		if parsed, err = syntax.Parse(translated, syntax.Perl); err != nil {
			return
		}
	}
	size := pattern.Size(parsed, maxPattern)
	i.patterns += size
	switch {
	case size > maxPattern:
		i.pattern = fmt.Errorf("a pattern of %d characters is too complex", len(text))
	case i.patterns > maxPatterns:
		i.pattern = errors.New("its patterns are too complex together")
	}
}
