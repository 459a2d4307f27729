package authn

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
)

// A sealed secret consists of the version, the id of the key it was sealed with,
// a random nonce and the AES-256-GCM ciphertext of the secret.
const (
	sealVersion   = 1
	sealKeyIDSize = 8
	sealPrefix    = 1 + sealKeyIDSize
	// sealKeyNameSize is how much of its id names a key to people.
	sealKeyNameSize = 4
)

var errSealed = errors.New("the sealed secret was changed, moved or sealed with an unknown key")

type sealKeyID [sealKeyIDSize]byte

// Sealer encrypts secrets with a key (AES-256-GCM). It is safe for concurrent
// use.
type Sealer struct {
	active  sealKeyID
	ciphers map[sealKeyID]cipher.AEAD
	// names are the names of the keys, the active one first.
	names []string
}

// KeyNames names the keys with which the sealer opens secrets, the active one first. Names do not reveal keys.
func (s *Sealer) KeyNames() []string { return slices.Clone(s.names) }

// NewSealer returns a Sealer that seals with the active key, and opens secrets
// that were sealed with that or an earlier one.
func NewSealer(active SealKey, earlier ...SealKey) (*Sealer, error) {
	s := &Sealer{ciphers: make(map[sealKeyID]cipher.AEAD, 1+len(earlier))}
	for i, key := range append([]SealKey{active}, earlier...) {
		secret, err := key.readKey()
		if err != nil {
			return nil, fmt.Errorf("making a sealer: %w", err)
		}
		block, err := aes.NewCipher(secret)
		if err != nil {
			return nil, fmt.Errorf("making a sealer: %w", err)
		}
		aead, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return nil, fmt.Errorf("making a sealer: %w", err)
		}
		digest := sha256.Sum256(append([]byte("procession seal key id\x00"), secret...))
		id := sealKeyID(digest[:sealKeyIDSize])
		s.ciphers[id] = aead
		s.names = append(s.names, hex.EncodeToString(id[:sealKeyNameSize]))
		if i == 0 {
			s.active = id
		}
	}
	return s, nil
}

// Seal encrypts secret so that only Open can decrypt it, and only for the same
// purpose and record.
func (s *Sealer) Seal(purpose, record string, secret []byte) []byte {
	prefix := append([]byte{sealVersion}, s.active[:]...)
	context := sealContext(prefix, purpose, record)
	return s.ciphers[s.active].Seal(prefix, nil, secret, context) //nolint:gosec // the cipher makes the nonce itself
}

// Open returns the secret that was sealed for the purpose and record. Its error
// quotes neither the secret nor the key.
func (s *Sealer) Open(purpose, record string, sealed []byte) ([]byte, error) {
	if len(sealed) < sealPrefix || sealed[0] != sealVersion {
		return nil, errSealed
	}
	prefix, body := sealed[:sealPrefix], sealed[sealPrefix:]
	aead, ok := s.ciphers[sealKeyID(prefix[1:])]
	if !ok {
		return nil, errSealed
	}
	secret, err := aead.Open(nil, nil, body, sealContext(prefix, purpose, record))
	if err != nil {
		return nil, errSealed
	}
	return secret, nil
}

// sealedLast reports whether a secret is sealed with the active key.
func (s *Sealer) sealedLast(sealed []byte) bool {
	return len(sealed) >= sealPrefix && sealed[0] == sealVersion && sealKeyID(sealed[1:sealPrefix]) == s.active
}

// sealContext returns the context that a sealed secret is bound to. The length separates purpose and record.
func sealContext(prefix []byte, purpose, record string) []byte {
	context := binary.BigEndian.AppendUint64(append([]byte{}, prefix...), uint64(len(purpose)))
	return append(append(context, purpose...), record...)
}
