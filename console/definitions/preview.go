package definitions

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/procession-dev/procession/console/forms"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/form"
	"github.com/procession-dev/procession/internal/manifest"
)

// named is a form that a manifest makes.
type named struct {
	Name string
	form.Input
}

// renderPreviews adds the forms that the text makes to e, and shows the chosen one. The text
// may not be valid yet.
func (e *editorForm) renderPreviews(ctx context.Context) error {
	sources, err := manifest.Parse(fileName, []byte(e.Text))
	if err != nil || len(sources) == 0 {
		return nil //nolint:nilerr // it is among the problems
	}
	var found []named
	for _, source := range sources {
		found = append(found, formsOf(ctx, source.JSON)...)
	}
	for _, f := range found {
		e.Forms = append(e.Forms, f.Name)
	}
	if len(found) == 0 {
		return nil
	}
	shown := max(0, slices.Index(e.Forms, e.Form))
	e.Form = e.Forms[shown]
	e.Preview, err = forms.Preview(ctx, found[shown].Input)
	if err != nil {
		e.PreviewFault = err.Error()
	}
	return ctx.Err()
}

// formsOf returns the forms that a manifest makes, as far as it can be read.
func formsOf(ctx context.Context, text json.RawMessage) []named {
	var envelope struct {
		Kind resource.Kind   `json:"kind"`
		Spec json.RawMessage `json:"spec"`
	}
	if json.Unmarshal(text, &envelope) != nil {
		return nil
	}
	document, err := resource.FromStored(envelope.Kind, resource.Metadata{}, envelope.Spec)
	if err != nil {
		return nil
	}
	var found []named
	add := func(name string, schema, layout json.RawMessage) {
		if len(schema) > 0 {
			found = append(found, named{name, form.Input{Schema: schema, UISchema: layout}})
		}
	}
	switch spec := document.Spec.(type) {
	case *resource.ProcessDefinitionSpec:
		add(ui.T(ctx, "Metadata"), spec.MetadataSchema, spec.MetadataUISchema)
		add(ui.T(ctx, "Entity"), spec.EntitySchema, spec.EntityUISchema)
		for i := range spec.Items {
			item := &spec.Items[i]
			add(item.Code, item.DataSchema, item.UISchema)
			if len(item.DataSchema) == 0 && len(item.Elements) > 0 {
				found = append(found, elementsForm(item)...)
			}
		}
	case *resource.BusinessArtifactDefinitionSpec:
		add(ui.T(ctx, "Data"), spec.DataSchema, spec.UISchema)
		for i := range spec.Actions {
			add(spec.Actions[i].Code, spec.Actions[i].InputSchema, nil)
		}
	case *resource.DataStructureSpec:
		add(ui.T(ctx, "Data"), spec.Schema, nil)
	}
	return found
}

// elementsForm returns the form of the elements of a task, none where they are not valid.
func elementsForm(item *resource.ItemSpec) []named {
	var elements []domain.ElementDefinition
	text, err := json.Marshal(item.Elements)
	if err != nil || json.Unmarshal(text, &elements) != nil {
		return nil
	}
	in, err := form.ElementsInput(elements, nil)
	if err != nil {
		return nil
	}
	return []named{{item.Code, in}}
}
