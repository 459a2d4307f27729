package access

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

const (
	// internalPrefix is the prefix of Temporal's own queues. Some of them exist in each namespace and are polled by workers with the
	// rights of the system.
	internalPrefix = "temporal-sys"

	// controlPrefix is the prefix of the queue on which a process of workers receives commands of Temporal.
	controlPrefix = "temporal-sys/worker-commands/"
)

// uuidSuffix matches the end of the names that SDKs give to sticky queues, with or without dashes.
var uuidSuffix = regexp.MustCompile(`(?i)[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$`)

// isReservedQueue reports whether Temporal reserves a name, for a partition of another
// queue or for a queue of its own.
func isReservedQueue(name string) bool {
	return strings.HasPrefix(name, "/") || strings.HasPrefix(name, internalPrefix)
}

// checkedFields are, for each message that a request of the workflow service can contain, the fields that name a task queue, a namespace,
// a Nexus endpoint or a workflow, and fields that lead to such a field. They are found in the descriptors: a field of a later version is
// checked like the present ones.
type checkedFields map[protoreflect.FullName][]protoreflect.FieldDescriptor

func findCheckedFields() checkedFields {
	found := checkedFields{}
	methods := workflowservice.File_temporal_api_workflowservice_v1_service_proto.Services().ByName("WorkflowService").Methods()
	for i := range methods.Len() {
		found.addMessage(methods.Get(i).Input())
	}
	// Messages can contain themselves indirectly, so fields are removed until the result is stable.
	for changed := true; changed; {
		changed = false
		for name, fields := range found {
			kept := fields[:0:0]
			for _, field := range fields {
				if namesQueue(field) || namesTarget(field) || namesWorkflow(field) || len(found[messageType(field)]) > 0 {
					kept = append(kept, field)
				}
			}
			changed = changed || len(kept) != len(fields)
			found[name] = kept
		}
	}
	return found
}

// addMessage records the relevant fields of message and of the messages in it.
func (f checkedFields) addMessage(message protoreflect.MessageDescriptor) {
	if _, done := f[message.FullName()]; done {
		return
	}
	f[message.FullName()] = nil
	var kept []protoreflect.FieldDescriptor
	for i := range message.Fields().Len() {
		field := message.Fields().Get(i)
		switch {
		case isCommands(field):
			// checkCommands goes through them.
		case namesQueue(field), namesTarget(field), namesWorkflow(field):
			kept = append(kept, field)
		case field.IsMap():
			if value := field.MapValue(); value.Kind() == protoreflect.MessageKind {
				f.addMessage(value.Message())
				kept = append(kept, field)
			}
		case field.Kind() == protoreflect.MessageKind:
			f.addMessage(field.Message())
			kept = append(kept, field)
		}
	}
	f[message.FullName()] = kept
}

// messageType returns the type of the messages that a field contains.
func messageType(field protoreflect.FieldDescriptor) protoreflect.FullName {
	if field.IsMap() {
		field = field.MapValue()
	}
	return field.Message().FullName()
}

func isCommands(field protoreflect.FieldDescriptor) bool {
	return field.FullName() == "temporal.api.workflowservice.v1.RespondWorkflowTaskCompletedRequest.commands"
}

func namesQueue(field protoreflect.FieldDescriptor) bool {
	if field.IsMap() {
		return false
	}
	if field.Kind() == protoreflect.MessageKind {
		return field.Message().FullName() == (*taskqueue.TaskQueue)(nil).ProtoReflect().Descriptor().FullName()
	}
	return field.Kind() == protoreflect.StringKind && strings.Contains(string(field.Name()), "queue")
}

// namesTarget reports whether a field is the namespace or the Nexus endpoint of a request, which may be within another request. In other
// messages such fields only describe a link.
func namesTarget(field protoreflect.FieldDescriptor) bool {
	return field.Kind() == protoreflect.StringKind && !field.IsList() && !field.IsMap() &&
		(field.Name() == "namespace" || field.Name() == "endpoint") &&
		field.ParentFile().Package() == "temporal.api.workflowservice.v1"
}

// checkFields restricts a request to the namespace and the task queues of the caller, and to the Nexus endpoints of engines. It collects
// the workflows that the interceptor looks up.
func (r *engineRules) checkFields(who *caller, namespace string, m method, api string, request proto.Message) denial {
	if named, ok := request.(interface{ GetTaskQueue() *taskqueue.TaskQueue }); m.needsQueue && (!ok || named.GetTaskQueue().GetName() == "") {
		return denial{class: classQueue, reason: "the call names no task queue"}
	}
	v := requestCheck{rules: r, namespace: namespace, method: m, api: path.Base(api), who: who, names: who.queues}
	if m.tenant {
		v.names = who.tenantQueues
	}
	return v.checkMessage(request.ProtoReflect())
}

// personalQueue is a task queue that belongs to the subject that polled it first. A
// normal queue with a name like a sticky queue's is treated alike, so that no subject
// can claim it as its sticky queue.
type personalQueue struct {
	name   string
	normal bool
}

// requestCheck checks one request.
type requestCheck struct {
	rules     *engineRules
	namespace string
	method    method
	api       string // its name
	who       *caller
	names     map[string]bool // the task queues the request may name
}

