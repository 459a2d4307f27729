package access

import (
	"context"
	"log/slog"
	"strings"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/primitives"
	"google.golang.org/grpc/health/grpc_health_v1"
)

const (
	systemNamespace = primitives.SystemLocalNamespace

	// maxLogged bounds the caller's own words in a log line.
	maxLogged = 200
)

// Authorizer allows or denies each call to the frontend.
//
// The certificate comes first: its single organizational unit is the only namespace its holder can reach, whatever the token says. An
// operator's certificate names the system's namespace and needs a token with the system's admin role. Every other certificate belongs to
// an engine, and [checkEngine] holds the rules for those. The role a call needs is Temporal's own table, asked last.
type Authorizer struct {
	roles  authorization.Authorizer
	logger *slog.Logger
}

var _ authorization.Authorizer = (*Authorizer)(nil)

// NewAuthorizer returns an authorizer that writes one line to logger for each denial.
func NewAuthorizer(logger *slog.Logger) *Authorizer {
	return &Authorizer{roles: authorization.NewDefaultAuthorizer(), logger: logger}
}

// Authorize implements [authorization.Authorizer]. The caller of a denied call learns the reason unless it concerns the token itself.
func (a *Authorizer) Authorize(ctx context.Context, claims *authorization.Claims, target *authorization.CallTarget) (authorization.Result, error) {
	// Only the internal frontend's mapper makes this type of claims; it listens behind the process's own certificate.
	if claims != nil && claims.AuthType == authorization.InternalPrincipalType {
		return a.roles.Authorize(ctx, claims, target)
	}
	who := &caller{}
	if claims != nil {
		if known, ok := claims.Extensions.(*caller); ok {
			who = known
		}
	}
	if denied := check(who, claims, target); denied.reason != "" {
		return a.deny(ctx, who, target, denied), nil
	}
	if !who.hasToken || isHealthCheck(target.APIName) {
		return authorization.Result{Decision: authorization.DecisionAllow}, nil
	}
	result, err := a.roles.Authorize(ctx, claims, target)
	if err == nil && result.Decision != authorization.DecisionAllow {
		return a.deny(ctx, who, target, denial{reason: "the token's permissions do not cover the call"}), nil
	}
	return result, err
}

// denial is the reason a call is refused; its zero value lets the call pass.
type denial struct {
	reason string
	secret bool // the caller is not told
}

// check applies every rule but Temporal's role table.
func check(who *caller, claims *authorization.Claims, target *authorization.CallTarget) denial {
	if isHealthCheck(target.APIName) {
		return denial{}
	}
	if len(who.certificate.units) != 1 || who.certificate.units[0] == "" {
		return denial{reason: "the client certificate names no single namespace"}
	}
	if who.tokenErr != nil {
		return denial{reason: "token refused: " + who.tokenErr.Error(), secret: true}
	}
	namespace := who.certificate.units[0]
	if namespace != systemNamespace {
		return checkEngine(who, claims, namespace, target)
	}
	switch {
	case !who.hasToken && !isSystemInfo(target.APIName):
		return denial{reason: "the call carries no token"}
	case who.hasToken && claims.System&authorization.RoleAdmin == 0:
		return denial{reason: "a system certificate needs a system token"}
	}
	return denial{}
}

func (a *Authorizer) deny(ctx context.Context, who *caller, target *authorization.CallTarget, why denial) authorization.Result {
	subject := who.subject
	if subject == "" {
		subject = who.certificate.name
	}
	a.logger.WarnContext(ctx, "call refused",
		slog.String("namespace", clip(target.Namespace)),
		slog.String("api", target.APIName),
		slog.String("subject", clip(subject)),
		slog.String("certificate", clip(strings.Join(who.certificate.units, ","))),
		slog.String("reason", clip(why.reason)),
	)
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

func clip(s string) string {
	if len(s) <= maxLogged {
		return s
	}
	return strings.ToValidUTF8(s[:maxLogged], "") + "…"
}
