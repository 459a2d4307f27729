package authn

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/procession-dev/procession/persistence"
)

// Keys is the service's signing keys, as all replicas share them. It is safe for
// concurrent use.
type Keys struct {
	db     *persistence.DB
	sealer *Sealer
	clock  func() time.Time
	set    atomic.Pointer[keySet]
}

// NewKeys makes Keys, which hold nothing before EnsureKeys.
func NewKeys(db *persistence.DB, sealer *Sealer, clock func() time.Time) *Keys {
	k := &Keys{db: db, sealer: sealer, clock: clock}
	k.set.Store(&keySet{jwks: []byte(`{"keys":[]}`)})
	return k
}

// EnsureKeys makes the keys that are missing and loads all. Replicas that do so
// at once end up with the same keys.
func (k *Keys) EnsureKeys(ctx context.Context) error {
	stored, err := k.db.Reader().ListSigningKeys(ctx)
	if err != nil {
		return fmt.Errorf("ensuring signing keys: %w", err)
	}
	for _, purpose := range []persistence.SigningKeyPurpose{
		persistence.SignsEngineTokens, persistence.SignsCertificates,
	} {
		if _, found := activeKey(stored, purpose); found {
			continue
		}
		if err := k.replace(ctx, nil, purpose); err != nil {
			return fmt.Errorf("ensuring signing keys: %w", err)
		}
	}
	return k.Reload(ctx)
}

// Reload loads the keys again, to learn of those that another replica made or
// retired. When it fails, the keys stay as they were.
func (k *Keys) Reload(ctx context.Context) error {
	stored, err := k.db.Reader().ListSigningKeys(ctx)
	if err != nil {
		return fmt.Errorf("loading signing keys: %w", err)
	}
	set, err := newKeySet(stored, k.sealer, k.clock())
	if err != nil {
		return fmt.Errorf("loading signing keys: %w", err)
	}
	k.set.Store(set)
	return nil
}

// ReloadEvery reloads the keys at an interval until ctx ends. It should be
// shorter than a minute, the time that a new key is known before it signs.
func (k *Keys) ReloadEvery(ctx context.Context, interval time.Duration, log *slog.Logger) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := k.Reload(ctx); err != nil && ctx.Err() == nil {
			log.LogAttrs(ctx, slog.LevelError, "signing keys were not reloaded", slog.Any("error", err))
		}
	}
}

// Rotate retires the active key for the purpose and makes another. The retired
// one goes on signing for a minute, until those who verify know the new one, and
// is trusted until all it signed has expired.
func (k *Keys) Rotate(ctx context.Context, purpose persistence.SigningKeyPurpose) error {
	stored, err := k.db.Reader().ListSigningKeys(ctx)
	if err != nil {
		return fmt.Errorf("rotating a signing key: %w", err)
	}
	var retire *persistence.SigningKey
	if active, found := activeKey(stored, purpose); found {
		retire = &active
	}
	if err := k.replace(ctx, retire, purpose); err != nil {
		return fmt.Errorf("rotating a signing key: %w", err)
	}
	return k.Reload(ctx)
}

func activeKey(
	stored []persistence.SigningKey, purpose persistence.SigningKeyPurpose,
) (key persistence.SigningKey, found bool) {
	for _, key := range stored {
		if key.Purpose == purpose && key.RetiredAt == nil {
			return key, true
		}
	}
	return persistence.SigningKey{}, false
}

// replace stores a new key for the purpose in place of the one to retire.
func (k *Keys) replace(
	ctx context.Context, retire *persistence.SigningKey, purpose persistence.SigningKeyPurpose,
) error {
	now := k.clock().UTC().Truncate(time.Microsecond)
	key, err := k.newSigningKey(purpose, now)
	if err != nil {
		return err
	}
	return k.db.Write(ctx, func(tx *persistence.Tx) error {
		if retire != nil {
			tx.RetireSigningKey(retire.ID, now)
		}
		tx.InsertSigningKey(key)
		return nil
	})
}

// newSigningKey makes a key. Its id is the SHA-256 of its public half.
func (k *Keys) newSigningKey(purpose persistence.SigningKeyPurpose, now time.Time) (persistence.SigningKey, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return persistence.SigningKey{}, fmt.Errorf("making a key pair: %w", err)
	}
	der, public, err := encodePublicKey(private.Public())
	if err != nil {
		return persistence.SigningKey{}, err
	}
	if purpose == persistence.SignsCertificates {
		public, err = newRoot(private, now)
		if err != nil {
			return persistence.SigningKey{}, err
		}
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return persistence.SigningKey{}, fmt.Errorf("encoding a private key: %w", err)
	}
	digest := sha256.Sum256(der)
	id := base64.RawURLEncoding.EncodeToString(digest[:])
	return persistence.SigningKey{
		ID: id, Purpose: purpose, Public: public, CreatedAt: now,
		Private: k.sealer.Seal(string(purpose), id, secret),
	}, nil
}
