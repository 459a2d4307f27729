package admin

import (
	"context"
	"time"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/domain"
)

// FindWorkers lists the workers that registered.
func (s *Server) FindWorkers(
	ctx context.Context, request FindWorkersRequestObject,
) (FindWorkersResponseObject, error) {
	params := request.Params
	filter := administration.WorkerFilter{
		States: httpio.ConvertStrings[domain.WorkerState](params.State), TaskQueues: params.TaskQueue, TenantCodes: params.Tenant,
	}
	page, sort := httpio.Listing(httpio.Deref(params.Size), httpio.Deref(params.Page), params.Sort)
	found, err := s.administration.FindWorkers(ctx, s.call(ctx), filter, page, sort)
	if err != nil {
		return nil, err
	}
	var answer FindWorkers200JSONResponse
	answer.Metadata, answer.Content = httpio.PageOf[oasadmin.PageMetadata](found, convertWorker)
	return answer, nil
}

// FindTaskQueues lists task queues with who serves them.
func (s *Server) FindTaskQueues(
	ctx context.Context, request FindTaskQueuesRequestObject,
) (FindTaskQueuesResponseObject, error) {
	params := request.Params
	page, _ := httpio.Listing(httpio.Deref(params.Size), httpio.Deref(params.Page), nil)
	filter := administration.TaskQueueFilter{TenantCodes: params.Tenant, Names: params.TaskQueue}
	found, err := s.administration.FindTaskQueues(ctx, s.call(ctx), filter, page)
	if err != nil {
		return nil, err
	}
	var answer FindTaskQueues200JSONResponse
	answer.Metadata, answer.Content = httpio.PageOf[oasadmin.PageMetadata](found, taskQueue)
	return answer, nil
}

func convertWorker(w *administration.Worker) oasadmin.Worker {
	answer := oasadmin.Worker{
		ID: w.ID, TenantID: w.TenantID, Tenant: w.TenantCode, Identity: w.Identity, State: oasadmin.WorkerState(w.State),
		PrincipalID: w.PrincipalID, Hostname: w.Hostname, IP: w.IP, InstallationID: w.InstallationID,
		RobotIds: nonNil(w.RobotIDs), TaskQueues: []oasadmin.WorkerRegistration{},
		CreatedAt: w.CreatedAt.UTC(), LastSeenAt: w.LastSeenAt.UTC(),
	}
	for i, q := range w.Queues {
		answer.TaskQueues = append(answer.TaskQueues, oasadmin.WorkerRegistration{
			TaskQueue: q.TaskQueue, State: oasadmin.WorkerState(w.QueueStates[i]),
			WorkflowTypes: nonNil(q.WorkflowTypes), ActivityTypes: nonNil(q.ActivityTypes),
			LiveSince: q.LiveSince.UTC(), LastSeenAt: q.LastSeenAt.UTC(), PolledAt: inUTC(q.PolledAt),
		})
	}
	return answer
}

func taskQueue(q *administration.TaskQueue) oasadmin.TaskQueue {
	answer := oasadmin.TaskQueue{
		TenantID: q.TenantID, Tenant: q.TenantCode, Name: q.Name, Needs: listOf(q.Needs, taskQueueNeed),
		Workers: listOf(q.Workers, taskQueueWorker), Observation: taskQueueObservation(q.Observed), Problems: nonNil(q.Problems),
	}
	for i := range answer.Workers {
		answer.Workers[i].State = oasadmin.WorkerState(q.WorkerStates[i])
	}
	return answer
}

func taskQueueNeed(n *domain.TaskQueueNeed) oasadmin.TaskQueueNeed {
	return oasadmin.TaskQueueNeed{
		Kind: oasadmin.TaskQueueNeedKind(n.Kind), Definition: n.Definition, Action: httpio.PtrOrNil(n.Action),
		WorkflowType: n.WorkflowType, Published: n.Published, Versions: nonNil(n.Versions),
	}
}

func taskQueueWorker(w *domain.TaskQueueWorker) oasadmin.TaskQueueWorker {
	return oasadmin.TaskQueueWorker{
		ID: w.ID, Identity: w.Identity, PrincipalID: w.PrincipalID,
		WorkflowTypes: nonNil(w.WorkflowTypes), ActivityTypes: nonNil(w.ActivityTypes),
		LiveSince: w.LiveSince.UTC(), LastSeenAt: w.LastSeenAt.UTC(),
	}
}

func taskQueueObservation(o *domain.TaskQueueObservation) *oasadmin.TaskQueueObservation {
	if o == nil {
		return nil
	}
	return &oasadmin.TaskQueueObservation{
		ObservedAt: utcOrNil(o.ObservedAt), FailedAt: utcOrNil(o.FailedAt), Failure: httpio.PtrOrNil(o.Failure),
		Pollers: listOf(o.Pollers, func(p *domain.Poller) oasadmin.TaskQueuePoller {
			return oasadmin.TaskQueuePoller{
				Identity: p.Identity, Kind: oasadmin.TaskKind(p.Kind), LastAccessAt: p.LastAccessAt.UTC(),
			}
		}),
		Backlogs: listOf(o.Backlogs, func(b *domain.TaskBacklog) oasadmin.TaskQueueBacklog {
			return oasadmin.TaskQueueBacklog{
				Kind: oasadmin.TaskKind(b.Kind), Count: b.Count, AgeSeconds: int64(b.Age / time.Second),
			}
		}),
	}
}

// nonNil returns a list that is empty rather than null.
func nonNil[T any](items []T) []T { return append([]T{}, items...) }

// utcOrNil returns a time, or nil where there is none.
func utcOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return inUTC(&t)
}
