package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// recorder passes connections on to PostgreSQL and records the statements that are
// sent, by round trips.
type recorder struct {
	target string
	mu     sync.Mutex
	trips  [][]string
}

// newRecorder returns a recorder before the database at address, and its own address.
func newRecorder(t *testing.T, address string) (*recorder, string) {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	r := &recorder{target: filepath.Join(u.Query().Get("host"), ".s.PGSQL."+u.Query().Get("port"))}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go r.carry(client)
		}
	}()
	u.Host, u.RawQuery = listener.Addr().String(), "sslmode=disable"
	return r, u.String()
}

func (r *recorder) carry(client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial("unix", r.target)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	go func() { _, _ = io.Copy(client, server) }()
	r.record(bufio.NewReader(io.TeeReader(client, server)))
}

// record reads the messages of a client until the connection ends. The first has no
// type (PostgreSQL's documentation, "Message Formats").
func (r *recorder) record(from io.Reader) {
	var kind [1]byte
	prepared := map[string]string{}
	var trip []string
	for started := false; ; started = true {
		if started {
			if _, err := io.ReadFull(from, kind[:]); err != nil {
				return
			}
		}
		var length uint32
		if binary.Read(from, binary.BigEndian, &length) != nil {
			return
		}
		body := make([]byte, length-4)
		if _, err := io.ReadFull(from, body); err != nil {
			return
		}
		fields := bytes.SplitN(body, []byte{0}, 3)
		switch kind[0] {
		case 'P': // Parse
			prepared[string(fields[0])] = string(fields[1])
		case 'B': // Bind
			trip = append(trip, prepared[string(fields[1])])
		case 'Q': // Query
			trip = append(trip, string(fields[0]))
		}
		if (kind[0] == 'S' || kind[0] == 'Q') && len(trip) > 0 { // Sync ends a round trip, as a Query does.
			r.mu.Lock()
			r.trips = append(r.trips, trip)
			r.mu.Unlock()
			trip = nil
		}
	}
}

// during returns the round trips that do makes.
func (r *recorder) during(do func()) [][]string {
	r.mu.Lock()
	r.trips = nil
	r.mu.Unlock()
	do()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.trips
}

// The service needs no more round trips and statements for a request than the frozen scripts have.
func TestRequestsNeedNoMoreRoundTripsThanTheScripts(t *testing.T) {
	t.Parallel()
	r, through := newRecorder(t, pgtest.URL(t))
	db := pgtest.Open(t, through)
	require.NoError(t, demo.Load(t.Context(), db, nil, time.Now()))
	service := app.New(app.Options{Store: storage.New(storage.Options{DB: db, Clock: time.Now})})
	tenant := demo.TenantDemo()
	alice := domain.Caller{
		PrincipalID: demo.Alice().ID, Type: domain.PrincipalUser,
		Memberships: []domain.Membership{{TenantID: tenant, Namespace: "demo", Role: demo.Alice().Role}},
	}
	var process, item uuid.UUID
	create := func() {
		p, _, err := service.CreateProcess(t.Context(), domain.Call{Caller: alice}, app.NewProcess{
			ID: new(uuid.New()), Definition: app.DefinitionKey{TenantID: &tenant, Code: "ONBOARDING"},
		})
		require.NoError(t, err)
		process = p.ID
	}
	task := func() {
		i, _, err := service.CreateProcessItem(t.Context(), domain.Call{Caller: alice},
			app.NewItem{Type: domain.ItemTask, ProcessID: process, DefinitionCode: "CHECKLIST"})
		require.NoError(t, err)
		item = i.ID
	}
	pair := func() {
		_, err := service.ClaimProcessItemTask(t.Context(), domain.Call{Caller: alice}, item)
		require.NoError(t, err)
		_, err = service.CompleteProcessItemTask(t.Context(), domain.Call{Caller: alice}, item)
		require.NoError(t, err)
	}
	// Definitions are read for the first request only.
	create()
	task()
	pair()
	requireScript(t, "creates", func() [][]string { return r.during(create) })
	requireScript(t, "pairs", func() [][]string {
		task()
		return r.during(pair)
	})
}

// requireScript requires that a request takes the round trips of a script, and at most its statements. The service
// reads cached definitions again after some seconds: one of three requests has to meet the limits.
func requireScript(t *testing.T, name string, request func() [][]string) {
	t.Helper()
	s, err := readScript(name)
	require.NoError(t, err)
	var trips [][]string
	for attempt := 0; attempt < 3 && len(trips) != s.roundTrips; attempt++ {
		trips = request()
	}
	require.Len(t, trips, s.roundTrips, "%q", trips)
	require.LessOrEqual(t, len(slices.Concat(trips...)), s.statements, "%q", trips)
}
