package forms

import (
	"context"

	"github.com/a-h/templ"

	"github.com/procession-dev/procession/form"
)

// Preview returns a disabled form with sample values. It fails as form.NewEditor does.
func Preview(ctx context.Context, in form.Input) (templ.Component, error) {
	editor, err := form.NewEditor(ctx, in, form.EditorLimits(), false)
	if err != nil {
		return nil, err
	}
	in.Value = editor.Sample()
	if editor, err = form.NewEditor(ctx, in, form.EditorLimits(), false); err != nil {
		return nil, err
	}
	//nolint:contextcheck // a component is given its context when it is rendered
	return previewPart(&page{editor: editor, locale: localeOf(ctx)}), nil
}
