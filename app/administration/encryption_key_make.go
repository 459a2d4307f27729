package administration

import (
	"crypto/rand"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
)

// sealedKey is a version of a key to store.
type sealedKey struct {
	domain.EncryptionKey
	sealed []byte
}

// newEncryptionKey returns the version of a key that comes after as many others.
func newEncryptionKey(
	sealer *authn.Sealer, tenant uuid.UUID, code string, others int, by uuid.UUID, now time.Time,
) (sealedKey, error) {
	if sealer == nil {
		return sealedKey{}, fmt.Errorf("making the encryption key %s: %w", code, storage.ErrNoSealer)
	}
	made := sealedKey{EncryptionKey: domain.EncryptionKey{
		ID: domain.NewID(), TenantID: tenant, Code: code, KeyID: code, Version: others + 1, CreatedBy: by, CreatedAt: now,
	}}
	if others > 0 {
		made.KeyID += "." + strconv.Itoa(made.Version)
	}
	var value [domain.EncryptionKeySize]byte
	// It never fails: the program ends when there is no randomness.
	_, _ = rand.Read(value[:])
	made.sealed = sealer.Seal(storage.EncryptionKeyPurpose, made.ID.String(), value[:])
	return made, nil
}
