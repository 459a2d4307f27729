package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
)

func TestIncidentsAreDealtWith(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	first, second := s.incident("north"), s.incident("north")
	s.incident("south")
	page := decode[oasadmin.IncidentPage](t, s.get(200, s.as("administrator"), adminAPI+"/incidents"))
	require.Equal(t, int64(2), page.Metadata.TotalElements)
	require.Equal(t, second, page.Content[0].ID)
	got := decode[oasadmin.Incident](t, s.get(200, s.as("owner"), adminAPI+"/incidents/"+first.String()))
	require.Equal(t, page.Content[1], got)
	require.Equal(t, "no funds", got.Message)
	require.Equal(t, "at line 1", *got.Failure)
	require.Equal(t, "attempt", got.EngineRunID)
	require.Equal(t, oasadmin.IncidentStateOPEN, got.State)
	require.Nil(t, got.ResolvedAt)

	actions := adminAPI + "/incidents/" + first.String() + "/~actions/"
	for range 2 {
		retried := decode[oasadmin.Incident](t, s.post(200, s.as("administrator"), actions+"retry", ""))
		require.Equal(t, oasadmin.IncidentStateRETRIED, retried.State)
		require.NotNil(t, retried.ResolvedAt)
	}
	require.Equal(t, 1, s.count(`SELECT count(*) FROM engine_commands WHERE kind = 'RESTART'`))
	s.refused(409, "INVALID_STATE", s.as("owner"), http.MethodPost, actions+"dismiss", "")
	open := decode[oasadmin.IncidentPage](t, s.get(200, s.as("owner"), adminAPI+"/incidents?state=OPEN&state=DISMISSED"))
	require.Len(t, open.Content, 1)
	require.Equal(t, second, open.Content[0].ID)

	actions = adminAPI + "/incidents/" + second.String() + "/~actions/"
	for range 2 {
		dismissed := decode[oasadmin.Incident](t, s.post(200, s.as("owner"), actions+"dismiss", ""))
		require.Equal(t, oasadmin.IncidentStateDISMISSED, dismissed.State)
	}
	s.post(200, s.as("manager"), processPath(*open.Content[0].ProcessID, "/~actions/cancel"), "")
	s.refused(403, "PROCESS_FINISHED", s.as("owner"), http.MethodPost, actions+"retry", "")

	sorted := decode[oasadmin.IncidentPage](t, s.get(200, s.as("owner"),
		adminAPI+"/incidents?sort=createdAt&processId="+got.ProcessID.String()+"&processId="+open.Content[0].ProcessID.String()))
	require.Equal(t, first, sorted.Content[0].ID)
	require.Empty(t, s.list(s.as("owner"), adminAPI+"/incidents?tenant=south").Content)
	require.Len(t, s.list(s.as("owner"), adminAPI+"/incidents?tenant=south&tenant=north").Content, 2)
}
