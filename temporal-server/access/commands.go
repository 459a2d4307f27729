package access

import (
	"fmt"

	"go.temporal.io/api/command/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
)

// systemEndpointPrefix is the prefix of the Nexus endpoints of Temporal itself: an operation there is a call of the API that would
// bypass the list of methods.
const systemEndpointPrefix = "__temporal"

// aim is the target of a command outside its workflow. Empty fields stand for those of the workflow.
type aim struct {
	namespace string
	queue     *taskqueue.TaskQueue
	endpoint  string // Nexus
}

// commandTarget returns the target of a command of one type; it is nil for a type without a target.
type commandTarget func(*command.Command) aim

// commandTargets has a row for each type of command. A command of any other type is refused.
func commandTargets() map[enums.CommandType]commandTarget {
	return map[enums.CommandType]commandTarget{
		enums.COMMAND_TYPE_SCHEDULE_ACTIVITY_TASK: func(c *command.Command) aim {
			return aim{queue: c.GetScheduleActivityTaskCommandAttributes().GetTaskQueue()}
		},
		enums.COMMAND_TYPE_START_CHILD_WORKFLOW_EXECUTION: func(c *command.Command) aim {
			child := c.GetStartChildWorkflowExecutionCommandAttributes()
			return aim{namespace: child.GetNamespace(), queue: child.GetTaskQueue()} //nolint:staticcheck // deprecated, and still obeyed
		},
		enums.COMMAND_TYPE_CONTINUE_AS_NEW_WORKFLOW_EXECUTION: func(c *command.Command) aim {
			return aim{queue: c.GetContinueAsNewWorkflowExecutionCommandAttributes().GetTaskQueue()}
		},
		enums.COMMAND_TYPE_SIGNAL_EXTERNAL_WORKFLOW_EXECUTION: func(c *command.Command) aim {
			return aim{namespace: c.GetSignalExternalWorkflowExecutionCommandAttributes().GetNamespace()} //nolint:staticcheck // deprecated, and still obeyed
		},
		enums.COMMAND_TYPE_REQUEST_CANCEL_EXTERNAL_WORKFLOW_EXECUTION: func(c *command.Command) aim {
			return aim{namespace: c.GetRequestCancelExternalWorkflowExecutionCommandAttributes().GetNamespace()} //nolint:staticcheck // deprecated, and still obeyed
		},
		enums.COMMAND_TYPE_SCHEDULE_NEXUS_OPERATION: func(c *command.Command) aim {
			return aim{endpoint: c.GetScheduleNexusOperationCommandAttributes().GetEndpoint()}
		},
		enums.COMMAND_TYPE_REQUEST_CANCEL_ACTIVITY_TASK:      nil,
		enums.COMMAND_TYPE_START_TIMER:                       nil,
		enums.COMMAND_TYPE_CANCEL_TIMER:                      nil,
		enums.COMMAND_TYPE_COMPLETE_WORKFLOW_EXECUTION:       nil,
		enums.COMMAND_TYPE_FAIL_WORKFLOW_EXECUTION:           nil,
		enums.COMMAND_TYPE_CANCEL_WORKFLOW_EXECUTION:         nil,
		enums.COMMAND_TYPE_RECORD_MARKER:                     nil,
		enums.COMMAND_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES: nil,
		enums.COMMAND_TYPE_PROTOCOL_MESSAGE:                  nil,
		enums.COMMAND_TYPE_MODIFY_WORKFLOW_PROPERTIES:        nil,
		enums.COMMAND_TYPE_REQUEST_CANCEL_NEXUS_OPERATION:    nil,
	}
}

// checkCommands refuses the completion of a workflow task if one of its commands has a target that the tenant may not use.
func (r *engineRules) checkCommands(who *caller, namespace string, request *workflowservice.RespondWorkflowTaskCompletedRequest) denial {
	for _, c := range request.GetCommands() {
		target, known := r.commands[c.GetCommandType()]
		if !known {
			return denial{class: classCommand, reason: fmt.Sprintf("command %s is not open to engines", c.GetCommandType())}
		}
		if target == nil {
			continue
		}
		if reason := r.refused(who, namespace, target(c)); reason != "" {
			return denial{class: classCommand, reason: fmt.Sprintf("command %s names %s", c.GetCommandType(), reason)}
		}
	}
	return denial{}
}

// refused returns the reason why a target is refused, or "".
func (r *engineRules) refused(who *caller, namespace string, to aim) string {
	if to.namespace != "" && to.namespace != namespace {
		return fmt.Sprintf("another namespace, %q", clip(to.namespace))
	}
	if to.endpoint != "" && !r.endpoints[to.endpoint] {
		return fmt.Sprintf("Nexus endpoint %q, which is not open to engines", clip(to.endpoint))
	}
	name := to.queue.GetName()
	switch {
	case name == "" || who.tenant[name]:
		return ""
	case isReservedQueue(name):
		return fmt.Sprintf("task queue %q, which is Temporal's own", clip(name))
	case r.unchecked:
		return ""
	}
	return fmt.Sprintf("task queue %q, which the tenant does not know", clip(name))
}
