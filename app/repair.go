package app

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// RepairProcess carries out a repair of a running process by hand and records it with its reason. The process must be visible
// to the caller, who must be a repairer of its definition, or an owner or administrator of the tenant; others get
// ACCESS_DENIED. It is idempotent by the id of the request: a repetition returns the recorded repair and reports that none was
// made. Errors: VALIDATION for an incomplete request; NOT_FOUND for an item of another process; PROCESS_FINISHED for a finished
// process; INVALID_STATE for a repair that the state of the task or of the workflow does not permit; CONFLICT for the id of
// another repair.
func (s *Service) RepairProcess(
	ctx context.Context, call domain.Call, id uuid.UUID, in domain.RepairRequest,
) (done *domain.Repair, made bool, err error) {
	if err := in.Check(); err != nil {
		return nil, false, err
	}
	in.ID = new(idOr(in.ID))
	err = s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		r, err := s.lockRepair(ctx, tx, call, id, in)
		if err != nil {
			return nil, err
		}
		if done = r.site.Recorded; done != nil {
			if !done.RepeatedBy(id, in) {
				return nil, idTaken(nil)
			}
			return nil, nil
		}
		if err := r.carryOut(ctx); err != nil {
			return nil, err
		}
		made = true
		done = &domain.Repair{
			ID: *in.ID, TenantID: r.site.TenantID, ProcessID: id, ItemID: in.ItemID, Kind: in.Kind, Reason: in.Reason,
			Move: r.preview.Move, CreatedBy: call.PrincipalID, CreatedAt: r.now,
		}
		tx.InsertRepair(*done)
		repaired := domain.ProcessEvent(domain.EventProcessRepaired, r.site.Process, call.PrincipalID, r.now).
			With("kind", string(in.Kind)).With("repairId", done.ID.String())
		if m := done.Move; m != nil {
			repaired = repaired.With("from", strconv.Itoa(m.From.Number)).With("to", strconv.Itoa(m.To.Number))
		}
		return append(domain.Events{repaired}, r.events...), nil
	})
	return done, made, err
}

// errPreviewed rolls back the transaction of a preview.
var errPreviewed = errors.New("the repair was previewed")

// PreviewRepair returns the effects of a repair, under the conditions of RepairProcess, without carrying it out.
func (s *Service) PreviewRepair(ctx context.Context, call domain.Call, id uuid.UUID, in domain.RepairRequest) (*domain.RepairPreview, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	var preview domain.RepairPreview
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		r, err := s.lockRepair(ctx, tx, call, id, in)
		if err != nil {
			return nil, err
		}
		if err := r.carryOut(ctx); err != nil {
			return nil, err
		}
		preview = r.preview
		return nil, errPreviewed
	})
	if !errors.Is(err, errPreviewed) {
		return nil, err
	}
	return &preview, nil
}

// lockRepair locks the process of a repair that the caller may make.
func (s *Service) lockRepair(
	ctx context.Context, tx *persistence.Tx, call domain.Call, id uuid.UUID, in domain.RepairRequest,
) (*repair, error) {
	var texts []json.RawMessage
	if in.Value != nil {
		texts = append(texts, in.Value)
	}
	l, err := newTextLookUps(call.Caller, s.now(), &id, texts...)
	if err != nil {
		return nil, err
	}
	site, vals, err := persistence.Both(ctx, tx, persistence.LockRepairSite(call.Caller, id, idOr(in.ID), in.ItemID), l.readValues())
	if err != nil {
		return nil, err
	}
	if err := call.CheckMayRepair(site.TenantID, site.Granted); err != nil {
		return nil, err
	}
	return &repair{values: vals, service: s, site: site, in: in}, nil
}

// repair is a repair in progress.
type repair struct {
	*values

	service *Service
	site    *persistence.RepairSite
	in      domain.RepairRequest
	preview domain.RepairPreview
}

// carryOut stages the repair in the transaction of its lock.
func (r *repair) carryOut(ctx context.Context) error {
	if r.site.Finished() {
		return domain.ProcessFinished()
	}
	switch r.in.Kind {
	case domain.RepairReopenTask:
		return r.reopenTask()
	case domain.RepairTaskData:
		return r.changeTaskData(ctx)
	case domain.RepairMetadata, domain.RepairEntity:
		return r.changeProcess(ctx)
	case domain.RepairCompleteStep:
		return r.completeStep()
	case domain.RepairReset:
		return r.reset(r.in.Parameters)
	case domain.RepairRestart:
		return r.restart()
	case domain.RepairTerminate:
		return r.terminate(ctx)
	case domain.RepairMove:
		return r.move(ctx)
	case domain.RepairUndoMove:
		return r.undoMove(ctx)
	}
	return domain.Invalid(domain.LocationBody, "kind", "is not a kind of repair")
}

