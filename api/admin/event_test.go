package admin_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// eventList returns a part of the list of events that meet the filters.
func eventList(s *apitest.Administered, as demo.Account, filters url.Values) oasadmin.EventList {
	s.T.Helper()
	return apitest.Decode[oasadmin.EventList](s.T, s.Get(200, as, apitest.AdminAPI+"/events?"+filters.Encode()))
}

func TestEventsAreListed(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	definition := s.Definition("north")
	process := s.Process(s.As("initiator"), definition).ID
	s.Process(s.Of("south", "initiator"), s.Definition("south"))
	r := apitest.Request(t, s.As("manager"), http.MethodPost, apitest.ProcessPath(process, "/~actions/complete"), "")
	r.Header.Set("X-Request-Id", "the-request")
	require.Equal(t, 200, s.Send(r).Status)
	s.Settle()
	before := s.Now()
	group := s.Apply(s.As("administrator"), apitest.Document("north", "Group", "NEW", `{"name":"New"}`))[0].ID
	s.Settle()

	done := oasadmin.Event{}
	for name, c := range map[string]struct {
		filters url.Values
		want    []string
	}{
		"process": {
			url.Values{"processId": {process.String()}},
			[]string{"PROCESS.STATE_CHANGED", "PROCESS.STATE_CHANGED", "PROCESS.CREATED"},
		},
		"oldest first": {
			url.Values{"processId": {process.String(), uuid.NewString()}, "order": {"OLDEST_FIRST"}},
			[]string{"PROCESS.CREATED", "PROCESS.STATE_CHANGED", "PROCESS.STATE_CHANGED"},
		},
		"type":    {url.Values{"type": {"PROCESS.CREATED", "EVENTS.REMOVED"}}, []string{"PROCESS.CREATED"}},
		"request": {url.Values{"requestId": {"the-request"}}, []string{"PROCESS.STATE_CHANGED"}},
		"actor":   {url.Values{"actorId": {s.As("manager").ID.String()}}, []string{"PROCESS.STATE_CHANGED"}},
		"resource": {
			url.Values{"resourceId": {group.String()}, "resourceKind": {"GROUP"}}, []string{"RESOURCE.CREATED"},
		},
		"other kind":    {url.Values{"resourceId": {group.String()}, "resourceKind": {"USER"}}, nil},
		"from":          {url.Values{"from": {before.Format(time.RFC3339Nano)}}, []string{"RESOURCE.CREATED"}},
		"until":         {url.Values{"to": {before.Format(time.RFC3339Nano)}, "resourceId": {group.String()}}, nil},
		"another code":  {url.Values{"tenant": {"south"}}, nil},
		"another id":    {url.Values{"tenantId": {uuid.NewString()}}, nil},
		"unknown cases": {url.Values{"requestId": {"THE-REQUEST"}}, nil},
	} {
		found := eventList(s, s.As("owner"), c.filters)
		var types []string
		for _, e := range found.Content {
			types = append(types, e.Type)
		}
		require.Equal(t, c.want, types, name)
		if name == "request" {
			done = found.Content[0]
		}
	}
	require.Contains(t, done.Details, "tokenIssuedBy", "the manager has a token that another user issued")
	require.Equal(t, oasadmin.Event{
		Details: done.Details, ID: done.ID, Cursor: done.Cursor, TenantID: done.TenantID, Type: "PROCESS.STATE_CHANGED", ResourceKind: "PROCESS",
		ResourceID: process, ProcessID: &process, PreviousState: new("RUNNING"), State: new("COMPLETED"),
		ActorID: s.As("manager").ID, RequestID: new("the-request"), OccurredAt: done.OccurredAt,
	}, done)
	// The events of all tenants are visible to an operator.
	both := eventList(s, s.Operator, url.Values{"type": {"PROCESS.CREATED"}, "tenant": {"north", "south"}})
	require.Len(t, both.Content, 2)
	only := eventList(s, s.Operator, url.Values{"type": {"PROCESS.CREATED"}, "tenantId": {done.TenantID.String()}})
	require.Len(t, only.Content, 1)
}

// Parts of any size are the whole list, in both directions, and towards the
// newest it goes on.
func TestListsOfEventsContinue(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	s.Settle()
	whole := eventList(s, s.As("owner"), url.Values{"order": {"OLDEST_FIRST"}, "limit": {"1000"}})
	require.Greater(t, len(whole.Content), 10)
	read := func(order string, size int, after *string) (ids []uuid.UUID, next *string) {
		t.Helper()
		for {
			filters := url.Values{"order": {order}, "limit": {fmt.Sprint(size)}}
			if after != nil {
				filters.Set("after", *after)
			}
			part := eventList(s, s.As("owner"), filters)
			for _, e := range part.Content {
				ids = append(ids, e.ID)
			}
			if after = part.Next; after == nil || len(part.Content) == 0 {
				return ids, after
			}
		}
	}
	var want []uuid.UUID
	for _, e := range whole.Content {
		want = append(want, e.ID)
	}
	var end *string
	for _, size := range []int{1, 3, len(want), len(want) + 1} {
		var ids []uuid.UUID
		ids, end = read("OLDEST_FIRST", size, nil)
		require.Equal(t, want, ids)
		require.NotNil(t, end)
		ids, last := read("NEWEST_FIRST", size, nil)
		require.Nil(t, last)
		slices.Reverse(ids)
		require.Equal(t, want, ids)
	}
	group := s.Apply(s.As("owner"), apitest.Document("north", "Group", "NEW", `{"name":"New"}`))[0].ID
	s.Settle()
	ids, next := read("OLDEST_FIRST", 10, end)
	require.Len(t, ids, 1)
	require.NotEqual(t, end, next)
	latest := eventList(s, s.As("owner"), url.Values{"limit": {"1"}})
	require.Equal(t, ids[0], latest.Content[0].ID)
	require.Equal(t, group, latest.Content[0].ResourceID)
}
