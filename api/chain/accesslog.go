package chain

import (
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/api/httpio"
)

// polledPaths are the prefixes of the routes that other programs request at intervals.
func polledPaths() []string { return []string{"/.well-known/", "/livez", "/readyz", "/metrics"} }

// logRequest writes the line of a request in the access log: method, route, status, duration in milliseconds, request id and
// caller. The route is the pattern, never the path, so neither ids of resources nor query values nor headers are logged.
// Polls that succeed are logged at DEBUG.
func (c *call) logRequest(r *http.Request, status int, took time.Duration) {
	level := slog.LevelInfo
	switch {
	case status >= http.StatusInternalServerError:
		level = slog.LevelWarn
	case status < http.StatusBadRequest && slices.ContainsFunc(polledPaths(), func(prefix string) bool {
		return strings.HasPrefix(c.record.Route, prefix)
	}):
		level = slog.LevelDebug
	}
	c.o.Log.LogAttrs(r.Context(), level, "request", append([]slog.Attr{
		slog.String("method", c.method),
		slog.String("route", c.routePattern()),
		slog.Int("status", status),
		slog.Float64("duration_ms", float64(took.Microseconds())/1000),
		slog.String("request_id", c.requestID),
	}, c.callerAttrs(r)...)...)
}

// callerAttrs returns the fields of the access log about a caller: the address of the connection, the address of the
// client if proxies report it, and for valid credentials the principal, its kind and its tenant. The tenant of a principal
// with several is omitted.
func (c *call) callerAttrs(r *http.Request) []slog.Attr {
	peer := httpio.Peer(r)
	fields := []slog.Attr{slog.String("peer", peer.String())}
	if c.client != peer {
		fields = append(fields, slog.String("client", c.client.String()))
	}
	if c.caller.PrincipalID == uuid.Nil {
		return fields
	}
	fields = append(fields, slog.String("principal", c.caller.PrincipalID.String()),
		slog.String("principal_kind", string(c.caller.Type)))
	if len(c.caller.Memberships) == 1 {
		fields = append(fields, slog.String("tenant", c.caller.Memberships[0].TenantID.String()))
	}
	return fields
}
