package access_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/server/common/dynamicconfig"

	"github.com/procession-dev/procession/temporal-server/access"
)

// Without them Temporal reads whatever branch of history a page token names, of any namespace.
func TestPagesOfOtherHistoriesArePinnedOff(t *testing.T) {
	t.Parallel()
	settings := access.DynamicConfig()
	require.Equal(t, true, settings[dynamicconfig.EnablePaginationTokenBranchValidation.Key()])
	require.Equal(t, false, settings[dynamicconfig.EnablePaginationTokenBranchValidationShadowMode.Key()])
}
