package access

import (
	"context"
	"log/slog"
	"path"
	"strings"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/metrics"
	"go.temporal.io/server/common/primitives"
	"google.golang.org/grpc/health/grpc_health_v1"
)

const (
	systemNamespace = primitives.SystemLocalNamespace

	// maxLogged bounds values of the caller in a log line.
	maxLogged = 200

	metricCallsRefused = "procession_calls_refused"
	tagClass           = "reason"
	tagMethod          = "method"
)

// class is the kind of a denial, one of few fixed values for metrics and alerts.
type class string

const (
	classCertificate class = "certificate" // the certificate does not name exactly one namespace, or names another subject than the token
	classRevoked     class = "revoked"     // token or certificate are on the list of revocations
	classToken       class = "token"       // the token is expired, forged or incomplete
	classNoToken     class = "no_token"    // the call needs a token and has none
	classNamespace   class = "namespace"   // certificate, token and call name different namespaces
	classSystem      class = "system"      // only one of certificate and token is the system's
	classMethod      class = "method"      // the method is not open to engines
	classQueue       class = "queue"       // the call names a task queue outside the token
	classCommand     class = "command"     // a workflow's command is not permitted to its tenant
	classWorkflow    class = "workflow"    // the call names a workflow on another task queue
	classTask        class = "task"        // the task was not handed to the caller
	classHistory     class = "history"     // the caller does not work on the history
	classPermissions class = "permissions" // the token's role does not cover the method
)

// authorizer allows or denies each call to the frontend.
//
// The certificate is checked first: its single organizational unit is the only
// namespace that its holder can access, regardless of the token, and its common name
// must be the subject of the token. The certificate of the service names the system
// namespace and needs a token with the role of a system administrator, which
// permits everything. Every other certificate belongs to an engine, or to an operator who reads one namespace: [engineRules] applies.
// Temporal's own table of roles is checked last.
type authorizer struct {
	roles   authorization.Authorizer
	engines *engineRules
	revoked *revocations
	logger  *slog.Logger
	metrics metrics.Handler
}

var _ authorization.Authorizer = (*authorizer)(nil)

// Authorize implements [authorization.Authorizer]. The caller gets the reason of a denial unless it concerns the token itself.
func (a *authorizer) Authorize(ctx context.Context, claims *authorization.Claims, target *authorization.CallTarget) (authorization.Result, error) {
	// Only the claim mapper of the internal frontend makes claims of this type. That frontend requires the certificate of the process.
	if claims != nil && claims.AuthType == authorization.InternalPrincipalType {
		return a.roles.Authorize(ctx, claims, target)
	}
	who := &caller{}
	if claims != nil {
		if known, ok := claims.Extensions.(*caller); ok {
			who = known
		}
	}
	if denied := a.checkCall(who, claims, target); denied.class != "" {
		return a.denyCall(ctx, who, target, denied), nil
	}
	if !who.hasToken || isHealthCheck(target.APIName) {
		return authorization.Result{Decision: authorization.DecisionAllow}, nil
	}
	if who.isSystem() || who.reader {
		// Temporal's table lacks roles for other services, such as reflection, and for readers of GetClusterInfo.
		principal := &common.Principal{Type: claims.AuthType, Name: claims.Subject}
		return authorization.Result{Decision: authorization.DecisionAllow, Principal: principal}, nil
	}
	result, err := a.roles.Authorize(ctx, claims, target)
	if err == nil && result.Decision != authorization.DecisionAllow {
		return a.denyCall(ctx, who, target, denial{class: classPermissions, reason: "the token's permissions do not cover the call"}), nil
	}
	return result, err
}

// denial is the reason why a call is refused; its zero value permits the call.
type denial struct {
	class  class
	reason string
	secret bool // the caller does not get the reason
}

// checkCall applies every rule but Temporal's role table.
func (a *authorizer) checkCall(who *caller, claims *authorization.Claims, target *authorization.CallTarget) denial {
	if a.revoked.isCertificateRevoked(who.certificate.serial) {
		return denial{class: classRevoked, reason: "the client certificate is revoked"}
	}
	if who.tokenErr == nil && a.revoked.isTokenRevoked(who.tokenID) {
		return denial{class: classRevoked, reason: "the token is revoked", secret: true}
	}
	if isHealthCheck(target.APIName) {
		return denial{}
	}
	if len(who.certificate.units) != 1 || who.certificate.units[0] == "" {
		return denial{class: classCertificate, reason: "the client certificate names no single namespace"}
	}
	if who.tokenErr != nil {
		return denial{class: classToken, reason: "token refused: " + who.tokenErr.Error(), secret: true}
	}
	if who.hasToken && who.subject != who.certificate.name {
		return denial{class: classCertificate, reason: "token and client certificate belong to different subjects"}
	}
	if !who.isSystem() {
		return a.engines.checkCall(who, claims, who.certificate.units[0], target)
	}
	switch {
	case !who.hasToken && !isSystemInfo(target.APIName):
		return denial{class: classNoToken, reason: "the call carries no token"}
	case who.hasToken && claims.System&authorization.RoleAdmin == 0:
		return denial{class: classSystem, reason: "a system certificate needs a system token"}
	}
	return denial{}
}

func (a *authorizer) denyCall(ctx context.Context, who *caller, target *authorization.CallTarget, why denial) authorization.Result {
	subject := who.subject
	if subject == "" {
		subject = who.certificate.name
	}
	a.logger.WarnContext(ctx, "call refused",
		slog.String("namespace", truncate(target.Namespace)),
		slog.String("api", target.APIName),
		slog.String("subject", truncate(subject)),
		slog.String("certificate", truncate(strings.Join(who.certificate.units, ","))),
		slog.String("class", string(why.class)),
		slog.String("reason", truncate(why.reason)),
	)
	// The frontend has these methods, so that the names in metrics are bounded.
	a.metrics.Counter(metricCallsRefused).Record(1,
		metrics.StringTag(tagClass, string(why.class)), metrics.StringTag(tagMethod, path.Base(target.APIName)))
	result := authorization.Result{Decision: authorization.DecisionDeny}
	if !why.secret {
		result.Reason = why.reason
	}
	return result
}

func isHealthCheck(api string) bool {
	return api == grpc_health_v1.Health_Check_FullMethodName
}

func isSystemInfo(api string) bool {
	return api == workflowservice.WorkflowService_GetSystemInfo_FullMethodName
}

func truncate(s string) string {
	if len(s) <= maxLogged {
		return s
	}
	return strings.ToValidUTF8(s[:maxLogged], "") + "…"
}
