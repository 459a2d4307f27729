package admin_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/test/kit/apitest"
)

func TestHealthIsThatOfTheCallersTenants(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	s.Incident("north")
	s.Incident("south")
	health := apitest.AdminAPI + "/health"
	mine := apitest.Decode[oasadmin.Health](t, s.Get(200, s.As("administrator"), health))
	require.Equal(t, int64(1), mine.OpenIncidents)
	require.Equal(t, "v1.2.3", mine.Version)
	require.Nil(t, mine.DatabaseVersion)
	require.Positive(t, mine.Commands, "the starts of the workflows wait")
	require.NotNil(t, mine.CommandsDueSince)
	none := apitest.Decode[oasadmin.Health](t, s.Get(200, s.As("administrator"), health+"?tenant=south"))
	require.Equal(t, oasadmin.Health{Version: "v1.2.3"}, none)
	require.Equal(t, none, apitest.Decode[oasadmin.Health](t, s.Get(200, s.As("viewer"), health)))

	operator := s.Operator
	all := apitest.Decode[oasadmin.Health](t, s.Get(200, operator, health))
	require.Equal(t, int64(2), all.OpenIncidents)
	require.Greater(t, all.Commands, mine.Commands)
	require.NotEmpty(t, all.DatabaseVersion)
	require.Equal(t, int64(1), apitest.Decode[oasadmin.Health](t, s.Get(200, operator, health+"?tenant=south")).OpenIncidents)

	s.Refused(403, "ACCESS_DENIED", s.As("owner"), http.MethodGet, health+"/checks", "")
	checks := apitest.Decode[oasadmin.HealthChecks](t, s.Get(200, operator, health+"/checks"))
	require.Equal(t, []oasadmin.HealthFinding{{Check: "database", Verdict: oasadmin.HealthVerdictOK, Finding: "PostgreSQL"}}, checks.Content)
	require.Equal(t, checks, apitest.Decode[oasadmin.HealthChecks](t, s.Get(200, operator, health+"/checks")), "it is kept for a moment")
}
