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
	return FindRepairs200JSONResponse{Content: listOf(repairs, func(r *domain.NamedRepair) oasadmin.Repair {
		repair := convertRepair(&r.Repair)
		repair.AuthorName = httpio.PtrOrNil(r.AuthorName)
		return repair
	})}, nil
}

// RepairProcess repairs a running process by hand.
func (s *Server) RepairProcess(ctx context.Context, request RepairProcessRequestObject) (RepairProcessResponseObject, error) {
	repaired, made, err := s.app.RepairProcess(ctx, s.call(ctx), request.ID, repairRequest(request.Body))
	if err != nil {
		return nil, err
	}
	if !made {
		return RepairProcess200JSONResponse(convertRepair(repaired)), nil
	}
	return RepairProcess201JSONResponse(convertRepair(repaired)), nil
}

func repairRequest(body *oasadmin.RepairParams) domain.RepairRequest {
	return domain.RepairRequest{
		ID: body.ID, Kind: domain.RepairKind(body.Kind), Reason: body.Reason, ItemID: body.ProcessItemID, Value: body.Value, Reset: httpio.Deref(body.Reset),
		ToVersion: int(httpio.Deref(body.ToVersion)),
		Parameters: domain.CommandParameters{
			EngineRun: httpio.Deref(body.EngineRunID), EventID: httpio.Deref(body.EventID), Activity: httpio.Deref(body.ActivityID),
		},
	}
}

// PreviewRepair returns the effects of a repair without carrying it out.
func (s *Server) PreviewRepair(ctx context.Context, request PreviewRepairRequestObject) (PreviewRepairResponseObject, error) {
	preview, err := s.app.PreviewRepair(ctx, s.call(ctx), request.ID, repairRequest(request.Body))
	if err != nil {
		return nil, err
	}
	shown := PreviewRepair200JSONResponse{
		Move: convertMove(preview.Move), Values: listOf(preview.Values, convertPreviewedValue), Tasks: listOf(preview.Tasks, convertPreviewedTask),
		KeptItems:   listOf(preview.Kept, convertPreviewedTask),
		LostActions: append([]string{}, preview.LostActions...), LostElements: append([]string{}, preview.LostElements...),
	}
	if w := preview.Workflow; w != nil {
		shown.WorkflowType, shown.TaskQueue = &w.WorkflowType, &w.TaskQueue
	}
	return shown, nil
}

func convertPreviewedValue(v *domain.PreviewedValue) oasadmin.PreviewedValue {
	return oasadmin.PreviewedValue{
		Slot: oasadmin.PreviewedValueSlot(v.Slot), ProcessItemID: v.ItemID, Code: httpio.PtrOrNil(v.Code), WasValid: v.WasValid, Valid: v.Valid,
		Errors: listOf(v.Errors, func(e *domain.ValueError) oasadmin.PreviewedError {
			return oasadmin.PreviewedError{PropertyPath: e.PropertyPath, Type: e.Type}
		}),
	}
}

func convertPreviewedTask(t *domain.PreviewedTask) oasadmin.PreviewedTask {
	return oasadmin.PreviewedTask{ProcessItemID: t.ID, Code: httpio.PtrOrNil(t.Code), State: httpio.PtrOrNil(string(t.State))}
}

func convertMove(m *domain.VersionMove) *oasadmin.VersionMove {
	if m == nil {
		return nil
	}
	return &oasadmin.VersionMove{
		FromVersion: m.From.ID, FromNumber: int32(m.From.Number), ToVersion: m.To.ID, ToNumber: int32(m.To.Number), //nolint:gosec // integer of the database
	}
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
			Steps: p.Steps(), EventCount: int32(p.EventCount), //nolint:gosec // at most the events of a history
			Events: listOf(p.Events, func(e *domain.RepairPointEvent) oasadmin.RepairPointEvent {
				return oasadmin.RepairPointEvent{Kind: oasadmin.RepairPointEventKind(e.Kind), Name: e.Name, At: e.At.UTC(), ProcessItemID: e.ItemID}
			}),
		}
	})}, nil
}

func convertRepair(r *domain.Repair) oasadmin.Repair {
	return oasadmin.Repair{
		ID: r.ID, ProcessID: r.ProcessID, ProcessItemID: r.ItemID, Kind: oasadmin.RepairKind(r.Kind), Reason: r.Reason, Move: convertMove(r.Move),
		CreatedBy: r.CreatedBy, CreatedAt: r.CreatedAt.UTC(),
	}
}
