package authn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/procession-dev/procession/persistence"
)

// ErrNoSuchKey is returned when no key, or more than one, has the id.
var ErrNoSuchKey = errors.New("there is no such key")

// Rotate retires the active key for the purpose and creates another. The retired
// key continues to sign for the publish delay, until verifiers know the new one,
// and is trusted until everything it signed has expired. A new authority is
// certified by the previous one, so that verifiers that trust only the previous
// one accept its certificates.
func (k *Keys) Rotate(ctx context.Context, purpose persistence.SigningKeyPurpose) error {
	stored, err := k.db.Reader().ListSigningKeys(ctx)
	if err != nil {
		return fmt.Errorf("rotating a signing key: %w", err)
	}
	now := k.now()
	var before *authority
	active, found := activeKey(stored, purpose)
	if found && purpose == persistence.SignsCertificates {
		if before, err = openAuthority(active, k.sealer); err != nil {
			return fmt.Errorf("rotating a signing key: %w", err)
		}
	}
	made, err := k.newSigningKey(purpose, before, now)
	if err != nil {
		return fmt.Errorf("rotating a signing key: %w", err)
	}
	err = k.db.Write(ctx, func(tx *persistence.Tx) error {
		if found {
			tx.RetireSigningKey(active.ID, now)
		}
		tx.InsertSigningKey(made)
		return nil
	})
	if err != nil {
		return fmt.Errorf("rotating a signing key: %w", err)
	}
	return k.Reload(ctx)
}

// Distrust ends the trust in a key, and in everything it signed, at once, and
// returns the ids of the distrusted keys: authorities that certified the key are
// distrusted with it. When no key is left to sign, a new one is created that
// signs at once. The id may be abbreviated to a unique prefix. It returns
// ErrNoSuchKey when no key for the purpose has the id.
func (k *Keys) Distrust(ctx context.Context, purpose persistence.SigningKeyPurpose, id string) ([]string, error) {
	stored, err := k.db.Reader().ListSigningKeys(ctx)
	if err != nil {
		return nil, fmt.Errorf("distrusting a signing key: %w", err)
	}
	stored = slices.DeleteFunc(stored, func(key persistence.SigningKey) bool { return key.Purpose != purpose })
	first, err := findKey(stored, id)
	if err != nil {
		return nil, err
	}
	concerned := vouchingKeyIDs(stored[first:])
	now := k.now()
	made, err := k.newSigningKey(purpose, nil, now)
	if err != nil {
		return nil, fmt.Errorf("distrusting a signing key: %w", err)
	}
	err = k.db.Write(ctx, func(tx *persistence.Tx) error {
		for _, id := range concerned {
			tx.DistrustSigningKey(id, now)
		}
		// The new key is stored only if there is no active key any more.
		tx.InsertSigningKey(made)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("distrusting a signing key: %w", err)
	}
	return concerned, k.Reload(ctx)
}

// minKeyID is the least length of an abbreviated id.
const minKeyID = 8

func findKey(stored []persistence.SigningKey, id string) (int, error) {
	found := -1
	for i, key := range stored {
		if key.ID != id && (len(id) < minKeyID || !strings.HasPrefix(key.ID, id)) {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("looking for key %s: %w: several ids have this prefix", id, ErrNoSuchKey)
		}
		found = i
	}
	if found < 0 {
		return 0, fmt.Errorf("looking for key %s: %w", id, ErrNoSuchKey)
	}
	return found, nil
}

// vouchingKeyIDs returns the ids of the first key and of the earlier keys that certify it: a verifier that trusts one
// of these also trusts the first. The keys are sorted, the newest first.
func vouchingKeyIDs(keys []persistence.SigningKey) []string {
	ids := []string{keys[0].ID}
	for i := 1; i < len(keys) && keys[i-1].Cross != ""; i++ {
		ids = append(ids, keys[i].ID)
	}
	return ids
}

// KeyState is the state of a signing key.
type KeyState string

// The states of keys.
const (
	// KeyNext keys are published, but do not sign yet.
	KeyNext KeyState = "NEXT"
	// KeySigning is the state of the key that signs now.
	KeySigning KeyState = "SIGNING"
	// KeyTrusted keys no longer sign; their signatures are accepted.
	KeyTrusted KeyState = "TRUSTED"
	// KeyExpired keys were retired so long ago that everything they signed has
	// expired.
	KeyExpired KeyState = "EXPIRED"
	// KeyDistrusted keys were distrusted by Distrust.
	KeyDistrusted KeyState = "DISTRUSTED"
)

// KeyInfo describes a signing key.
type KeyInfo struct {
	ID        string
	State     KeyState
	CreatedAt time.Time
	// SignsFrom is the time at which the key is due to begin to sign.
	SignsFrom time.Time
	// TrustedUntil is nil for the newest key.
	TrustedUntil *time.Time
	// Name is the subject of an authority's certificate, NotAfter when the
	// certificate expires.
	Name     string
	NotAfter time.Time
}

// List returns the keys for a purpose, the newest first.
func (k *Keys) List(ctx context.Context, purpose persistence.SigningKeyPurpose) ([]KeyInfo, error) {
	stored, err := k.db.Reader().ListSigningKeys(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing signing keys: %w", err)
	}
	now := k.now()
	set, err := newKeySet(stored, k.sealer, now, k.publishDelay)
	if err != nil {
		return nil, fmt.Errorf("listing signing keys: %w", err)
	}
	var current string
	if purpose == persistence.SignsCertificates {
		signing, _ := selectSigningKey(set.authorities, now)
		current = signing.id
	} else {
		signing, _ := selectSigningKey(set.tokens, now)
		current = signing.id
	}
	var infos []KeyInfo
	for _, key := range stored {
		if key.Purpose != purpose {
			continue
		}
		info := KeyInfo{
			ID: key.ID, State: stateOf(key, key.ID == current, now), CreatedAt: key.CreatedAt,
			SignsFrom: validityOf(key, k.publishDelay, successor{}).from,
		}
		if key.DistrustedAt != nil {
			info.TrustedUntil = key.DistrustedAt
		} else if key.RetiredAt != nil {
			until := trustedUntil(key)
			info.TrustedUntil = &until
		}
		if purpose == persistence.SignsCertificates {
			certificate, err := parseCertificate(key.Public)
			if err != nil {
				return nil, fmt.Errorf("listing signing keys: %w", err)
			}
			info.Name, info.NotAfter = certificate.Subject.CommonName, certificate.NotAfter
		}
		infos = append(infos, info)
	}
	return infos, nil
}

func stateOf(key persistence.SigningKey, signs bool, now time.Time) KeyState {
	switch {
	case key.DistrustedAt != nil:
		return KeyDistrusted
	case !isTrusted(key, now):
		return KeyExpired
	case signs:
		return KeySigning
	case key.RetiredAt == nil:
		return KeyNext
	default:
		return KeyTrusted
	}
}
