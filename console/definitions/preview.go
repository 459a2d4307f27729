package definitions

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/a-h/templ"
	"golang.org/x/text/language"

	"github.com/procession-dev/procession/console/forms"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/form"
	"github.com/procession-dev/procession/internal/manifest"
)

// named is a form that a manifest makes.
type named struct {
	Name string
	form.Input
	// catalogues are the translations of the form, within the names around its value.
	catalogues []*translation.Catalogue
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
	e.listLanguages(found)
	e.Preview, err = e.previewIn(ctx, found[shown])
	if err != nil {
		e.PreviewFault = err.Error()
	}
	return ctx.Err()
}

// listLanguages adds the languages of the forms, and chooses the one of the viewer unless another is chosen.
func (e *editorForm) listLanguages(found []named) {
	for _, f := range found {
		for _, c := range f.catalogues {
			if c != nil {
				e.Languages = append(append(e.Languages, c.Default), c.Languages()...)
			}
		}
	}
	slices.Sort(e.Languages)
	if e.Languages = slices.Compact(e.Languages); !slices.Contains(e.Languages, e.Language) {
		e.Language = ""
	}
}

// previewIn returns the form in the chosen language, or in the language of the viewer.
func (e *editorForm) previewIn(ctx context.Context, f named) (templ.Component, error) {
	reader := ui.ReaderOf(ctx)
	if e.Language != "" {
		reader = translation.NewReader(ui.ViewerOf(ctx).Language, language.Make(e.Language))
	}
	f.Texts = form.TextsOf(translation.New(reader, f.catalogues...))
	return forms.Preview(ctx, f.Input)
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
	add := func(name string, schema, layout json.RawMessage, translations ...json.RawMessage) {
		if len(schema) > 0 {
			found = append(found, named{name, form.Input{Schema: schema, UISchema: layout}, catalogues(translations...)})
		}
	}
	switch spec := document.Spec.(type) {
	case *resource.ProcessDefinitionSpec:
		add(ui.T(ctx, "Metadata"), spec.MetadataSchema, spec.MetadataUISchema, spec.I18n)
		add(ui.T(ctx, "Entity"), spec.EntitySchema, spec.EntityUISchema, spec.I18n)
		for i := range spec.Items {
			item := &spec.Items[i]
			add(item.Code, item.DataSchema, item.UISchema, item.I18n, spec.I18n)
			if len(item.DataSchema) == 0 && len(item.Elements) > 0 {
				found = append(found, elementsForm(item, catalogues(item.I18n, spec.I18n))...)
			}
		}
	case *resource.BusinessArtifactDefinitionSpec:
		add(ui.T(ctx, "Data"), spec.DataSchema, spec.UISchema, spec.I18n)
		for i := range spec.Actions {
			add(spec.Actions[i].Code, spec.Actions[i].InputSchema, nil, spec.Actions[i].I18n, spec.I18n)
		}
	case *resource.DataStructureSpec:
		add(ui.T(ctx, "Data"), spec.Schema, nil, spec.I18n)
	}
	return found
}

// catalogues parses translations, as far as they are valid.
func catalogues(sources ...json.RawMessage) []*translation.Catalogue {
	parsed := make([]*translation.Catalogue, len(sources))
	for i, source := range sources {
		parsed[i], _ = translation.Parse(source)
	}
	return parsed
}

// elementsForm returns the form of the elements of a task, none where they are not valid.
func elementsForm(item *resource.ItemSpec, translations []*translation.Catalogue) []named {
	var elements []domain.ElementDefinition
	text, err := json.Marshal(item.Elements)
	if err != nil || json.Unmarshal(text, &elements) != nil {
		return nil
	}
	in, err := form.ElementsInput(elements, nil)
	if err != nil {
		return nil
	}
	return []named{{item.Code, in, translations}}
}
