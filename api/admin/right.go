package admin

import (
	"context"

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

func convertPastRight(r *administration.PastRight) oasadmin.PastRight {
	return oasadmin.PastRight{
		May: r.May, Item: httpio.PtrOrNil(r.Item), Initiator: r.Initiator, Holders: listOf(r.Holders, convertPastHolder),
	}
}

func convertPastHolder(h *administration.PastHolder) oasadmin.PastHolder {
	return oasadmin.PastHolder{
		Kind: oasadmin.ResourceKind(h.Kind), Code: h.Code, ID: h.ID, Name: h.Name, Group: httpio.PtrOrNil(h.Group),
	}
}
