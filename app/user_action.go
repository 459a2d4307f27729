package app

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/availability"
	"github.com/procession-dev/procession/persistence"
)

// faultInterval is how long after a fault of an expression another one of the
// same is not recorded.
const faultInterval = time.Minute

// userAction is a user action of a version of a process definition, ready to be
// worked with.
type userAction struct {
	*domain.UserAction
	// expression is nil for an action that is always available.
	expression *availability.Expression
	// unreadable is the reason why the expression could not be read, although it could when
	// the definition was saved: by an earlier release, perhaps.
	unreadable error
	// recorded is the time at which a fault was last recorded, in nanoseconds since 1970.
	recorded atomic.Int64
}

func newUserAction(source *domain.UserAction) *userAction {
	a := &userAction{UserAction: source}
	if source.Availability != "" {
		var err error
		if a.expression, err = availability.Parse(source.Availability); err != nil {
			a.unreadable = fmt.Errorf("reading the availability expression: %w", err)
		}
	}
	return a
}

// isAvailable evaluates the availability expression. An action with an expression that
// cannot be evaluated is not available.
func (a *userAction) isAvailable(ctx context.Context, m availability.Model) (bool, error) {
	switch {
	case a.unreadable != nil:
		return false, a.unreadable
	case a.expression == nil:
		return true, nil
	default:
		return a.expression.Evaluate(ctx, m)
	}
}

// firstObstacle returns the first reason why the principal may not invoke the
// action, or "" if it may. The fault is the error of the availability
// expression, which is evaluated only for principals with the permission.
func (a *userAction) firstObstacle(
	ctx context.Context, p *persistence.ActionableProcess, now time.Time,
) (first domain.Obstacle, fault error) {
	if found := a.Obstacles(p.RelationsTo(a.UserAction)); len(found) > 0 {
		return found[0], nil
	}
	available, fault := a.isAvailable(ctx, p.Model(now))
	switch {
	case fault != nil:
		return domain.ObstacleExpression, fault
	case !available:
		return domain.ObstacleUnavailable, nil
	}
	return "", nil
}

// accessError returns the error of the first obstacle apart from the availability
// expression, nil if there is none.
func (a *userAction) accessError(p *persistence.ActionableProcess) error {
	for _, obstacle := range a.Obstacles(p.RelationsTo(a.UserAction)) {
		return obstacle.Refusal()
	}
	return nil
}

// messageAction is the code of the action that every process offers to callers
// who may write messages: it creates a message with a text. Codes of
// definitions cannot begin with its prefix.
const messageAction = "__KF_MESSAGE__"

// encryptionKey returns the code of the key of the workflows that belong to processes of
// the definition, "" for none.
func (d *definition) encryptionKey() string {
	if d.Engine == nil {
		return ""
	}
	return d.Engine.EncryptionKey
}

// findAction finds the user action with the code, nil when there is none.
func (d *definition) findAction(code string) *userAction {
	if code == messageAction {
		return newUserAction(&domain.UserAction{
			Code: messageAction, Name: "Message", Type: domain.ProcessActionCreateMessage,
			Permissions: []domain.UserActionPermission{domain.UserActionManager},
		})
	}
	for _, a := range d.actions {
		if a.Code == code {
			return a
		}
	}
	return nil
}

// availabilityFault is the failure of the availability expression of an action.
type availabilityFault struct {
	action  *userAction
	process *persistence.ActionableProcess
	err     error
}

// recordFault records the failure of an expression for administrators, at most once in a faultInterval. It uses a
// transaction of its own, since the request reads only.
func (s *Service) recordFault(ctx context.Context, fault *availabilityFault) error {
	if err := ctx.Err(); err != nil {
		// The request ended, and not the expression failed.
		return err
	}
	now, a, p := s.now(), fault.action, &fault.process.Process
	last := a.recorded.Load()
	if last != 0 && now.Sub(time.Unix(0, last)) < faultInterval || !a.recorded.CompareAndSwap(last, now.UnixNano()) {
		return nil
	}
	// A fault describes the expression and not an act of a principal, so it is
	// no event.
	err := s.writeInternal(ctx, func(tx *persistence.Tx) error {
		tx.RecordAvailabilityFault(domain.AvailabilityFault{
			TenantID: p.TenantID, Definition: p.Definition, ActionCode: a.Code, ProcessID: p.ID,
			Message: fault.err.Error(), FirstAt: now, LastAt: now,
		})
		return nil
	})
	if err != nil {
		// It is for the next one to record.
		a.recorded.Store(0)
	}
	return err
}
