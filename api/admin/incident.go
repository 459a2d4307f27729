package admin

import (
	"context"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/domain"
)

// FindIncidents lists incidents.
func (s *Server) FindIncidents(
	ctx context.Context, request FindIncidentsRequestObject,
) (FindIncidentsResponseObject, error) {
	params := request.Params
	filter := administration.IncidentFilter{
		States: httpio.ConvertStrings[domain.IncidentState](params.State), ProcessIDs: params.ProcessID, TenantCodes: params.Tenant,
		Kinds: httpio.ConvertStrings[domain.IncidentKind](params.Kind), Search: httpio.Deref(params.Search), AssigneeID: params.AssigneeID,
		Assigned: params.Assigned, Acknowledged: params.Acknowledged, Muted: params.Muted, Worker: httpio.Deref(params.Worker),
		Fingerprint: httpio.Deref(params.Cause), After: params.After,
	}
	page, sort := httpio.Listing(httpio.Deref(params.Size), httpio.Deref(params.Page), params.Sort)
	found, err := s.administration.ListIncidents(ctx, s.call(ctx), filter, page, sort)
	if err != nil {
		return nil, err
	}
	var answer FindIncidents200JSONResponse
	answer.Metadata, answer.Content = httpio.PageOf[oasadmin.PageMetadata](found, convertIncident)
	return answer, nil
}

// RetrieveIncident returns one incident.
func (s *Server) RetrieveIncident(
	ctx context.Context, request RetrieveIncidentRequestObject,
) (RetrieveIncidentResponseObject, error) {
	found, comments, err := s.administration.RetrieveIncident(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	answer := convertIncident(found)
	for i := range comments {
		answer.Comments = append(answer.Comments, convertComment(&comments[i]))
	}
	return RetrieveIncident200JSONResponse(answer), nil
}

// RetryIncident starts the failed workflow again.
func (s *Server) RetryIncident(
	ctx context.Context, request RetryIncidentRequestObject,
) (RetryIncidentResponseObject, error) {
	retried, err := s.administration.RetryIncident(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	return RetryIncident200JSONResponse(convertIncident(retried)), nil
}

// DismissIncident marks an incident as dealt with.
func (s *Server) DismissIncident(
	ctx context.Context, request DismissIncidentRequestObject,
) (DismissIncidentResponseObject, error) {
	dismissed, err := s.administration.DismissIncident(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	return DismissIncident200JSONResponse(convertIncident(dismissed)), nil
}

func convertIncident(i *domain.Incident) oasadmin.Incident {
	answer := oasadmin.Incident{
		ID: i.ID, TenantID: i.TenantID, ProcessID: i.ProcessID, ProcessItemID: i.TaskID, EngineRunID: i.EngineRun,
		Message: i.Message, Failure: httpio.PtrOrNil(i.Failure), State: oasadmin.IncidentState(i.State),
		Kind: new(string(i.Kind)), Activity: httpio.PtrOrNil(i.Activity), Attempts: new(i.Attempts), Worker: httpio.PtrOrNil(i.Worker),
		CreatedAt: i.CreatedAt.UTC(), ResolvedAt: inUTC(i.ResolvedAt), Cause: httpio.PtrOrNil(i.Fingerprint),
		AcknowledgedAt: inUTC(i.AcknowledgedAt), AcknowledgedBy: i.AcknowledgedBy, MutedUntil: inUTC(i.MutedUntil), AssigneeID: i.AssigneeID,
	}
	switch {
	case i.ArtifactID != nil:
		answer.BusinessArtifactID, answer.BusinessArtifactActionID = i.ArtifactID, i.ActionID
	case i.ActionID != nil:
		answer.ProcessActionID = i.ActionID
	}
	return answer
}
