package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/feed"
	"github.com/procession-dev/procession/persistence/events"
)

// patience is how long a test waits for what has to happen.
const patience = 30 * time.Second

// served serves the API on a port, as one replica.
func (s *service) replica() *httptest.Server {
	s.t.Helper()
	server := httptest.NewServer(s.handler)
	s.t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server
}

// message is an event of a stream. One without data only carries the cursor.
type message struct {
	id, event, data string
}

// follower reads a stream.
type follower struct {
	t        *testing.T
	header   http.Header
	messages chan message
	cancel   context.CancelFunc
}

// follow opens a stream, from behind the id unless it is empty.
func follow(t *testing.T, server *httptest.Server, as demo.Account, lastID, query string) *follower {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+shapeB+"/events"+query, http.NoBody)
	require.NoError(t, err)
	r.Header.Set("Authorization", authorization(as))
	r.Header.Set("Accept-Encoding", "gzip")
	if lastID != "" {
		r.Header.Set("Last-Event-ID", lastID)
	}
	resp, err := (&http.Transport{}).RoundTrip(r) //nolint:bodyclose // the reader closes it
	require.NoError(t, err)
	if resp.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(resp.Body)
		require.FailNow(t, "no stream", "%d: %s", resp.StatusCode, body)
	}
	f := &follower{t: t, header: resp.Header, messages: make(chan message, 10_000), cancel: cancel}
	go func() {
		defer close(f.messages)
		defer func() { _ = resp.Body.Close() }()
		f.read(resp.Body)
	}()
	t.Cleanup(cancel)
	return f
}

// read reads messages until the stream ends. One that is cut off does not count.
func (f *follower) read(body io.Reader) {
	lines := bufio.NewScanner(body)
	var m message
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "":
			if m != (message{}) {
				f.messages <- m
			}
			m = message{}
		case "id":
			m.id = value
		case "event":
			m.event = value
		case "data":
			m.data = value
		}
	}
}

// next is the next message, and whether there is one.
func (f *follower) next() (message, bool) {
	f.t.Helper()
	select {
	case m, ok := <-f.messages:
		return m, ok
	case <-time.After(patience):
		require.FailNow(f.t, "nothing happens")
		return message{}, false
	}
}

// event is the next message with data.
func (f *follower) event() message {
	f.t.Helper()
	for {
		m, ok := f.next()
		require.True(f.t, ok, "the stream has ended")
		if m.data != "" {
			return m
		}
	}
}

// requireEnd requires that the stream ends without another event.
func (f *follower) requireEnd() {
	f.t.Helper()
	for {
		m, ok := f.next()
		if !ok {
			return
		}
		require.Empty(f.t, m.data)
	}
}

func quickly(o *api.Options) { o.Heartbeat = 20 * time.Millisecond }

// eventID is the id in the body of an event.
func (m message) eventID(t *testing.T) uuid.UUID {
	t.Helper()
	var body struct{ ID uuid.UUID }
	require.NoError(t, json.Unmarshal([]byte(m.data), &body))
	return body.ID
}

