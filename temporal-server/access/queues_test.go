package access_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/server/common/api"
	"go.temporal.io/server/common/authorization"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/procession-dev/procession/temporal-server/access"
)

// path leads from a request to a field inside it.
type path []protoreflect.FieldDescriptor

func (p path) String() string {
	names := make([]string, 0, len(p))
	for _, field := range p {
		names = append(names, string(field.Name()))
	}
	return strings.Join(names, ".")
}

// queuePaths finds every field below message that names a task queue. Each message is entered once: it is checked the same everywhere.
func queuePaths(message protoreflect.MessageDescriptor, so path, entered map[protoreflect.FullName]bool) []path {
	if entered[message.FullName()] {
		return nil
	}
	entered[message.FullName()] = true
	var found []path
	for i := range message.Fields().Len() {
		field := message.Fields().Get(i)
		here := append(append(path{}, so...), field)
		value := field
		if field.IsMap() {
			value = field.MapValue()
		}
		switch {
		case value.Kind() == protoreflect.MessageKind && value.Message().FullName() == "temporal.api.taskqueue.v1.TaskQueue",
			value.Kind() == protoreflect.StringKind && strings.Contains(string(field.Name()), "queue"):
			found = append(found, here)
		case value.Kind() == protoreflect.MessageKind && value.Message().FullName() != "temporal.api.command.v1.Command":
			found = append(found, queuePaths(value.Message(), here, entered)...)
		}
	}
	return found
}

// setQueue sets the field at the end of p to a queue's name.
func (p path) setQueue(message protoreflect.Message, name string) {
	field := p[0]
	if len(p) > 1 {
		switch {
		case field.IsList():
			p[1:].setQueue(message.Mutable(field).List().AppendMutable().Message(), name)
		case field.IsMap():
			key := protoreflect.ValueOfString("key").MapKey()
			p[1:].setQueue(message.Mutable(field).Map().Mutable(key).Message(), name)
		default:
			p[1:].setQueue(message.Mutable(field).Message(), name)
		}
		return
	}
	switch {
	case field.Kind() == protoreflect.MessageKind:
		proto.Merge(message.Mutable(field).Message().Interface(), &taskqueue.TaskQueue{Name: name})
	case field.IsList():
		message.Mutable(field).List().Append(protoreflect.ValueOfString(name))
	default:
		message.Set(field, protoreflect.ValueOfString(name))
	}
}

// No field of any method's request, at any depth, may name a queue unknown to the tenant.
func TestEveryQueueOfARequestIsChecked(t *testing.T) {
	t.Parallel()
	methods := workflowservice.File_temporal_api_workflowservice_v1_service_proto.Services().ByName("WorkflowService").Methods()
	p := newPublisher(t)
	o := p.options()
	for i := range methods.Len() {
		name := string(methods.Get(i).Name())
		if about := api.GetMethodMetadata(api.WorkflowServicePrefix + name); about.Scope == api.ScopeNamespace && about.Access != api.AccessAdmin {
			o.EngineMethods = append(o.EngineMethods, name)
		}
	}
	g, token := newGuard(t, o), p.signToken(t, nil)
	checked := 0
	for i := range methods.Len() {
		m := methods.Get(i)
		for _, at := range queuePaths(m.Input(), nil, map[protoreflect.FullName]bool{}) {
			kind, err := protoregistry.GlobalTypes.FindMessageByName(m.Input().FullName())
			require.NoError(t, err)
			message := kind.New()
			message.Set(m.Input().Fields().ByName("namespace"), protoreflect.ValueOfString("alpha"))
			at.setQueue(message, "q3")
			result := decide(t, g, token, 1, api.WorkflowServicePrefix+string(m.Name()), message.Interface())
			require.Equal(t, authorization.DecisionDeny, result.Decision, "%s with a foreign %s", m.Name(), at)
			require.Contains(t, result.Reason, "queue", "%s with a foreign %s", m.Name(), at)
			checked++
		}
	}
	require.GreaterOrEqual(t, checked, 20, "the paths are found")
}

func TestOpenedMethodsCallOnlyOpenEndpoints(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	o := p.options()
	o.EngineMethods, o.NexusEndpoints = []string{"StartNexusOperationExecution"}, []string{"ours"}
	g, token := newGuard(t, o), p.signToken(t, nil)
	for endpoint, want := range map[string]authorization.Decision{
		"ours": authorization.DecisionAllow, "theirs": authorization.DecisionDeny, "__temporal_system": authorization.DecisionDeny,
	} {
		result := decide(t, g, token, 1, workflowservice.WorkflowService_StartNexusOperationExecution_FullMethodName,
			&workflowservice.StartNexusOperationExecutionRequest{Namespace: "alpha", Endpoint: endpoint})
		require.Equal(t, want, result.Decision, endpoint)
	}
}

