package webhook

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/procession-dev/procession/domain"
)

// SecretPurpose is the purpose of sealed webhook secrets. Their record is the id of the secret.
const SecretPurpose = "WEBHOOK_SECRET"

const (
	secretPrefix = "whsec_"
	// The lengths of a key in bytes that Standard Webhooks allows.
	minSecretLength, maxSecretLength = 24, 64
)

// Secret is a key that deliveries are signed with. Printing, logging or encoding
// it shows a placeholder.
type Secret struct {
	// key is a secret like the text.
	key domain.Secret
}

// ParseSecret parses a secret in the form in which subscribers get it: whsec_ and
// the base64 of 24 to 64 bytes. Its errors do not quote text.
func ParseSecret(text domain.Secret) (Secret, error) {
	encoded, found := strings.CutPrefix(text.Reveal(), secretPrefix)
	if !found {
		return Secret{}, errors.New("reading a webhook secret: it does not begin with " + secretPrefix)
	}
	// Strict decoding allows one spelling per secret. The cause is dropped because it
	// would quote the secret.
	key, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil || strings.ContainsAny(encoded, "\r\n") {
		return Secret{}, errors.New("reading a webhook secret: it is not base64 after " + secretPrefix)
	}
	if len(key) < minSecretLength || len(key) > maxSecretLength {
		return Secret{}, fmt.Errorf(
			"reading a webhook secret: it has %d bytes, not %d to %d", len(key), minSecretLength, maxSecretLength)
	}
	return Secret{key: domain.NewSecret(string(key))}, nil
}

// String returns a placeholder.
func (s Secret) String() string { return s.key.String() }

// GoString returns a placeholder.
func (s Secret) GoString() string { return s.key.GoString() }

// MarshalText returns a placeholder.
func (s Secret) MarshalText() ([]byte, error) { return s.key.MarshalText() }
