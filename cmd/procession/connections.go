package main

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/netutil"

	"github.com/procession-dev/procession/api/httpio"
)

// surplusConnections is how many connections beyond the limit are accepted to be
// answered with 503. Others wait until there is room.
const surplusConnections = 100

// connections counts the open ones of each address, and those that were refused.
type connections struct{ plain, secure, management, admin, refused atomic.Int64 }

// ofClients counts those to the REST API.
func (c *connections) ofClients() float64 {
	return float64(c.plain.Load() + c.secure.Load() + c.management.Load())
}

// connectionLimit is a listener that accepts so many connections at once.
type connectionLimit struct {
	net.Listener

	most          int64
	open, refused *atomic.Int64
}

// limitConnections limits the connections of a listener, and counts those that are
// open and those that were refused.
func limitConnections(l net.Listener, most int, open, refused *atomic.Int64) *connectionLimit {
	return &connectionLimit{
		Listener: netutil.LimitListener(l, most+surplusConnections), most: int64(most), open: open, refused: refused,
	}
}

// countedConn is a connection that is counted while it is open.
type countedConn struct {
	net.Conn

	surplus bool
	closed  func()
}

// Accept waits for a connection.
func (l *connectionLimit) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &countedConn{
		Conn: conn, surplus: l.open.Add(1) > l.most, closed: sync.OnceFunc(func() { l.open.Add(-1) }),
	}, nil
}

// Close closes the connection.
func (c *countedConn) Close() error {
	defer c.closed()
	return c.Conn.Close()
}

type surplusKey struct{}

// mark notes in the context of a connection that it is one too many.
func (l *connectionLimit) mark(ctx context.Context, conn net.Conn) context.Context {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	if counted, ok := conn.(*countedConn); ok && counted.surplus {
		return context.WithValue(ctx, surplusKey{}, true)
	}
	return ctx
}

// refuseSurplus answers the first request of a connection that is one too many, and
// closes it.
func (l *connectionLimit) refuseSurplus(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if surplus, _ := r.Context().Value(surplusKey{}).(bool); surplus {
			l.refused.Add(1)
			w.Header().Set("Connection", "close")
			httpio.WriteUnavailable(w, time.Now(), "too many connections")
			return
		}
		next.ServeHTTP(w, r)
	})
}
