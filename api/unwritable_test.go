package api_test

import (
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

func unwritable() map[string]pgtest.Fault {
	return map[string]pgtest.Fault{"read-only": pgtest.ReadOnly(), "disk full": pgtest.DiskFull()}
}

// requireUnavailable requires that the answer is no failure of the service but the one that says when to retry, and reports
// whether it is that.
func requireUnavailable(t *testing.T, name string, got apitest.Answer) bool {
	t.Helper()
	if got.Status < http.StatusInternalServerError {
		return false
	}
	require.Equal(t, http.StatusServiceUnavailable, got.Status, "%s: %s", name, got.Body)
	require.NotEmpty(t, got.Header.Get("Retry-After"), name)
	require.Contains(t, got.Body, `"UNAVAILABLE"`, name)
	return true
}

// No operation of either version fails with 500 while the database accepts no changes, and all work again afterwards.
func TestOperationsWithoutAWritableDatabase(t *testing.T) {
	t.Parallel()
	for name, fault := range unwritable() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := apitest.NewService(t)
			f := newFixture(s)
			operations := f.operations()
			end := fault.Apply(t, s.URL)
			refused := 0
			for _, name := range slices.Sorted(maps.Keys(operations)) {
				op := operations[name]
				if requireUnavailable(t, name, s.Send(apitest.Request(t, demo.LoanWorker(), op.method, op.path, op.body))) {
					refused++
				}
			}
			require.Greater(t, refused, 40)
			require.Error(t, s.DB.Background().CheckWritable(t.Context()))
			end()
			op := operations["B.createProcess"]
			require.Eventually(t, func() bool {
				ready := s.DB.Background().CheckWritable(t.Context()) == nil
				return s.Send(apitest.Request(t, demo.LoanWorker(), op.method, op.path, op.body)).Status == http.StatusCreated && ready
			}, apitest.Patience, 50*time.Millisecond)
		})
	}
}

func TestAdministrationWithoutAWritableDatabase(t *testing.T) {
	t.Parallel()
	for name, fault := range unwritable() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := apitest.NewAdministered(t)
			north := makeThings(s, "north", "shared")
			fault.Apply(t, s.URL)
			refused := 0
			for _, row := range slices.Sorted(maps.Keys(north.operations())) {
				if requireUnavailable(t, row, ask(s, "operator", row, north)) {
					refused++
				}
			}
			require.Greater(t, refused, 10)
		})
	}
}
