package shapeb

import (
	"context"

	"github.com/procession-dev/procession/api/httpio"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/domain"
)

// CreateWorker implements operation B46.
func (s *Server) CreateWorker(
	ctx context.Context, request oasb.CreateWorkerRequestObject,
) (oasb.CreateWorkerResponseObject, error) {
	body := request.Body
	stored, isNew, err := s.app.CreateWorker(ctx, s.call(ctx), body.TenantID, domain.Worker{
		Identity: body.Identity, TaskQueue: body.TaskQueue, WorkflowTypes: body.WorkflowTypes,
		ActivityTypes: body.ActivityTypes, Hostname: body.Hostname, IP: body.IP,
		InstallationID: body.InstallationID, RobotIDs: body.RobotIds,
	})
	window := int(domain.WorkerDelayWindow.Seconds())
	switch {
	case err != nil:
		return nil, err
	case isNew:
		return oasb.CreateWorker201JSONResponse{
			Body: convertWorker(stored), Headers: oasb.CreateWorker201ResponseHeaders{XKFDELAYWINDOW: window},
		}, nil
	default:
		return oasb.CreateWorker200JSONResponse{
			Body: convertWorker(stored), Headers: oasb.CreateWorker200ResponseHeaders{XKFDELAYWINDOW: window},
		}, nil
	}
}

func convertWorker(w *domain.Worker) oasb.Worker {
	answer := oasb.Worker{
		ID: &w.ID, TenantID: &w.TenantID, Identity: w.Identity, TaskQueue: w.TaskQueue,
		WorkflowTypes: w.WorkflowTypes, ActivityTypes: w.ActivityTypes, Hostname: w.Hostname, IP: w.IP,
		InstallationID: w.InstallationID, RobotIds: w.RobotIDs,
	}
	answer.CreatedBy, answer.CreatedAt, answer.LastModifiedBy, answer.LastModifiedAt = httpio.Audited(w.Audit)
	return answer
}
