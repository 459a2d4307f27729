package server

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/persistence"
)

func TestCredentialsFollowTheKeys(t *testing.T) {
	t.Parallel()
	c := newTestConfig(t)
	open := func() *Keyring {
		k, err := OpenKeys(t.Context(), c, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		t.Cleanup(k.DB.Close)
		return k
	}
	k := open()
	credentials, err := EngineCredentials(k.Issuer, c.Clusters()[0], slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	state := func() (token, issuer string) {
		token, err := credentials.Token()
		require.NoError(t, err)
		certificate, err := credentials.Certificate()
		require.NoError(t, err)
		return token, certificate.Leaf.Issuer.CommonName
	}
	token, issuer := state()
	again, _ := state()
	require.Equal(t, token, again, "a token is kept")
	roots := credentials.RootCAs()

	replica := open()
	for _, purpose := range []persistence.SigningKeyPurpose{persistence.SignsEngineTokens, persistence.SignsCertificates} {
		found, err := replica.Keys.List(t.Context(), purpose)
		require.NoError(t, err)
		_, err = replica.Keys.Distrust(t.Context(), purpose, found[0].ID)
		require.NoError(t, err)
	}
	require.NoError(t, k.Keys.Reload(t.Context()))
	later, laterIssuer := state()
	require.NotEqual(t, token, later)
	require.NotEqual(t, issuer, laterIssuer)
	require.False(t, roots.Equal(credentials.RootCAs()))
}
