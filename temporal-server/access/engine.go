package access

import (
	"fmt"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/server/common/authorization"
	"google.golang.org/protobuf/proto"
)

// engineRules hold what a caller may do whose certificate belongs to a tenant's namespace.
type engineRules struct {
	methods   map[string]method // by gRPC's full method name
	fields    queueFields
	commands  map[enums.CommandType]commandTarget
	endpoints map[string]bool // Nexus endpoints workflows may call
	unchecked bool            // commands may name any task queue
}

func newEngineRules(o Options) (*engineRules, error) {
	methods, err := engineMethods(o.EngineMethods)
	if err != nil {
		return nil, err
	}
	r := &engineRules{
		methods: methods, fields: findQueueFields(), commands: commandTargets(),
		endpoints: map[string]bool{}, unchecked: o.UncheckedCommandQueues,
	}
	for _, endpoint := range o.NexusEndpoints {
		r.endpoints[endpoint] = true
	}
	return r, nil
}

// check goes through the rules from the cheapest to the dearest. Most calls pass them all.
func (r *engineRules) check(who *caller, claims *authorization.Claims, namespace string, target *authorization.CallTarget) denial {
	if who.hasToken && claims.System != authorization.RoleUndefined {
		return denial{class: classSystem, reason: "a system token needs a system certificate"}
	}
	if who.hasToken && claims.Namespaces[namespace] == authorization.RoleUndefined {
		return denial{class: classNamespace, reason: "token and client certificate belong to different namespaces"}
	}
	// Operator, admin, cluster-wide, streaming and reflection methods all end here.
	m, open := r.methods[target.APIName]
	if !open {
		return denial{class: classMethod, reason: "the method is not open to engines"}
	}
	if m.anyNamespace {
		return denial{}
	}
	if target.Namespace != namespace {
		return denial{class: classNamespace, reason: "the client certificate belongs to another namespace"}
	}
	if describe, ok := target.Request.(*workflowservice.DescribeNamespaceRequest); ok && describe.GetId() != "" {
		// The id could be another namespace's.
		return denial{class: classNamespace, reason: "an engine describes its namespace by name"}
	}
	if !who.hasToken {
		if m.tokenless {
			return denial{}
		}
		return denial{class: classNoToken, reason: "the call carries no token"}
	}
	request, ok := target.Request.(proto.Message)
	if !ok {
		return denial{class: classMethod, reason: fmt.Sprintf("requests of type %T are not understood", target.Request)}
	}
	if denied := r.checkQueues(who, namespace, m, request); denied.class != "" {
		return denied
	}
	if completed, ok := request.(*workflowservice.RespondWorkflowTaskCompletedRequest); ok {
		return r.checkCommands(who, namespace, completed)
	}
	return denial{}
}
