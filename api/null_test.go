package api_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// Many serializers write null for absent members.
func TestNullForAnOptionalMemberIsAbsence(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	operations := newFixture(s).operations()
	members := 0
	for _, name := range operationNames() {
		op := operations[name]
		contract, id := contractOf(name)
		members += contract.RunNulls(t, s.Client, id, func() *http.Request {
			if name == "B.createDataSourceQuery" {
				s.Advance(time.Hour) // only so many may wait at once
			}
			return apitest.Request(t, demo.LoanWorker(), op.method, op.path, op.body)
		})
	}
	require.Greater(t, members, 90)
}

func TestNullForAnOptionalMemberOfAdministrationIsAbsence(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	operations := makeThings(s, "north", "null").operations()
	members := 0
	for _, id := range apitest.Contracts["admin"].Operations() {
		op := operations[id]
		members += apitest.Contracts["admin"].RunNulls(t, s.Client, id, func() *http.Request {
			return apitest.Request(t, s.As("owner"), op.method, op.path, op.body)
		})
	}
	require.GreaterOrEqual(t, members, 10)
}
