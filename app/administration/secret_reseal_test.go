package administration_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// Every kind of sealed secret can be opened after the seal key was changed.
func TestEverySealedSecretIsSealedAnew(t *testing.T) {
	t.Parallel()
	c := newCustody(t)
	var keys [2]authn.SealKey
	for i := range keys {
		var err error
		keys[i], err = authn.LoadOrCreateSealKey(t.TempDir() + "/seal.key")
		require.NoError(t, err)
	}
	sealer := func(active authn.SealKey, earlier ...authn.SealKey) *authn.Sealer {
		s, err := authn.NewSealer(active, earlier...)
		require.NoError(t, err)
		return s
	}
	before := sealer(keys[0])
	c.Service = administration.New(administration.Options{Store: storage.New(storage.Options{DB: c.db, Clock: time.Now}), Sealer: before})
	require.NoError(t, authn.NewKeys(c.db, before, time.Now).EnsureKeys(t.Context()))
	c.issue(c.as(domain.RoleOwner), events(), "first")
	_, err := c.ApplyResources(t.Context(), system(), administration.ApplyRequest{Documents: []json.RawMessage{
		document("EncryptionKey", "vault", "payloads", `{"description":"For payloads"}`),
		document("Robot", "vault", "BOT", `{"name":"Bot"}`),
	}})
	require.NoError(t, err)
	robot := administration.ResourceKey{Tenant: "vault", Kind: resource.KindRobot, Code: "BOT"}
	require.NoError(t, c.SetRobotVariable(t.Context(), system(), robot, "TOKEN", domain.NewSecret("s3cret")))

	conn, err := pgx.Connect(t.Context(), c.url)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(t.Context())) }()
	_, err = conn.Exec(t.Context(), `WITH worker AS (
		INSERT INTO cloud_workers (id, tenant_id, principal_id, cluster, namespace, due_at)
		SELECT gen_random_uuid(), t.id, p.id, '', 'vault.a1b2c', now() FROM tenants t, principals p LIMIT 1
		RETURNING id)
		INSERT INTO cloud_keys (id, worker_id, sealed, created_at, expires_at) SELECT 'key', id, $1, now(), now() FROM worker`,
		before.Seal(persistence.CloudKeyPurpose, "key", []byte("s3cret")))
	require.NoError(t, err)

	done, err := authn.Reseal(t.Context(), c.db, sealer(keys[1], keys[0]))
	require.NoError(t, err)
	require.Len(t, done, len(persistence.SealedTables()))
	after := sealer(keys[1])
	for _, table := range done {
		require.Positive(t, table.Secrets, "the test has no secret in %s", table.Table)
		require.Equal(t, table.Secrets, table.Changed, table.Table)
		listed, err := c.db.Reader().ListSealed(t.Context(), table.Table, "", 100)
		require.NoError(t, err)
		for _, secret := range listed {
			_, err := after.Open(secret.Purpose, secret.Record, secret.Sealed)
			require.NoError(t, err, table.Table)
		}
	}
}

func TestNoTableWithSealedSecretsIsForgotten(t *testing.T) {
	t.Parallel()
	c := newCustody(t)
	conn, err := pgx.Connect(t.Context(), c.url)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(t.Context())) }()
	rows, err := conn.Query(t.Context(), `SELECT table_name::text FROM information_schema.columns
		WHERE table_schema = 'public' AND column_name LIKE '%sealed%'`)
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.ElementsMatch(t, tables, persistence.SealedTables())
}