func TestEventsAreFollowed(t *testing.T) {
	t.Parallel()
	s := newService(t)
	server := s.replica()
	f := follow(t, server, demo.Alice(), "", "")
	for name, want := range map[string]string{
		"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no",
		"Content-Encoding": "", "X-Content-Type-Options": "nosniff",
	} {
		require.Equal(t, want, f.header.Get(name), name)
	}
	// Where the stream begins is known before anything happens.
	first, ok := f.next()
	require.True(t, ok)
	require.NotEmpty(t, first.id)
	require.Empty(t, first.data)

	process := s.loan().ID
	task := s.item(process, "APPROVE_LOAN", "").ID
	s.post(200, demo.Bob(), itemPath(task, "/task/~actions/claim"), "")
	s.call(200, demo.Alice(), http.MethodPut, processPath(process, "/metadata"), `{"metadata":{"value":{}}}`)
	s.post(200, demo.Alice(), processPath(process, "/~actions/complete"), "")
	data := `{"processId":"` + process.String() + `","processState":"`
	item := `{"processId":"` + process.String() + `","processItemId":"` + task.String() +
		`","processItemType":"TASK","processItemDefinitionCode":"APPROVE_LOAN","processItemState":"`
	var last message
	for _, want := range [][2]string{
		{"PROCESS.CREATED", data + `RUNNING"}`},
		{"PROCESS.STATE_CHANGED", data + `RUNNING"}`},
		{"PROCESS_ITEM.CREATED", item + `READY"}`},
		{"PROCESS_ITEM.TASK_STATE_CHANGED", item + `READY"}`},
		{"PROCESS_ITEM.TASK_STATE_CHANGED", item + `CLAIMED"}`},
		{"PROCESS.STATE_CHANGED", data + `COMPLETED"}`},
	} {
		last = f.event()
		require.Equal(t, want[0], last.event)
		var body struct {
			ID            uuid.UUID
			Version, Type string
			Timestamp     time.Time
			Data          json.RawMessage
		}
		require.NoError(t, json.Unmarshal([]byte(last.data), &body))
		require.Equal(t, want[0], body.Type)
		require.Equal(t, "v2024-06-14", body.Version)
		require.JSONEq(t, want[1], string(body.Data))
		require.Equal(t, 1, s.count(`SELECT count(*) FROM events WHERE id = $1 AND occurred_at = $2`, body.ID, body.Timestamp))
	}
	// A cursor before the events replays them all, the last one replays none,
	// and a process filter applies to the replay.
	again := follow(t, server, demo.Alice(), first.id, "?follow=false&after="+last.id)
	for range 6 {
		again.event()
	}
	again.requireEnd()
	follow(t, server, demo.Alice(), "", "?follow=false&after="+last.id).requireEnd()
	follow(t, server, demo.Alice(), "", "?follow=false&after=0.0.0&processId="+uuid.NewString()).requireEnd()
	one := follow(t, server, demo.Alice(), "", "?follow=false&after=0.0.0&processId="+process.String())
	for range 6 {
		require.Contains(t, one.event().data, process.String())
	}
	one.requireEnd()

	head := s.call(200, demo.Alice(), http.MethodHead, "/events", "")
	require.Equal(t, "text/event-stream", head.header.Get("Content-Type"))
	r := request(t, demo.Alice(), http.MethodGet, "/events", "")
	r.Header.Set("Last-Event-ID", "no-such-thing")
	require.Equal(t, "Last-Event-ID", s.refusedBy(r).Errors[0].Location)
}

// Each caller receives exactly the events that are visible to it.
func TestStreamSendsVisibleEventsOnly(t *testing.T) {
	t.Parallel()
	s := newService(t)
	loan := s.loan().ID
	s.item(loan, "LOAN_APPLICATION", ownedBy(demo.LoanWorker()))
	s.item(loan, "APPROVE_LOAN", "")
	s.process(demo.OtherWorker(), demo.OtherLoan())
	s.process(demo.Alice(), demo.Onboarding())
	s.post(201, demo.LoanWorker(), "/process-items",
		`{"type":"MESSAGE","processId":"`+loan.String()+`","message":{"text":"secret"}}`)
	server := s.replica()
	public := s.count(`SELECT count(*) FROM events WHERE type = ANY($1)`, domain.PublicEventTypes())
	require.Eventually(t, func() bool {
		found, err := events.ListAfter(t.Context(), s.db.Reader(), domain.EventCursor{}, 1000, domain.PublicEventTypes()...)
		return err == nil && len(found.Events) == public
	}, patience, time.Millisecond)
	all, err := events.ListAfter(t.Context(), s.db.Reader(), domain.EventCursor{}, 1000, domain.PublicEventTypes()...)
	require.NoError(t, err)
	seen := map[string]int{}
	for _, as := range []demo.Account{
		demo.Alice(), demo.Bob(), demo.Carol(), demo.Reader(), demo.Stranger(), demo.LoanWorker(), demo.OtherWorker(),
	} {
		var want []uuid.UUID
		for _, e := range all.Events {
			path := processPath(e.ProcessID, "")
			if e.ItemID != nil {
				path = itemPath(*e.ItemID, "")
			}
			if s.send(request(t, as, http.MethodGet, path, "")).status == 200 {
				want = append(want, e.ID)
			}
		}
		stream := follow(t, server, as, "0.0.0", "?follow=false")
		for _, id := range want {
			require.Equal(t, id, stream.event().eventID(t), as.Name)
		}
		stream.requireEnd()
		seen[as.Name] = len(want)
	}
	require.Zero(t, seen[demo.Stranger().Name])
	require.Equal(t, 2, seen[demo.OtherWorker().Name])
	require.Less(t, seen[demo.Bob().Name], seen[demo.LoanWorker().Name])
	require.Less(t, seen[demo.Carol().Name], seen[demo.LoanWorker().Name])
	require.Less(t, seen[demo.LoanWorker().Name], public)
}

