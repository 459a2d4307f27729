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

// commandTarget describes the effects of a command outside its workflow. Each field has its own check; an empty field stands for the workflow's own value.
type commandTarget struct {
	namespace  string               // must be the caller's
	queue      *taskqueue.TaskQueue // must be known to the tenant
	endpoint   string               // of Nexus; must be open to engines
	starts     string               // id of a new workflow; must not be reserved
	terminates bool                 // the start terminates a running workflow: never
	reaches    string               // id of an existing workflow; must be on a task queue of the caller
	run        string               // its run; empty for the current one
}

// targetOfCommand returns the target of a command of one type; it is nil for a type without effects outside the workflow.
type targetOfCommand func(*command.Command) commandTarget

// commandTargets has a row for each type of command. A command of any other type is refused.
//
// Temporal itself restricts a signal or a cancellation that is for children only.
func commandTargets() map[enums.CommandType]targetOfCommand {
	return map[enums.CommandType]targetOfCommand{
		enums.COMMAND_TYPE_SCHEDULE_ACTIVITY_TASK: func(c *command.Command) commandTarget {
			return commandTarget{queue: c.GetScheduleActivityTaskCommandAttributes().GetTaskQueue()}
		},
		enums.COMMAND_TYPE_START_CHILD_WORKFLOW_EXECUTION: func(c *command.Command) commandTarget {
			child := c.GetStartChildWorkflowExecutionCommandAttributes()
			return commandTarget{
				namespace: child.GetNamespace(), //nolint:staticcheck // deprecated, and still obeyed
				queue:     child.GetTaskQueue(), starts: child.GetWorkflowId(),
				//nolint:staticcheck // deprecated, and still obeyed
				terminates: child.GetWorkflowIdReusePolicy() == enums.WORKFLOW_ID_REUSE_POLICY_TERMINATE_IF_RUNNING,
			}
		},
		enums.COMMAND_TYPE_CONTINUE_AS_NEW_WORKFLOW_EXECUTION: func(c *command.Command) commandTarget {
			return commandTarget{queue: c.GetContinueAsNewWorkflowExecutionCommandAttributes().GetTaskQueue()}
		},
		enums.COMMAND_TYPE_SIGNAL_EXTERNAL_WORKFLOW_EXECUTION: func(c *command.Command) commandTarget {
			signal := c.GetSignalExternalWorkflowExecutionCommandAttributes()
			to := commandTarget{namespace: signal.GetNamespace()} //nolint:staticcheck // deprecated, and still obeyed
			if !signal.GetChildWorkflowOnly() {
				to.reaches, to.run = signal.GetExecution().GetWorkflowId(), signal.GetExecution().GetRunId()
			}
			return to
		},
		enums.COMMAND_TYPE_REQUEST_CANCEL_EXTERNAL_WORKFLOW_EXECUTION: func(c *command.Command) commandTarget {
			cancel := c.GetRequestCancelExternalWorkflowExecutionCommandAttributes()
			to := commandTarget{namespace: cancel.GetNamespace()} //nolint:staticcheck // deprecated, and still obeyed
			if !cancel.GetChildWorkflowOnly() {
				to.reaches, to.run = cancel.GetWorkflowId(), cancel.GetRunId()
			}
			return to
		},
		enums.COMMAND_TYPE_SCHEDULE_NEXUS_OPERATION: func(c *command.Command) commandTarget {
			return commandTarget{endpoint: c.GetScheduleNexusOperationCommandAttributes().GetEndpoint()}
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

// checkCommands refuses the completion of a workflow task if one of its commands has a target that is not open to the caller. It collects the
// workflows that the interceptor looks up.
func (r *engineRules) checkCommands(who *caller, namespace string, request *workflowservice.RespondWorkflowTaskCompletedRequest) denial {
	for _, c := range request.GetCommands() {
		targetOf, known := r.commands[c.GetCommandType()]
		if !known {
			return denial{class: classCommand, reason: fmt.Sprintf("command %s is not open to engines", c.GetCommandType())}
		}
		if targetOf == nil {
			continue
		}
		to, by := targetOf(c), fmt.Sprintf("command %s", c.GetCommandType())
		if reason := r.refusalReason(who, namespace, to); reason != "" {
			return denial{class: classCommand, reason: by + " names " + reason}
		}
		if denied := (target{class: classCommand, by: by, id: to.starts}).refuseStart(to.terminates); denied.class != "" {
			return denied
		}
		if to.reaches != "" && (!r.unchecked || isReservedID(to.reaches)) {
			who.targets = append(who.targets, target{class: classCommand, by: by, id: to.reaches, run: to.run})
		}
	}
	return denial{}
}

// refusalReason returns the reason why the namespace, the queue or the endpoint of a target is refused, or "".
func (r *engineRules) refusalReason(who *caller, namespace string, to commandTarget) string {
	if to.namespace != "" && to.namespace != namespace {
		return fmt.Sprintf("another namespace, %q", truncate(to.namespace))
	}
	if to.endpoint != "" && !r.endpoints[to.endpoint] {
		return fmt.Sprintf("Nexus endpoint %q, which is not open to engines", truncate(to.endpoint))
	}
	name := to.queue.GetName()
	switch {
	case name == "" || who.tenantQueues[name]:
		return ""
	case isReservedQueue(name):
		return fmt.Sprintf("task queue %q, which is Temporal's own", truncate(name))
	case r.unchecked:
		return ""
	}
	return fmt.Sprintf("task queue %q, which the tenant does not know", truncate(name))
}
