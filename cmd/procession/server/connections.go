package server

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/netutil"

	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/api/limit"
	"github.com/procession-dev/procession/domain"
)

// surplusConnections is the number of connections beyond the limit that are accepted and answered with 503.
// Further ones wait.
const surplusConnections = 100

// connections counts the open connections of each listener and the refused connections.
type connections struct{ plain, secure, administration, health, rejected atomic.Int64 }

// countClients returns the number of open connections to the REST API.
func (c *connections) countClients() float64 {
	return float64(c.plain.Load() + c.secure.Load() + c.administration.Load())
}

// connectionLimit is a listener with a maximum of open connections, in total and of each client address.
type connectionLimit struct {
	net.Listener

	most           int64
	open, rejected *atomic.Int64
	// addresses counts the connections of each client network. Trusted proxies are exempt: the requests of
	// their clients are limited instead.
	addresses *limit.Running[netip.Prefix]
	proxies   httpio.Proxies
}

// connectionShares contains the limits of connections.
type connectionShares struct {
	// most is the limit of a listener, each of one client address.
	most, each int
	proxies    httpio.Proxies
}

// newConnectionLimit limits the connections of a listener, and counts the open and the refused ones.
func newConnectionLimit(l net.Listener, shares connectionShares, open, rejected *atomic.Int64) *connectionLimit {
	if shares.each >= shares.most {
		// The limit of the listener comes first, and is answered.
		shares.each = 0
	}
	return &connectionLimit{
		Listener: netutil.LimitListener(l, shares.most+surplusConnections), most: int64(shares.most), open: open, rejected: rejected,
		addresses: limit.NewRunning[netip.Prefix](shares.each), proxies: shares.proxies,
	}
}

// countedConn is a connection that is counted until it is closed.
type countedConn struct {
	net.Conn

	surplus bool
	closed  func()
}

// Accept waits for a connection. It closes connections of an address at its limit at once: while they wait for
// an answer they would delay others.
func (l *connectionLimit) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		peer := httpio.PeerOf(conn.RemoteAddr().String())
		network, shared := httpio.Network(peer), !l.proxies.Trust(peer)
		if shared && !l.addresses.Enter(network) {
			l.rejected.Add(1)
			_ = conn.Close()
			continue
		}
		return &countedConn{
			Conn: conn, surplus: l.open.Add(1) > l.most, closed: sync.OnceFunc(func() {
				l.open.Add(-1)
				if shared {
					l.addresses.Leave(network)
				}
			}),
		}, nil
	}
}

// Close closes the connection.
func (c *countedConn) Close() error {
	defer c.closed()
	return c.Conn.Close()
}

type surplusKey struct{}

// markSurplus records in the context of a connection that it exceeds the limit.
func (l *connectionLimit) markSurplus(ctx context.Context, conn net.Conn) context.Context {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	if counted, ok := conn.(*countedConn); ok && counted.surplus {
		return context.WithValue(ctx, surplusKey{}, true)
	}
	return ctx
}

// refuseSurplus answers the first request of a connection beyond the limit with 503 and closes the connection.
func (l *connectionLimit) refuseSurplus(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if surplus, _ := r.Context().Value(surplusKey{}).(bool); surplus {
			l.rejected.Add(1)
			w.Header().Set("Connection", "close")
			httpio.WriteError(w, time.Now(), &domain.Error{
				Kind: domain.KindUnavailable, Code: domain.CodeUnavailable, Message: "too many connections",
			})
			return
		}
		next.ServeHTTP(w, r)
	})
}
