package app

import (
	"context"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// startAssistance starts the robot that assists with a task, unless that is nil. The
// caller has just given the task an owner.
func startAssistance(
	tx *persistence.Tx, caller domain.Caller, task *domain.ProcessItem, robot *domain.AssistingRobot, now time.Time,
) error {
	if robot == nil {
		return nil
	}
	member, err := caller.Tenant(&task.TenantID)
	if err != nil {
		return err
	}
	startWorkflow(tx, domain.NewTaskRobotRun(domain.NewID(), task, *robot, member.Namespace), robot.EncryptionKey, now)
	return nil
}

// assistOwner is assist for a task that is new, which may have no owner. Where a
// robot assists, it takes a third round trip.
func assistOwner(
	ctx context.Context, tx *persistence.Tx, caller domain.Caller, task *domain.ProcessItem, d *definition, now time.Time,
) error {
	item := d.items[task.DefinitionCode()]
	if task.OwnerID == nil || item == nil || item.Spec.Robot == nil {
		return nil
	}
	robot, err := tx.GetAssistingRobot(ctx, task.TenantID, *item.Spec.Robot)
	if err != nil {
		return err
	}
	if robot != nil {
		robot.EncryptionKey = d.encryptionKey()
	}
	return startAssistance(tx, caller, task, robot, now)
}

// endTaskRobot records the end of the robot of a task and leaves the task
// unchanged. A failure is an incident while the task still needs the robot.
func endTaskRobot(tx *persistence.Tx, locked *persistence.LockedRun, c domain.RunEnd, now time.Time) domain.Events {
	if c.Status == domain.RunFailed && locked.TaskState.Open() {
		return domain.Events{openIncident(tx, locked.Run, c, now)}
	}
	return nil
}
