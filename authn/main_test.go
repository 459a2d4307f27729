package authn_test

import (
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// testClock shows the time that a test sets.
type testClock struct {
	mu  sync.Mutex
	now time.Time
}

func newTestClock() *testClock {
	return &testClock{now: time.Date(2026, time.March, 2, 10, 30, 15, 123456000, time.UTC)}
}

func (c *testClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *testClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func newSealKey(t *testing.T) authn.SealKey {
	t.Helper()
	key, err := authn.LoadOrCreateSealKey(t.TempDir() + "/seal.key")
	require.NoError(t, err)
	return key
}

func newSealer(t *testing.T) *authn.Sealer {
	t.Helper()
	sealer, err := authn.NewSealer(newSealKey(t))
	require.NoError(t, err)
	return sealer
}

// issuance is an Issuer with keys in a database of its own.
type issuance struct {
	*authn.Issuer

	db    *persistence.DB
	keys  *authn.Keys
	clock *testClock
}

func newIssuance(t *testing.T) issuance {
	t.Helper()
	db, clock := pgtest.New(t), newTestClock()
	keys := authn.NewKeys(db, newSealer(t), clock.Now)
	require.NoError(t, keys.EnsureKeys(t.Context()))
	issuer, err := authn.NewIssuer(keys, "procession", authn.DefaultCertificateLifetime)
	require.NoError(t, err)
	return issuance{Issuer: issuer, db: db, keys: keys, clock: clock}
}
