package jsondoc

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp/syntax"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/procession-dev/procession/domain/jsontext"
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
	// maxPattern limits a compiled regular expression, in instructions.
	maxPattern = 5000
	// maxLocation limits the location of a subschema, in bytes: each violation contains it.
	maxLocation = 2000
	// maxPaths limits the total size of the JSON Pointers of all values of a document, in bytes, with pathCost
	// added for each.
	maxPaths = 32 << 20
	pathCost = 128
	// maxValidationWork limits one validation, in bytes of schema and document processed. It takes a second or
	// two at most.
	maxValidationWork = 32 << 20
	// freePath is the length of a path of keywords up to which the library's cost of a violation is negligible;
	// beyond, it grows with the square.
	freePath = 32
)

var errWork = errors.New("takes too much work to be checked against its schema")

// A reading measures a document before it is validated.
type reading struct {
	paths int
	// number is the JSON Pointer of a number that arithmetic must not be applied to.
	number *string
}

// measure measures a value whose JSON Pointer is at.
func (r *reading) measure(value any, at string) {
	r.paths += len(at) + pathCost
	if r.paths > maxPaths || r.number != nil {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		for key, member := range v {
			r.measure(member, at+"/"+jsontext.EscapeToken(key))
		}
	case []any:
		for i, element := range v {
			r.measure(element, at+"/"+strconv.Itoa(i))
		}
	case json.Number:
		if !jsontext.Computable(v.String()) {
			r.number = &at
		}
	}
}

// decode decodes a JSON text and returns its nesting depth.
func decode(text []byte) (value any, levels int, err error) {
	r := jsontext.NewLooseReader(text)
	value = r.Value()
	return value, r.Deepest(), r.End()
}

// checkSource refuses the text of a schema that is too expensive to compile.
func checkSource(source json.RawMessage) error {
	if len(source) > maxSchema {
		return fmt.Errorf("it has more than %d bytes", maxSchema)
	}
	value, levels, err := decode(source)
	if err != nil {
		return errors.New("it is not JSON")
	}
	if levels > maxSchemaDepth {
		return fmt.Errorf("it is nested deeper than %d", maxSchemaDepth)
	}
	var r reading
	r.measure(value, "")
	if r.number != nil {
		return fmt.Errorf("%s %w", *r.number, jsontext.ErrNumber)
	}
	if r.paths > maxPaths {
		return errors.New("its names are too long")
	}
	var found inventory
	found.count(value)
	if found.nodes > maxSchemaNodes {
		return fmt.Errorf("it has more than %d objects and arrays", maxSchemaNodes)
	}
	if found.anchors > maxDynamicAnchors {
		return fmt.Errorf("it has more than %d dynamic anchors", maxDynamicAnchors)
	}
	return found.pattern
}

// An inventory counts the constructs in the text of a schema. It treats members as keywords everywhere, so it
// may count too many, never too few.
type inventory struct {
	nodes   int
	anchors int
	pattern error
}

func (i *inventory) count(value any) {
	switch v := value.(type) {
	case map[string]any:
		i.nodes++
		for key, member := range v {
			switch m := member.(type) {
			case string:
				switch key {
				case "$dynamicAnchor":
					i.anchors++
				case "pattern":
					i.measure(m)
				}
			case map[string]any:
				if key == "patternProperties" {
					for pattern := range m {
						i.measure(pattern)
					}
				}
			}
			i.count(member)
		}
	case []any:
		i.nodes++
		for _, element := range v {
			i.count(element)
		}
	}
}

func (i *inventory) measure(pattern string) {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return // The compiler reports it.
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err == nil && len(program.Inst) > maxPattern {
		i.pattern = fmt.Errorf("a pattern of %d characters is too complex", len(pattern))
	}
}

// meter counts the work of a validation and aborts it by a panic with errWork beyond the limit. To the library
// it is an extension that every subschema uses.
type meter struct{ spent, limit int }

// start begins a validation in which paths of keywords have up to that length.
func (m *meter) start(path int) {
	excess := path / freePath
	m.spent, m.limit = 0, maxValidationWork/(1+excess*excess)
}

// Compile implements jsonschema.ExtCompiler.
func (m *meter) Compile(_ jsonschema.CompilerContext, keywords map[string]any) (jsonschema.ExtSchema, error) {
	c := charge{meter: m, fixed: 16}
	for keyword, value := range keywords {
		switch v := value.(type) {
		case map[string]any:
			switch keyword {
			case "properties", "dependencies", "dependentSchemas":
				c.fixed += 4 * len(v)
			case "patternProperties":
				c.perMember += 16 * len(v)
			case "const", "dependentRequired":
				c.fixed += textLength(v)
			}
		case []any:
			switch keyword {
			case "allOf", "anyOf", "oneOf", "prefixItems", "items":
				c.fixed += 16 * len(v)
			case "const", "enum", "required", keywordAccept, keywordRequiredOnUpdate:
				c.fixed += textLength(v)
			}
		case string:
			c.fixed += len(v)
		}
	}
	return &c, nil
}

// textLength estimates how many bytes of a failure message value fills.
func textLength(value any) int {
	text, err := json.Marshal(value)
	if err != nil {
		return 0
	}
	return len(text)
}

// charge is the cost of one subschema each time it is applied.
type charge struct {
	meter     *meter
	fixed     int
	perMember int
}

// Validate implements jsonschema.ExtSchema.
func (c *charge) Validate(_ jsonschema.ValidationContext, value any) error {
	c.meter.spent += c.fixed
	switch v := value.(type) {
	case map[string]any:
		c.meter.spent += len(v) * (16 + c.perMember)
	case []any:
		c.meter.spent += 16 * len(v)
	case string:
		c.meter.spent += len(v)
	}
	if c.meter.spent > c.meter.limit {
		panic(errWork)
	}
	return nil
}
