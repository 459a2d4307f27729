package persistence_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

func TestRoutesToTheDatabase(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	pooler := pgtest.Pooler(t, address)
	lax := pgtest.Pooler(t, address, pgtest.TakesAllSettings) + "&default_query_exec_mode=exec"
	keeping := pgtest.Pooler(t, address, pgtest.TakesAllSettings, "pool_mode = session")
	for name, c := range map[string]struct {
		url, direct string
		want        persistence.Route
	}{
		"direct":                         {address, "", persistence.Route{}},
		"pooler beside direct":           {pooler, address, persistence.Route{Direct: true, Shared: true}},
		"pooler alone":                   {lax, "", persistence.Route{Shared: true}},
		"pooler that keeps sessions":     {keeping, "", persistence.Route{}},
		"pooler beside another":          {pooler, lax, persistence.Route{Direct: true, Shared: true, DirectShared: true}},
		"pooler beside another database": {pooler, pgtest.URL(t), persistence.Route{Direct: true, Shared: true, Apart: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := pgtest.OpenWithin(t, c.url, persistence.Limits{DirectURL: c.direct})
			route, err := db.Route(t.Context())
			require.NoError(t, err)
			require.Equal(t, c.want, route)
		})
	}

	err := pgtest.Open(t, pooler).Ping(t.Context())
	require.ErrorContains(t, err, "it needs a direct URL")
	require.False(t, domain.HasCode(err, domain.CodeUnavailable), "it does not pass")
}

// Many more connections than there are sessions write and read at once, migrate, and end within their limits of time.
func TestThroughAPooler(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	pooler := pgtest.Pooler(t, address)
	replicas := make([]*persistence.DB, 2)
	for i := range replicas {
		replicas[i] = pgtest.OpenWithin(t, pooler, persistence.Limits{DirectURL: address, RequestTime: 2 * time.Second})
	}
	require.NoError(t, replicas[0].Migrate(t.Context()))

	var working sync.WaitGroup
	failed := make(chan error, 1000)
	tenant := uuid.New()
	for worker := range 24 {
		working.Go(func() {
			db := replicas[worker%2]
			for range 10 {
				failed <- db.Record(t.Context(), domain.Call{}, func(tx *persistence.Tx) (domain.Events, error) {
					_, err := tx.LockTenants(t.Context())
					return domain.Events{{
						TenantID: tenant, Type: domain.EventProcessCreated, ResourceKind: domain.ResourceProcess, ResourceID: uuid.New(),
						ActorID: uuid.New(), OccurredAt: time.Now(),
					}}, err
				})
				_, err := db.Background().Reader().GetServerInfo(t.Context())
				failed <- err
			}
		})
	}
	working.Wait()
	close(failed)
	for err := range failed {
		require.NoError(t, err)
	}
	var recorded int
	direct, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	defer func() { _ = direct.Close(t.Context()) }()
	require.NoError(t, direct.QueryRow(t.Context(), "SELECT count(*) FROM events WHERE tenant_id = $1", tenant).Scan(&recorded))
	require.Equal(t, 240, recorded)

	// A lock that is not given back in time.
	lock, err := direct.Begin(t.Context())
	require.NoError(t, err)
	_, err = lock.Exec(t.Context(), "LOCK TABLE tenants")
	require.NoError(t, err)
	err = replicas[0].Write(t.Context(), func(tx *persistence.Tx) error {
		_, err := tx.LockTenants(t.Context())
		return err
	})
	require.ErrorContains(t, err, "the database would take too long", fmt.Sprint(err))
	require.NoError(t, lock.Rollback(t.Context()))
}
