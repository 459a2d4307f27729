package authn_test

import (
	"encoding/json"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

func parseJWKS(t *testing.T, issuer *authn.Issuer) jose.JSONWebKeySet {
	t.Helper()
	var set jose.JSONWebKeySet
	require.NoError(t, json.Unmarshal(issuer.JWKS(), &set))
	return set
}

func TestEnsureKeysIsSafeForManyReplicas(t *testing.T) {
	t.Parallel()
	db, sealer, clock := pgtest.New(t), newSealer(t), newTestClock()
	issuers := make([]*authn.Issuer, 24)
	var wait sync.WaitGroup
	for i := range issuers {
		wait.Go(func() {
			keys := authn.NewKeys(db, sealer, clock.Now)
			err := keys.EnsureKeys(t.Context())
			if err == nil {
				issuers[i], err = authn.NewIssuer(keys, "procession", authn.DefaultCertificateLifetime)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	require.False(t, t.Failed())

	stored, err := db.Reader().ListSigningKeys(t.Context())
	require.NoError(t, err)
	require.Len(t, stored, 2)
	require.ElementsMatch(t,
		[]persistence.SigningKeyPurpose{persistence.SignsEngineTokens, persistence.SignsCertificates},
		[]persistence.SigningKeyPurpose{stored[0].Purpose, stored[1].Purpose})
	for _, issuer := range issuers {
		require.JSONEq(t, string(issuers[0].JWKS()), string(issuer.JWKS()))
		require.Equal(t, issuers[0].RootsPEM(), issuer.RootsPEM())
	}
}

func TestEnsureKeysAgainChangesNothing(t *testing.T) {
	t.Parallel()
	i := newIssuance(t)
	before := i.JWKS()
	require.NoError(t, i.keys.EnsureKeys(t.Context()))
	require.Equal(t, before, i.JWKS())
}

func TestKeysAreStoredSealed(t *testing.T) {
	t.Parallel()
	i := newIssuance(t)
	another := authn.NewKeys(i.db, newSealer(t), i.clock.Now)
	require.Error(t, another.EnsureKeys(t.Context()), "another seal key opens nothing")

	stored, err := i.db.Reader().ListSigningKeys(t.Context())
	require.NoError(t, err)
	for _, key := range stored {
		require.NotContains(t, key.Public, "PRIVATE")
	}
}

func TestNothingIsIssuedBeforeKeysAreLoaded(t *testing.T) {
	t.Parallel()
	clock := newTestClock()
	issuer, err := authn.NewIssuer(
		authn.NewKeys(pgtest.New(t), newSealer(t), clock.Now), "procession", authn.DefaultCertificateLifetime)
	require.NoError(t, err)
	_, err = issuer.SystemToken(clock.Now())
	require.Error(t, err)
	_, err = issuer.SystemCertificate(clock.Now())
	require.Error(t, err)
	require.Empty(t, parseJWKS(t, issuer).Keys)
	require.Empty(t, issuer.RootsPEM())
}

func TestRotateTokenKey(t *testing.T) {
	t.Parallel()
	i := newIssuance(t)
	first := parseJWKS(t, i.Issuer).Keys[0].KeyID
	i.clock.Advance(24 * time.Hour)
	require.NoError(t, i.keys.Rotate(t.Context(), persistence.SignsEngineTokens))

	published := parseJWKS(t, i.Issuer)
	require.Len(t, published.Keys, 2)
	require.Equal(t, first, published.Keys[1].KeyID)
	require.Equal(t, first, signedBy(t, i), "the new key must be known before it signs")

	i.clock.Advance(authn.DefaultPublishDelay)
	require.Equal(t, published.Keys[0].KeyID, signedBy(t, i))

	i.clock.Advance(2*time.Hour - authn.DefaultPublishDelay - time.Nanosecond)
	require.NoError(t, i.keys.Reload(t.Context()))
	require.Len(t, parseJWKS(t, i.Issuer).Keys, 2, "tokens of the retired key may still be in use")

	i.clock.Advance(time.Nanosecond)
	require.NoError(t, i.keys.Reload(t.Context()))
	require.Equal(t, published.Keys[:1], parseJWKS(t, i.Issuer).Keys)
}

func TestRotateByManyAtOnceLeavesOneActiveKey(t *testing.T) {
	t.Parallel()
	i := newIssuance(t)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if err := i.keys.Rotate(t.Context(), persistence.SignsEngineTokens); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	stored, err := i.db.Reader().ListSigningKeys(t.Context())
	require.NoError(t, err)
	active := 0
	for _, key := range stored {
		if key.Purpose == persistence.SignsEngineTokens && key.RetiredAt == nil {
			active++
		}
	}
	require.Equal(t, 1, active)
}

func TestReloadEveryLoadsKeysOfOtherReplicas(t *testing.T) {
	t.Parallel()
	i := newIssuance(t)
	require.Len(t, parseJWKS(t, i.Issuer).Keys, 1)
	var wait sync.WaitGroup
	wait.Go(func() { i.keys.ReloadEvery(t.Context(), time.Millisecond, slog.New(slog.DiscardHandler)) })
	t.Cleanup(wait.Wait)

	stored, err := i.db.Reader().ListSigningKeys(t.Context())
	require.NoError(t, err)
	require.NoError(t, i.db.Write(t.Context(), func(tx *persistence.Tx) error {
		for _, key := range stored {
			tx.RetireSigningKey(key.ID, i.clock.Now().Add(-3*time.Hour))
		}
		return nil
	}))
	require.Eventually(t, func() bool { return string(i.JWKS()) == `{"keys":[]}` }, 10*time.Second, time.Millisecond)
}
