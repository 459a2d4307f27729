package shapeb_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/events/feed"
	"github.com/procession-dev/procession/persistence/events"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// event returns the next message with data.
func event(f *apitest.Follower) apitest.Message {
	f.T.Helper()
	for {
		m, ok := f.Next()
		require.True(f.T, ok, "the stream has ended")
		if m.Data != "" {
			return m
		}
	}
}

// requireEnd requires that the stream ends without another event.
func requireEnd(f *apitest.Follower) {
	f.T.Helper()
	for {
		m, ok := f.Next()
		if !ok {
			return
		}
		require.Empty(f.T, m.Data)
	}
}

func fastHeartbeat(o *api.Options) { o.Heartbeat = 20 * time.Millisecond }

// eventID returns the id in the body of an event.
func eventID(t *testing.T, m apitest.Message) uuid.UUID {
	t.Helper()
	var body struct{ ID uuid.UUID }
	require.NoError(t, json.Unmarshal([]byte(m.Data), &body))
	return body.ID
}

func TestEventsAreFollowed(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	s := apitest.NewService(t)
	server := s.Replica()
	f := apitest.Follow(t, server, demo.Alice(), "", "")
	for name, want := range map[string]string{
		"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no",
		"Content-Encoding": "", "X-Content-Type-Options": "nosniff",
	} {
		require.Equal(t, want, f.Header.Get(name), name)
	}
	// Where the stream begins is known before anything happens.
	first, ok := f.Next()
	require.True(t, ok)
	require.NotEmpty(t, first.ID)
	require.Empty(t, first.Data)

	process := s.Loan().ID
	task := s.Item(process, "APPROVE_LOAN", "").ID
	s.Post(200, demo.Bob(), apitest.ItemPath(task, "/task/~actions/claim"), "")
	s.Call(200, demo.Alice(), http.MethodPut, apitest.ProcessPath(process, "/metadata"), `{"metadata":{"value":{}}}`)
	s.Post(200, demo.Alice(), apitest.ProcessPath(process, "/~actions/complete"), "")
	data := `{"processId":"` + process.String() + `","processState":"`
	item := `{"processId":"` + process.String() + `","processItemId":"` + task.String() +
		`","processItemType":"TASK","processItemDefinitionCode":"APPROVE_LOAN","processItemState":"`
	var last apitest.Message
	for _, want := range [][2]string{
		{"PROCESS.CREATED", data + `RUNNING"}`},
		{"PROCESS.STATE_CHANGED", data + `RUNNING"}`},
		{"PROCESS_ITEM.CREATED", item + `READY"}`},
		{"PROCESS_ITEM.TASK_STATE_CHANGED", item + `READY"}`},
		{"PROCESS_ITEM.TASK_STATE_CHANGED", item + `CLAIMED"}`},
		{"PROCESS.STATE_CHANGED", data + `COMPLETED"}`},
	} {
		last = event(f)
		require.Equal(t, want[0], last.Event)
		var body struct {
			ID            uuid.UUID
			Version, Type string
			Timestamp     time.Time
			Data          json.RawMessage
		}
		require.NoError(t, json.Unmarshal([]byte(last.Data), &body))
		require.Equal(t, want[0], body.Type)
		require.Equal(t, "v2024-06-14", body.Version)
		require.JSONEq(t, want[1], string(body.Data))
		require.Equal(t, 1, s.Count(`SELECT count(*) FROM events WHERE id = $1 AND occurred_at = $2`, body.ID, body.Timestamp))
	}
	// A cursor before the events replays them all, the last one replays none,
	// and a process filter applies to the replay.
	again := apitest.Follow(t, server, demo.Alice(), first.ID, "?follow=false&after="+last.ID)
	for range 6 {
		event(again)
	}
	requireEnd(again)
	requireEnd(apitest.Follow(t, server, demo.Alice(), "", "?follow=false&after="+last.ID))
	requireEnd(apitest.Follow(t, server, demo.Alice(), "", "?follow=false&after=0.0.0&processId="+uuid.NewString()))
	one := apitest.Follow(t, server, demo.Alice(), "", "?follow=false&after=0.0.0&processId="+process.String())
	for range 6 {
		require.Contains(t, event(one).Data, process.String())
	}
	requireEnd(one)

	head := s.Call(200, demo.Alice(), http.MethodHead, "/events", "")
	require.Equal(t, "text/event-stream", head.Header.Get("Content-Type"))
	r := apitest.Request(t, demo.Alice(), http.MethodGet, "/events", "")
	r.Header.Set("Last-Event-ID", "no-such-thing")
	require.Equal(t, "Last-Event-ID", s.RefusedBy(r).Errors[0].Location)
}

