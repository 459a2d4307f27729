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
	"strings"
	"sync/atomic"
	"time"

	"github.com/procession-dev/procession/internal/loop"
	"github.com/procession-dev/procession/persistence"
)

// DefaultKeyReload is how often ReloadEvery should reload. It must be shorter
// than the publish delay of a new key.
const DefaultKeyReload = 10 * time.Second

// Keys holds the service's signing keys, which all replicas share. It is safe for
// concurrent use.
type Keys struct {
	db           *persistence.DB
	sealer       *Sealer
	clock        func() time.Time
	publishDelay time.Duration
	set          atomic.Pointer[keySet]
}

// KeysOption changes how Keys publishes keys.
type KeysOption func(*Keys)

// WithPublishDelay sets how long a new key is published before it signs, at most
// MaxPublishDelay. All replicas should have the same delay.
func WithPublishDelay(delay time.Duration) KeysOption {
	return func(k *Keys) { k.publishDelay = min(delay, MaxPublishDelay) }
}

// NewKeys returns Keys, which are empty until EnsureKeys is called.
func NewKeys(db *persistence.DB, sealer *Sealer, clock func() time.Time, options ...KeysOption) *Keys {
	k := &Keys{db: db.Background(), sealer: sealer, clock: clock, publishDelay: DefaultPublishDelay}
	for _, option := range options {
		option(k)
	}
	k.set.Store(&keySet{jwks: []byte(`{"keys":[]}`)})
	return k
}

// EnsureKeys creates missing keys and loads all. Replicas that call it
// concurrently end up with the same keys.
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
		now := k.now()
		made, err := k.newSigningKey(purpose, nil, now)
		if err == nil {
			err = k.db.Write(ctx, func(tx *persistence.Tx) error {
				tx.InsertSigningKey(made)
				return nil
			})
		}
		if err != nil {
			return fmt.Errorf("ensuring signing keys: %w", err)
		}
	}
	return k.Reload(ctx)
}

// Reload loads the keys again, including changes by other replicas. After a failure the keys stay as they were.
func (k *Keys) Reload(ctx context.Context) error {
	stored, err := k.db.Reader().ListSigningKeys(ctx)
	if err != nil {
		return fmt.Errorf("loading signing keys: %w", err)
	}
	set, err := newKeySet(stored, k.sealer, k.clock(), k.publishDelay)
	if err != nil {
		return fmt.Errorf("loading signing keys: %w", err)
	}
	k.set.Store(set)
	return nil
}

// ReloadEvery reloads the keys at an interval until ctx ends. The interval should
// be shorter than the publish delay.
func (k *Keys) ReloadEvery(ctx context.Context, interval time.Duration, log *slog.Logger) {
	loop.Every(ctx, interval, func() {
		if err := k.Reload(ctx); err != nil && ctx.Err() == nil {
			log.LogAttrs(ctx, slog.LevelError, "reloading signing keys failed", slog.Any("error", err))
		}
	})
}

func (k *Keys) now() time.Time { return k.clock().UTC().Truncate(time.Microsecond) }

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

// newSigningKey creates a key. Its id is the SHA-256 of its public half. A new
// authority is certified by the previous one, if there is one.
func (k *Keys) newSigningKey(
	purpose persistence.SigningKeyPurpose, before *authority, now time.Time,
) (persistence.SigningKey, error) {
	private, id, public, err := newKeyPair()
	if err != nil {
		return persistence.SigningKey{}, err
	}
	var cross string
	if purpose == persistence.SignsCertificates {
		if public, cross, err = newRoot(private, id, before, now); err != nil {
			return persistence.SigningKey{}, err
		}
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return persistence.SigningKey{}, fmt.Errorf("encoding a private key: %w", err)
	}
	return persistence.SigningKey{
		ID: id, Purpose: purpose, Public: public, Cross: cross, CreatedAt: now,
		Private: k.sealer.Seal(string(purpose), id, secret),
	}, nil
}

// newKeyPair creates a key with its id and its public half in PEM. The id never
// begins with a hyphen, so that it can be an argument of a command.
func newKeyPair() (private *ecdsa.PrivateKey, id, public string, err error) {
	for {
		private, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return nil, "", "", fmt.Errorf("making a key pair: %w", err)
		}
		der, public, err := encodePublicKey(private.Public())
		if err != nil {
			return nil, "", "", err
		}
		digest := sha256.Sum256(der)
		id = base64.RawURLEncoding.EncodeToString(digest[:])
		if !strings.HasPrefix(id, "-") {
			return private, id, public, nil
		}
	}
}
