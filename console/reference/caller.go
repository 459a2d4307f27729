package reference

import (
	"context"

	"github.com/procession-dev/procession/console/ui"
)

// callerText returns the callers that an entry of x-permitted stands for, in the language of the viewer.
func callerText(ctx context.Context, permitted string) string {
	switch permitted {
	case "MEMBER":
		return ui.T(ctx, "Every user and application of the tenant; lists show what they may see")
	case "TENANT_OWNER":
		return ui.T(ctx, "Owners of the tenant")
	case "ADMINISTRATOR":
		return ui.T(ctx, "Administrators of the tenant")
	case "DEFINITION_ADMINISTRATOR":
		return ui.T(ctx, "Administrators of the process definition")
	case "REPAIRER":
		return ui.T(ctx, "Repairers of the definition, and owners and administrators of the tenant, who see the process")
	case "MANAGER":
		return ui.T(ctx, "Managers of the definition")
	case "VIEWER":
		return ui.T(ctx, "Viewers of the definition, the robot or the data source")
	case "EDITOR":
		return ui.T(ctx, "Editors of the business artifact")
	case "INITIATOR":
		return ui.T(ctx, "Initiators of the process")
	case "CANDIDATE":
		return ui.T(ctx, "Candidates of the task")
	case "TASK_OWNER":
		return ui.T(ctx, "The owner of the task")
	case "WORKER":
		return ui.T(ctx, "Applications that are workers")
	case "REQUESTER":
		return ui.T(ctx, "The caller of the request that the event reports")
	case "OPERATOR":
		return ui.T(ctx, "Operators of the installation")
	}
	return permitted
}
