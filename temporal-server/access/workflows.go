package access

import (
	"strings"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"google.golang.org/protobuf/reflect/protoreflect"
)

const (
	workflowField = protoreflect.Name("workflow_id")
	queryField    = protoreflect.Name("visibility_query")
)

// namesWorkflow reports whether a field of a request names workflows: by an id, by a
// message that contains one, or by a query. Links and failures only describe a
// workflow.
func namesWorkflow(field protoreflect.FieldDescriptor) bool {
	in := field.ContainingMessage()
	if field.IsMap() || in.ParentFile().Package() == "temporal.api.failure.v1" || strings.HasPrefix(string(in.FullName()), "temporal.api.common.v1.Link") {
		return false
	}
	if field.Kind() == protoreflect.MessageKind {
		name := field.Message().FullName()
		return name == (*common.WorkflowExecution)(nil).ProtoReflect().Descriptor().FullName() ||
			name == (*common.Execution)(nil).ProtoReflect().Descriptor().FullName()
	}
	return field.Kind() == protoreflect.StringKind && (field.Name() == workflowField || field.Name() == queryField)
}

// checkWorkflow collects the workflows in a field of a message, unless the method only
// reads. It refuses queries, and starts by the rules of refuseStart.
func (v requestCheck) checkWorkflow(message protoreflect.Message, field protoreflect.FieldDescriptor) denial {
	if v.method.reads {
		return denial{}
	}
	to := target{class: classWorkflow, by: "call " + v.api}
	switch {
	case field.IsList():
		for i := range message.Get(field).List().Len() {
			v.addTarget(to, message.Get(field).List().Get(i).Message().Interface())
		}
	case field.Kind() == protoreflect.MessageKind:
		v.addTarget(to, message.Get(field).Message().Interface())
	case field.Name() == queryField:
		return denial{class: classWorkflow, reason: to.by + " names workflows by a query instead of their ids"}
	default:
		to.id, to.run = message.Get(field).String(), stringField(message, "run_id")
		if denied := to.refuseStart(terminatesRunning(message)); denied.class != "" && startsWorkflow(message) {
			return denied
		}
		v.who.targets = append(v.who.targets, to)
	}
	return denial{}
}

func (v requestCheck) addTarget(to target, execution any) {
	switch e := execution.(type) {
	case *common.WorkflowExecution:
		to.id, to.run = e.GetWorkflowId(), e.GetRunId()
	case *common.Execution:
		to.id, to.run = e.GetBusinessId(), e.GetRunId()
	}
	if to.id != "" {
		v.who.targets = append(v.who.targets, to)
	}
}

func startsWorkflow(message protoreflect.Message) bool {
	return message.Descriptor().Fields().ByName("workflow_id_reuse_policy") != nil
}

// terminatesRunning reports whether the start in a message terminates the workflow that has its id.
func terminatesRunning(message protoreflect.Message) bool {
	//nolint:staticcheck // deprecated, and still obeyed
	return enumField(message, "workflow_id_reuse_policy") == enums.WORKFLOW_ID_REUSE_POLICY_TERMINATE_IF_RUNNING.Number() ||
		enumField(message, "workflow_id_conflict_policy") == enums.WORKFLOW_ID_CONFLICT_POLICY_TERMINATE_EXISTING.Number()
}

func stringField(message protoreflect.Message, name protoreflect.Name) string {
	field := message.Descriptor().Fields().ByName(name)
	if field == nil || field.Kind() != protoreflect.StringKind {
		return ""
	}
	return message.Get(field).String()
}

func enumField(message protoreflect.Message, name protoreflect.Name) protoreflect.EnumNumber {
	field := message.Descriptor().Fields().ByName(name)
	if field == nil || field.Kind() != protoreflect.EnumKind {
		return 0
	}
	return message.Get(field).Enum()
}
