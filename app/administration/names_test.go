package administration_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
)

func TestWritesReturnNamesWithTheCommit(t *testing.T) {
	t.Parallel()
	a := newAssisted(t)
	named := func(call domain.Call) domain.Call {
		call.Names = true
		return call
	}

	t.Run("of the owner that a claim makes", func(t *testing.T) {
		t.Parallel()
		task := a.task("ALONE", nil)
		for _, again := range []bool{false, true} {
			claimed, err := a.ClaimProcessItemTask(t.Context(), named(a.carl), task.ID)
			require.NoError(t, err, again)
			require.Equal(t, domain.PrincipalUser, claimed.Names.Principals[domain.PrincipalInTenant{TenantID: claimed.TenantID, ID: a.carl.PrincipalID}].Type)
			require.Equal(t, "Alone", claimed.Names.Versions[claimed.Definition.Version])
		}
	})
	t.Run("of the initiator that a process has from now on", func(t *testing.T) {
		t.Parallel()
		changed, err := a.ChangeProcessInitiator(t.Context(), named(a.ada), a.process.ID, app.PrincipalKey{ID: &a.carl.PrincipalID})
		require.NoError(t, err)
		require.Contains(t, changed.Names.Principals, domain.PrincipalInTenant{TenantID: changed.TenantID, ID: a.carl.PrincipalID})
		require.Equal(t, "Checking", changed.Names.Versions[changed.Definition.Version])
	})
	t.Run("only where they are asked for", func(t *testing.T) {
		t.Parallel()
		claimed, err := a.ClaimProcessItemTask(t.Context(), a.carl, a.task("ALONE", nil).ID)
		require.NoError(t, err)
		require.Nil(t, claimed.Names)
	})
}
