package domain

import (
	"errors"
	"time"

	"github.com/google/uuid"
)

// EncryptionKeySize is the size of an encryption key in bytes: that of AES-256.
const EncryptionKeySize = 32

// ErrKeyLost says that an encryption key does not exist, or that what is kept of
// it can no longer be opened. Trying again is of no use until somebody has put
// that right.
var ErrKeyLost = errors.New("the encryption key is lost")

// EncryptionKey is one version of a key that the payloads of workflows are
// encrypted with (engine contract, section 9). Version 1 has the code of the key
// as its KeyID, later ones have their number as well: loan, loan.2, loan.3.
// Workers keep the value of a KeyID for as long as they like, so it never gets
// another one.
type EncryptionKey struct {
	ID       uuid.UUID
	TenantID uuid.UUID
	Code     string
	KeyID    string
	Version  int
	// CreatedBy is who made this version.
	CreatedBy uuid.UUID
	CreatedAt time.Time
}

// EncryptionKeyValue is what an encryption key is: EncryptionKeySize bytes,
// which Value reveals as they are.
type EncryptionKeyValue struct {
	KeyID string
	Value Secret
}
