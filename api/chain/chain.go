// Package chain contains the handlers that every request of a listener passes before a part of the service: the REST
// interface, the console and the pages of operators. It sets deadlines, applies the limits of callers and addresses,
// writes the access log, and records refused sign-ins and denials. The parts report the route and the caller of a request
// to it through the request's context.
package chain

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/api/limit"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/events/audit"
)

// Options configure a Chain. Log and Clock are required.
type Options struct {
	Log   *slog.Logger
	Clock func() time.Time
	// Hosts reports whether requests with a Host header are answered, and may be nil:
	// then all are.
	Hosts func(host string) bool
	// TrustedProxies are believed about the addresses of clients; nil for none.
	TrustedProxies httpio.Proxies
	// Limiter bounds the requests of callers and addresses; nil for no bounds. The chains
	// of one service share it.
	Limiter *limit.Limiter
	// Limited is called with the name of the limit for every request that is refused
	// because of one, and may be nil.
	Limited func(limit string)
	// Audit records refused sign-ins and denied requests, and may be nil.
	Audit *audit.Recorder
	// Observe is called for every answer, and may be nil. The method is the label from
	// httpio.MethodLabel; the route is its pattern, "unmatched" for a path without one.
	Observe func(method, route string, status int, took time.Duration)
	// Untrusted is called for every request with X-Forwarded-For from a peer that is not a
	// trusted proxy, and may be nil.
	Untrusted func(peer netip.Addr)
	// Stall is how long the transfer of a body may make almost no progress, 0 for a
	// minute.
	Stall time.Duration
	// Rest is how long a client may take to send the rest of a body that is not used, 0
	// for 10 seconds.
	Rest time.Duration
}

// Chain is the chain of handlers in front of a part of the service. It is safe for concurrent use.
type Chain struct{ o Options }

// New returns a chain.
func New(o Options) *Chain { return &Chain{o: o} }

// Handler returns a handler that passes requests through the chain to next.
func (c *Chain) Handler(next http.Handler) http.Handler {
	guarded := httpio.Guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c.admitRequest(w, r) {
			next.ServeHTTP(w, r)
		}
	}), httpio.Deadlines{Stall: c.o.Stall, Rest: c.o.Rest})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &answer{ResponseWriter: w}
		ctx := httpio.WithRequestID(answer, r)
		ctx = app.WithRequestID(ctx, httpio.RequestIDFrom(ctx)) //nolint:contextcheck // httpio.WithRequestID returns a context of the request
		ctx, record := httpio.WithRecord(ctx)
		call := &call{
			o: &c.o, record: record, header: answer.Header(), client: c.o.TrustedProxies.Client(r), method: httpio.MethodLabel(r),
			requestID: httpio.RequestIDFrom(ctx), start: c.o.Clock(), //nolint:contextcheck // as above
		}
		r = r.WithContext(context.WithValue(ctx, callKey{}, call)) //nolint:contextcheck // as above
		panicked := true
		defer func() {
			if panicked && answer.status == 0 {
				answer.status = http.StatusInternalServerError
			}
			call.finishRequest(r, answer)
		}()
		guarded.ServeHTTP(answer, r)
		panicked = false
	})
}

// admitRequest decides about a request before its route and its caller are known. It answers a request that is refused.
func (c *Chain) admitRequest(w http.ResponseWriter, r *http.Request) bool {
	call := callOf(r.Context())
	if c.o.Untrusted != nil && r.Header.Get("X-Forwarded-For") != "" && !c.o.TrustedProxies.Trust(httpio.Peer(r)) {
		c.o.Untrusted(httpio.Peer(r))
	}
	if c.o.Hosts != nil && !c.o.Hosts(r.Host) {
		httpio.WriteMisdirected(w, c.o.Clock())
		return false
	}
	leave, verdict := c.o.Limiter.EnterAddress(call.clientNetwork())
	if rejection := call.applyVerdict(verdict); rejection != nil {
		httpio.WriteError(w, c.o.Clock(), rejection)
		return false
	}
	call.leave = append(call.leave, leave)
	return true
}

// answer remembers the status of an answer.
type answer struct {
	http.ResponseWriter
	status int
}

// WriteHeader sends the status.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= http.StatusOK {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write sends a part of the answer.
func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	return a.ResponseWriter.Write(p)
}

// Unwrap gives http.ResponseController the writer beneath.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

type callKey struct{}

// call is a request on its way through the chain.
type call struct {
	o         *Options
	record    *httpio.Record
	header    http.Header
	client    netip.Addr
	method    string
	requestID string
	start     time.Time
	caller    domain.Caller
	// precondition is the precondition of the request's headers.
	precondition domain.Precondition
	// leave releases the request's shares of limits.
	leave []func()
}

// callOf returns the call of the request that ctx belongs to. It panics for a request that has not passed a chain, so that
// no part of the service can be mounted without one.
func callOf(ctx context.Context) *call {
	c, ok := ctx.Value(callKey{}).(*call)
	if !ok {
		panic("a handler is served without the chain in front of it")
	}
	return c
}

// finishRequest ends the request: it releases the limits, and reports the answer.
func (c *call) finishRequest(r *http.Request, a *answer) {
	for _, leave := range c.leave {
		leave()
	}
	if a.status == 0 {
		a.status = http.StatusOK
	}
	took := c.o.Clock().Sub(c.start)
	c.logRequest(r, a.status, took)
	if c.o.Observe != nil {
		c.o.Observe(c.method, c.routePattern(), a.status, took)
	}
	if c.o.Audit != nil && c.record.Denied {
		c.o.Audit.Denied(audit.Denial{
			Caller: c.caller, Operation: c.method + " " + c.routePattern(), Kind: c.record.Kind, ID: c.record.ID,
		}, c.auditOrigin())
	}
}

func (c *call) routePattern() string {
	if c.record.Route == "" {
		return "unmatched"
	}
	return c.record.Route
}

func (c *call) clientNetwork() netip.Prefix { return httpio.Network(c.client) }

// auditOrigin returns the origin of the request for the event log.
func (c *call) auditOrigin() audit.Origin {
	from := audit.Origin{RequestID: c.requestID}
	if c.client.IsValid() {
		from.Address = c.client.String()
	}
	return from
}
