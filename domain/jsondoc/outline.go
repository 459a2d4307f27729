package jsondoc

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsontext"
)

const (
	// maxParts limits the subschemas that apply to one value, maxBranches the alternatives of one choice, and maxPlaces
	// the places of an outline.
	maxParts    = 200
	maxBranches = 100
	maxPlaces   = 60_000
)

// Outline describes the places of one document by the statements of its schema: names, types, alternatives. It is not
// safe for concurrent use.
type Outline struct {
	schema     *Schema
	facts      *facts
	validation validationOptions
	picked     Picked
	root       *Place
	meter      meter
	levels     int
	longest    int
	places     int
	exhausted  bool
}

// Picked contains the alternatives that a person has picked.
type Picked map[ChoiceKey]int

// ChoiceKey identifies a choice: the pointer of a place in the document, and the pointer of the anyOf or oneOf in the
// schema.
type ChoiceKey struct{ Pointer, Schema string }

// Outline returns the outline of a document, which may be absent. A nil Schema yields an outline without statements. Numbers
// that cannot be compared are taken for ones with a smaller exponent. It returns an error for a document that is not JSON,
// and a VALIDATION error for one that is too deep or too large to be checked.
func (s *Schema) Outline(document json.RawMessage, picked Picked, options ...Option) (*Outline, error) {
	o := &Outline{schema: s, picked: picked, validation: validationOptions{limit: MaxWork / 4}}
	for _, option := range options {
		option(&o.validation)
	}
	var value any
	present := len(bytes.TrimSpace(document)) > 0
	if present {
		var err error
		if value, o.levels, err = decodeText(document); err != nil {
			return nil, fmt.Errorf("decoding a document: it %w", err)
		}
		if o.levels > jsontext.MaxDepth {
			return nil, domain.InvalidBody("", jsontext.ErrDepth.Error())
		}
		var r reading
		if r.measureValue(value, 0); r.number != nil {
			value = limitNumbers(value)
			r = reading{}
			r.measureValue(value, 0)
		}
		if r.paths > maxPaths {
			return nil, domain.InvalidBody("", errWork.Error())
		}
		o.longest = r.longest
	}
	var parts []part
	if s != nil {
		o.facts = s.facts()
		o.meter.startRun(o.longest, 2*(o.levels+1)*s.chain, s.step, o.validation)
		parts = []part{{node: s.compiled}}
	}
	o.root = o.newPlace(nil, "", value, present, parts)
	return o, nil
}

// With returns the outline of another document with the same schema, picks and options. It returns the errors of Schema.Outline.
func (o *Outline) With(document json.RawMessage) (*Outline, error) {
	return o.schema.Outline(document, o.picked, func(options *validationOptions) { *options = o.validation })
}

// Root returns the place of the whole document.
func (o *Outline) Root() *Place { return o.root }

// At returns the place at a pointer, which the document may lack, or nil for a text that is no pointer.
func (o *Outline) At(pointer string) *Place {
	path, ok := jsontext.SplitPointer(pointer)
	if !ok {
		return nil
	}
	p := o.root
	for _, token := range path {
		p = p.Child(token)
	}
	return p
}

// Exhausted reports whether a limit prevented parts of the outline.
func (o *Outline) Exhausted() bool { return o.exhausted }

// isValid reports whether a value satisfies a subschema. All validations of an outline share the work of one. Beyond it,
// ok is false.
func (o *Outline) isValid(node *jsonschema.Schema, value any) (valid, ok bool) {
	invalid, ok := o.validateNode(node, value)
	return ok && invalid == nil, ok
}

// validateNode returns the violations of a subschema.
func (o *Outline) validateNode(node *jsonschema.Schema, value any) (invalid *jsonschema.ValidationError, ok bool) {
	if o.exhausted {
		return nil, false
	}
	r := o.schema.newRun()
	r.meter, r.options = o.meter, o.validation
	defer func() {
		o.meter, r.options, r.meter.watch = r.meter, validationOptions{}, nil
		o.meter.reserved = 0
		if recover() != nil {
			o.exhausted, invalid, ok = true, nil, false
		}
		o.schema.releaseRun(r)
	}()
	at := r.copies[node]
	if at == nil {
		at = node
	}
	if gate, ok := at.Extensions[gateExtension].(*gate); ok {
		gate.chargeValue(value)
		at = gate.inner
	}
	if r.meter.spend(unitsPerCheck); outsideDocument(node) {
		r.meter.chargeOutside(value)
	}
	invalid, err := libraryResult(at.Validate(value))
	if err != nil {
		o.exhausted = true
		return nil, false
	}
	return invalid, true
}

// limitNumbers replaces numbers that arithmetic must not be applied to.
func limitNumbers(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = limitNumbers(member)
		}
	case []any:
		for i, element := range v {
			v[i] = limitNumbers(element)
		}
	case json.Number:
		if jsontext.Computable(v.String()) {
			return v
		}
		d := readDecimal(v.String())
		sign := ""
		if d.negative || strings.HasPrefix(v.String(), "-") {
			sign = "-"
		}
		exponent := min(d.exponent, maxLimited)
		if d.spelled != "" && !strings.Contains(strings.ToLower(v.String()), "e-") {
			exponent = maxLimited
		}
		if d.digits == "" && d.spelled == "" || exponent < -maxLimited || strings.Contains(strings.ToLower(d.spelled), "e-") {
			return json.Number("0")
		}
		return json.Number(sign + "0." + cmp.Or(d.digits[:min(len(d.digits), maxLimited)], "1") + "e" + strconv.Itoa(exponent))
	}
	return value
}

// maxLimited is the exponent of numbers with larger ones.
const maxLimited = 300
