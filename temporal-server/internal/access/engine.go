package access

import (
	"fmt"
	"regexp"
	"strings"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/server/common/api"
	"go.temporal.io/server/common/authorization"
)

// uuidSuffix ends every sticky queue name an SDK makes, with or without dashes.
var uuidSuffix = regexp.MustCompile(`(?i)[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$`)

// checkEngine holds every rule for a caller whose certificate belongs to namespace. Rules about single methods or their content belong
// here, each as one line of this list.
func checkEngine(who *caller, claims *authorization.Claims, namespace string, target *authorization.CallTarget) denial {
	if who.hasToken && claims.System != authorization.RoleUndefined {
		return denial{reason: "a system token needs a system certificate"}
	}
	if isSystemInfo(target.APIName) {
		return denial{}
	}
	// Operator, admin, cluster-wide, streaming and reflection methods all end here.
	if !strings.HasPrefix(target.APIName, api.WorkflowServicePrefix) || api.GetMethodMetadata(target.APIName).Scope != api.ScopeNamespace {
		return denial{reason: "the method is not open to engines"}
	}
	if target.Namespace != namespace {
		return denial{reason: "the client certificate belongs to another namespace"}
	}
	if describe, ok := target.Request.(*workflowservice.DescribeNamespaceRequest); ok && describe.GetId() != "" {
		return denial{reason: "an engine describes its namespace by name"} // the id could be another namespace's
	}
	if !who.hasToken {
		// Some SDKs send their first calls before they have fetched a token.
		if target.APIName == workflowservice.WorkflowService_DescribeNamespace_FullMethodName {
			return denial{}
		}
		return denial{reason: "the call carries no token"}
	}
	return checkPoll(who, target)
}

// checkPoll restricts polls to the task queues of the token.
func checkPoll(who *caller, target *authorization.CallTarget) denial {
	var queue *taskqueue.TaskQueue
	switch req := target.Request.(type) {
	case *workflowservice.PollWorkflowTaskQueueRequest:
		queue = req.GetTaskQueue()
	case *workflowservice.PollActivityTaskQueueRequest:
		queue = req.GetTaskQueue()
	case *workflowservice.PollNexusTaskQueueRequest:
		queue = req.GetTaskQueue()
	default:
		return denial{}
	}
	name := queue.GetName()
	if queue.GetKind() == enums.TASK_QUEUE_KIND_STICKY {
		// Matching identifies a queue by its name alone: a sticky queue named like a normal one is that normal one.
		if strings.HasPrefix(name, "/") || !uuidSuffix.MatchString(name) {
			return denial{reason: fmt.Sprintf("%q is not a sticky queue's name", clip(name))}
		}
		name = queue.GetNormalName()
	}
	if !who.queues[name] {
		return denial{reason: fmt.Sprintf("the token does not cover task queue %q", clip(name))}
	}
	return denial{}
}
