package definitions

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain/resource"
)

// The list after an apply links to each resource of any kind that exists then, on the screen of its kind.
func TestAppliedResourcesAreLinked(t *testing.T) {
	t.Parallel()
	var applied []administration.AppliedResource
	var keys []resource.Key
	for _, kind := range resource.Kinds() {
		key := resource.Key{Tenant: "demo", Kind: kind, Code: "X&Y"}
		keys = append(keys, key)
		applied = append(applied, administration.AppliedResource{Key: key, Action: administration.ApplyCreated})
	}
	applied = append(applied, administration.AppliedResource{Key: keys[0], Action: administration.ApplyDeleted})
	path, err := url.Parse(appliedPath(applied))
	require.NoError(t, err)
	require.Equal(t, keys, parseApplied(path.Query()))
	require.Equal(t, web.Root+"people/demo/User/anna", screenOf(resource.Key{Tenant: "demo", Kind: resource.KindUser, Code: "anna"}))
	require.Equal(t, web.Root+"definitions/demo/Tenant/demo", screenOf(resource.Key{Tenant: "demo", Kind: resource.KindTenant, Code: "demo"}))
	require.Empty(t, parseApplied(url.Values{appliedParam: {"", "a/b/c", "demo/User", "javascript:alert(1)"}}))
}
