package cloud_test

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine/cloud"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/cloudtest"
)

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

func (i *installation) problems() []persistence.CloudProblem {
	i.t.Helper()
	problems, err := i.db.Reader().ListCloudProblems(i.t.Context())
	require.NoError(i.t, err)
	return problems
}

func (i *installation) putNamespace(authorities []string) error {
	return i.db.PutCloudNamespace(i.t.Context(), persistence.CloudNamespace{Namespace: namespace, Authorities: authorities}, i.now())
}

func revoke(i *installation, grant uuid.UUID) {
	i.t.Helper()
	require.NoError(i.t, i.db.Write(i.t.Context(), func(tx *persistence.Tx) error {
		tx.RevokeEngineGrants([]uuid.UUID{grant}, domain.SystemPrincipalID(), i.now())
		return nil
	}))
}

func (i *installation) requireIdentities(accounts, keys int) {
	i.t.Helper()
	i.await("service accounts and keys", func() bool {
		a, k := i.CountIdentities()
		return a == accounts && k == keys
	})
}

// lockedBuffer is a log that several goroutines write.
type lockedBuffer struct {
	mu  sync.Mutex
	log bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.log.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.log.String()
}

func TestKeysOfWorkers(t *testing.T) {
	t.Parallel()
	i := newInstallation(t, func(*cloud.Options) {})
	_, _, err := i.token()
	require.True(t, domain.HasCode(err, domain.CodeUnavailable), err)
	log := &lockedBuffer{}
	i.Change(func() { i.Failures["CreateApiKey"] = []string{"maintenance"} })
	_, stop := i.keep(slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})))

	i.await("a failure", func() bool { return len(i.problems()) == 1 })
	require.Contains(t, i.problems()[0].Problem, "maintenance")
	_, _, err = i.token()
	require.True(t, domain.HasCode(err, domain.CodeUnavailable), err)
	i.later.Add(int64(time.Minute))
	first, _ := i.awaitToken()
	i.requireIdentities(1, 1)
	require.Empty(t, i.problems())

	// After half of the lifetime a second key is handed out. The first one stays valid for the overlap.
	i.later.Add(int64(cloud.DefaultKeyLifetime/2 + time.Minute))
	second, grant := i.awaitToken(first)
	require.Equal(t, namespace, i.Authenticate(first))
	i.later.Add(int64(2*time.Hour + time.Minute))
	i.requireIdentities(1, 1)
	require.Empty(t, i.Authenticate(first))

	// A revocation ends the key at once.
	revoke(i, grant)
	third, _ := i.awaitToken(second)
	require.Empty(t, i.Authenticate(second))
	i.requireIdentities(1, 1)

	// Stored secrets are sealed, and follow the seal key.
	sealed, err := i.db.Reader().ListSealed(t.Context(), "cloud_keys", "", 10)
	require.NoError(t, err)
	require.Len(t, sealed, 1)
	require.NotContains(t, string(sealed[0].Sealed), third)
	opened, err := i.sealer.Open(sealed[0].Purpose, sealed[0].Record, sealed[0].Sealed)
	require.NoError(t, err)
	require.Equal(t, third, string(opened))
	for _, secret := range []string{first, second, third} {
		require.NotContains(t, log.String(), secret)
	}

	// An application that is disabled loses its service account.
	connection, err := pgx.Connect(t.Context(), i.url)
	require.NoError(t, err)
	_, err = connection.Exec(t.Context(), "UPDATE principals SET disabled_at = now() WHERE id = $1", i.runner)
	require.NoError(t, err)
	require.NoError(t, connection.Close(t.Context()))
	i.requireIdentities(0, 0)
	stop()
}

// A crash between a call and its record repeats nothing: afterwards there are one service account and one valid key.
func TestCrashBetweenCallAndRecord(t *testing.T) {
	t.Parallel()
	for _, operation := range []string{"CreateNamespace", "CreateServiceAccount", "CreateApiKey", "DeleteApiKey"} {
		t.Run(operation, func(t *testing.T) {
			t.Parallel()
			i := newInstallation(t, func(*cloud.Options) {})
			var others []string
			if operation == "DeleteApiKey" {
				_, stop := i.keep(discard())
				secret, grant := i.awaitToken()
				stop()
				others = append(others, secret)
				revoke(i, grant)
			}
			crashed := make(chan struct{})
			var once sync.Once
			i.Change(func() {
				i.Applied = func(kind string) {
					if kind == operation {
						once.Do(func() { close(crashed) })
					}
				}
			})
			_, stop := i.keep(discard())
			<-crashed
			stop()
			// A lease that a crash left ends.
			i.later.Add(int64(10 * time.Minute))
			i.keep(discard())
			secret, _ := i.awaitToken(others...)
			i.requireIdentities(1, 1)
			require.Equal(t, namespace, i.Authenticate(secret))
		})
	}
}

