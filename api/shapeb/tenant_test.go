package shapeb_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// A member of several tenants has to say which one is meant.
func TestMemberOfSeveralTenants(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	carol := demo.Carol()
	s.Join(&carol, demo.TenantOther())
	require.NoError(t, s.DB.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.GrantOnProcess(demo.OtherLoan(), domain.PermissionInitiator, carol.ID)
		return nil
	}))
	require.ElementsMatch(t, []uuid.UUID{demo.TenantDemo(), demo.TenantOther()}, s.List(carol, "/tenants").IDs())

	const worker = `{"identity":"w","taskQueue":"q","hostname":"h","ip":"127.0.0.1"`
	inOther := `,"tenantId":"` + demo.TenantOther().String() + `"}`
	for path, body := range map[string]string{"/workers": worker, "/authentications": `{"type":"ENGINE_CERTIFICATE"`} {
		failure := s.Refused(400, "VALIDATION", carol, http.MethodPost, path, body+"}")
		require.Equal(t, "/tenantId", failure.Errors[0].Location)
	}
	s.Refused(403, "ACCESS_DENIED", carol, http.MethodPost, "/workers", worker+inOther)
	s.Refused(403, "ACCESS_DENIED", carol, http.MethodPost, "/authentications", `{"type":"ENGINE_CERTIFICATE"`+inOther)

	s.Loan()
	other := s.Process(carol, demo.OtherLoan())
	require.Equal(t, demo.TenantOther(), other.TenantID)
	require.Equal(t, 2, s.Total(carol, "/processes"))
	require.Equal(t, []uuid.UUID{other.ID}, s.List(carol, "/processes?tenantId="+demo.TenantOther().String()).IDs())
	s.Get(404, demo.Alice(), apitest.ProcessPath(other.ID, ""))
}
