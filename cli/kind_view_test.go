package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain/resource"
)

func TestEveryKindHasAView(t *testing.T) {
	t.Parallel()
	views := kindViews()
	for _, kind := range resource.Definitions() {
		require.Contains(t, views, kind.Kind, "cli/kind_view.go")
		require.True(t, oasadmin.ResourceKind(kind.Kind).Valid(), "ResourceKind in api/openapi/admin.yaml lacks %s", kind.Kind)
		require.Equal(t, kind.Secrets, oasadmin.SecretOwnerKind(kind.Kind).Valid(), "SecretOwnerKind in api/openapi/admin.yaml: %s", kind.Kind)
		delete(views, kind.Kind)
	}
	require.Empty(t, views)
}