func TestRequestsInsideARequestKeepToTheNamespace(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	o := p.options()
	o.EngineMethods = []string{"ExecuteMultiOperation"}
	g, token := newGuard(t, o), p.signToken(t, nil)
	for namespace, want := range map[string]authorization.Decision{"alpha": authorization.DecisionAllow, "beta": authorization.DecisionDeny} {
		result := decide(t, g, token, 1, workflowservice.WorkflowService_ExecuteMultiOperation_FullMethodName, &workflowservice.ExecuteMultiOperationRequest{
			Namespace: "alpha",
			Operations: []*workflowservice.ExecuteMultiOperationRequest_Operation{{
				Operation: &workflowservice.ExecuteMultiOperationRequest_Operation_StartWorkflow{
					StartWorkflow: &workflowservice.StartWorkflowExecutionRequest{Namespace: namespace},
				},
			}},
		})
		require.Equal(t, want, result.Decision, namespace)
	}
}

func TestWhatSDKsSendOfTheirOwnQueuesPasses(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	g, token := newGuard(t, p.options()), p.signToken(t, nil)
	sticky := "host:" + uuid.NewString()
	control := "temporal-sys/worker-commands/alpha/" + uuid.NewString()
	foreign := "temporal-sys/worker-commands/beta/" + uuid.NewString()
	answer := func(queue *taskqueue.TaskQueue) proto.Message {
		return &workflowservice.RespondWorkflowTaskCompletedRequest{
			Namespace: "alpha", TaskToken: workflowTask(t, g, token), StickyAttributes: &taskqueue.StickyExecutionAttributes{WorkerTaskQueue: queue},
		}
	}
	nexus := func(name string, kind enums.TaskQueueKind) proto.Message {
		return &workflowservice.PollNexusTaskQueueRequest{Namespace: "alpha", TaskQueue: &taskqueue.TaskQueue{Name: name, Kind: kind}}
	}
	for name, c := range map[string]struct {
		method  string
		request proto.Message
		allowed bool
	}{
		"sticky answer": {
			"RespondWorkflowTaskCompleted",
			answer(&taskqueue.TaskQueue{Name: sticky, Kind: enums.TASK_QUEUE_KIND_STICKY, NormalName: "q1"}), true,
		},
		"sticky answer of an older SDK": {
			"RespondWorkflowTaskCompleted", answer(&taskqueue.TaskQueue{Name: sticky, Kind: enums.TASK_QUEUE_KIND_STICKY}), true,
		},
		"sticky answer with another normal queue": {
			"RespondWorkflowTaskCompleted",
			answer(&taskqueue.TaskQueue{Name: sticky, Kind: enums.TASK_QUEUE_KIND_STICKY, NormalName: "q2"}), false,
		},
		"sticky answer with a normal queue's name": {
			"RespondWorkflowTaskCompleted", answer(&taskqueue.TaskQueue{Name: "q2", Kind: enums.TASK_QUEUE_KIND_STICKY}), false,
		},
		"shutdown":                       {"ShutdownWorker", &workflowservice.ShutdownWorkerRequest{Namespace: "alpha", StickyTaskQueue: sticky, TaskQueue: "q1"}, true},
		"shutdown of another's queue":    {"ShutdownWorker", &workflowservice.ShutdownWorkerRequest{Namespace: "alpha", StickyTaskQueue: "q2"}, false},
		"control poll":                   {"PollNexusTaskQueue", nexus(control, enums.TASK_QUEUE_KIND_WORKER_COMMANDS), true},
		"control poll as a normal queue": {"PollNexusTaskQueue", nexus(control, enums.TASK_QUEUE_KIND_NORMAL), true},
		"control poll elsewhere":         {"PollNexusTaskQueue", nexus(foreign, enums.TASK_QUEUE_KIND_WORKER_COMMANDS), false},
		"another queue as a control one": {"PollNexusTaskQueue", nexus("q2", enums.TASK_QUEUE_KIND_WORKER_COMMANDS), false},
		"an unknown kind":                {"PollNexusTaskQueue", nexus("q1", 77), false},
		"an answer that names another control queue": {
			"RespondWorkflowTaskCompleted",
			&workflowservice.RespondWorkflowTaskCompletedRequest{Namespace: "alpha", WorkerControlTaskQueue: foreign}, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := decide(t, g, token, 1, api.WorkflowServicePrefix+c.method, c.request)
			require.Equal(t, c.allowed, result.Decision == authorization.DecisionAllow, result.Reason)
		})
	}
}

func TestReservedQueuesInATokenMeanNothing(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	g := newGuard(t, p.options())
	for _, name := range []string{"/_sys/q2/1", "temporal-sys-per-ns-tq"} {
		token := p.signToken(t, map[string]any{"task_queues": []string{name}, "tenant_task_queues": []string{name}})
		result := decide(t, g, token, 1, workflowservice.WorkflowService_PollWorkflowTaskQueue_FullMethodName,
			&workflowservice.PollWorkflowTaskQueueRequest{Namespace: "alpha", TaskQueue: &taskqueue.TaskQueue{Name: name}})
		require.Equal(t, authorization.DecisionDeny, result.Decision, name)
	}
}

func TestSiblingRevocationsURL(t *testing.T) {
	t.Parallel()
	require.Equal(t, "http://h:1/.well-known/engine-revocations.json", access.SiblingRevocationsURL("http://h:1/.well-known/jwks.json"))
	require.Empty(t, access.SiblingRevocationsURL("http://h:1/keys"))
}