func (v requestCheck) checkMessage(checkMessage protoreflect.Message) denial {
	for _, field := range v.rules.fields[checkMessage.Descriptor().FullName()] {
		if !checkMessage.Has(field) {
			continue
		}
		var denied denial
		if namesWorkflow(field) {
			denied = v.checkWorkflow(checkMessage, field)
		} else {
			denied = v.checkField(field, checkMessage.Get(field))
		}
		if denied.class != "" {
			return denied
		}
	}
	return denial{}
}

func (v requestCheck) checkField(checkField protoreflect.FieldDescriptor, value protoreflect.Value) (denied denial) {
	switch {
	case checkField.IsMap():
		value.Map().Range(func(_ protoreflect.MapKey, item protoreflect.Value) bool {
			denied = v.checkMessage(item.Message())
			return denied.class == ""
		})
	case checkField.IsList():
		for i := range value.List().Len() {
			if denied = v.checkValue(checkField, value.List().Get(i)); denied.class != "" {
				return denied
			}
		}
	default:
		denied = v.checkValue(checkField, value)
	}
	return denied
}

func (v requestCheck) checkValue(field protoreflect.FieldDescriptor, value protoreflect.Value) denial {
	if field.Kind() == protoreflect.MessageKind {
		if queue, ok := value.Message().Interface().(*taskqueue.TaskQueue); ok {
			return v.checkQueue(queue)
		}
		return v.checkMessage(value.Message())
	}
	name := value.String()
	switch field.Name() {
	case "namespace":
		if name != "" && name != v.namespace {
			return denial{class: classNamespace, reason: "the client certificate belongs to another namespace"}
		}
		return denial{}
	case "endpoint":
		if !v.rules.endpoints[name] {
			return denial{class: classMethod, reason: fmt.Sprintf("Nexus endpoint %q is not open to engines", truncate(name))}
		}
		return denial{}
	case "sticky_task_queue":
		return v.checkStickyQueue(name)
	case "worker_control_task_queue":
		return v.checkControlQueue(name)
	default:
		if strings.HasPrefix(name, controlPrefix) {
			return v.checkControlQueue(name)
		}
		return v.checkNormalQueue(name)
	}
}

func (v requestCheck) checkQueue(checkQueue *taskqueue.TaskQueue) denial {
	switch checkQueue.GetKind() {
	case enums.TASK_QUEUE_KIND_STICKY:
		if !v.method.sticky {
			return denial{class: classQueue, reason: "sticky task queues hold workflow tasks only"}
		}
		if denied := v.checkStickyQueue(checkQueue.GetName()); denied.class != "" {
			return denied
		}
		// SDKs before mid-2023 omit the normal queue. The interceptor checks each task that they receive from the sticky one.
		if checkQueue.GetNormalName() == "" {
			return v.checkAnyQueue()
		}
		return v.checkNormalQueue(checkQueue.GetNormalName())
	case enums.TASK_QUEUE_KIND_WORKER_COMMANDS:
		return v.checkControlQueue(checkQueue.GetName())
	case enums.TASK_QUEUE_KIND_UNSPECIFIED, enums.TASK_QUEUE_KIND_NORMAL:
		// SDKs from before this kind existed poll it like a normal queue.
		if strings.HasPrefix(checkQueue.GetName(), controlPrefix) {
			return v.checkControlQueue(checkQueue.GetName())
		}
		return v.checkNormalQueue(checkQueue.GetName())
	default:
		return denial{class: classQueue, reason: fmt.Sprintf("task queues of kind %s are not open to engines", checkQueue.GetKind())}
	}
}

func (v requestCheck) checkNormalQueue(name string) denial {
	if name == "" && !v.method.needsQueue {
		return denial{}
	}
	if !v.names[name] {
		return denial{class: classQueue, reason: fmt.Sprintf("the token does not cover task queue %q", truncate(name))}
	}
	if v.method.claims && uuidSuffix.MatchString(name) {
		v.who.personal = append(v.who.personal, personalQueue{name: name, normal: true})
	}
	return denial{}
}

func (v requestCheck) checkAnyQueue() denial {
	if len(v.names) == 0 {
		return denial{class: classQueue, reason: "the token covers no task queue"}
	}
	return denial{}
}

// checkStickyQueue refuses names that SDKs do not give to sticky queues, and names of
// normal queues. Temporal identifies a queue by its name alone, so a sticky queue with
// the name of a normal queue is the same queue.
func (v requestCheck) checkStickyQueue(name string) denial {
	if name == "" {
		return denial{}
	}
	if isReservedQueue(name) || !uuidSuffix.MatchString(name) || v.who.tenantQueues[name] {
		return denial{class: classQueue, reason: fmt.Sprintf("%q is not a sticky queue's name", truncate(name))}
	}
	v.who.personal = append(v.who.personal, personalQueue{name: name})
	return denial{}
}

// checkControlQueue refuses the control queues of other namespaces and names that only resemble one.
func (v requestCheck) checkControlQueue(name string) denial {
	if name == "" {
		return denial{}
	}
	key, found := strings.CutPrefix(name, controlPrefix+v.namespace+"/")
	if !found || !uuidSuffix.MatchString(key) || strings.Contains(key, "/") {
		return denial{class: classQueue, reason: fmt.Sprintf("%q is not a control queue of this namespace", truncate(name))}
	}
	v.who.personal = append(v.who.personal, personalQueue{name: name})
	return denial{}
}
