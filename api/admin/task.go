package admin

import (
	"context"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain"
)

// ReleaseProcessItemTask returns a claimed task to its candidates.
func (s *Server) ReleaseProcessItemTask(
	ctx context.Context, request ReleaseProcessItemTaskRequestObject,
) (ReleaseProcessItemTaskResponseObject, error) {
	released, err := s.app.ReleaseProcessItemTask(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	return ReleaseProcessItemTask200JSONResponse(convertTask(released)), nil
}

func convertTask(i *domain.ProcessItem) oasadmin.Task {
	return oasadmin.Task{
		ID: i.ID, TenantID: i.TenantID, ProcessID: i.ProcessID, Code: i.DefinitionCode(), State: oasadmin.TaskState(i.Task.State),
		CreatedAt: i.CreatedAt.UTC(), LastModifiedAt: i.LastModifiedAt.UTC(),
	}
}
