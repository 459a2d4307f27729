package administration

import (
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

func robotHandler() kindHandler {
	return kindHandler{
		put: putSpec((*configuration).putRobot),
		remove: func(_ *configuration, tx *persistence.Tx, a AppliedResource, _ uuid.UUID, now time.Time) {
			tx.RemoveRobot(a.ID, now.Add(domain.DocumentOfRobot.Lifetime()))
		},
	}
}

// putRobot writes the robot that a document describes. Its files and its
// environment stay as they are.
func (c *configuration) putRobot(tx *persistence.Tx, w written, spec *resource.RobotSpec) error {
	robot := domain.Robot{
		ID: w.id, TenantID: w.tenant, Code: w.Metadata.Code, Name: spec.Name, Description: spec.Description,
		SourceType: domain.RobotSourceType(spec.SourceType), Audit: w.audit,
		Worker: domain.RobotWorker{WorkflowType: spec.WorkflowType, TaskQueue: spec.TaskQueue},
	}
	if spec.Runner != "" {
		robot.Worker.RunnerID = c.ids[identityKey(w.Metadata.Tenant, "", spec.Runner, "")]
	}
	viewers := make([]uuid.UUID, len(spec.Permissions.Viewers))
	for i, g := range spec.Permissions.Viewers {
		viewers[i] = c.resolveGrantee(w.Metadata.Tenant, g).ID
	}
	tx.PutRobot(robot, viewers)
	return nil
}

// idleRobots reports robots that are to assist with tasks and have no workflow
// that could be started: where a document names one, and where the document of
// one that others name has none.
func (c *configuration) idleRobots(documents []resource.Document) []resource.Violation {
	var violations []resource.Violation
	for i := range documents {
		d := &documents[i]
		switch spec := d.Spec.(type) {
		case *resource.ProcessDefinitionSpec:
			for j := range spec.Items {
				named := spec.Items[j].Robot
				if named == nil || !c.isIdle(resource.Key{Tenant: d.TenantCode(), Kind: resource.KindRobot, Code: named.Code}) {
					continue
				}
				violations = append(violations, resource.Violation{
					Document: documents[i].Place, Pointer: "/spec/items/" + strconv.Itoa(j) + "/robot/code",
					Message: fmt.Sprintf("Robot %s has no workflowType to start", named.Code),
				})
			}
		case *resource.RobotSpec:
			if needs, needed := c.assistedResource(d.Key()); needed && spec.WorkflowType == "" {
				violations = append(violations, resource.Violation{
					Document: documents[i].Place, Pointer: "/spec/workflowType",
					Message: fmt.Sprintf("is required: %s has the robot assist with its tasks", displayKey(needs)),
				})
			}
		default:
		}
	}
	return violations
}

// isIdle reports whether a robot exists without anything to start.
func (c *configuration) isIdle(key resource.Key) bool {
	d := c.desired[key]
	if d == nil {
		return false
	}
	spec, ok := d.Spec.(*resource.RobotSpec)
	return ok && spec.WorkflowType == ""
}

// assistedResource finds the first process definition that a robot is to assist with
// tasks of.
func (c *configuration) assistedResource(robot resource.Key) (resource.Key, bool) {
	var first resource.Key
	found := false
	for key, d := range c.desired {
		spec, ok := d.Spec.(*resource.ProcessDefinitionSpec)
		if !ok || key.Tenant != robot.Tenant || found && first.Code < key.Code {
			continue
		}
		for j := range spec.Items {
			if named := spec.Items[j].Robot; named != nil && named.Code == robot.Code {
				first, found = key, true
			}
		}
	}
	return first, found
}
