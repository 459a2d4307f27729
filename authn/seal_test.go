package authn_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/authn"
)

func hexHash(secret string) string {
	hash := authn.HashSecret(secret)
	return hex.EncodeToString(hash[:])
}

func TestSealAndOpen(t *testing.T) {
	t.Parallel()
	sealer := newSealer(t)
	for _, secret := range [][]byte{nil, []byte("s"), bytes.Repeat([]byte("secret"), 1000)} {
		sealed := sealer.Seal("purpose", "record", secret)
		opened, err := sealer.Open("purpose", "record", sealed)
		require.NoError(t, err)
		require.True(t, bytes.Equal(secret, opened))
		require.NotEqual(t, sealed, sealer.Seal("purpose", "record", secret), "the nonce must differ")
		require.NotContains(t, string(sealed), "secretsecret")
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	sealer := newSealer(t)
	sealed := sealer.Seal("purpose", "record", []byte("secret"))
	t.Run("another purpose", func(t *testing.T) {
		t.Parallel()
		_, err := sealer.Open("another", "record", sealed)
		require.Error(t, err)
	})
	t.Run("another record", func(t *testing.T) {
		t.Parallel()
		_, err := sealer.Open("purpose", "another", sealed)
		require.Error(t, err)
	})
	t.Run("purpose and record split at another place", func(t *testing.T) {
		t.Parallel()
		_, err := sealer.Open("purposer", "ecord", sealed)
		require.Error(t, err)
	})
	t.Run("another key", func(t *testing.T) {
		t.Parallel()
		_, err := newSealer(t).Open("purpose", "record", sealed)
		require.Error(t, err)
	})
	t.Run("any byte changed", func(t *testing.T) {
		t.Parallel()
		for i := range sealed {
			changed := bytes.Clone(sealed)
			changed[i] ^= 1
			_, err := sealer.Open("purpose", "record", changed)
			require.Error(t, err, "byte %d", i)
		}
	})
	t.Run("any part", func(t *testing.T) {
		t.Parallel()
		for i := range sealed {
			_, err := sealer.Open("purpose", "record", sealed[:i])
			require.Error(t, err, "%d bytes", i)
		}
	})
}

func TestSealWithANewKeyOpensWhatTheEarlierSealed(t *testing.T) {
	t.Parallel()
	earlier, later := newSealKey(t), newSealKey(t)
	old, err := authn.NewSealer(earlier)
	require.NoError(t, err)
	rotated, err := authn.NewSealer(later, earlier)
	require.NoError(t, err)

	opened, err := rotated.Open("purpose", "record", old.Seal("purpose", "record", []byte("secret")))
	require.NoError(t, err)
	require.Equal(t, "secret", string(opened))
	_, err = old.Open("purpose", "record", rotated.Seal("purpose", "record", []byte("secret")))
	require.Error(t, err)
}

func TestLoadSealKey(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"empty":      "",
		"not base64": "not base64 at all, but long enough to be a key",
		"too short":  base64.StdEncoding.EncodeToString(make([]byte, 31)),
		"too long":   base64.StdEncoding.EncodeToString(make([]byte, 33)),
		"two keys":   base64.StdEncoding.EncodeToString(make([]byte, 32)) + "\n" + base64.StdEncoding.EncodeToString(make([]byte, 32)),
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "key")
			require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
			_, err := authn.LoadOrCreateSealKey(path)
			require.Error(t, err)
			if content != "" {
				require.NotContains(t, err.Error(), content)
			}
			unchanged, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, content, string(unchanged))
		})
	}
	t.Run("missing is refused", func(t *testing.T) {
		t.Parallel()
		_, err := authn.LoadSealKey(filepath.Join(t.TempDir(), "key"))
		require.ErrorIs(t, err, os.ErrNotExist)
	})
	t.Run("the zero key seals nothing", func(t *testing.T) {
		t.Parallel()
		_, err := authn.NewSealer(authn.SealKey{})
		require.Error(t, err)
	})
}

func TestLoadOrCreateSealKeyMakesOneForAll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "key")
	sealers := make([]*authn.Sealer, 16)
	var wait sync.WaitGroup
	for i := range sealers {
		wait.Go(func() {
			key, err := authn.LoadOrCreateSealKey(path)
			if err == nil {
				sealers[i], err = authn.NewSealer(key)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	sealed := sealers[0].Seal("purpose", "record", []byte("secret"))
	for _, sealer := range sealers {
		_, err := sealer.Open("purpose", "record", sealed)
		require.NoError(t, err)
	}
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 1, "no temporary file may stay")
}
