package server

import (
	"context"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/test/kit/nettest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// detour is an address that leads to a database of its own while it is open.
type detour struct {
	url, address string
	to           *pgconn.Config

	mu          sync.Mutex
	listener    net.Listener
	connections []net.Conn
}

// newDetour returns a closed detour.
func newDetour(t *testing.T) *detour {
	t.Helper()
	to, err := pgconn.ParseConfig(pgtest.URL(t))
	require.NoError(t, err)
	d := &detour{address: nettest.FreeAddress(t), to: to}
	d.url = (&url.URL{
		Scheme: "postgres", User: url.UserPassword(to.User, to.Password), Host: d.address, Path: to.Database, RawQuery: "sslmode=disable",
	}).String()
	t.Cleanup(d.close)
	return d
}

func (d *detour) open(t *testing.T) {
	t.Helper()
	var listening net.ListenConfig
	l, err := listening.Listen(t.Context(), "tcp", d.address)
	require.NoError(t, err)
	d.listener = l
	network, host := pgconn.NetworkAddress(d.to.Host, d.to.Port)
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := new(net.Dialer).DialContext(context.Background(), network, host)
			if err != nil {
				_ = client.Close()
				continue
			}
			d.mu.Lock()
			d.connections = append(d.connections, client, server)
			d.mu.Unlock()
			for _, pair := range [][2]net.Conn{{client, server}, {server, client}} {
				go func() {
					_, _ = io.Copy(pair[0], pair[1])
					_ = pair[0].Close()
				}()
			}
		}
	}()
}

// close closes the address and all connections through it.
func (d *detour) close() {
	if d.listener != nil {
		_ = d.listener.Close()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.connections {
		_ = c.Close()
	}
	d.connections = nil
}
