package shapeb

import (
	"context"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/api/httpio"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
)

// FindProcessDefinitions lists the process definitions that the caller may start
// or see.
func (s *Server) FindProcessDefinitions(
	ctx context.Context, request oasb.FindProcessDefinitionsRequestObject,
) (oasb.FindProcessDefinitionsResponseObject, error) {
	params := request.Params
	page, sort := httpio.Listing(params.Size, params.Page, params.Sort)
	found, err := s.app.FindProcessDefinitions(ctx, s.call(ctx), app.DefinitionFilter{
		TenantIDs: params.TenantID, Codes: params.ProcessDefinitionCode, Startable: params.Startable,
	}, page, sort)
	if err != nil {
		return nil, err
	}
	var answer oasb.FindProcessDefinitions200JSONResponse
	answer.Metadata, answer.Content = httpio.PageOf[oasb.PageMetadata](found, func(d *domain.DefinitionSummary) oasb.ProcessDefinitionPageItem {
		return oasb.ProcessDefinitionPageItem{
			ID: d.ID, Version: d.Version, Code: d.Code, TenantID: d.TenantID, Name: d.Name.Source, Description: httpio.PtrOrNil(d.Description.Source),
			Published: d.Published, Startable: d.Startable,
		}
	})
	return answer, nil
}

// RetrieveProcessDefinition returns the parts of a process definition visible
// to the caller.
func (s *Server) RetrieveProcessDefinition(
	ctx context.Context, request oasb.RetrieveProcessDefinitionRequestObject,
) (oasb.RetrieveProcessDefinitionResponseObject, error) {
	found, err := s.app.RetrieveProcessDefinition(ctx, s.call(ctx), request.ID, request.Params.Version)
	if err != nil {
		return nil, err
	}
	return oasb.RetrieveProcessDefinition200JSONResponse(processDefinition(found)), nil
}

func processDefinition(d *app.ProcessDefinitionView) oasb.ProcessDefinition {
	answer := oasb.ProcessDefinition{
		ID: d.ID, Version: d.Version, Code: d.Code, TenantID: d.TenantID, Name: d.Name, Description: httpio.PtrOrNil(d.Spec.Description),
		Published: d.Published, Startable: d.Startable, SubjectTemplate: httpio.PtrOrNil(d.Spec.SubjectTemplate),
		MetadataSchema: d.Spec.MetadataSchema, MetadataUISchema: d.Spec.MetadataUISchema,
		EntitySchema: d.Spec.EntitySchema, EntityUISchema: d.Spec.EntityUISchema,
		ElementDefinitions:           elementDefinitions(d.Spec.Elements),
		ProcessItemDefinitions:       make([]oasb.ProcessItemDefinition, len(d.Items)),
		DataStructureDataDefinitions: []oasb.DataStructureDataDefinition{},
		ProcessActionDefinitions:     make([]oasb.ProcessActionDefinition, len(d.Spec.UserActions)),
	}
	for i := range d.Items {
		answer.ProcessItemDefinitions[i] = processItemDefinition(&d.Items[i])
	}
	for _, code := range slices.Sorted(maps.Keys(d.Spec.DataStructures)) {
		answer.DataStructureDataDefinitions = append(answer.DataStructureDataDefinitions,
			oasb.DataStructureDataDefinition{Code: code, DataSchema: d.Spec.DataStructures[code]})
	}
	for i := range d.Spec.UserActions {
		answer.ProcessActionDefinitions[i] = processActionDefinition(d.DefinitionRef, &d.Spec.UserActions[i], d.Related)
	}
	return answer
}

func processItemDefinition(d *domain.ItemDefinition) oasb.ProcessItemDefinition {
	answer := oasb.ProcessItemDefinition{
		ID: d.ID, Version: d.Version, Code: d.Code, Type: oasb.ProcessItemType(d.Type), Name: d.Name, Description: httpio.PtrOrNil(d.Spec.Description),
		DataSchema: d.Spec.DataSchema, UISchema: d.Spec.UISchema, ContextDataSchema: d.Spec.ContextDataSchema,
		ElementDefinitions: elementDefinitions(d.Spec.Elements),
	}
	if d.Type == domain.ItemTask {
		answer.RequireValidDataOnComplete, answer.Form = &d.Spec.RequireValidDataOnComplete, &d.Spec.Form
	}
	return answer
}