func (r *repair) reopenTask() error {
	item, by := r.site.Item.ProcessItem, r.caller.PrincipalID
	before := taskState(item)
	if err := item.Reopen(by, r.now); err != nil {
		return err
	}
	r.record(saveTaskState(r.tx, item, before, by, r.now))
	r.preview.Tasks = previewTasks(item)
	if !r.in.Reset {
		return nil
	}
	return r.reset(domain.CommandParameters{Before: &item.ID})
}

func (r *repair) changeTaskData(ctx context.Context) error {
	item := r.site.Item.ProcessItem
	if err := item.CheckMayRepair(); err != nil {
		return err
	}
	d, err := r.service.definitions.get(ctx, r.tx, r.site.Item.ProcessVersion)
	if err != nil {
		return err
	}
	value, err := r.prepareReplacement(ctx, itemSite(item, domain.SlotData), d.items[item.DefinitionCode()].data, item.Task.Data, r.in.Value)
	if err != nil {
		return err
	}
	r.preview.Add(domain.SlotData, item, item.Task.Data, value)
	item.SetTaskData(value, r.caller.PrincipalID, r.now)
	r.record(taskValueEvent(r.change, domain.EventItemTaskDataSaved, item, value)...)
	if err := r.tx.UpdateTaskData(item); err != nil || !r.in.Reset {
		return err
	}
	return r.reset(domain.CommandParameters{Before: &item.ID, Signals: true})
}

func (r *repair) changeProcess(ctx context.Context) error {
	p := r.site.Process
	d, err := r.definition(ctx)
	if err != nil {
		return err
	}
	var events domain.Events
	if r.in.Kind == domain.RepairEntity {
		value, err := r.prepareReplacement(ctx, processSite(p, domain.SlotEntity), d.entity, p.Entity, r.in.Value)
		if err != nil {
			return err
		}
		r.preview.Add(domain.SlotEntity, nil, p.Entity, value)
		events = saveEntity(r.change, p, value)
	} else {
		value, err := r.prepareReplacement(ctx, processSite(p, domain.SlotMetadata), d.metadata, p.Metadata, r.in.Value)
		if err != nil {
			return err
		}
		r.preview.Add(domain.SlotMetadata, nil, p.Metadata, value)
		if events, err = saveMetadata(r.change, p, d, value); err != nil {
			return err
		}
	}
	r.record(events...)
	return r.tx.UpdateProcess(p)
}

func (r *repair) definition(ctx context.Context) (*definition, error) {
	return r.service.definitions.get(ctx, r.tx, r.site.Definition.Version)
}

// completeStep completes a pending activity of the running workflow.
func (r *repair) completeStep() error {
	if r.site.Run == nil || r.site.Run.State != domain.RunRunning {
		return domain.Conflict(domain.CodeInvalidState, "the process has no running workflow")
	}
	parameters := r.in.Parameters
	parameters.Result = r.in.Value
	r.enqueue(domain.CommandCompleteStep, &parameters)
	return nil
}

// reset continues the workflow from an earlier event. A failed workflow is running again then.
func (r *repair) reset(to domain.CommandParameters) error {
	run := r.site.Run
	switch {
	case run == nil:
		return domain.Conflict(domain.CodeInvalidState, "the process has no workflow")
	case run.State == domain.RunFailed:
		r.restartRun((*domain.EngineRun).Restart)
	case run.State != domain.RunRunning:
		return domain.Conflict(domain.CodeInvalidState, "the workflow is not started yet")
	}
	r.enqueue(domain.CommandReset, &to)
	return nil
}

// restart starts the workflow again from its beginning.
func (r *repair) restart() error {
	if err := r.site.Run.CheckMayReplace(); err != nil {
		return err
	}
	r.restartRun((*domain.EngineRun).Replace)
	r.tx.BindRun(r.site.Run.ID)
	r.enqueue(domain.CommandReplace, nil)
	return nil
}

