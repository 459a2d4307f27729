package authn_test

import (
	"encoding/base64"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// newKeeper returns a keeper with a key of its own, and the key.
func newKeeper(t *testing.T) (keeper *authn.KeyWrapper, key string) {
	t.Helper()
	key = base64.URLEncoding.EncodeToString([]byte(strings.Repeat(t.Name(), 32)[:32]))
	keeper, err := authn.OpenKeyWrapper(t.Context(), "base64key://"+key)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, keeper.Close()) })
	return keeper, key
}

func TestCreateSealKey(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "seal.key")
	require.NoError(t, authn.CreateSealKey(t.Context(), path, nil))
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	_, err = authn.LoadSealKey(path)
	require.NoError(t, err)
	require.ErrorIs(t, authn.CreateSealKey(t.Context(), path, nil), fs.ErrExist)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.Error(t, authn.CreateSealKey(t.Context(), filepath.Join(path, "below", "a-file"), nil))
}

func TestSealKeyIsEncryptedByItsKeeper(t *testing.T) {
	t.Parallel()
	keeper, _ := newKeeper(t)
	dir := t.TempDir()
	kept, plain := filepath.Join(dir, "kept"), filepath.Join(dir, "plain")
	require.NoError(t, authn.CreateSealKey(t.Context(), kept, keeper))
	require.NoError(t, authn.CreateSealKey(t.Context(), plain, nil))
	info, err := os.Stat(kept)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	content, err := os.ReadFile(kept)
	require.NoError(t, err)
	_, err = authn.LoadSealKey(kept)
	require.ErrorContains(t, err, "no keeper is configured")
	require.NotContains(t, err.Error(), strings.TrimSpace(string(content)))

	sealers := map[string]*authn.Sealer{}
	for name, files := range map[string]authn.SealKeyFiles{
		"kept":        {Active: kept, Keeper: keeper},
		"again":       {Active: kept, Earlier: []string{plain}, Keeper: keeper},
		"only plain":  {Active: plain},
		"plain again": {Active: plain, Earlier: []string{plain}},
	} {
		sealers[name], err = authn.NewSealerFromFiles(t.Context(), files)
		require.NoError(t, err, name)
	}
	opened, err := sealers["again"].Open("purpose", "record", sealers["kept"].Seal("purpose", "record", []byte("secret")))
	require.NoError(t, err)
	require.Equal(t, "secret", string(opened))
	_, err = sealers["again"].Open("purpose", "record", sealers["only plain"].Seal("purpose", "record", []byte("secret")))
	require.NoError(t, err, "an earlier key may be there as it is")
	_, err = sealers["only plain"].Open("purpose", "record", sealers["kept"].Seal("purpose", "record", []byte("secret")))
	require.Error(t, err)

	for name, files := range map[string]authn.SealKeyFiles{
		"the active one is not encrypted":  {Active: plain, Keeper: keeper},
		"the active one is missing":        {Active: filepath.Join(dir, "x"), Keeper: keeper},
		"an earlier one is missing":        {Active: kept, Earlier: []string{filepath.Join(dir, "x")}, Keeper: keeper},
		"an earlier one cannot be read":    {Active: plain, Earlier: []string{kept}},
		"the active one cannot be read":    {Active: kept},
		"the active one is another's":      {Active: kept, Keeper: otherKeeper(t)},
		"an earlier one is another's":      {Active: kept, Earlier: []string{keptByAnother(t)}, Keeper: keeper},
		"what is encrypted is no seal key": {Active: garbled(t), Keeper: keeper},
	} {
		_, err := authn.NewSealerFromFiles(t.Context(), files)
		require.Error(t, err, name)
	}
}

func otherKeeper(t *testing.T) *authn.KeyWrapper {
	t.Helper()
	keeper, err := authn.OpenKeyWrapper(t.Context(), "base64key://") // a random key
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, keeper.Close()) })
	return keeper
}

func keptByAnother(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kept")
	require.NoError(t, authn.CreateSealKey(t.Context(), path, otherKeeper(t)))
	return path
}

func garbled(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "garbled")
	require.NoError(t, os.WriteFile(path, []byte("encrypted:not base64"), 0o600))
	return path
}

