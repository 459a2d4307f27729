package shapea

import (
	"context"

	"github.com/procession-dev/procession/api/httpio"
	oasa "github.com/procession-dev/procession/api/shapea/oas"
	"github.com/procession-dev/procession/domain"
)

// CreateWorker implements operation A33.
func (s *Server) CreateWorker(
	ctx context.Context, request oasa.CreateWorkerRequestObject,
) (oasa.CreateWorkerResponseObject, error) {
	body := request.Body
	stored, isNew, err := s.app.CreateWorker(ctx, s.call(ctx), body.TenantID, domain.Worker{
		ID: httpio.Deref(body.ID), Identity: body.Identity, TaskQueue: body.TaskQueue, WorkflowTypes: body.WorkflowTypes,
		ActivityTypes: body.ActivityTypes, Hostname: body.Hostname, IP: body.IP,
		InstallationID: body.InstallationID, RobotIDs: body.RobotIds,
	})
	window := int(domain.WorkerDelayWindow.Seconds())
	switch {
	case err != nil:
		return nil, err
	case isNew:
		return oasa.CreateWorker201JSONResponse{
			Body: convertWorker(stored), Headers: oasa.CreateWorker201ResponseHeaders{XKFDELAYWINDOW: window},
		}, nil
	default:
		return oasa.CreateWorker200JSONResponse{
			Body: convertWorker(stored), Headers: oasa.CreateWorker200ResponseHeaders{XKFDELAYWINDOW: window},
		}, nil
	}
}

func convertWorker(w *domain.Worker) oasa.Worker {
	answer := oasa.Worker{
		ObjectType: new(oasa.AuditedObjectTypeWORKER), ID: &w.ID, TenantID: &w.TenantID, Identity: w.Identity, TaskQueue: w.TaskQueue,
		WorkflowTypes: w.WorkflowTypes, ActivityTypes: w.ActivityTypes, Hostname: w.Hostname, IP: w.IP,
		InstallationID: w.InstallationID, RobotIds: w.RobotIDs,
	}
	answer.CreatedBy, answer.CreatedAt, answer.LastModifiedBy, answer.LastModifiedAt = httpio.Audited(w.Audit)
	return answer
}
