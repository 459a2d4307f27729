package authn

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"

	"github.com/procession-dev/procession/domain"
)

// SecretPrefix is the prefix of every secret that the service generates, so that
// scanners recognise one in a repository or a log.
const SecretPrefix = "procession_"

// NewSecret returns a secret of 256 random bits for an application or a personal
// access token. It can be sent in a header without encoding.
func NewSecret() domain.Secret {
	var random [32]byte
	// rand.Read never fails: the program ends when there is no randomness.
	_, _ = rand.Read(random[:])
	return domain.NewSecret(SecretPrefix + base64.RawURLEncoding.EncodeToString(random[:]))
}

// HashSecret returns the hash of a secret that is stored. A fast hash is enough,
// because secrets are random and not chosen by people.
func HashSecret(secret string) [32]byte { return sha256.Sum256([]byte(secret)) }