// Each caller receives exactly the events that are visible to it.
func TestStreamSendsVisibleEventsOnly(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	loan := s.Loan().ID
	s.Item(loan, "LOAN_APPLICATION", apitest.OwnedBy(demo.LoanWorker()))
	s.Item(loan, "APPROVE_LOAN", "")
	s.Process(demo.OtherWorker(), demo.OtherLoan())
	s.Process(demo.Alice(), demo.Onboarding())
	s.Post(201, demo.LoanWorker(), "/process-items",
		`{"type":"MESSAGE","processId":"`+loan.String()+`","message":{"text":"secret"}}`)
	server := s.Replica()
	public := s.Count(`SELECT count(*) FROM events WHERE type = ANY($1)`, domain.PublicEventTypes())
	require.Eventually(t, func() bool {
		found, err := events.ListAfter(t.Context(), s.DB.Reader(), domain.EventCursor{}, 1000, domain.PublicEventTypes()...)
		return err == nil && len(found.Events) == public
	}, apitest.Patience, time.Millisecond)
	all, err := events.ListAfter(t.Context(), s.DB.Reader(), domain.EventCursor{}, 1000, domain.PublicEventTypes()...)
	require.NoError(t, err)
	seen := map[string]int{}
	for _, as := range []demo.Account{
		demo.Alice(), demo.Bob(), demo.Carol(), demo.Reader(), demo.Stranger(), demo.LoanWorker(), demo.OtherWorker(),
	} {
		var want []uuid.UUID
		for _, e := range all.Events {
			path := apitest.ProcessPath(e.ProcessID, "")
			if e.ItemID != nil {
				path = apitest.ItemPath(*e.ItemID, "")
			}
			if s.Send(apitest.Request(t, as, http.MethodGet, path, "")).Status == 200 {
				want = append(want, e.ID)
			}
		}
		stream := apitest.Follow(t, server, as, "0.0.0", "?follow=false")
		for _, id := range want {
			require.Equal(t, id, eventID(t, event(stream)), as.Name)
		}
		requireEnd(stream)
		seen[as.Name] = len(want)
	}
	require.Zero(t, seen[demo.Stranger().Name])
	require.Equal(t, 2, seen[demo.OtherWorker().Name])
	require.Less(t, seen[demo.Bob().Name], seen[demo.LoanWorker().Name])
	require.Less(t, seen[demo.Carol().Name], seen[demo.LoanWorker().Name])
	require.Less(t, seen[demo.LoanWorker().Name], public)
}

// A stream ends soon after the rights of its caller.
func TestAStreamEndsWithTheCredentials(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t, fastHeartbeat)
	server := s.Replica()
	revoked, other := apitest.Follow(t, server, demo.Carol(), "", ""), apitest.Follow(t, server, demo.Alice(), "", "")
	conn := s.Connect()
	_, err := conn.Exec(t.Context(), `DELETE FROM credentials WHERE principal_id = $1`, demo.Carol().ID)
	require.NoError(t, err)
	// A stream ends when its credentials expire, however recently they were
	// checked.
	_, err = conn.Exec(t.Context(), `UPDATE credentials SET expires_at = $2 WHERE principal_id = $1`, demo.Bob().ID, s.Now().Add(5*time.Second))
	require.NoError(t, err)
	expiring := apitest.Follow(t, server, demo.Bob(), "", "")
	m, ok := expiring.Next()
	require.True(t, ok)
	require.NotEmpty(t, m.ID)
	s.Ticks.Add((6 * time.Second).Milliseconds())
	requireEnd(expiring)
	s.Ticks.Add((11 * time.Second).Milliseconds())
	requireEnd(revoked)

	// The end of a membership removes the events of the tenant from the stream
	// and does not end it.
	_, err = conn.Exec(t.Context(), `DELETE FROM tenant_users WHERE principal_id = $1`, demo.Alice().ID)
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
	s.Ticks.Add((11 * time.Second).Milliseconds())
	for range 3 {
		_, ok = other.Next()
		require.True(t, ok)
	}
	s.Process(demo.LoanWorker(), demo.Loan())
	for range 20 {
		m, ok := other.Next()
		require.True(t, ok)
		require.Empty(t, m.Data)
	}
}

func TestStreamsAreBounded(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t, fastHeartbeat)
	server := s.Replica()
	for range feed.DefaultPerPrincipal {
		apitest.Follow(t, server, demo.Alice(), "", "")
	}
	s.Refused(429, "RATE_LIMITED", demo.Alice(), http.MethodGet, "/events?follow=false", "")
	requireEnd(apitest.Follow(t, server, demo.Bob(), "", "?follow=false"))
}

// A stream ends when its client does not read.
func TestStreamEndsForStalledClient(t *testing.T) {
	t.Parallel()
	var hub *feed.Hub
	s := apitest.NewService(t, fastHeartbeat, func(o *api.Options) {
		o.Stall = 200 * time.Millisecond
		hub = o.Feed
	})
	process := s.Loan()
	conn := s.Connect()
	_, err := conn.Exec(t.Context(), `INSERT INTO events (id, tenant_id, process_id, type, process_state, resource_kind,
		resource_id, actor_id, occurred_at) SELECT gen_random_uuid(), $1, $2, 'PROCESS.STATE_CHANGED', 'RUNNING', 'PROCESS', $2, $2, now()
		FROM generate_series(1, 100000)`, process.TenantID, process.ID)
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
	server := s.Replica()
	address, err := url.Parse(server.URL)
	require.NoError(t, err)
	slow, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address.Host)
	require.NoError(t, err)
	defer func() { _ = slow.Close() }()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+apitest.ShapeB+"/events?after=0.0.0", http.NoBody)
	require.NoError(t, err)
	r.Header.Set("Authorization", apitest.Authorization(demo.Alice()))
	require.NoError(t, r.Write(slow))
	require.Eventually(t, func() bool { return hub.Count() == 1 }, apitest.Patience, time.Millisecond)
	require.Eventually(t, func() bool { return hub.Count() == 0 }, apitest.Patience, time.Millisecond)
}

func TestStreamsEndWhenTheServiceStops(t *testing.T) {
	t.Parallel()
	var hub *feed.Hub
	s := apitest.NewService(t, func(o *api.Options) { hub = o.Feed })
	server := s.Replica()
	f := apitest.Follow(t, server, demo.Alice(), "", "")
	_, ok := f.Next()
	require.True(t, ok)
	hub.Drain()
	requireEnd(f)
	response := s.Call(503, demo.Alice(), http.MethodGet, "/events", "")
	require.NotEmpty(t, response.Header.Get("Retry-After"))
	ctx, cancel := context.WithTimeout(t.Context(), apitest.Patience)
	defer cancel()
	require.NoError(t, server.Config.Shutdown(ctx))
}
