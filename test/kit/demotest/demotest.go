// Package demotest gives tests databases with the demonstration data.
package demotest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// seal is a key as the content of a file, and its sealer.
type seal struct {
	content []byte
	sealer  *authn.Sealer
}

//nolint:gochecknoglobals // the secrets in a template are sealed once for all tests of a binary
var (
	makeSeal = sync.OnceValues(newSeal)
	current  = pgtest.Template{Fill: func(ctx context.Context, url string) error { return Load(ctx, url, time.Now()) }}
)

func newSeal() (seal, error) {
	dir, err := os.MkdirTemp("", "procession-demotest-")
	if err != nil {
		return seal{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "seal.key")
	key, err := authn.LoadOrCreateSealKey(path)
	if err != nil {
		return seal{}, err
	}
	content, err := os.ReadFile(path) //nolint:gosec // written above
	if err != nil {
		return seal{}, err
	}
	sealer, err := authn.NewSealer(key)
	return seal{content, sealer}, err
}

// URL creates a database with data of the current time for the test and returns its address.
func URL(tb testing.TB) string {
	tb.Helper()
	return current.URL(tb)
}

// Load loads the data into the migrated database at url as of a time.
func Load(ctx context.Context, url string, now time.Time) error {
	key, err := makeSeal()
	if err != nil {
		return err
	}
	db, err := persistence.Open(ctx, url, persistence.Limits{Requests: 2})
	if err != nil {
		return err
	}
	defer db.Close()
	return demo.Load(ctx, db, key.sealer, now)
}

// Sealer returns the sealer of the data. All tests of a binary share it.
func Sealer(tb testing.TB) *authn.Sealer {
	tb.Helper()
	key, err := makeSeal()
	require.NoError(tb, err)
	return key.sealer
}

// WriteSealKey writes the key of Sealer to a new file.
func WriteSealKey(tb testing.TB, path string) {
	tb.Helper()
	key, err := makeSeal()
	require.NoError(tb, err)
	require.NoError(tb, os.WriteFile(path, key.content, 0o600))
}
