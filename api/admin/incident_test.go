package admin_test

import (
	"net/http"
	"testing"

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
