package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain/resource"
)

func TestContractHasEveryKind(t *testing.T) {
	t.Parallel()
	for _, kind := range resource.Definitions() {
		require.True(t, oasadmin.ResourceKind(kind.Kind).Valid(), "ResourceKind in api/openapi/admin.yaml lacks %s", kind.Kind)
		require.Equal(t, kind.Secrets, oasadmin.SecretOwnerKind(kind.Kind).Valid(), "SecretOwnerKind in api/openapi/admin.yaml: %s", kind.Kind)
	}
}