func TestOpenKeyWrapper(t *testing.T) {
	t.Parallel()
	keeper, err := authn.OpenKeyWrapper(t.Context(), "awskms:///alias/procession?region=eu-south-2")
	require.NoError(t, err, "no call is made before there is something to encrypt")
	require.NoError(t, keeper.Close())
	for _, url := range []string{
		"", "seal.key", "unknown://hunter2", "base64key://hunter2", "awskms:///alias/x?hunter2=x", "://hunter2",
	} {
		_, err := authn.OpenKeyWrapper(t.Context(), url)
		require.Error(t, err, url)
		require.NotContains(t, err.Error(), "hunter2")
	}
}

func TestResealLeavesNothingToTheEarlierKey(t *testing.T) {
	t.Parallel()
	db, clock := pgtest.New(t), newTestClock()
	earlier, later := newSealKey(t), newSealKey(t)
	old, err := authn.NewSealer(earlier)
	require.NoError(t, err)
	keys := authn.NewKeys(db, old, clock.Now)
	require.NoError(t, keys.EnsureKeys(t.Context()))
	require.NoError(t, keys.Rotate(t.Context(), persistence.SignsCertificates))
	issuer, err := authn.NewIssuer(keys, "procession", authn.DefaultCertificateLifetime)
	require.NoError(t, err)

	both, err := authn.NewSealer(later, earlier)
	require.NoError(t, err)
	only, err := authn.NewSealer(later)
	require.NoError(t, err)
	_, err = authn.Reseal(t.Context(), db, only)
	require.Error(t, err, "without the earlier key nothing can be resealed")
	require.NoError(t, authn.NewKeys(db, old, clock.Now).EnsureKeys(t.Context()), "and nothing was changed")

	counts := func() map[string]authn.Resealed {
		done, err := authn.Reseal(t.Context(), db, both)
		require.NoError(t, err)
		require.Len(t, done, len(persistence.SealedTables()))
		counted := map[string]authn.Resealed{}
		for _, table := range done {
			counted[table.Table] = table
		}
		return counted
	}
	require.Equal(t, authn.Resealed{Table: "signing_keys", Secrets: 3, Changed: 3}, counts()["signing_keys"])
	require.Equal(t, authn.Resealed{Table: "signing_keys", Secrets: 3}, counts()["signing_keys"], "it may be repeated")
	again := authn.NewKeys(db, only, clock.Now)
	require.NoError(t, again.EnsureKeys(t.Context()), "the later key alone opens everything")
	resealed, err := authn.NewIssuer(again, "procession", authn.DefaultCertificateLifetime)
	require.NoError(t, err)
	require.Equal(t, issuer.RootsPEM(), resealed.RootsPEM())
	require.Error(t, authn.NewKeys(db, old, clock.Now).EnsureKeys(t.Context()))
}

// A secret that another process resealed or changed in the meantime is not
// overwritten.
func TestResealReplacesOnlyWhatItHasRead(t *testing.T) {
	t.Parallel()
	i := newIssuance(t)
	listed, err := i.db.Reader().ListSealed(t.Context(), "signing_keys", "", 10)
	require.NoError(t, err)
	require.Len(t, listed, 2)
	replace := func(before persistence.SealedSecret, sealed string) {
		require.NoError(t, i.db.Write(t.Context(), func(tx *persistence.Tx) error {
			return tx.ReplaceSealed("signing_keys", before, []byte(sealed))
		}))
	}
	replace(listed[0], "mine")
	replace(listed[0], "too late")
	after, err := i.db.Reader().ListSealed(t.Context(), "signing_keys", "", 1)
	require.NoError(t, err)
	require.Equal(t, "mine", string(after[0].Sealed))
	rest, err := i.db.Reader().ListSealed(t.Context(), "signing_keys", listed[0].Record, 10)
	require.NoError(t, err)
	require.Equal(t, listed[1:], rest)

	_, err = i.db.Reader().ListSealed(t.Context(), "principals", "", 1)
	require.Error(t, err)
	require.Error(t, i.db.Write(t.Context(), func(tx *persistence.Tx) error {
		return tx.ReplaceSealed("principals", listed[0], nil)
	}))
}
