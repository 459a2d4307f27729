package admin_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/test/kit/apitest"
)

func TestIncidentsAreDealtWith(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	first, second := s.Incident("north"), s.Incident("north")
	s.Incident("south")
	page := apitest.Decode[oasadmin.IncidentPage](t, s.Get(200, s.As("administrator"), apitest.AdminAPI+"/incidents"))
	require.Equal(t, int64(2), page.Metadata.TotalElements)
	require.Equal(t, second, page.Content[0].ID)
	got := apitest.Decode[oasadmin.Incident](t, s.Get(200, s.As("owner"), apitest.AdminAPI+"/incidents/"+first.String()))
	require.Equal(t, page.Content[1], got)
	require.Equal(t, "no funds", got.Message)
	require.Equal(t, "at line 1", *got.Failure)
	require.Equal(t, "attempt", got.EngineRunID)
	require.Equal(t, oasadmin.IncidentStateOPEN, got.State)
	require.Nil(t, got.ResolvedAt)

	actions := apitest.AdminAPI + "/incidents/" + first.String() + "/~actions/"
	for range 2 {
		retried := apitest.Decode[oasadmin.Incident](t, s.Post(200, s.As("administrator"), actions+"retry", ""))
		require.Equal(t, oasadmin.IncidentStateRETRIED, retried.State)
		require.NotNil(t, retried.ResolvedAt)
	}
	require.Equal(t, 1, s.Count(`SELECT count(*) FROM engine_commands WHERE kind = 'RESTART'`))
	s.Refused(409, "INVALID_STATE", s.As("owner"), http.MethodPost, actions+"dismiss", "")
	open := apitest.Decode[oasadmin.IncidentPage](t, s.Get(200, s.As("owner"), apitest.AdminAPI+"/incidents?state=OPEN&state=DISMISSED"))
	require.Len(t, open.Content, 1)
	require.Equal(t, second, open.Content[0].ID)

	actions = apitest.AdminAPI + "/incidents/" + second.String() + "/~actions/"
	for range 2 {
		dismissed := apitest.Decode[oasadmin.Incident](t, s.Post(200, s.As("owner"), actions+"dismiss", ""))
		require.Equal(t, oasadmin.IncidentStateDISMISSED, dismissed.State)
	}
	s.Post(200, s.As("manager"), apitest.ProcessPath(*open.Content[0].ProcessID, "/~actions/cancel"), "")
	s.Refused(403, "PROCESS_FINISHED", s.As("owner"), http.MethodPost, actions+"retry", "")

	sorted := apitest.Decode[oasadmin.IncidentPage](t, s.Get(200, s.As("owner"),
		apitest.AdminAPI+"/incidents?sort=createdAt&processId="+got.ProcessID.String()+"&processId="+open.Content[0].ProcessID.String()))
	require.Equal(t, first, sorted.Content[0].ID)
	require.Empty(t, s.List(s.As("owner"), apitest.AdminAPI+"/incidents?tenant=south").Content)
	require.Len(t, s.List(s.As("owner"), apitest.AdminAPI+"/incidents?tenant=south&tenant=north").Content, 2)
}

