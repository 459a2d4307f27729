package bulk

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// kind is a kind of bulk operation.
type kind struct {
	// check applies the rules of the operation to a resource of the preview, which it may change. It reports whether the operation
	// changes the resource, and returns its refusal.
	check func(p preview, g persistence.BulkGroup) (bool, error)
	// handle carries the operation out on one resource, in one transaction of the call.
	handle func(ctx context.Context, s *Service, call domain.Call, b domain.BulkOperation, target uuid.UUID) error
}

// preview is the caller, the operation and the time of a preview.
type preview struct {
	domain.BulkOperation

	caller domain.Caller
	now    time.Time
}

// listKinds returns the kinds. A new kind needs
//
//   - an entry here. Its handle must make exactly one write with the given call (storage.Store.Write), even if it changes
//     nothing: the write records the end of the resource;
//   - a constant in domain.BulkKinds that ends with its subject, such as MOVE_PROCESSES. Parameters are fields of
//     domain.BulkParameters, checked by BulkOperation.Check and decoded in api/admin/bulk.go, cli/bulk.go and
//     console/bulk/preview.go;
//   - the name in the enum BulkKind of api/openapi/admin/bulk-operations.yaml;
//   - its texts in console/bulk/words.go, with their German in console/lang/german_bulk.go.
//
// Facts that its check needs are columns of the groups in persistence/bulk_selection.go.
func listKinds() map[domain.BulkKind]kind { //nolint:funlen // it is a table
	return map[domain.BulkKind]kind{
		domain.BulkCancelProcesses: {
			check: checkCancel,
			handle: func(ctx context.Context, s *Service, call domain.Call, _ domain.BulkOperation, id uuid.UUID) error {
				_, err := s.app.CancelProcess(ctx, call, id)
				return err
			},
		},
		domain.BulkTerminateProcesses: {check: checkRepair, handle: handleRepair(domain.RepairTerminate)},
		domain.BulkRestartProcesses: {
			check: func(p preview, g persistence.BulkGroup) (bool, error) {
				if changed, err := checkRepair(p, g); err != nil {
					return changed, err
				}
				return true, g.Run.CheckMayReplace()
			},
			handle: handleRepair(domain.RepairRestart),
		},
		domain.BulkMoveProcesses: {
			check: func(p preview, g persistence.BulkGroup) (bool, error) {
				if changed, err := checkRepair(p, g); err != nil {
					return changed, err
				}
				return true, domain.CheckMoves(g.AtVersion)
			},
			handle: handleRepair(domain.RepairMove),
		},
		domain.BulkAssignTasks: {
			check: func(p preview, g persistence.BulkGroup) (bool, error) {
				if err := g.Item.CheckMayHandle(g.Rights, p.caller.PrincipalID); err != nil {
					return false, err
				}
				return g.Item.Assign(g.FourEyes, *p.Parameters.NewOwnerID, p.caller.PrincipalID, p.now)
			},
			handle: func(ctx context.Context, s *Service, call domain.Call, b domain.BulkOperation, id uuid.UUID) error {
				_, err := s.app.AssignProcessItemTask(ctx, call, id, app.PrincipalKey{ID: b.Parameters.NewOwnerID})
				return err
			},
		},
		domain.BulkReleaseTasks: {
			check: func(p preview, g persistence.BulkGroup) (bool, error) {
				return g.Item.Release(g.Rights, p.caller.PrincipalID, p.now)
			},
			handle: func(ctx context.Context, s *Service, call domain.Call, _ domain.BulkOperation, id uuid.UUID) error {
				_, err := s.app.ReleaseProcessItemTask(ctx, call, id)
				return err
			},
		},
		domain.BulkRecalculateTasks: {
			check: func(p preview, g persistence.BulkGroup) (bool, error) {
				return true, g.Item.CheckMayPlan(g.Rights, p.caller.PrincipalID)
			},
			handle: func(ctx context.Context, s *Service, call domain.Call, _ domain.BulkOperation, id uuid.UUID) error {
				_, err := s.app.RecalculateTaskPlanning(ctx, call, id)
				return err
			},
		},
		domain.BulkCancelTasks: {check: checkCancelTask, handle: cancelTask},
		domain.BulkRetryIncidents: {
			check: func(p preview, g persistence.BulkGroup) (bool, error) {
				return administration.ApplyRetry(g.Incident, p.now)
			},
			handle: func(ctx context.Context, s *Service, call domain.Call, _ domain.BulkOperation, id uuid.UUID) error {
				_, err := s.administration.RetryIncident(ctx, call, id)
				return err
			},
		},
		domain.BulkDismissIncidents: {
			check: func(p preview, g persistence.BulkGroup) (bool, error) { return g.Incident.Incident.Dismiss(p.now) },
			handle: func(ctx context.Context, s *Service, call domain.Call, _ domain.BulkOperation, id uuid.UUID) error {
				_, err := s.administration.DismissIncident(ctx, call, id)
				return err
			},
		},
		domain.BulkAcknowledge: {
			check: func(p preview, g persistence.BulkGroup) (bool, error) {
				return g.Incident.Incident.Acknowledge(p.caller.PrincipalID, p.now)
			},
			handle: func(ctx context.Context, s *Service, call domain.Call, _ domain.BulkOperation, id uuid.UUID) error {
				_, err := s.administration.AcknowledgeIncident(ctx, call, id, false)
				return err
			},
		},
	}
}

func checkCancel(p preview, g persistence.BulkGroup) (bool, error) {
	if err := g.Process.CheckMayManage(g.Rights.ProcessRights); err != nil {
		return false, err
	}
	return g.Process.Cancel(p.caller.PrincipalID, p.now)
}

// checkRepair applies the rules of all repairs.
func checkRepair(p preview, g persistence.BulkGroup) (bool, error) {
	if err := p.caller.CheckMayRepair(p.TenantID, g.Repairs); err != nil {
		return false, err
	}
	if g.Process.Finished() {
		return false, domain.ProcessFinished()
	}
	return true, nil
}

// handleRepair returns the handler of a repair, which has the reason of the bulk operation.
func handleRepair(k domain.RepairKind) func(context.Context, *Service, domain.Call, domain.BulkOperation, uuid.UUID) error {
	return func(ctx context.Context, s *Service, call domain.Call, b domain.BulkOperation, id uuid.UUID) error {
		_, _, err := s.app.RepairProcess(ctx, call, id, domain.RepairRequest{Kind: k, Reason: b.Reason, ToVersion: b.Parameters.ToVersion})
		return err
	}
}

func checkCancelTask(p preview, g persistence.BulkGroup) (bool, error) {
	if err := (&domain.Process{}).CheckMayManage(g.Rights.ProcessRights); err != nil {
		return false, err
	}
	return g.Item.Cancel(p.caller.PrincipalID, p.now), nil
}

func cancelTask(ctx context.Context, s *Service, call domain.Call, _ domain.BulkOperation, id uuid.UUID) error {
	item, err := s.app.RetrieveProcessItem(ctx, call, id)
	if err != nil {
		return err
	}
	_, err = s.app.CancelProcessProcessItems(ctx, call, item.ProcessID, []uuid.UUID{id})
	return err
}
