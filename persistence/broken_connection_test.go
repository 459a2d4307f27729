package persistence_test

import (
	"io"
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// wire proxies connections to a database and breaks them.
type wire struct {
	listener net.Listener
	target   string
	mu       sync.Mutex
	// left is how many more bytes pass from clients and from the server, negative for no limit.
	left        [2]int
	connections []net.Conn
}

// newWire returns a wire to the database at address, and the address of its end.
func newWire(t *testing.T, address string) (*wire, string) {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	query := u.Query()
	w := &wire{target: filepath.Join(query.Get("host"), ".s.PGSQL."+query.Get("port")), left: [2]int{-1, -1}}
	w.listener, err = (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = w.listener.Close() })
	u.Host, u.RawQuery = w.listener.Addr().String(), "sslmode=disable"
	go w.serve()
	return w, u.String()
}

func (w *wire) serve() {
	for {
		client, err := w.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("unix", w.target)
		if err != nil {
			_ = client.Close()
			continue
		}
		w.mu.Lock()
		w.connections = append(w.connections, client, server)
		w.mu.Unlock()
		go w.carry(0, server, client)
		go w.carry(1, client, server)
	}
}

func (w *wire) carry(direction int, to io.Writer, from io.Reader) {
	buffer := make([]byte, 4096)
	for {
		n, err := from.Read(buffer)
		w.mu.Lock()
		broken := w.left[direction] >= 0 && n > w.left[direction]
		if broken {
			n = w.left[direction]
		}
		if w.left[direction] >= 0 {
			w.left[direction] -= n
		}
		w.mu.Unlock()
		_, sent := to.Write(buffer[:n])
		if broken || err != nil || sent != nil {
			w.breakAll()
			return
		}
	}
}

// breakAll ends all connections like a server that is killed.
func (w *wire) breakAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.connections {
		_ = c.Close()
	}
	w.connections = nil
}

// after breaks connections once the given number of further bytes has passed.
func (w *wire) after(direction, bytes int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.left = [2]int{-1, -1}
	w.left[direction] = bytes
}

// Wherever the connection to the database breaks, the error is UNAVAILABLE.
func TestABrokenConnectionIsUnavailable(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	for direction, name := range []string{"client", "server"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, through := newWire(t, address)
			db := pgtest.OpenWithin(t, through, persistence.Limits{Requests: 1})
			write := func() error {
				return db.Write(t.Context(), func(tx *persistence.Tx) error {
					if _, err := tx.LockTenants(t.Context()); err != nil {
						return err
					}
					tx.DeleteResource(uuid.New(), resource.KindGroup, "none", uuid.New(), time.Now())
					return nil
				})
			}
			require.NoError(t, write())
			failed := 0
			for bytes := 0; bytes < 1500; bytes += 30 {
				w.after(direction, bytes)
				if err := write(); err != nil {
					failed++
					require.True(t, domain.HasCode(err, domain.CodeUnavailable), "after %d bytes: %v", bytes, err)
				}
			}
			require.Greater(t, failed, 10)
			// A connection of the pool broke while it was idle.
			w.after(direction, 1<<20)
			require.Eventually(t, func() bool { return write() == nil }, 10e9, 1e6)
			w.breakAll()
			if err := write(); err != nil {
				require.True(t, domain.HasCode(err, domain.CodeUnavailable), "%v", err)
			}
		})
	}
}