// An incident is acknowledged, muted, assigned and commented; with its cause, the others of the tenant are too.
func TestIncidentsAreHandled(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	first, second, foreign := s.Incident("north"), s.Incident("north"), s.Incident("south")
	at := func(id uuid.UUID, rest string) string { return apitest.AdminAPI + "/incidents/" + id.String() + rest }
	get := func(id uuid.UUID) oasadmin.Incident {
		return apitest.Decode[oasadmin.Incident](t, s.Get(200, s.Operator, at(id, "")))
	}
	administrator := s.As("administrator").ID
	for range 2 {
		got := apitest.Decode[oasadmin.Incident](t, s.Post(200, s.As("administrator"), at(first, "/~actions/acknowledge"), `{}`))
		require.Equal(t, &administrator, got.AcknowledgedBy)
	}
	require.Nil(t, get(second).AcknowledgedAt)
	s.Post(200, s.As("owner"), at(first, "/~actions/acknowledge"), `{"cause":true}`)
	require.Equal(t, &administrator, get(first).AcknowledgedBy, "the first acknowledgement counts")
	require.NotNil(t, get(second).AcknowledgedAt)
	require.Nil(t, get(foreign).AcknowledgedAt)

	until := s.Now().Add(time.Hour).UTC()
	body := `{"until":"` + until.Format(time.RFC3339Nano) + `","cause":true}`
	s.Post(200, s.As("owner"), at(first, "/~actions/mute"), body)
	third := s.Incident("north")
	for _, id := range []uuid.UUID{first, second, third} {
		require.Equal(t, &until, get(id).MutedUntil, "later incidents of the cause are muted too")
	}
	require.Nil(t, get(foreign).MutedUntil)
	require.Nil(t, get(s.Incident("south")).MutedUntil)
	require.Equal(t, int64(3), s.List(s.As("owner"), apitest.AdminAPI+"/incidents?muted=true").Metadata.TotalElements)
	s.Post(200, s.As("owner"), at(second, "/~actions/unmute"), `{"cause":true}`)
	require.Nil(t, get(first).MutedUntil)
	require.Nil(t, get(s.Incident("north")).MutedUntil)
	for _, wrong := range []string{s.Now().Format(time.RFC3339), s.Now().Add(367 * 24 * time.Hour).Format(time.RFC3339)} {
		s.Refused(400, "VALIDATION", s.As("owner"), http.MethodPost, at(first, "/~actions/mute"), `{"until":"`+wrong+`"}`)
	}

	s.Post(200, s.As("owner"), at(first, "/~actions/assign"), `{"assigneeId":"`+administrator.String()+`"}`)
	require.Equal(t, &administrator, get(first).AssigneeID)
	s.Refused(400, "VALIDATION", s.As("owner"), http.MethodPost, at(first, "/~actions/assign"), `{"assigneeId":"`+s.As("viewer").ID.String()+`"}`)
	s.Refused(400, "VALIDATION", s.As("owner"), http.MethodPost, at(first, "/~actions/assign"), `{"assigneeId":"`+s.Of("south", "owner").ID.String()+`"}`)
	s.Post(200, s.Operator, at(second, "/~actions/assign"), `{"assigneeId":"`+s.Operator.ID.String()+`"}`)
	s.Post(200, s.As("owner"), at(second, "/~actions/assign"), `{}`)
	require.Nil(t, get(second).AssigneeID)

	s.Post(201, s.As("owner"), at(first, "/~actions/comment"), `{"text":" the bank is closed "}`)
	s.Refused(400, "VALIDATION", s.As("owner"), http.MethodPost, at(first, "/~actions/comment"), `{"text":" "}`)
	comments := get(first).Comments
	require.Len(t, comments, 1)
	require.Equal(t, "the bank is closed", comments[0].Text)
	require.Equal(t, s.As("owner").ID, comments[0].AuthorID)

	s.Post(200, s.As("owner"), at(first, "/~actions/dismiss"), "")
	for _, action := range []string{"acknowledge", "unmute", "assign"} {
		s.Refused(409, "INVALID_STATE", s.As("owner"), http.MethodPost, at(first, "/~actions/"+action), `{"cause":true}`)
	}
	s.Post(201, s.As("owner"), at(first, "/~actions/comment"), `{"text":"closed"}`)
}

func TestIncidentFilters(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	first, second := s.Incident("north"), s.Incident("north")
	third := s.Incident("north")
	owner := s.As("owner")
	s.Post(200, owner, apitest.AdminAPI+"/incidents/"+first.String()+"/~actions/assign", `{"assigneeId":"`+owner.ID.String()+`"}`)
	s.Post(200, owner, apitest.AdminAPI+"/incidents/"+first.String()+"/~actions/acknowledge", `{}`)
	for query, want := range map[string][]uuid.UUID{
		"assigneeId=" + owner.ID.String():        {first},
		"assigned=false":                         {third, second},
		"assigned=true":                          {first},
		"acknowledged=true":                      {first},
		"acknowledged=false":                     {third, second},
		"muted=true":                             {},
		"kind=ACTIVITY":                          {},
		"kind=ACTIVITY&kind=FAILURE":             {third, second, first},
		"worker=build-7":                         {},
		"search=NO+FUNDS":                        {third, second, first},
		"search=no+fun%25":                       {},
		"search=" + second.String():              {second},
		"after=" + third.String():                {second, first},
		"after=" + third.String() + "&size=1":    {second},
		"after=" + first.String():                {},
		"sort=createdAt&after=" + first.String(): {second, third},
		"after=" + uuid.NewString():              {},
	} {
		require.Equal(t, want, s.List(owner, apitest.AdminAPI+"/incidents?"+query).IDs(), query)
	}
	s.Refused(400, "VALIDATION", owner, http.MethodGet, apitest.AdminAPI+"/incidents?sort=id&after="+first.String(), "")
	groups := apitest.Decode[oasadmin.IncidentGroupList](t, s.Get(200, owner, apitest.AdminAPI+"/incident-groups")).Content
	require.Len(t, groups, 1)
	require.Equal(t, int64(3), groups[0].Count)
	require.Equal(t, third, groups[0].LatestID)
	require.Len(t, s.List(owner, apitest.AdminAPI+"/incidents?cause="+groups[0].Cause).Content, 3)
	groups = apitest.Decode[oasadmin.IncidentGroupList](t, s.Get(200, owner, apitest.AdminAPI+"/incident-groups?assigned=true")).Content
	require.Equal(t, int64(1), groups[0].Count)
}
