package admin

import (
	"context"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/domain"
)

// FindIncidentGroups lists open incidents by cause.
func (s *Server) FindIncidentGroups(
	ctx context.Context, request FindIncidentGroupsRequestObject,
) (FindIncidentGroupsResponseObject, error) {
	params := request.Params
	groups, err := s.administration.FindIncidentGroups(ctx, s.call(ctx), administration.IncidentFilter{
		TenantCodes: params.Tenant, Kinds: httpio.ConvertStrings[domain.IncidentKind](params.Kind), Search: httpio.Deref(params.Search),
		AssigneeID: params.AssigneeID, Assigned: params.Assigned, Acknowledged: params.Acknowledged, Muted: params.Muted,
		Worker: httpio.Deref(params.Worker),
	}, 1)
	if err != nil {
		return nil, err
	}
	answer := FindIncidentGroups200JSONResponse{Content: []oasadmin.IncidentGroup{}}
	for _, g := range groups {
		answer.Content = append(answer.Content, oasadmin.IncidentGroup{
			Cause: g.Fingerprint, Tenant: g.TenantCode, Kind: string(g.Kind), Activity: httpio.PtrOrNil(g.Activity),
			Worker: httpio.PtrOrNil(g.Worker), Message: g.Message, ProcessDefinitionName: httpio.PtrOrNil(g.DefinitionName.Source),
			Count: int64(g.Count), FirstAt: g.FirstAt.UTC(), LastAt: g.LastAt.UTC(), LatestID: g.Latest,
		})
	}
	return answer, nil
}

// AcknowledgeIncident records that the caller has taken notice.
func (s *Server) AcknowledgeIncident(
	ctx context.Context, request AcknowledgeIncidentRequestObject,
) (AcknowledgeIncidentResponseObject, error) {
	changed, err := s.administration.AcknowledgeIncident(ctx, s.call(ctx), request.ID, httpio.Deref(request.Body.Cause))
	if err != nil {
		return nil, err
	}
	return AcknowledgeIncident200JSONResponse(convertIncident(changed)), nil
}

// MuteIncident suppresses notifications until a time.
func (s *Server) MuteIncident(ctx context.Context, request MuteIncidentRequestObject) (MuteIncidentResponseObject, error) {
	changed, err := s.administration.MuteIncident(ctx, s.call(ctx), request.ID, request.Body.Until, httpio.Deref(request.Body.Cause))
	if err != nil {
		return nil, err
	}
	return MuteIncident200JSONResponse(convertIncident(changed)), nil
}

// UnmuteIncident ends a mute.
func (s *Server) UnmuteIncident(ctx context.Context, request UnmuteIncidentRequestObject) (UnmuteIncidentResponseObject, error) {
	changed, err := s.administration.UnmuteIncident(ctx, s.call(ctx), request.ID, httpio.Deref(request.Body.Cause))
	if err != nil {
		return nil, err
	}
	return UnmuteIncident200JSONResponse(convertIncident(changed)), nil
}

// AssignIncident assigns an incident to a person.
func (s *Server) AssignIncident(ctx context.Context, request AssignIncidentRequestObject) (AssignIncidentResponseObject, error) {
	body := request.Body
	to := administration.IncidentAssignee{ID: body.AssigneeID, Email: httpio.Deref(body.AssigneeEmail)}
	changed, err := s.administration.AssignIncident(ctx, s.call(ctx), request.ID, to, httpio.Deref(body.Cause))
	if err != nil {
		return nil, err
	}
	return AssignIncident200JSONResponse(convertIncident(changed)), nil
}

// CommentIncident adds a comment.
func (s *Server) CommentIncident(ctx context.Context, request CommentIncidentRequestObject) (CommentIncidentResponseObject, error) {
	comment, err := s.administration.CommentIncident(ctx, s.call(ctx), request.ID, request.Body.Text)
	if err != nil {
		return nil, err
	}
	return CommentIncident201JSONResponse(convertComment(comment)), nil
}

func convertComment(c *domain.IncidentComment) oasadmin.IncidentComment {
	return oasadmin.IncidentComment{
		ID: c.ID, AuthorID: c.AuthorID, AuthorName: httpio.PtrOrNil(c.AuthorName), Text: c.Text, CreatedAt: c.CreatedAt.UTC(),
	}
}
