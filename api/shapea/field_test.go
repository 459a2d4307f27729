package shapea

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api/openapi"
	"github.com/procession-dev/procession/test/kit/contracttest"
)

func TestFieldsAreInTheContract(t *testing.T) {
	t.Parallel()
	contract, err := contracttest.Load(openapi.ShapeA)
	require.NoError(t, err)
	contract.RequireFields(t, fieldLocations())
}
