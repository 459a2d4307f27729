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

// ErrNoSuchKey says that no key, or more than one, has the id.
var ErrNoSuchKey = errors.New("there is no such key")

// Rotate retires the active key for the purpose and makes another. The retired
// one goes on signing until those who verify know the new one, and is trusted
// until all it signed has expired. A new authority is certified by the one
// before, so that who trusts that one only accepts what the new one issues.
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

// Distrust ends at once the trust in a key and in all that it signed, and returns
// the ids of the keys concerned: an authority that vouches for the one with the
// id has to go with it. When none is left to sign, another is made that signs at
// once. The id may be cut short where that is clear. An id that no key for the
// purpose has is ErrNoSuchKey.
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
	concerned := vouching(stored[first:])
	now := k.now()
	made, err := k.newSigningKey(purpose, nil, now)
	if err != nil {
		return nil, fmt.Errorf("distrusting a signing key: %w", err)
	}
	err = k.db.Write(ctx, func(tx *persistence.Tx) error {
		for _, id := range concerned {
			tx.DistrustSigningKey(id, now)
		}
		// It is stored only if there is no active key any more.
		tx.InsertSigningKey(made)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("distrusting a signing key: %w", err)
	}
	return concerned, k.Reload(ctx)
}

// minKeyID is how many characters of the id of a key are enough to name it.
const minKeyID = 8

func findKey(stored []persistence.SigningKey, id string) (int, error) {
	found := -1
	for i, key := range stored {
		if key.ID != id && (len(id) < minKeyID || !strings.HasPrefix(key.ID, id)) {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("looking for key %s: %w: several begin so", id, ErrNoSuchKey)
		}
		found = i
	}
	if found < 0 {
		return 0, fmt.Errorf("looking for key %s: %w", id, ErrNoSuchKey)
	}
	return found, nil
}

// vouching returns the id of the first key, and those of the keys before it that
// certify it: who trusts one of these trusts the first one too. The keys are the
// newest first.
func vouching(keys []persistence.SigningKey) []string {
	ids := []string{keys[0].ID}
	for i := 1; i < len(keys) && keys[i-1].Cross != ""; i++ {
		ids = append(ids, keys[i].ID)
	}
	return ids
}

// KeyState says what a key is good for.
type KeyState string

// The states of keys.
const (
	// KeyNext keys are known, but do not sign yet.
	KeyNext KeyState = "NEXT"
	// KeySigning is the state of the key that signs now.
	KeySigning KeyState = "SIGNING"
	// KeyTrusted keys sign no more; what they signed is accepted.
	KeyTrusted KeyState = "TRUSTED"
	// KeyExpired keys were retired so long ago that all they signed has expired.
	KeyExpired KeyState = "EXPIRED"
	// KeyDistrusted keys were given up before their time.
	KeyDistrusted KeyState = "DISTRUSTED"
)

// KeyInfo describes a signing key.
type KeyInfo struct {
	ID        string
	State     KeyState
	CreatedAt time.Time
	// SignsFrom is when it begins to sign, if nothing else happens.
	SignsFrom time.Time
	// TrustedUntil is nil for the key that was made last.
	TrustedUntil *time.Time
	// Name is whom an authority says it is, NotAfter when its certificate expires.
	Name     string
	NotAfter time.Time
}

// List describes the keys for a purpose, the newest first.
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
		signing, _ := signing(set.authorities, now)
		current = signing.id
	} else {
		signing, _ := signing(set.tokens, now)
		current = signing.id
	}
	var infos []KeyInfo
	for _, key := range stored {
		if key.Purpose != purpose {
			continue
		}
		info := KeyInfo{
			ID: key.ID, State: stateOf(key, key.ID == current, now), CreatedAt: key.CreatedAt,
			SignsFrom: key.CreatedAt.Add(k.publishDelay),
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
	case !trusted(key, now):
		return KeyExpired
	case signs:
		return KeySigning
	case key.RetiredAt == nil:
		return KeyNext
	default:
		return KeyTrusted
	}
}
