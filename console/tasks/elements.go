package tasks

import (
	"context"
	"slices"
	"strings"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/console/forms"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/form"
)

// The names of the values in the form of a task with elements.
const (
	partData     = "data"
	partElements = "elements"
)

// addElements makes the form of the data of a task one of its data and its elements.
func (f *taskForm) addElements(doc *forms.Document, values domain.ElementValues) error {
	f.values = nil
	if len(f.elements) == 0 {
		return nil
	}
	in, err := form.ElementsInput(f.elements, values)
	if err != nil {
		return err
	}
	if len(doc.Schema) > 0 || doc.Value != nil {
		f.values = forms.Values{{Name: partData, Schema: doc.Schema, UISchema: doc.UISchema, Value: doc.Value}}
	}
	f.values = append(f.values, form.Part{Name: partElements, Schema: in.Schema, Value: in.Value})
	doc.Errors = forms.Below(partData, doc.Errors)
	if !doc.ReadOnly {
		errors, err := forms.CheckSchema(in.Schema, in.Value)
		if err != nil {
			return err
		}
		doc.Errors = append(doc.Errors, forms.Below(partElements, append(errors, invalidElements(values, errors)...))...)
	}
	marks := map[string]string{}
	for pointer, mark := range doc.Marks {
		marks[jsontext.JoinPointer(partData)+pointer] = mark
	}
	doc.Marks = marks
	return f.values.Put(doc)
}

// invalidElements are the elements with a value that is not valid for another reason than
// known ones: what it refers to is not there, or the program that saved it says so.
func invalidElements(values domain.ElementValues, known []domain.ValueError) []domain.ValueError {
	var errors []domain.ValueError
	for code, list := range values {
		pointer := jsontext.JoinPointer(code)
		invalid := slices.ContainsFunc(list, func(v domain.ElementValue) bool { return !v.Valid && v.Value != nil })
		if invalid && !slices.ContainsFunc(known, func(e domain.ValueError) bool { return strings.HasPrefix(e.PropertyPath+"/", pointer+"/") }) {
			errors = append(errors, domain.ValueError{Type: "valid", PropertyPath: pointer})
		}
	}
	return errors
}

// saveParts saves what a patch of the form changes of the data and of the elements. When
// the elements are refused, the data is saved: what was entered is then brought together
// with it, as with what another person saved.
func (f *taskForm) saveParts(ctx context.Context, version domain.Version, patch []jsondoc.Operation) (*domain.ProcessItem, error) {
	after, parts, err := f.values.Split(patch)
	if err != nil {
		return nil, err
	}
	var saved *domain.ProcessItem
	if data := parts[partData]; len(data) > 0 {
		if saved, err = f.saveData(ctx, version, data); err != nil {
			return nil, err
		}
		version = saved.Version()
	}
	changed, elements := domain.ElementValues{}, f.values.Value(after, partElements)
	for i := range f.elements {
		e := &f.elements[i]
		if slices.ContainsFunc(parts[partElements], func(op jsondoc.Operation) bool { return concerns(op.Path, e.Code) }) {
			member, _ := jsondoc.Lookup(elements, jsontext.JoinPointer(e.Code))
			if changed[e.Code], err = form.ElementValues(e, member); err != nil {
				return nil, err
			}
		}
	}
	if len(changed) == 0 {
		return saved, nil
	}
	return f.App.SaveTaskElements(at(ctx, version), f.Caller, f.id, changed)
}

// concerns reports whether a change at a pointer is one of an element.
func concerns(pointer, code string) bool {
	return pointer == "" || strings.HasPrefix(pointer+"/", jsontext.JoinPointer(code)+"/")
}

// documentElement returns the code of the element for documents whose control has a
// pointer, "" for other controls.
func (f *taskForm) documentElement(pointer string) string {
	for _, e := range f.elements {
		if e.Type == domain.ElementDocument && pointer == jsontext.JoinPointer(partElements, e.Code) {
			return e.Code
		}
	}
	return ""
}

// uploadElement stores a document as a value of an element.
func (f *taskForm) uploadElement(ctx context.Context, code string, in storage.Upload) (string, error) {
	saved, err := f.App.SaveTaskElementDocument(ctx, f.Caller, f.id, app.ElementUpload{Upload: in, Code: code, Valid: true})
	if err != nil {
		return "", err
	}
	values := saved.Task.Elements[code]
	stored, err := values[len(values)-1].Document()
	return form.DocumentReference(stored), err
}
