package shapeb_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

func TestTenantsAreListed(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	carol := demo.Carol()
	s.Join(&carol, demo.TenantOther())
	here, there := demo.TenantDemo(), demo.TenantOther()
	s.Filtered(carol, "/tenants", map[string][]uuid.UUID{
		"": {here, there}, "tenantId=" + here.String(): {here}, "tenantId=" + there.String() + "&tenantId=" + uuid.NewString(): {there},
		"tenantId=" + uuid.NewString(): nil,
	})
	for sort, want := range map[string][]uuid.UUID{
		"name": {here, there}, "name,desc": {there, here}, "id": {here, there}, "id,desc": {there, here},
	} {
		require.Equal(t, want, s.List(carol, "/tenants?sort="+sort).IDs(), sort)
	}
	require.Equal(t, oasb.PageMetadata{Size: 1, Page: 1, TotalElements: 2, TotalPages: 2}, s.List(carol, "/tenants?size=1&page=1").Metadata)
}
