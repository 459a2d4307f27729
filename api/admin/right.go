package admin

import (
	"context"
	"net/http"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/domain/resource"
)

// FindPastRights lists the people who may use a process definition, now or at a time.
func (s *Server) FindPastRights(
	ctx context.Context, request FindPastRightsRequestObject,
) (FindPastRightsResponseObject, error) {
	params := request.Params
	key := keyOf(resource.KindProcessDefinition, request.Code, params.Tenant)
	found, err := s.administration.FindPastRights(ctx, s.call(ctx), key, httpio.Deref(params.Item), params.At)
	if err != nil {
		return nil, err
	}
	return FindPastRights200JSONResponse{
		Tenant: found.Key.Tenant, Code: found.Key.Code, ID: found.ID, Name: found.Name, At: found.At.UTC(),
		RecordedSince: found.RecordedSince.UTC(), Startable: found.Startable, Rights: listOf(found.Rights, convertPastRight),
	}, nil
}

// FindRights lists the people who may do something, with the reasons.
func (s *Server) FindRights(ctx context.Context, request FindRightsRequestObject) (FindRightsResponseObject, error) {
	params := request.Params
	found, err := s.administration.FindRights(ctx, s.call(ctx), administration.RightFilter{
		Tenant: httpio.Deref(params.Tenant), Person: httpio.Deref(params.Person), Group: httpio.Deref(params.Group),
		Kind: resource.Kind(httpio.Deref(params.Kind)), Resource: httpio.Deref(params.Resource), May: httpio.Deref(params.Right), At: params.At,
	})
	if err != nil {
		return nil, err
	}
	page, _ := httpio.Listing(httpio.Deref(params.Size), httpio.Deref(params.Page), nil)
	answer := FindRights200JSONResponse{Tenant: found.Tenant, At: found.At.UTC(), RecordedSince: found.RecordedSince.UTC()}
	answer.Metadata, answer.Content = httpio.PageOf[oasadmin.PageMetadata](found.Page(page), convertHeldRight)
	return answer, nil
}

// ExportRights downloads the people who may do something, with the reasons.
func (s *Server) ExportRights(ctx context.Context, request ExportRightsRequestObject) (ExportRightsResponseObject, error) {
	params := request.Params
	found, err := s.administration.FindRights(ctx, s.call(ctx), administration.RightFilter{
		Tenant: httpio.Deref(params.Tenant), Person: httpio.Deref(params.Person), Group: httpio.Deref(params.Group),
		Kind: resource.Kind(httpio.Deref(params.Kind)), Resource: httpio.Deref(params.Resource), May: httpio.Deref(params.Right), At: params.At,
	})
	if err == nil {
		err = found.CheckSize()
	}
	if err != nil {
		return nil, err
	}
	return rightsFile{found}, nil
}

// rightsFile is a report as comma-separated values. It is streamed.
type rightsFile struct{ report *administration.RightReport }

// VisitExportRightsResponse implements ExportRightsResponseObject.
func (f rightsFile) VisitExportRightsResponse(w http.ResponseWriter) error {
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="rights.csv"`)
	w.WriteHeader(http.StatusOK)
	return f.report.WriteCSV(w)
}

func convertHeldRight(e *administration.RightEntry) oasadmin.HeldRight {
	r := oasadmin.HeldRight{
		Kind: oasadmin.ResourceKind(e.Kind), Resource: e.Resource, Name: e.Name, Right: e.May, Item: httpio.PtrOrNil(e.Item),
		Because: httpio.PtrOrNil(e.Because), Role: httpio.PtrOrNil(string(e.Role)),
	}
	if e.Holder == "" {
		r.Role = httpio.PtrOrNil(resource.RoleProcessInitiator)
		return r
	}
	r.Holder = &oasadmin.PastHolder{
		Kind: oasadmin.ResourceKind(e.Holder), Code: e.HolderCode, ID: e.HolderID, Name: e.HolderName, Group: httpio.PtrOrNil(e.Group),
	}
	return r
}

func convertPastRight(r *administration.PastRight) oasadmin.PastRight {
	return oasadmin.PastRight{
		May: r.May, Item: httpio.PtrOrNil(r.Item), Initiator: r.Initiator, Everyone: httpio.PtrOrNil(r.Everyone), Holders: listOf(r.Holders, convertPastHolder),
	}
}

func convertPastHolder(h *administration.PastHolder) oasadmin.PastHolder {
	return oasadmin.PastHolder{
		Kind: oasadmin.ResourceKind(h.Kind), Code: h.Code, ID: h.ID, Name: h.Name, Group: httpio.PtrOrNil(h.Group),
	}
}
