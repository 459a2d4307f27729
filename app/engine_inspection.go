package app

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// RecordInspection records an inspection of a running workflow at the time began. A new problem opens an incident, the end
// of a problem resolves it, and both change the condition of the process. An inspection of a workflow that was used
// meanwhile is discarded: its next one is already due. inspected is nil for a workflow that does not run.
func (s *Service) RecordInspection(ctx context.Context, run uuid.UUID, inspected *domain.Inspection, began time.Time) error {
	now := s.now()
	return s.write(ctx, domain.Call{}, func(tx *persistence.Tx) (domain.Events, error) {
		locked, err := tx.LockInspectedRun(ctx, run)
		if err != nil {
			return nil, err
		}
		if locked.Run.State != domain.RunRunning || locked.Pending || !locked.UsedAt.Before(began) {
			return nil, nil
		}
		if inspected == nil || inspected.EngineRun != locked.Run.RunID {
			// Its end is about to be recorded.
			later := now.Add(domain.InspectAfter)
			tx.UpdateFinding(run, domain.Diagnosis{Finding: locked.Run.Finding, InspectAt: &later}, now)
			return domain.Events{}, nil
		}
		work, err := s.findWork(ctx, tx, locked)
		if err != nil {
			return nil, err
		}
		d := domain.Diagnose(*inspected, work, locked.UsedAt, now)
		tx.UpdateFinding(run, d, now)
		events := append(domain.Events{}, updateProblem(tx, locked, d.Problem, now)...)
		if locked.Process != nil && !locked.Process.Finished() && d.Finding != locked.Run.Finding {
			events = append(events, domain.ConditionEvent(locked.Process, locked.Run.Finding.Condition(), d.Finding.Condition(), domain.SystemPrincipalID(), now))
		}
		return events, nil
	})
}

// findWork returns the work of the process of a run, nil for the run of an action or a robot.
func (s *Service) findWork(ctx context.Context, tx *persistence.Tx, locked *persistence.InspectedRun) (*domain.ProcessWork, error) {
	if locked.Process == nil {
		return nil, nil //nolint:nilnil // there need not be one
	}
	d, err := s.definitions.get(ctx, tx, locked.Process.Definition.Version)
	if err != nil {
		return nil, err
	}
	return &domain.ProcessWork{Open: locked.Open, Signals: d.SignalsWorkflow()}, nil
}

// updateProblem opens, updates or resolves the incident of a running workflow. Another problem is another incident. A problem
// with a cause that was dismissed opens no incident until the workflow has recovered.
func updateProblem(tx *persistence.Tx, locked *persistence.InspectedRun, problem *domain.Problem, now time.Time) domain.Events {
	by, open := domain.SystemPrincipalID(), locked.Problem
	var events domain.Events
	if open != nil {
		if problem != nil && open.Kind == problem.Kind && open.Activity == problem.Activity {
			open.Attempts = max(open.Attempts, problem.Attempts)
			tx.UpdateIncident(*open)
			return nil
		}
		before := open.State
		open.Resolve(now)
		tx.UpdateIncident(*open)
		events = append(events, domain.IncidentEvent(domain.EventIncidentStateChanged, open, by, now).From(string(before)))
	}
	if problem == nil {
		return events
	}
	incident := domain.NewProblemIncident(domain.NewID(), locked.Run, locked.Run.RunID, *problem, now)
	if slices.Contains(locked.Dismissed, incident.Fingerprint) {
		return events
	}
	tx.InsertIncident(incident)
	return append(events, domain.IncidentEvent(domain.EventIncidentCreated, &incident, by, now))
}

// resolveProblem resolves the incident of the problem of a run that ends.
func resolveProblem(ctx context.Context, tx *persistence.Tx, run domain.EngineRun, now time.Time) (domain.Events, error) {
	if run.Finding != domain.FindingStuck {
		return nil, nil
	}
	problem, err := tx.LockProblem(ctx, run.ID)
	if err != nil || problem == nil {
		return nil, err
	}
	return updateProblem(tx, &persistence.InspectedRun{Run: run, Problem: problem}, nil, now), nil
}
