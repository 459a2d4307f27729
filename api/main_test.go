package api_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api"
	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/contracttest"
)

// contractOf returns the contract of an operation, such as A.findPrincipals, and the
// operationId there.
func contractOf(name string) (*contracttest.Contract, string) {
	contract, id, _ := strings.Cut(name, ".")
	return apitest.Contracts[contract], id
}

// operationNames returns the operations of both shapes, in order.
func operationNames() []string {
	var names []string
	for _, shape := range []string{"A", "B"} {
		for _, id := range apitest.Contracts[shape].Operations() {
			names = append(names, shape+"."+id)
		}
	}
	return names
}

func TestMain(m *testing.M) { os.Exit(apitest.MainAcross(m)) }

// No contract that the router mounts is forgotten in these tests.
func TestContractsMatchTheRouter(t *testing.T) {
	t.Parallel()
	limits := map[string]int64{}
	for _, contract := range apitest.Contracts {
		limits[contract.Document()] = int64(contract.BodyLimit)
	}
	require.Equal(t, api.Documents(), limits)
}
