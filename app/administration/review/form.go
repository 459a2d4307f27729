package review

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/form"
)

// maxFormWarnings is the maximum number of warnings of values that forms edit as JSON.
const maxFormWarnings = 20

// checkForms warns of values that the forms of a document edit as JSON.
func (w *reviewer) checkForms(ctx context.Context, at string, document *resource.Document) {
	switch spec := document.Spec.(type) {
	case *resource.ProcessDefinitionSpec:
		w.checkForm(ctx, at+"/metadataSchema", spec.MetadataSchema, spec.MetadataUISchema)
		w.checkForm(ctx, at+"/entitySchema", spec.EntitySchema, spec.EntityUISchema)
		for i := range spec.Items {
			w.checkForm(ctx, fmt.Sprintf("%s/items/%d/dataSchema", at, i), spec.Items[i].DataSchema, spec.Items[i].UISchema)
		}
	case *resource.BusinessArtifactDefinitionSpec:
		w.checkForm(ctx, at+"/dataSchema", spec.DataSchema, spec.UISchema)
		for i := range spec.Actions {
			w.checkForm(ctx, fmt.Sprintf("%s/actions/%d/inputSchema", at, i), spec.Actions[i].InputSchema, nil)
		}
	case *resource.DataStructureSpec:
		w.checkForm(ctx, at+"/schema", spec.Schema, nil)
	}
}

// checkForm warns of values that the form of a schema edits as JSON, up to maxFormWarnings in all documents.
func (w *reviewer) checkForm(ctx context.Context, at string, schema, layout json.RawMessage) {
	left := maxFormWarnings - w.fallbacks
	if len(schema) == 0 || left < 0 {
		return
	}
	found, err := form.ListFallbacks(ctx, form.Input{Schema: schema, UISchema: layout}, left+1)
	if err != nil {
		return // It is refused.
	}
	for _, fallback := range found {
		if w.fallbacks++; w.fallbacks > maxFormWarnings {
			w.add(EditedAsJSON, "", "forms edit more than %d values as JSON; the others are not listed", maxFormWarnings)
			return
		}
		label := fallback.Label
		if fallback.Schema == "" {
			label = "the whole value"
		}
		w.add(EditedAsJSON, at+fallback.Schema, "the form edits %s as JSON because %s", label, reasonText(fallback.Reason))
	}
}

// reasonText returns the clause for a reason.
func reasonText(reason form.Reason) string {
	switch reason {
	case form.ReasonLimit:
		return "the schema exceeds the limits of forms"
	case form.ReasonRoot:
		return "the schema does not name members of an object"
	case form.ReasonTypes:
		return "it may have several types"
	case form.ReasonMembers:
		return "the schema names no members of the object"
	case form.ReasonElements:
		return "the entries of the list have no control"
	case form.ReasonValue:
	}
	return "no control can show it"
}
