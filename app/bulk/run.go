package bulk

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

const (
	// dispatchLease is the time in which a replica starts the workflow of a leased operation.
	dispatchLease = 10 * time.Second
	// dispatchLimit is the number of operations leased at once.
	dispatchLimit = 20
)

// Dispatch records the operations with started workflows and returns the running ones that need a workflow. An operation may be
// returned more than once, also after minutes without progress.
func (s *Service) Dispatch(ctx context.Context, started []uuid.UUID) ([]uuid.UUID, error) {
	now := s.now()
	return s.store.DB.ExchangeBulkOperations(ctx, persistence.BulkExchange{
		Started: started, Now: now, LeaseUntil: now.Add(dispatchLease), Limit: dispatchLimit,
	})
}

// Position is the place of a workflow in the resources of an operation: After precedes the next ones in the order of their ids.
// Ended reports whether the operation has ended.
type Position struct {
	After uuid.UUID `json:"after"`
	Ended bool      `json:"ended"`
}

// RunBatch handles the next resources of an operation, at most domain.BulkBatch, and returns the next position. It calls beat after each
// resource. Refusals are recorded. An unexpected error is returned, or on the last attempt recorded as a refusal; an error of
// the database is always returned. When none are left, the operation is COMPLETED. Two calls at the same time handle each resource
// once.
func (s *Service) RunBatch(ctx context.Context, id, after uuid.UUID, isLast bool, beat func()) (Position, error) {
	batch, err := s.store.Reader.GetBulkBatch(ctx, id, after, domain.BulkBatch)
	if domain.HasCode(err, domain.CodeNotFound) || err == nil && batch.State != domain.BulkRunning {
		return Position{Ended: true}, nil
	}
	if err != nil {
		return Position{}, err
	}
	for _, target := range batch.Targets {
		if err := s.handleItem(ctx, batch, target, isLast); err != nil {
			return Position{}, err
		}
		beat()
	}
	switch {
	case len(batch.Targets) == domain.BulkBatch:
		return Position{After: batch.Targets[domain.BulkBatch-1]}, nil
	case after != uuid.Nil || len(batch.Targets) > 0:
		return Position{}, nil // Completed only when none are left before the position.
	}
	return Position{Ended: true}, s.completeOperation(ctx, id)
}

// handleItem carries out the operation on one resource.
func (s *Service) handleItem(ctx context.Context, batch *persistence.BulkBatch, target uuid.UUID, isLast bool) error {
	key := domain.BulkKey{Operation: batch.ID, Target: target, At: s.now()}
	refusal := batch.Refusal
	if refusal == nil {
		call := domain.Call{Caller: batch.Caller, Bulk: &key}
		err := listKinds()[batch.Kind].handle(ctx, s, call, batch.BulkOperation, target)
		if err == nil || errors.Is(err, persistence.ErrBulkItemHandled) {
			return nil
		}
		if refusal = refusalOf(err); refusal == nil {
			if !isLast || ctx.Err() != nil || domain.HasCode(err, domain.CodeUnavailable) {
				return err
			}
			s.log.ErrorContext(ctx, "a resource of a bulk operation failed", slog.Any("error", err),
				slog.String("operation", batch.ID.String()), slog.String("resource", target.String()))
			refusal = &domain.Error{Code: domain.CodeInternal, Message: "an unexpected error"}
		}
	}
	return s.store.DB.RefuseBulkItem(ctx, key, refusal)
}

// refusalOf returns the refusal of an operation, nil for an error that a repetition may not have.
func refusalOf(err error) *domain.Error {
	refusal, ok := errors.AsType[*domain.Error](err)
	if !ok || refusal.Kind == domain.KindUnavailable || refusal.Kind == domain.KindRateLimited || refusal.Kind == domain.KindInternal {
		return nil
	}
	if len(refusal.Details) > 0 {
		return &domain.Error{Code: refusal.Code, Message: refusal.Details[0].Message}
	}
	return refusal
}

func (s *Service) completeOperation(ctx context.Context, id uuid.UUID) error {
	system := domain.Call{Caller: domain.Caller{PrincipalID: domain.SystemPrincipalID(), Type: domain.PrincipalSystem}}
	_, err := s.changeState(ctx, system, id, domain.BulkRunning, func(b *domain.BulkOperation, now time.Time) (bool, error) {
		return b.Complete(now), nil
	})
	return err
}
