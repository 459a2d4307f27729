package tasks

import (
	"context"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/console/forms"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/form"
)

// partData is the name of the data among the values of a task with elements.
const partData = "data"

// addElements adds the elements of a task to the form of its data.
func (f *taskForm) addElements(ctx context.Context, doc *forms.Document, values domain.ElementValues) error {
	f.values = nil
	if len(f.elements) == 0 {
		return nil
	}
	part, errors, err := f.elements.Part(ctx, values)
	if err != nil {
		return err
	}
	if len(doc.Schema) > 0 || doc.Value != nil {
		f.values = forms.Values{{Name: partData, Schema: doc.Schema, UISchema: doc.UISchema, Value: doc.Value, Texts: f.texts}}
	}
	part.Texts = f.texts
	f.values = append(f.values, part)
	doc.Errors = forms.PrefixErrors(partData, doc.Errors)
	if !doc.ReadOnly {
		doc.Errors = append(doc.Errors, errors...)
	}
	marks := map[string]string{}
	for pointer, mark := range doc.Marks {
		marks[jsontext.JoinPointer(partData)+pointer] = mark
	}
	doc.Marks = marks
	return f.values.Put(doc)
}

// saveParts saves the changes of the data and of the elements. If the elements are refused, the data is saved; the
// next attempt merges the input with it.
func (f *taskForm) saveParts(ctx context.Context, version domain.Version, patch []jsondoc.Operation) (*domain.ProcessItem, error) {
	after, parts, err := f.values.Split(patch)
	if err != nil {
		return nil, err
	}
	changed, err := f.elements.Changed(f.values.Value(after, forms.PartElements), parts[forms.PartElements])
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
	if len(changed) > 0 {
		return f.App.SaveTaskElements(ctx, f.Call.AtVersion(version), f.id, changed)
	}
	return saved, nil
}

// documentElement returns the code of the document element of the control at a pointer, "" for other controls.
func (f *taskForm) documentElement(pointer string) string {
	for _, e := range f.elements {
		if e.Type == domain.ElementDocument && pointer == jsontext.JoinPointer(forms.PartElements, e.Code) {
			return e.Code
		}
	}
	return ""
}

// uploadElement stores a document as a value of an element.
func (f *taskForm) uploadElement(ctx context.Context, code string, in storage.File) (string, error) {
	saved, err := f.App.SaveTaskElementDocument(ctx, f.Call, f.id, app.ElementUpload{File: in, Code: code, Valid: true})
	if err != nil {
		return "", err
	}
	values := saved.Task.Elements[code]
	stored, err := values[len(values)-1].Document()
	return form.DocumentReference(stored), err
}
