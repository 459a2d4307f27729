package admin

import (
	"context"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
)

// RetrieveEngineHistory returns the history of a workflow of a process in Temporal.
func (s *Server) RetrieveEngineHistory(
	ctx context.Context, request RetrieveEngineHistoryRequestObject,
) (RetrieveEngineHistoryResponseObject, error) {
	found, err := s.app.RetrieveEngineHistory(ctx, s.call(ctx), request.ID, app.EngineHistoryPart{
		WorkflowID: httpio.Deref(request.Params.WorkflowID), After: httpio.Deref(request.Params.After),
	})
	if err != nil {
		return nil, err
	}
	return RetrieveEngineHistory200JSONResponse{
		Workflows: listOf(found.Runs, func(r *domain.EngineRun) oasadmin.EngineWorkflow {
			return oasadmin.EngineWorkflow{
				WorkflowID: r.WorkflowID, Kind: oasadmin.EngineWorkflowKind(r.Kind), WorkflowType: r.WorkflowType,
				TaskQueue: r.TaskQueue, State: oasadmin.EngineWorkflowState(r.State),
			}
		}),
		Workflow: workflowView(found.View), Next: httpio.PtrOrNil(found.Older),
	}, nil
}

func workflowView(v *domain.WorkflowView) *oasadmin.WorkflowView {
	if v == nil {
		return nil
	}
	return &oasadmin.WorkflowView{
		WorkflowID: v.WorkflowID, RunID: v.RunID, Type: v.Type, TaskQueue: v.TaskQueue, Status: v.Status,
		StartedAt: v.StartedAt.UTC(), ClosedAt: inUTC(v.ClosedAt), Length: v.Length, ParentWorkflowID: httpio.PtrOrNil(v.Parent),
		Waits: listOf(v.Waits, func(w *domain.WorkflowWait) oasadmin.WorkflowWait {
			return oasadmin.WorkflowWait{
				Kind: oasadmin.WorkflowWaitKind(w.Kind), Name: w.Name, Since: utcOrNil(w.Since), Attempt: httpio.PtrOrNil(w.Attempt),
				Until: inUTC(w.Until), Message: httpio.PtrOrNil(w.Message), WorkflowID: httpio.PtrOrNil(w.WorkflowID),
				ActivityID: httpio.PtrOrNil(w.ActivityID),
			}
		}),
		Events: listOf(v.Events, func(e *domain.WorkflowEvent) oasadmin.WorkflowEvent {
			return oasadmin.WorkflowEvent{
				ID: e.ID, At: e.At.UTC(), Kind: e.Kind, Name: httpio.PtrOrNil(e.Name), About: httpio.PtrOrNil(e.About),
				Message: httpio.PtrOrNil(e.Message), Until: inUTC(e.Until), WorkflowID: httpio.PtrOrNil(e.WorkflowID),
			}
		}),
	}
}
