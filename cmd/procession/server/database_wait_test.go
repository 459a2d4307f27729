package server

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/nettest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

func TestServeWaitsForTheDatabase(t *testing.T) {
	t.Parallel()
	direct, err := pgconn.ParseConfig(pgtest.URL(t))
	require.NoError(t, err)
	address := nettest.FreeAddress(t)
	where := url.URL{
		Scheme: "postgres", User: url.UserPassword(direct.User, direct.Password), Host: address, Path: direct.Database, RawQuery: "sslmode=disable",
	}
	db, err := persistence.Open(t.Context(), where.String(), persistence.Limits{})
	require.NoError(t, err)
	defer db.Close()
	require.ErrorContains(t, awaitDatabase(t.Context(), db, 0, slog.New(slog.DiscardHandler)), "the database is not available")

	var out bytes.Buffer
	var started sync.Once
	log := slog.New(slog.NewTextHandler(io.MultiWriter(&out, starter(func() {
		started.Do(func() { forward(t, address, direct) })
	})), nil))
	require.NoError(t, awaitDatabase(t.Context(), db, time.Minute, log))
	require.Equal(t, 1, strings.Count(out.String(), "waiting for PostgreSQL"))
}

// starter is a writer that calls a function with each message.
type starter func()

func (s starter) Write(p []byte) (int, error) { s(); return len(p), nil }

// forward passes connections to an address on to a database, until the test ends.
func forward(t *testing.T, address string, to *pgconn.Config) {
	t.Helper()
	var listening net.ListenConfig
	l, err := listening.Listen(t.Context(), "tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	network, host := pgconn.NetworkAddress(to.Host, to.Port)
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			var dialer net.Dialer
			server, err := dialer.DialContext(t.Context(), network, host)
			if err != nil {
				_ = client.Close()
				continue
			}
			for _, pair := range [][2]net.Conn{{client, server}, {server, client}} {
				go func() {
					_, _ = io.Copy(pair[0], pair[1])
					_ = pair[0].Close()
				}()
			}
		}
	}()
}