// restartRun makes the run PENDING again and closes its incident.
func (r *repair) restartRun(restart func(*domain.EngineRun) bool) {
	run, by := r.site.Run, r.caller.PrincipalID
	before := run.Finding.Condition()
	if run.State == domain.RunFailed {
		before = domain.ConditionFailed
	}
	restart(run)
	run.Finding = ""
	r.tx.UpdateEngineRun(*run, nil, r.now)
	r.record(domain.ConditionEvent(r.site.Process, before, domain.ConditionStarting, by, r.now))
	r.closeIncident()
}

// closeIncident marks the open incident of the workflow as retried, or the open problem as resolved.
func (r *repair) closeIncident() {
	incident := r.site.Incident
	if incident == nil {
		return
	}
	before := incident.State
	if incident.Kind == domain.IncidentFailure {
		_, _ = incident.Retry(r.now) // An open incident can be retried.
	} else {
		incident.Resolve(r.now)
	}
	r.tx.UpdateIncident(*incident)
	r.record(domain.IncidentEvent(domain.EventIncidentStateChanged, incident, r.caller.PrincipalID, r.now).From(string(before)))
}

// terminate cancels the process with its open tasks, and terminates its workflow without a grace period.
func (r *repair) terminate(ctx context.Context) error {
	p, by := r.site.Process, r.caller.PrincipalID
	before := p.State
	if _, err := p.Cancel(by, r.now); err != nil {
		return err
	}
	open, err := r.tx.LockOpenTasks(ctx, p.ID)
	if err != nil {
		return err
	}
	r.preview.Tasks = previewTasks(open...)
	r.record(r.service.cancelTasks(r.tx, open, r.site.RunID, by, r.now)...)
	r.record(finishProcess(r.tx, p, before, by, r.now)...)
	r.closeIncident()
	if run := r.site.Run; run != nil && (run.State == domain.RunRunning || run.State == domain.RunPending) {
		r.enqueue(domain.CommandTerminate, nil)
	}
	return nil
}

func previewTasks(items ...*domain.ProcessItem) []domain.PreviewedTask {
	tasks := make([]domain.PreviewedTask, 0, len(items))
	for _, i := range items {
		task := domain.PreviewedTask{ID: i.ID, Code: i.DefinitionCode()}
		if i.Task != nil {
			task.State = i.Task.State
		}
		tasks = append(tasks, task)
	}
	return tasks
}

func (r *repair) enqueue(kind domain.CommandKind, parameters *domain.CommandParameters) {
	r.tx.Enqueue(domain.EngineCommand{
		ID: domain.NewID(), RunID: r.site.Run.ID, OrderKey: r.site.Run.ID, Kind: kind, Parameters: parameters,
		CreatedAt: r.now, NotBefore: r.now,
	})
}

// RepairPointFinder returns the events from which the workflow of a run can continue, the newest first.
type RepairPointFinder func(ctx context.Context, r domain.EngineRun) ([]domain.RepairPoint, error)

// FindRepairPoints returns the events from which the workflow of a process can continue, under the conditions of
// RepairProcess. It queries Temporal for at most five seconds, and returns UNAVAILABLE when Temporal does not answer.
func (s *Service) FindRepairPoints(ctx context.Context, call domain.Call, process uuid.UUID) ([]domain.RepairPoint, error) {
	run, granted, err := s.store.Reader.GetRepairedRun(ctx, call.Caller, process)
	if err != nil {
		return nil, err
	}
	if err := call.CheckMayRepair(run.TenantID, granted); err != nil {
		return nil, err
	}
	release, err := s.acquireView()
	if err != nil {
		return nil, err
	}
	defer release()
	if s.repairPoints == nil {
		return nil, nil
	}
	points, err := s.repairPoints(ctx, run)
	if err != nil {
		return nil, domain.Unavailable("Temporal cannot be asked about the workflow now", err)
	}
	return points, nil
}

// ListRepairs returns the latest repairs of a process visible to the caller, the newest first.
func (s *Service) ListRepairs(ctx context.Context, call domain.Call, process uuid.UUID) ([]domain.NamedRepair, error) {
	return s.store.Reader.ListRepairs(ctx, call.Caller, process)
}

// ListMoveVersions returns the versions of a definition to which its processes can move, the newest first. The caller must
// have found a process of the definition that it may repair.
func (s *Service) ListMoveVersions(ctx context.Context, definition uuid.UUID) ([]domain.PublishedVersion, error) {
	return s.store.Reader.ListDefinitionVersions(ctx, definition)
}