func elementDefinitions(elements []domain.ElementDefinition) []oasb.ElementDefinition {
	answer := make([]oasb.ElementDefinition, len(elements))
	for i := range elements {
		e := &elements[i]
		answer[i] = oasb.ElementDefinition{
			Code: e.Code, Name: e.Name, Type: oasb.ElementDefinitionType(e.Type), Multiple: e.Multiple, Mandatory: e.Mandatory,
			Schema: e.Schema,
		}
		if e.Type == domain.ElementField {
			answer[i].FieldType = new(oasb.ElementDefinitionFieldType(e.ValueType()))
		}
		for _, o := range e.Options {
			answer[i].Options = append(answer[i].Options, oasb.ElementOption{Code: o.Code, Name: o.Name})
		}
	}
	return answer
}

func processActionDefinition(
	of domain.DefinitionRef, a *domain.UserAction, related map[string]uuid.UUID,
) oasb.ProcessActionDefinition {
	answer := oasb.ProcessActionDefinition{
		ProcessActionDefinitionRef: actionDefinitionRef(domain.NewActionDefinitionRef(of.ID, a.Code), of.Version),
		Code:                       a.Code, Name: a.Name, Type: oasb.ProcessActionType(a.Type),
		ProcessItemDefinitionCode: httpio.PtrOrNil(a.Item), Parameters: actionParameters(a.Type),
	}
	if id, ok := related[a.ProcessDefinition]; ok {
		answer.ProcessDefinitionID = &id
	}
	return answer
}

// FindBusinessArtifactDefinitions lists the business artifact definitions that the
// caller has a permission on.
func (s *Server) FindBusinessArtifactDefinitions(
	ctx context.Context, request oasb.FindBusinessArtifactDefinitionsRequestObject,
) (oasb.FindBusinessArtifactDefinitionsResponseObject, error) {
	params := request.Params
	page, sort := httpio.Listing(params.Size, params.Page, params.Sort)
	found, err := s.app.FindBusinessArtifactDefinitions(ctx, s.call(ctx), app.ArtifactDefinitionFilter{
		TenantIDs: params.TenantID, Codes: params.BusinessArtifactDefinitionCode, Creatable: params.Creatable,
	}, page, sort)
	if err != nil {
		return nil, err
	}
	var answer oasb.FindBusinessArtifactDefinitions200JSONResponse
	answer.Metadata, answer.Content = httpio.PageOf[oasb.PageMetadata](found, func(d *domain.ArtifactDefinitionSummary) oasb.BusinessArtifactDefinitionPageItem {
		return oasb.BusinessArtifactDefinitionPageItem{
			ID: d.ID, Code: d.Code, TenantID: d.TenantID, Name: d.Name.Source, Creatable: d.Creatable,
		}
	})
	return answer, nil
}

// RetrieveBusinessArtifactDefinition returns the parts of a business artifact
// definition visible to the caller.
func (s *Server) RetrieveBusinessArtifactDefinition(
	ctx context.Context, request oasb.RetrieveBusinessArtifactDefinitionRequestObject,
) (oasb.RetrieveBusinessArtifactDefinitionResponseObject, error) {
	found, err := s.app.RetrieveBusinessArtifactDefinition(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	return oasb.RetrieveBusinessArtifactDefinition200JSONResponse(businessArtifactDefinition(found)), nil
}

func businessArtifactDefinition(d *app.ArtifactDefinitionView) oasb.BusinessArtifactDefinition {
	answer := oasb.BusinessArtifactDefinition{
		ID: d.ID, Code: d.Code, TenantID: d.TenantID, Name: d.Name.Source, Creatable: d.Creatable,
		DataSchema: d.Spec.DataSchema, UISchema: d.Spec.UISchema,
		BusinessArtifactActionDefinitions: make([]oasb.BusinessArtifactActionDefinition, len(d.Actions)),
	}
	for i, a := range d.Actions {
		answer.BusinessArtifactActionDefinitions[i] = oasb.BusinessArtifactActionDefinition{
			BusinessArtifactActionDefinitionRef: oasb.BusinessArtifactActionDefinitionRef{ID: a.Definition.ID, Code: a.Code},
			Code:                                a.Code, Name: a.Name, Type: oasb.BusinessArtifactActionType(a.Type),
			InputSchema: a.InputSchema, ProcessDefinitionID: a.Started, BusinessArtifactDefinitionID: a.Created,
		}
	}
	return answer
}
