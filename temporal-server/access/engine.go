package access

import (
	"fmt"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/server/common/authorization"
	"google.golang.org/protobuf/proto"
)

// engineRules contains the rules for callers with a certificate for the namespace of a tenant.
type engineRules struct {
	methods   map[string]method // by gRPC's full method name
	readable  map[string]method // for operators
	fields    checkedFields
	commands  map[enums.CommandType]targetOfCommand
	endpoints map[string]bool // Nexus endpoints workflows may call
	unchecked bool            // commands may name any task queue
	seals     sealer
}

func newEngineRules(o Options, seals sealer) (*engineRules, error) {
	methods, err := engineMethods(o.EngineMethods)
	if err != nil {
		return nil, err
	}
	r := &engineRules{
		methods: methods, readable: readerMethods(), fields: findCheckedFields(), commands: commandTargets(),
		endpoints: map[string]bool{}, unchecked: o.UncheckedCommandQueues, seals: seals,
	}
	for _, endpoint := range o.NexusEndpoints {
		r.endpoints[endpoint] = true
	}
	return r, nil
}

// methodRules returns the rules of a method for the caller, and whether the caller may call it.
func (r *engineRules) methodRules(who *caller, api string) (m method, open bool) {
	if who.reader {
		m, open = r.readable[api]
		return m, open
	}
	m, open = r.methods[api]
	return m, open
}

// checkCall applies the rules, the cheapest first. Most calls pass them all.
func (r *engineRules) checkCall(who *caller, claims *authorization.Claims, namespace string, target *authorization.CallTarget) denial {
	if who.hasToken && claims.System != authorization.RoleUndefined {
		return denial{class: classSystem, reason: "a system token needs a system certificate"}
	}
	if who.hasToken && claims.Namespaces[namespace] == authorization.RoleUndefined {
		return denial{class: classNamespace, reason: "token and client certificate belong to different namespaces"}
	}
	// Methods of operators, administrators, the cluster, streams and reflection are refused here.
	m, open := r.methodRules(who, target.APIName)
	switch {
	case !open && who.reader:
		return denial{class: classMethod, reason: "the method is not open to operators, who read"}
	case !open:
		return denial{class: classMethod, reason: "the method is not open to engines"}
	}
	if m.anyNamespace {
		return denial{}
	}
	if target.Namespace != namespace {
		return denial{class: classNamespace, reason: "the client certificate belongs to another namespace"}
	}
	if describe, ok := target.Request.(*workflowservice.DescribeNamespaceRequest); ok && describe.GetId() != "" {
		// The id could belong to another namespace.
		return denial{class: classNamespace, reason: "an engine describes its namespace by name"}
	}
	if !who.hasToken {
		if m.tokenless {
			return denial{}
		}
		return denial{class: classNoToken, reason: "the call carries no token"}
	}
	if who.reader {
		// An operator reads the whole namespace. Temporal checks that page tokens belong to the execution; see DynamicConfig.
		return denial{}
	}
	request, ok := target.Request.(proto.Message)
	if !ok {
		return denial{class: classMethod, reason: fmt.Sprintf("requests of type %T are not understood", target.Request)}
	}
	if denied := r.checkFields(who, namespace, m, target.APIName, request); denied.class != "" {
		return denied
	}
	if denied := r.checkTokens(who, namespace, m, request); denied.class != "" {
		return denied
	}
	if completed, ok := request.(*workflowservice.RespondWorkflowTaskCompletedRequest); ok {
		return r.checkCommands(who, namespace, completed)
	}
	return denial{}
}

// checkTokens refuses completions of tasks and pages of histories with a token that was not issued to the caller.
func (r *engineRules) checkTokens(who *caller, namespace string, m method, request proto.Message) denial {
	if m.answers != "" {
		task, ok := request.(interface{ GetTaskToken() []byte })
		if !ok || !r.seals.isSealed(m.answers, namespace, who.subject, task.GetTaskToken()) {
			return denial{class: classTask, reason: fmt.Sprintf("the token is not one of a %s that was handed to the caller", m.answers)}
		}
	}
	if history, ok := request.(*workflowservice.GetWorkflowExecutionHistoryRequest); ok && m.histories {
		return r.checkHistory(who, namespace, history)
	}
	return denial{}
}

// checkHistory permits workers to read histories in the two ways that they need: the page after one that they received, and from the
// first event. For the latter the interceptor checks the answer, which contains the task queue of the workflow.
func (r *engineRules) checkHistory(who *caller, namespace string, request *workflowservice.GetWorkflowExecutionHistoryRequest) denial {
	switch page := request.GetNextPageToken(); {
	case len(who.queues) == 0:
		return denial{class: classHistory, reason: "the token covers no task queue"}
	case len(page) > 0 && !r.seals.isSealed(kindHistoryPage, namespace, who.subject, page):
		return denial{class: classHistory, reason: "the page token was not handed to the caller"}
	case len(page) == 0 && request.GetHistoryEventFilterType() == enums.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT:
		return denial{class: classHistory, reason: "engines read histories from their first event on"}
	}
	return denial{}
}