// Replicas share the work.
func TestReplicasCreateOneKey(t *testing.T) {
	t.Parallel()
	i := newInstallation(t, func(*cloud.Options) {})
	for range 3 {
		i.keep(discard())
	}
	secret, _ := i.awaitToken()
	again, _ := i.awaitToken()
	require.Equal(t, secret, again)
	i.requireIdentities(1, 1)
}

func TestProvisionNamesTheProblem(t *testing.T) {
	t.Parallel()
	i := newInstallation(t, func(*cloud.Options) {})
	i.Change(func() { i.Failures["CreateNamespace"] = []string{"region is out of capacity"} })
	keeper, _ := i.keep(discard())
	managed, err := keeper.Provision("", "demo")
	require.False(t, managed)
	require.NoError(t, err)
	i.await("the failure", func() bool {
		managed, err = keeper.Provision("cloud", namespace)
		return managed && err != nil && err.Error() != "Temporal Cloud is creating the namespace"
	})
	require.ErrorContains(t, err, "namespace "+namespace+": creating the namespace "+namespace+": the operation was not successful: region is out of capacity")
	i.later.Add(int64(time.Minute))
	i.await("the namespace", func() bool {
		_, err = keeper.Provision("cloud", namespace)
		return err == nil
	})
}

// Without a change, a replica sends one statement per pass, whatever exists; a change of a tenant is found by it.
func TestIdleReplicasSendOneStatement(t *testing.T) {
	t.Parallel()
	i := newInstallation(t, func(*cloud.Options) {})
	i.keep(discard())
	i.awaitToken()
	i.requireIdentities(1, 1)
	count := func() map[string]int64 {
		connection, err := pgx.Connect(t.Context(), i.url)
		require.NoError(t, err)
		defer func() { require.NoError(t, connection.Close(context.WithoutCancel(t.Context()))) }()
		rows, err := connection.Query(t.Context(), `SELECT relname, coalesce(seq_scan, 0) + coalesce(idx_scan, 0) FROM pg_stat_user_tables`) //nolint:rowserrcheck // ForEachRow checks it
		require.NoError(t, err)
		reads := map[string]int64{}
		var table string
		var n int64
		_, err = pgx.ForEachRow(rows, []any{&table, &n}, func() error { reads[table] = n; return nil })
		require.NoError(t, err)
		return reads
	}
	before := count()
	const passes = 200
	var after map[string]int64
	i.await("passes", func() bool {
		after = count()
		return after["cloud_changes"] >= before["cloud_changes"]+passes
	})
	// Connections report earlier reads late.
	for _, table := range []string{"tenants", "principals", "resources", "process_definitions", "engine_grants", "cloud_namespaces", "cloud_keys"} {
		require.Less(t, after[table], before[table]+passes/2, table)
	}
}

// A worker whose tenant moves to another namespace gets a new service account there.
func TestWorkersFollowTheirTenant(t *testing.T) {
	t.Parallel()
	i := newInstallation(t, func(*cloud.Options) {})
	keeper, _ := i.keep(discard())
	i.awaitToken()
	connection, err := pgx.Connect(t.Context(), i.url)
	require.NoError(t, err)
	const moved = "south." + cloudtest.Account
	_, err = connection.Exec(t.Context(), "UPDATE tenants SET namespace = $1", moved)
	require.NoError(t, err)
	require.NoError(t, connection.Close(t.Context()))
	i.await("the new namespace", func() bool {
		_, err := keeper.Provision("cloud", moved)
		return err == nil
	})
	require.Eventually(t, func() bool {
		token, _, err := i.token()
		return err == nil && i.Authenticate(token.Token.Reveal()) == moved
	}, time.Minute, 50*time.Millisecond)
	i.requireIdentities(1, 1)
}
