package domain

import (
	"slices"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain/translation"
)

// DefinitionRelations are the relations of a principal to the processes of a version of a process definition,
// including those it would have to processes that it may start.
type DefinitionRelations struct {
	// Process are the relations to processes of the version. Initiator is true if the principal is the initiator
	// of one, or may become it by starting one.
	Process ProcessRelations
	// Items are the relations to items of each item definition, by its code. Their Process is not set.
	Items map[string]ItemRelations
	// OwnsMessage reports whether the principal owns a message of such a process.
	OwnsMessage bool
	// Startable maps the codes of the tenant's process definitions on which the principal has the Initiator
	// permission to their ids.
	Startable map[string]uuid.UUID
}

// View returns the part of the definition that is visible to a principal with the relations, and false if there is
// none. It never includes the engine and assistance.
//
// A principal to whom processes are visible gets their schemas and elements; one to whom only items are visible, the
// definitions of these. User actions are included if the principal has the permissions, in any state of a process.
func (d *ProcessDefinition) View(r DefinitionRelations) (*ProcessDefinition, bool) {
	view := &ProcessDefinition{DefinitionRef: d.DefinitionRef, TenantID: d.TenantID, Name: d.Name}
	view.Spec.I18n, view.Spec.Description = d.Spec.I18n, d.Spec.Description
	seesMessages := r.OwnsMessage || r.Process.Viewer || ManagesProcess(r.Process)
	for _, item := range d.Items {
		relations := r.Items[item.Code]
		relations.Process = r.Process
		r.Process.ItemCandidate = r.Process.ItemCandidate || ClaimsItem(relations)
		if !SeesItem(relations) {
			continue
		}
		item.Spec.Assistance, item.Spec.Robot = nil, nil
		view.Items = append(view.Items, item)
		seesMessages = seesMessages || item.Type == ItemMessage
	}
	if seesMessages {
		view.Spec.DataStructures, view.Spec.StructureTexts = d.Spec.DataStructures, d.Spec.StructureTexts
	}
	if !SeesProcess(r.Process) {
		return view, len(view.Items) > 0
	}
	view.Spec.SubjectTemplate = d.Spec.SubjectTemplate
	view.Spec.MetadataSchema, view.Spec.MetadataUISchema = d.Spec.MetadataSchema, d.Spec.MetadataUISchema
	view.Spec.Elements = d.Spec.Elements
	view.Spec.EntitySchema, view.Spec.EntityUISchema = d.Spec.EntitySchema, d.Spec.EntityUISchema
	view.Spec.UserActions = slices.DeleteFunc(slices.Clone(d.Spec.UserActions), func(a UserAction) bool {
		_, starts := r.Startable[a.ProcessDefinition]
		return len(a.Obstacles(UserActionRelations{
			Sees: true, Initiator: r.Process.Initiator, Viewer: r.Process.Viewer, Manager: ManagesProcess(r.Process),
			StartsRelated: starts, RelatedPublished: true, WorkflowOpen: true,
		})) > 0
	})
	return view, true
}

// DefinitionSummary is a process definition as lists show it.
type DefinitionSummary struct {
	DefinitionRef
	TenantID uuid.UUID
	Name     translation.Name
	// Description has no source if there is none.
	Description translation.Name
	// Published reports whether new processes are pinned to Version.
	Published bool
	// Startable reports whether the principal may start processes of the definition.
	Startable bool
}
