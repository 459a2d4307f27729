package admin

import (
	"context"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/domain"
)

// FindRepairs lists the repairs of a process.
func (s *Server) FindRepairs(ctx context.Context, request FindRepairsRequestObject) (FindRepairsResponseObject, error) {
	repairs, err := s.app.ListRepairs(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	return FindRepairs200JSONResponse{Content: listOf(repairs, func(r *domain.NamedRepair) oasadmin.Repair { return convertRepair(&r.Repair) })}, nil
}

// RepairProcess repairs a running process by hand.
func (s *Server) RepairProcess(ctx context.Context, request RepairProcessRequestObject) (RepairProcessResponseObject, error) {
	body := request.Body
	repaired, err := s.app.RepairProcess(ctx, s.call(ctx), request.ID, domain.RepairRequest{
		Kind: domain.RepairKind(body.Kind), Reason: body.Reason, ItemID: body.ProcessItemID, Value: body.Value, Reset: httpio.Deref(body.Reset),
		Parameters: domain.CommandParameters{
			EngineRun: httpio.Deref(body.EngineRunID), EventID: httpio.Deref(body.EventID), Activity: httpio.Deref(body.ActivityID),
		},
	})
	if err != nil {
		return nil, err
	}
	return RepairProcess201JSONResponse(convertRepair(repaired)), nil
}

// FindRepairPoints lists the points from which the workflow of a process can continue.
func (s *Server) FindRepairPoints(
	ctx context.Context, request FindRepairPointsRequestObject,
) (FindRepairPointsResponseObject, error) {
	points, err := s.app.FindRepairPoints(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	return FindRepairPoints200JSONResponse{Content: listOf(points, func(p *domain.RepairPoint) oasadmin.RepairPoint {
		return oasadmin.RepairPoint{
			EngineRunID: p.EngineRun, EventID: p.EventID, At: p.At.UTC(), Cause: httpio.PtrOrNil(p.Cause), Name: httpio.PtrOrNil(p.Name),
			Steps: append([]string{}, p.Steps...),
		}
	})}, nil
}

func convertRepair(r *domain.Repair) oasadmin.Repair {
	return oasadmin.Repair{
		ID: r.ID, ProcessID: r.ProcessID, ProcessItemID: r.ItemID, Kind: oasadmin.RepairKind(r.Kind), Reason: r.Reason,
		CreatedBy: r.CreatedBy, CreatedAt: r.CreatedAt.UTC(),
	}
}
