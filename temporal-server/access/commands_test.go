package access_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/command/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/server/common/authorization"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/procession-dev/procession/temporal-server/access"
)

func completionWith(c *command.Command) *workflowservice.RespondWorkflowTaskCompletedRequest {
	return &workflowservice.RespondWorkflowTaskCompletedRequest{Namespace: "alpha", Commands: []*command.Command{c}}
}

// authorizeCommand answers whether a guard lets an engine complete a workflow task with a command.
func authorizeCommand(t *testing.T, g *access.Guard, token string, c *command.Command) authorization.Result {
	t.Helper()
	request := completionWith(c)
	request.TaskToken = workflowTask(t, g, token)
	return decide(t, g, token, 1, workflowservice.WorkflowService_RespondWorkflowTaskCompleted_FullMethodName, request)
}

func TestEveryCommandTypeIsJudged(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	g, token := newGuard(t, p.options()), p.signToken(t, nil)
	for number, name := range enums.CommandType_name {
		c := &command.Command{CommandType: enums.CommandType(number)}
		want := authorization.DecisionAllow
		if c.GetCommandType() == enums.COMMAND_TYPE_UNSPECIFIED {
			want = authorization.DecisionDeny
		}
		require.Equal(t, want, authorizeCommand(t, g, token, c).Decision, "commandTargets has a row for %s", name)
	}
	unknown := authorizeCommand(t, g, token, &command.Command{CommandType: 9999})
	require.Equal(t, authorization.DecisionDeny, unknown.Decision)
}

// Every field that names a queue, a namespace or an endpoint is checked in every command.
func TestEveryAimOfACommandIsChecked(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	o := p.options()
	o.NexusEndpoints = []string{"ours"}
	g, token := newGuard(t, o), p.signToken(t, nil)
	checked := 0
	attributes := (&command.Command{}).ProtoReflect().Descriptor().Oneofs().ByName("attributes").Fields()
	for i := range attributes.Len() {
		attribute := attributes.Get(i)
		name := "COMMAND_TYPE_" + strings.ToUpper(strings.TrimSuffix(string(attribute.Name()), "_command_attributes"))
		number, known := enums.CommandType_value[name]
		require.True(t, known, name)
		fields := attribute.Message().Fields()
		for j := range fields.Len() {
			field := fields.Get(j)
			for value, allowed := range fieldValues(field) {
				c := &command.Command{CommandType: enums.CommandType(number)}
				setField(c.ProtoReflect().Mutable(attribute).Message(), field, value)
				result := authorizeCommand(t, g, token, c)
				require.Equal(t, allowed, result.Decision == authorization.DecisionAllow, "%s with %s %q: %s", name, field.Name(), value, result.Reason)
				if !allowed {
					require.Contains(t, result.Reason, c.GetCommandType().String())
					require.Contains(t, result.Reason, value)
				}
				checked++
			}
		}
	}
	require.Equal(t, 3*7+3*2+3, checked, "three fields name a queue, three a namespace and one an endpoint")
}

// fieldValues returns values of a field, with whether the token of a tenant that knows q1 and q2 covers them.
func fieldValues(field protoreflect.FieldDescriptor) map[string]bool {
	switch {
	case field.Message() != nil && field.Message().FullName() == "temporal.api.taskqueue.v1.TaskQueue":
		return map[string]bool{
			"": true, "q1": true, "q2": true, "q3": false, "/_sys/q2/1": false, "temporal-sys-per-ns-tq": false, "Q1": false,
		}
	case field.Name() == "namespace":
		return map[string]bool{"alpha": true, "beta": false}
	case field.Name() == "endpoint":
		return map[string]bool{"ours": true, "theirs": false, "__temporal_system": false}
	}
	return nil
}

func setField(message protoreflect.Message, field protoreflect.FieldDescriptor, value string) {
	if field.Message() != nil {
		message.Set(field, protoreflect.ValueOfMessage((&taskqueue.TaskQueue{Name: value}).ProtoReflect()))
		return
	}
	message.Set(field, protoreflect.ValueOfString(value))
}

func TestCommandQueuesNeedNotBeChecked(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	o := p.options()
	o.UncheckedCommandQueues = true
	g, token := newGuard(t, o), p.signToken(t, nil)
	child := func(namespace, queue string) *command.Command {
		return &command.Command{
			CommandType: enums.COMMAND_TYPE_START_CHILD_WORKFLOW_EXECUTION,
			Attributes: &command.Command_StartChildWorkflowExecutionCommandAttributes{
				StartChildWorkflowExecutionCommandAttributes: &command.StartChildWorkflowExecutionCommandAttributes{
					Namespace: namespace, //nolint:staticcheck // deprecated, and still obeyed
					TaskQueue: &taskqueue.TaskQueue{Name: queue},
				},
			},
		}
	}
	require.Equal(t, authorization.DecisionAllow, authorizeCommand(t, g, token, child("", "q9")).Decision)
	require.Equal(t, authorization.DecisionDeny, authorizeCommand(t, g, token, child("beta", "q9")).Decision)
	require.Equal(t, authorization.DecisionDeny, authorizeCommand(t, g, token, child("", "temporal-sys-per-ns-tq")).Decision)
}

func TestATokenWithoutTenantQueuesCoversItsOwn(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	g, token := newGuard(t, p.options()), p.signToken(t, map[string]any{"tenant_task_queues": nil})
	activity := func(queue string) *command.Command {
		return &command.Command{
			CommandType: enums.COMMAND_TYPE_SCHEDULE_ACTIVITY_TASK,
			Attributes: &command.Command_ScheduleActivityTaskCommandAttributes{
				ScheduleActivityTaskCommandAttributes: &command.ScheduleActivityTaskCommandAttributes{TaskQueue: &taskqueue.TaskQueue{Name: queue}},
			},
		}
	}
	require.Equal(t, authorization.DecisionAllow, authorizeCommand(t, g, token, activity("q1")).Decision)
	require.Equal(t, "command ScheduleActivityTask names task queue \"q2\", which the tenant does not know", authorizeCommand(t, g, token, activity("q2")).Reason)
}
