package admin

import (
	"context"
	"net/http"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// ApplyResources applies the documents of a request to the resources.
func (s *Server) ApplyResources(
	ctx context.Context, request ApplyResourcesRequestObject,
) (ApplyResourcesResponseObject, error) {
	handOver, err := parseHandOver(domain.LocationBody, "/handOver", httpio.Deref(request.Body.HandOver))
	if err != nil {
		return nil, err
	}
	params := administration.ApplyRequest{
		Documents: request.Body.Documents, DryRun: httpio.Deref(request.Body.DryRun), Reason: httpio.Deref(request.Body.Reason), HandOver: handOver,
	}
	if prune := request.Body.Prune; prune != nil {
		params.Prune = &administration.Prune{Tenant: prune.Tenant, Selector: prune.Selector}
	}
	applied, err := s.administration.ApplyResources(ctx, s.call(ctx), params)
	if err != nil {
		return nil, err
	}
	answer := ApplyResources200JSONResponse{
		DryRun: params.DryRun, Results: make([]oasadmin.AppliedResource, len(applied)),
	}
	for i := range applied {
		if answer.Results[i], err = appliedResource(&applied[i]); err != nil {
			return nil, err
		}
	}
	if found := s.administration.ReviewResources(ctx, params.Documents); len(found) > 0 {
		answer.Warnings = make([]oasadmin.ApplyWarning, len(found))
		for i := range found {
			w := &found[i]
			answer.Warnings[i] = oasadmin.ApplyWarning{Code: string(w.Code), Message: w.Message}
			if w.Path != "" {
				answer.Warnings[i].Path = &w.Path
			}
		}
	}
	return answer, nil
}

// FindResources lists resources.
func (s *Server) FindResources(
	ctx context.Context, request FindResourcesRequestObject,
) (FindResourcesResponseObject, error) {
	params := request.Params
	selector, err := selectorOf(params.Label)
	if err != nil {
		return nil, err
	}
	filter := administration.ResourceFilter{
		Kinds: httpio.ConvertStrings[resource.Kind](params.Kind), Tenants: params.Tenant, Codes: params.Code, Selector: selector,
		Sources: httpio.ConvertStrings[resource.Source](params.Origin), Active: params.Active, ClaimedGroup: httpio.Deref(params.ClaimedGroup),
	}
	page, sort := httpio.Listing(httpio.Deref(params.Size), httpio.Deref(params.Page), params.Sort)
	return listing(func(w http.ResponseWriter) error {
		show := func(found *domain.Listing[resource.Stored]) error {
			return httpio.WriteListing(w, found, resourcePage, func(items []resource.Stored) ([]oasadmin.Resource, error) {
				return httpio.ConvertAll(items, storedResource)
			})
		}
		return s.administration.FindResources(ctx, s.call(ctx), filter, page, sort, show)
	}), nil
}

// listing is the answer of a list of whole values, which reads them while it
// writes them.
type listing func(w http.ResponseWriter) error

// VisitFindResourcesResponse implements FindResourcesResponseObject.
func (l listing) VisitFindResourcesResponse(w http.ResponseWriter) error { return l(w) }

func resourcePage(metadata httpio.PageMetadata, content []oasadmin.Resource) any {
	return oasadmin.ResourcePage{Metadata: oasadmin.PageMetadata(metadata), Content: content}
}

// RetrieveResource returns one resource.
func (s *Server) RetrieveResource(
	ctx context.Context, request RetrieveResourceRequestObject,
) (RetrieveResourceResponseObject, error) {
	found, err := s.administration.RetrieveResource(ctx, s.call(ctx), keyOf(request.Kind, request.Code, request.Params.Tenant))
	if err != nil {
		return nil, err
	}
	answer, err := storedResource(found)
	if err != nil {
		return nil, err
	}
	return RetrieveResource200JSONResponse(answer), nil
}

// DeleteResource deletes one resource.
func (s *Server) DeleteResource(
	ctx context.Context, request DeleteResourceRequestObject,
) (DeleteResourceResponseObject, error) {
	handOver, err := parseHandOver(domain.LocationQuery, "handOver", httpio.Deref(request.Params.HandOver))
	if err != nil {
		return nil, err
	}
	err = s.administration.DeleteResource(ctx, s.call(ctx), keyOf(request.Kind, request.Code, request.Params.Tenant),
		httpio.Deref(request.Params.Reason), handOver)
	if err != nil {
		return nil, err
	}
	return DeleteResource204Response{}, nil
}

// FindDefinitionVersions lists the versions of a process definition.
func (s *Server) FindDefinitionVersions(
	ctx context.Context, request FindDefinitionVersionsRequestObject,
) (FindDefinitionVersionsResponseObject, error) {
	key := keyOf(resource.KindProcessDefinition, request.Code, request.Params.Tenant)
	found, err := s.administration.FindDefinitionVersions(ctx, s.call(ctx), key)
	if err != nil {
		return nil, err
	}
	return FindDefinitionVersions200JSONResponse{Content: listOf(found, definitionVersion)}, nil
}

// RetrieveDefinitionVersion returns the document of a version of a process definition.
func (s *Server) RetrieveDefinitionVersion(
	ctx context.Context, request RetrieveDefinitionVersionRequestObject,
) (RetrieveDefinitionVersionResponseObject, error) {
	key := keyOf(resource.KindProcessDefinition, request.Code, request.Params.Tenant)
	found, err := s.administration.RetrieveDefinitionVersion(ctx, s.call(ctx), key, request.Number)
	if err != nil {
		return nil, err
	}
	answer, err := convertDocument(&found.Document)
	if err != nil {
		return nil, err
	}
	return RetrieveDefinitionVersion200JSONResponse(*answer), nil
}

func appliedResource(r *administration.AppliedResource) (oasadmin.AppliedResource, error) {
	answer := oasadmin.AppliedResource{
		Kind: oasadmin.ResourceKind(r.Key.Kind), Code: r.Key.Code, Tenant: r.Key.Tenant,
		ID: r.ID, Action: oasadmin.ApplyAction(r.Action),
	}
	if r.Work != nil {
		work := convertOpenWork(r.Work)
		answer.OpenWork = &work
	}
	var err error
	if answer.Before, err = convertDocument(r.Before); err != nil {
		return answer, err
	}
	answer.After, err = convertDocument(r.After)
	return answer, err
}

func convertDocument(d *resource.Document) (*oasadmin.ResourceDocument, error) {
	if d == nil {
		return nil, nil //nolint:nilnil // what was created has no document from before, and that is no failure
	}
	spec, err := d.SpecJSON()
	return &oasadmin.ResourceDocument{
		APIVersion: resource.APIVersion, Kind: oasadmin.ResourceKind(d.Kind), Metadata: convertMetadata(d.Metadata), Spec: spec,
	}, err
}

func storedResource(r *resource.Stored) (oasadmin.Resource, error) {
	spec, err := r.SpecJSON()
	converted := convertMetadata(r.Metadata)
	converted.ID = &r.ID
	answer := oasadmin.Resource{
		APIVersion: resource.APIVersion, Kind: oasadmin.ResourceKind(r.Kind), Metadata: converted, Spec: spec,
		Status: oasadmin.ResourceStatus{
			CreatedBy: r.CreatedBy, CreatedAt: r.CreatedAt.UTC(),
			LastModifiedBy: r.LastModifiedBy, LastModifiedAt: r.LastModifiedAt.UTC(),
			PublishedVersion: r.PublishedVersion,
		},
	}
	if r.Source != "" {
		origin := oasadmin.ResourceOrigin(r.Source)
		answer.Status.Origin = &origin
	}
	addRobot(&answer.Status, r)
	return answer, err
}

func convertMetadata(m resource.Metadata) oasadmin.ResourceMetadata {
	return oasadmin.ResourceMetadata{Code: m.Code, Tenant: httpio.PtrOrNil(m.Tenant), ID: m.ID, Labels: m.Labels}
}

func definitionVersion(v *domain.PublishedVersion) oasadmin.DefinitionVersion {
	return oasadmin.DefinitionVersion{
		Version: v.Version, Number: v.Number, Name: v.Name, Published: v.Published,
		CreatedBy: v.CreatedBy, CreatedAt: v.CreatedAt.UTC(), Processes: v.Processes,
	}
}
