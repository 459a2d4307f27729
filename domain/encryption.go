package domain

import (
	"errors"
	"time"

	"github.com/google/uuid"
)

// EncryptionKeySize is the size of an AES-256 key in bytes.
const EncryptionKeySize = 32

// ErrKeyLost is returned when an encryption key does not exist, or its stored value can no longer be opened. A
// retry fails until an operator has fixed that.
var ErrKeyLost = errors.New("the encryption key is lost")

// EncryptionKey is one version of a key that encrypts the payloads of workflows (engine contract, section 9).
// Version 1 has the code of the key as its KeyID, later ones have their number as well: loan, loan.2, loan.3.
// Workers cache the value of a KeyID indefinitely, so it never changes.
type EncryptionKey struct {
	ID       uuid.UUID
	TenantID uuid.UUID
	Code     string
	KeyID    string
	Version  int
	// CreatedBy is the principal that created this version.
	CreatedBy uuid.UUID
	CreatedAt time.Time
}

// EncryptionKeyValue is the value of an encryption key: EncryptionKeySize bytes, which Value reveals.
type EncryptionKeyValue struct {
	KeyID string
	Value Secret
}

// EncryptionKeyVersion is a version of a key, without its value. OpenRuns are the workflows that may still need
// it.
type EncryptionKeyVersion struct {
	EncryptionKey
	OpenRuns int64
}
