package forms

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/form"
)

// PartElements is the name of elements among Values.
const PartElements = "elements"

// Elements are the definitions of elements of a process or a task, which are one of the
// Values of a form.
type Elements []domain.ElementDefinition

// Part returns the part of a form for the values of elements, and their errors.
func (e Elements) Part(ctx context.Context, values domain.ElementValues) (form.Part, []domain.ValueError, error) {
	in, err := form.ElementsInput(e, values)
	if err != nil {
		return form.Part{}, nil, err
	}
	errors, err := CheckSchema(ctx, in.Schema, in.Value)
	return form.Part{Name: PartElements, Schema: in.Schema, Value: in.Value},
		PrefixErrors(PartElements, append(errors, invalidElements(values, errors)...)), err
}

// invalidElements returns errors for invalid elements beyond the reported ones: a reference cannot be resolved, or
// the program that saved the element marked it as invalid.
func invalidElements(values domain.ElementValues, reported []domain.ValueError) []domain.ValueError {
	var errors []domain.ValueError
	for code, list := range values {
		invalid := slices.ContainsFunc(list, func(v domain.ElementValue) bool { return !v.Valid && v.Value != nil })
		if invalid && !slices.ContainsFunc(reported, func(e domain.ValueError) bool { return affectsPart(e.PropertyPath, code) }) {
			errors = append(errors, domain.ValueError{Type: "valid", PropertyPath: jsontext.JoinPointer(code)})
		}
	}
	return errors
}

// Changed returns the elements that a patch from Values.Split changes, by their codes. after is the value of all
// elements after the patch.
func (e Elements) Changed(after json.RawMessage, patch []jsondoc.Operation) (domain.ElementValues, error) {
	changed := domain.ElementValues{}
	for i := range e {
		code := e[i].Code
		if !slices.ContainsFunc(patch, func(op jsondoc.Operation) bool { return op.Path == "" || affectsPart(op.Path, code) }) {
			continue
		}
		member, _ := jsondoc.Lookup(after, jsontext.JoinPointer(code))
		values, err := form.ElementValues(&e[i], member)
		if err != nil {
			return nil, err
		}
		changed[code] = values
	}
	return changed, nil
}

// affectsPart reports whether a pointer leads into the values of an element.
func affectsPart(pointer, code string) bool {
	return strings.HasPrefix(pointer+"/", jsontext.JoinPointer(code)+"/")
}
