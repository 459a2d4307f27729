package authn

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"

	"github.com/procession-dev/procession/domain"
)

// SecretPrefix starts every secret the service makes, so that scanners can tell
// one that got into a repository or a log.
const SecretPrefix = "procession_"

// NewSecret makes a secret of 256 random bits for an application or a personal
// access token. It is fit for a header as it is.
func NewSecret() domain.Secret {
	var random [32]byte
	// It never fails: the program ends when there is no randomness.
	_, _ = rand.Read(random[:])
	return domain.NewSecret(SecretPrefix + base64.RawURLEncoding.EncodeToString(random[:]))
}

// HashSecret is what is stored of a secret. A fast hash is enough, because
// secrets are random and not chosen by people.
func HashSecret(secret string) [32]byte { return sha256.Sum256([]byte(secret)) }
