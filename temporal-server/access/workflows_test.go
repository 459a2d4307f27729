package access_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/command/v1"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/server/common/api"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/procession-dev/procession/temporal-server/access"
)

// workflowPaths returns the paths to the fields below message that name a workflow or, for starts, the policy for one with the same id.
// Links, failures, payloads and commands are left out.
func workflowPaths(message protoreflect.MessageDescriptor, so path, entered []protoreflect.FullName) []path {
	name := string(message.FullName())
	if slices.Contains(entered, message.FullName()) || strings.HasPrefix(name, "temporal.api.failure.") ||
		strings.HasPrefix(name, "temporal.api.common.v1.Link") || (name == "temporal.api.command.v1.Command" && len(so) > 0) {
		return nil
	}
	var found []path
	for i := range message.Fields().Len() {
		field := message.Fields().Get(i)
		here := append(slices.Clone(so), field)
		switch {
		case field.IsMap():
		case field.Message() != nil && isExecution(field.Message()),
			field.Kind() != protoreflect.BoolKind && strings.Contains(string(field.Name()), "workflow_id"),
			strings.Contains(string(field.Name()), "visibility_query"):
			found = append(found, here)
		case field.Message() != nil:
			found = append(found, workflowPaths(field.Message(), here, append(slices.Clone(entered), message.FullName()))...)
		}
	}
	return found
}

func isExecution(message protoreflect.MessageDescriptor) bool {
	return message.FullName() == "temporal.api.common.v1.WorkflowExecution" || message.FullName() == "temporal.api.common.v1.Execution"
}

// setTarget sets the field at the end of p to a workflow's id, or a policy to the one that terminates.
func (p path) setTarget(message protoreflect.Message, id string) {
	field := p[0]
	switch {
	case len(p) > 1 && field.IsList():
		p[1:].setTarget(message.Mutable(field).List().AppendMutable().Message(), id)
	case len(p) > 1:
		p[1:].setTarget(message.Mutable(field).Message(), id)
	case field.Kind() == protoreflect.EnumKind:
		values := field.Enum().Values()
		for i := range values.Len() {
			if strings.Contains(string(values.Get(i).Name()), "TERMINATE") {
				message.Set(field, protoreflect.ValueOfEnum(values.Get(i).Number()))
			}
		}
		message.Set(message.Descriptor().Fields().ByName("workflow_id"), protoreflect.ValueOfString(id))
	case field.Kind() == protoreflect.StringKind:
		message.Set(field, protoreflect.ValueOfString(id))
	default:
		execution := message.NewField(field)
		if field.IsList() {
			execution.List().AppendMutable()
			setExecution(execution.List().Get(0).Message().Interface(), id)
		} else {
			setExecution(execution.Message().Interface(), id)
		}
		message.Set(field, execution)
	}
}

func setExecution(execution any, id string) {
	switch e := execution.(type) {
	case *common.WorkflowExecution:
		e.WorkflowId = id
	case *common.Execution:
		e.BusinessId = id
	}
}

// Every type of command has a line with the fields that name a workflow. A new type, or a new field, fails the test.
func TestEveryWorkflowOfACommandIsChecked(t *testing.T) {
	t.Parallel()
	named := map[enums.CommandType][]string{
		enums.COMMAND_TYPE_SCHEDULE_ACTIVITY_TASK:                     nil,
		enums.COMMAND_TYPE_REQUEST_CANCEL_ACTIVITY_TASK:               nil,
		enums.COMMAND_TYPE_START_TIMER:                                nil,
		enums.COMMAND_TYPE_CANCEL_TIMER:                               nil,
		enums.COMMAND_TYPE_COMPLETE_WORKFLOW_EXECUTION:                nil,
		enums.COMMAND_TYPE_FAIL_WORKFLOW_EXECUTION:                    nil,
		enums.COMMAND_TYPE_CANCEL_WORKFLOW_EXECUTION:                  nil,
		enums.COMMAND_TYPE_RECORD_MARKER:                              nil,
		enums.COMMAND_TYPE_CONTINUE_AS_NEW_WORKFLOW_EXECUTION:         nil,
		enums.COMMAND_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES:          nil,
		enums.COMMAND_TYPE_PROTOCOL_MESSAGE:                           nil,
		enums.COMMAND_TYPE_MODIFY_WORKFLOW_PROPERTIES:                 nil,
		enums.COMMAND_TYPE_SCHEDULE_NEXUS_OPERATION:                   nil,
		enums.COMMAND_TYPE_REQUEST_CANCEL_NEXUS_OPERATION:             nil,
		enums.COMMAND_TYPE_START_CHILD_WORKFLOW_EXECUTION:             {"workflow_id", "workflow_id_reuse_policy"},
		enums.COMMAND_TYPE_SIGNAL_EXTERNAL_WORKFLOW_EXECUTION:         {"execution"},
		enums.COMMAND_TYPE_REQUEST_CANCEL_EXTERNAL_WORKFLOW_EXECUTION: {"workflow_id"},
	}
	p := newPublisher(t)
	g, token, at := newGuard(t, p.options()), p.signToken(t, nil), newFrontend()
	attributes := (&command.Command{}).ProtoReflect().Descriptor().Oneofs().ByName("attributes").Fields()
	require.Equal(t, len(enums.CommandType_name)-1, attributes.Len(), "each type has attributes, except for the unspecified one")
	for i := range attributes.Len() {
		attribute := attributes.Get(i)
		name := "COMMAND_TYPE_" + strings.ToUpper(strings.TrimSuffix(string(attribute.Name()), "_command_attributes"))
		number := enums.CommandType(enums.CommandType_value[name])
		want, listed := named[number]
		require.True(t, listed, "%s has no line in this test and in commandTargets", name)
		var found []string
		for _, to := range workflowPaths(attribute.Message(), nil, nil) {
			found = append(found, to.String())
			c := &command.Command{CommandType: number}
			to.setTarget(c.ProtoReflect().Mutable(attribute).Message(), "process-foreign")
			err := completeTask(t, g, at, token, c)
			require.ErrorContains(t, err, "command "+number.String()+` names workflow "process-foreign"`, "%s.%s", name, to)
		}
		require.ElementsMatch(t, want, found, name)
	}
}

