package access_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/server/common/dynamicconfig"

	"github.com/procession-dev/procession/temporal-server/access"
)

// Without these settings Temporal reads any branch of history that a page token names, in any namespace.
func TestPagesOfOtherHistoriesArePinnedOff(t *testing.T) {
	t.Parallel()
	settings := access.DynamicConfig()
	require.Equal(t, true, settings[dynamicconfig.EnablePaginationTokenBranchValidation.Key()])
	require.Equal(t, false, settings[dynamicconfig.EnablePaginationTokenBranchValidationShadowMode.Key()])
}
