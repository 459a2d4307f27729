package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/audit"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
)

type (
	callerKey  struct{}
	recheckKey struct{}
)

// callerOf returns the authenticated caller of the request that ctx belongs to.
// Without one it returns the zero Caller, to whom nothing is visible.
func callerOf(ctx context.Context) domain.Caller {
	caller, _ := ctx.Value(callerKey{}).(domain.Caller)
	return caller
}

// recheck authenticates the request that ctx belongs to again. It fails when
// the credentials of the request are no longer valid.
func recheck(ctx context.Context) (domain.Caller, error) {
	authenticateAgain, ok := ctx.Value(recheckKey{}).(func(context.Context) (domain.Caller, error))
	if !ok {
		return domain.Caller{}, domain.Unauthenticated()
	}
	return authenticateAgain(ctx)
}

// authenticate refuses and records requests without valid credentials, or from
// addresses with too many invalid ones. Several Authorization headers are
// refused as malformed, because it is undefined which one counts.
func authenticate(
	authenticator *authn.Authenticator, l *limits, recorder *audit.Recorder, errs *httpio.ErrorWriter,
) gin.HandlerFunc {
	return func(c *gin.Context) {
		header := strings.Join(c.Request.Header.Values("Authorization"), ", ")
		from := l.network(c.Request)
		if header != "" && !l.signIn(c, from, header) {
			return
		}
		caller, err := authenticator.Authenticate(c.Request.Context(), header)
		if header != "" {
			l.signedIn(from, header, err)
		}
		if err != nil {
			var refused *domain.SignInError
			if recorder != nil && errors.As(err, &refused) {
				recorder.SignInRefused(c.Request.Context(), refused, l.origin(c))
			}
			errs.Write(c, err)
			return
		}
		ctx := context.WithValue(c.Request.Context(), callerKey{}, caller)
		ctx = context.WithValue(ctx, recheckKey{}, func(ctx context.Context) (domain.Caller, error) {
			return authenticator.Authenticate(ctx, header)
		})
		c.Request = c.Request.WithContext(app.WithRequestID(ctx, httpio.RequestIDFrom(ctx)))
		c.Next()
		if recorder != nil && httpio.Denied(c) {
			recorder.Denied(denialOf(c, caller), l.origin(c))
		}
	}
}

// origin returns the origin of a request.
func (l *limits) origin(c *gin.Context) audit.Origin {
	from := audit.Origin{RequestID: httpio.RequestIDFrom(c.Request.Context())}
	if client := l.proxies.Client(c.Request); client.IsValid() {
		from.Address = client.String()
	}
	return from
}

// denialOf returns the denial to audit. The resource is that of the path: one
// that is not visible to the caller is not found rather than denied.
func denialOf(c *gin.Context, caller domain.Caller) audit.Denial {
	denial := audit.Denial{Caller: caller, Operation: c.Request.Method + " " + c.FullPath()}
	kinds := map[string]domain.EventResource{
		"/processes/:id": domain.ResourceProcess, "/process-items/:id": domain.ResourceItem, "/tasks/:id": domain.ResourceItem,
		"/business-artifacts/:id": domain.ResourceArtifact, "/robots/:id": domain.ConfiguredResource("Robot"),
	}
	id, err := uuid.Parse(c.Param("id"))
	for pattern, kind := range kinds {
		if err == nil && strings.Contains(c.FullPath()+"/", pattern+"/") {
			denial.Kind, denial.ID = kind, id
		}
	}
	return denial
}

// onlyHosts answers 421 to requests for a host that is not allowed.
func onlyHosts(allowed func(host string) bool, errs *httpio.ErrorWriter) gin.HandlerFunc {
	return func(c *gin.Context) {
		if !allowed(c.Request.Host) {
			errs.Misdirected(c)
		}
	}
}

// observe reports every answer. It runs inside the recovery from panics, so a
// panic is reported as the 500 that it will be answered with.
func observe(report func(method, route string, status int, took time.Duration), clock func() time.Time) gin.HandlerFunc {
	return func(c *gin.Context) {
		start, panicked := clock(), true
		defer func() {
			status, route := c.Writer.Status(), c.FullPath()
			if panicked {
				status = http.StatusInternalServerError
			}
			if route == "" {
				route = "unmatched"
			}
			report(httpio.MethodLabel(c.Request), route, status, clock().Sub(start))
		}()
		c.Next()
		panicked = false
	}
}
