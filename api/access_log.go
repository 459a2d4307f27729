package api

import (
	"log/slog"
	"net/http"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/api/httpio"
)

// callerAttrs returns the fields of the access log about a caller: the address
// of the connection, the address of the client if proxies report it, and for
// valid credentials the principal, its kind and its tenant. The tenant of a
// principal with several is omitted.
func callerAttrs(proxies httpio.Proxies) func(*http.Request) []slog.Attr {
	return func(r *http.Request) []slog.Attr {
		peer, client := httpio.Peer(r), proxies.Client(r)
		fields := make([]slog.Attr, 0, 5)
		fields = append(fields, slog.String("peer", peer.String()))
		if client != peer {
			fields = append(fields, slog.String("client", client.String()))
		}
		caller := callerOf(r.Context())
		if caller.PrincipalID == uuid.Nil {
			return fields
		}
		fields = append(fields, slog.String("principal", caller.PrincipalID.String()),
			slog.String("principal_kind", string(caller.Type)))
		if len(caller.Memberships) == 1 {
			fields = append(fields, slog.String("tenant", caller.Memberships[0].TenantID.String()))
		}
		return fields
	}
}