// A stream ends soon after what its caller may do does.
func TestAStreamEndsWithTheCredentials(t *testing.T) {
	t.Parallel()
	s := newService(t, quickly)
	server := s.replica()
	revoked, other := follow(t, server, demo.Carol(), "", ""), follow(t, server, demo.Alice(), "", "")
	conn := s.connect()
	_, err := conn.Exec(t.Context(), `DELETE FROM credentials WHERE principal_id = $1`, demo.Carol().ID)
	require.NoError(t, err)
	// A stream ends when its credentials expire, however recently they were
	// checked.
	_, err = conn.Exec(t.Context(), `UPDATE credentials SET expires_at = $2 WHERE principal_id = $1`, demo.Bob().ID, s.now().Add(5*time.Second))
	require.NoError(t, err)
	expiring := follow(t, server, demo.Bob(), "", "")
	m, ok := expiring.next()
	require.True(t, ok)
	require.NotEmpty(t, m.id)
	s.ticks.Add((6 * time.Second).Milliseconds())
	expiring.requireEnd()
	s.ticks.Add((11 * time.Second).Milliseconds())
	revoked.requireEnd()

	// The end of a membership removes the events of the tenant from the stream
	// and does not end it.
	_, err = conn.Exec(t.Context(), `DELETE FROM tenant_users WHERE principal_id = $1`, demo.Alice().ID)
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
	s.ticks.Add((11 * time.Second).Milliseconds())
	for range 3 {
		_, ok = other.next()
		require.True(t, ok)
	}
	s.process(demo.LoanWorker(), demo.Loan())
	for range 20 {
		m, ok := other.next()
		require.True(t, ok)
		require.Empty(t, m.data)
	}
}

func TestStreamsAreBounded(t *testing.T) {
	t.Parallel()
	s := newService(t, quickly)
	server := s.replica()
	for range feed.DefaultPerPrincipal {
		follow(t, server, demo.Alice(), "", "")
	}
	s.refused(429, "RATE_LIMITED", demo.Alice(), http.MethodGet, "/events?follow=false", "")
	follow(t, server, demo.Bob(), "", "?follow=false").requireEnd()
}

// A stream ends when its client does not read.
func TestStreamEndsForStalledClient(t *testing.T) {
	t.Parallel()
	var hub *feed.Hub
	s := newService(t, quickly, func(o *api.Options) {
		o.Stall = 200 * time.Millisecond
		hub = o.Feed
	})
	process := s.loan()
	conn := s.connect()
	_, err := conn.Exec(t.Context(), `INSERT INTO events (id, tenant_id, process_id, type, process_state, resource_kind,
		resource_id, actor_id, occurred_at) SELECT gen_random_uuid(), $1, $2, 'PROCESS.STATE_CHANGED', 'RUNNING', 'PROCESS', $2, $2, now()
		FROM generate_series(1, 100000)`, process.TenantID, process.ID)
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
	server := s.replica()
	address, err := url.Parse(server.URL)
	require.NoError(t, err)
	slow, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address.Host)
	require.NoError(t, err)
	defer func() { _ = slow.Close() }()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+shapeB+"/events?after=0.0.0", http.NoBody)
	require.NoError(t, err)
	r.Header.Set("Authorization", authorization(demo.Alice()))
	require.NoError(t, r.Write(slow))
	require.Eventually(t, func() bool { return hub.Count() == 1 }, patience, time.Millisecond)
	require.Eventually(t, func() bool { return hub.Count() == 0 }, patience, time.Millisecond)
}

func TestStreamsEndWhenTheServiceStops(t *testing.T) {
	t.Parallel()
	var hub *feed.Hub
	s := newService(t, func(o *api.Options) { hub = o.Feed })
	server := s.replica()
	f := follow(t, server, demo.Alice(), "", "")
	_, ok := f.next()
	require.True(t, ok)
	hub.Drain()
	f.requireEnd()
	refused := s.call(503, demo.Alice(), http.MethodGet, "/events", "")
	require.NotEmpty(t, refused.header.Get("Retry-After"))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.NoError(t, server.Config.Shutdown(ctx))
}