// Every method with a request that names workflows is in one of the lists. A new one fails the test.
func TestEveryWorkflowOfARequestIsChecked(t *testing.T) {
	t.Parallel()
	reads := strings.Fields(`GetWorkflowExecutionHistory GetWorkflowExecutionHistoryReverse ListOpenWorkflowExecutions ListClosedWorkflowExecutions
		QueryWorkflow DescribeWorkflowExecution PollWorkflowExecutionUpdate PollWorkflowExecutionTimeSkipping`)
	changes := strings.Fields(`StartWorkflowExecution ExecuteMultiOperation SignalWithStartWorkflowExecution CreateSchedule UpdateSchedule
		RecordActivityTaskHeartbeatById RespondActivityTaskCompletedById RespondActivityTaskFailedById RespondActivityTaskCanceledById
		RequestCancelWorkflowExecution SignalWorkflowExecution ResetWorkflowExecution TerminateWorkflowExecution DeleteWorkflowExecution
		ResetStickyTaskQueue UpdateWorkflowExecution StartBatchOperation UpdateActivityOptions UpdateWorkflowExecutionOptions PauseActivity
		UnpauseActivity ResetActivity CreateWorkflowRule TriggerWorkflowRule PauseWorkflowExecution UnpauseWorkflowExecution
		PauseActivityExecution ResetActivityExecution UnpauseActivityExecution UpdateActivityExecutionOptions`)
	p := newPublisher(t)
	o := p.options()
	methods := workflowservice.File_temporal_api_workflowservice_v1_service_proto.Services().ByName("WorkflowService").Methods()
	for i := range methods.Len() {
		name := string(methods.Get(i).Name())
		if about := api.GetMethodMetadata(api.WorkflowServicePrefix + name); about.Scope == api.ScopeNamespace && about.Access != api.AccessAdmin {
			o.EngineMethods = append(o.EngineMethods, name)
		}
	}
	g, token, at := newGuard(t, o), p.signToken(t, nil), newFrontend()
	var found []string
	for i := range methods.Len() {
		m := methods.Get(i)
		name := string(m.Name())
		paths := workflowPaths(m.Input(), nil, nil)
		if len(paths) == 0 {
			continue
		}
		found = append(found, name)
		for _, to := range paths {
			err := callMethod(t, g, at, token, m, to, "process-foreign")
			if slices.Contains(reads, name) {
				require.NoError(t, err, "%s %s", name, to)
				continue
			}
			require.ErrorContains(t, err, "call "+name+" names workflow", "%s %s", name, to)
		}
	}
	require.ElementsMatch(t, append(reads, changes...), found)
}

// callMethod calls a method with a request that names a workflow at a path.
func callMethod(t *testing.T, g *access.Guard, at *frontend, token string, m protoreflect.MethodDescriptor, to path, id string) error {
	t.Helper()
	input, err := protoregistry.GlobalTypes.FindMessageByName(m.Input().FullName())
	require.NoError(t, err)
	message := input.New()
	message.Set(m.Input().Fields().ByName("namespace"), protoreflect.ValueOfString("alpha"))
	to.setTarget(message, id)
	var answer proto.Message = &workflowservice.ResetStickyTaskQueueResponse{}
	_, err = callAt(t, g, at, token, api.WorkflowServicePrefix+string(m.Name()), message.Interface(), answer)
	return err
}

func TestOpenedMethodsChangeWorkflowsOfTheCaller(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	o := p.options()
	o.EngineMethods = []string{"SignalWorkflowExecution", "StartWorkflowExecution", "SignalWithStartWorkflowExecution", "StartBatchOperation"}
	g, token, at := newGuard(t, o), p.signToken(t, nil), newFrontend()
	methods := workflowservice.File_temporal_api_workflowservice_v1_service_proto.Services().ByName("WorkflowService").Methods()
	for _, name := range append(o.EngineMethods, "ResetStickyTaskQueue") {
		m := methods.ByName(protoreflect.Name(name))
		for _, to := range workflowPaths(m.Input(), nil, nil) {
			if strings.HasSuffix(to.String(), "policy") || strings.HasSuffix(to.String(), "query") {
				continue
			}
			require.NoError(t, callMethod(t, g, at, token, m, to, "own"), "%s %s", name, to)
			require.NoError(t, callMethod(t, g, at, token, m, to, "unknown"), "%s %s", name, to)
			require.Error(t, callMethod(t, g, at, token, m, to, "foreign"), "%s %s", name, to)
			require.Error(t, callMethod(t, g, at, token, m, to, "process-unknown"), "%s %s", name, to)
		}
	}
}
