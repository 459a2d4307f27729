package api_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// A member of several tenants has to say which one is meant.
func TestMemberOfSeveralTenants(t *testing.T) {
	t.Parallel()
	s := newService(t)
	carol := demo.Carol()
	s.join(&carol, demo.TenantOther())
	require.NoError(t, s.db.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.GrantOnProcess(demo.OtherLoan(), domain.PermissionInitiator, carol.ID)
		return nil
	}))
	require.ElementsMatch(t, []uuid.UUID{demo.TenantDemo(), demo.TenantOther()}, s.list(carol, "/tenants").ids())

	const worker = `{"identity":"w","taskQueue":"q","hostname":"h","ip":"127.0.0.1"`
	inOther := `,"tenantId":"` + demo.TenantOther().String() + `"}`
	for path, body := range map[string]string{"/workers": worker, "/authentications": `{"type":"ENGINE_CERTIFICATE"`} {
		failure := s.refused(400, "VALIDATION", carol, http.MethodPost, path, body+"}")
		require.Equal(t, "/tenantId", failure.Errors[0].Location)
	}
	s.refused(403, "ACCESS_DENIED", carol, http.MethodPost, "/workers", worker+inOther)
	s.refused(403, "ACCESS_DENIED", carol, http.MethodPost, "/authentications", `{"type":"ENGINE_CERTIFICATE"`+inOther)

	s.loan()
	other := s.process(carol, demo.OtherLoan())
	require.Equal(t, demo.TenantOther(), other.TenantID)
	require.Equal(t, 2, s.total(carol, "/processes"))
	require.Equal(t, []uuid.UUID{other.ID}, s.list(carol, "/processes?tenantId="+demo.TenantOther().String()).ids())
	s.get(404, demo.Alice(), processPath(other.ID, ""))
}
