package persistence

import (
	"context"
	"time"

	"github.com/procession-dev/procession/persistence/internal/pg"
)

// SigningKeyPurpose is the kind of object that a signing key signs.
type SigningKeyPurpose string

// The purposes of signing keys.
const (
	SignsEngineTokens SigningKeyPurpose = "ENGINE_TOKEN"
	SignsCertificates SigningKeyPurpose = "CERTIFICATE_AUTHORITY"
)

// SigningKey is a key that the service signs with. Public is PEM: a public key for engine tokens, a certificate
// for the certificate authority. Private is sealed. A retired key makes no new signatures; earlier ones may
// still be trusted, unless the key is distrusted.
type SigningKey struct {
	ID      string
	Purpose SigningKeyPurpose
	Public  string
	Private []byte
	// Cross is the certificate (PEM) that the previous authority issued for this one, empty for the first and
	// for other keys.
	Cross        string
	CreatedAt    time.Time
	RetiredAt    *time.Time
	DistrustedAt *time.Time
	// Accepted is false of an authority that a namespace in Temporal Cloud does not accept yet.
	Accepted bool
}

// The index signing_keys_active lets one of several concurrent inserts succeed.
const insertSigningKey = `
INSERT INTO signing_keys (id, purpose, public_pem, sealed_private, cross_pem, created_at)
VALUES ($1, $2, $3, $4, nullif($5, ''), $6)
    ON CONFLICT (purpose) WHERE retired_at IS NULL DO NOTHING`

// InsertSigningKey stores an active key, unless there is an active key for the
// purpose already.
func (tx *Tx) InsertSigningKey(k SigningKey) {
	tx.queue(insertSigningKey, k.ID, k.Purpose, k.Public, k.Private, k.Cross, k.CreatedAt)
}

const retireSigningKey = `
UPDATE signing_keys
   SET retired_at = $2
 WHERE id = $1
   AND retired_at IS NULL`

// RetireSigningKey ends the use of a key for new signatures. A key that is already retired keeps its time.
func (tx *Tx) RetireSigningKey(id string, now time.Time) {
	tx.queue(retireSigningKey, id, now)
}

const distrustSigningKey = `
UPDATE signing_keys
   SET retired_at = coalesce(retired_at, $2), distrusted_at = $2
 WHERE id = $1
   AND distrusted_at IS NULL`

// DistrustSigningKey ends the use of a key and the trust in all its signatures.
func (tx *Tx) DistrustSigningKey(id string, now time.Time) {
	tx.queue(distrustSigningKey, id, now)
}

const listSigningKeys = `
SELECT id, purpose, public_pem AS public, sealed_private AS private, coalesce(cross_pem, '') AS "cross",
       created_at, retired_at, distrusted_at,
       NOT EXISTS (SELECT 1 FROM cloud_namespaces n WHERE s.id <> ALL(n.authorities)) AS accepted
  FROM signing_keys s
 ORDER BY created_at DESC, retired_at DESC NULLS FIRST, id`

// ListSigningKeys returns all signing keys, the newest first.
func (r *Reader) ListSigningKeys(ctx context.Context) ([]SigningKey, error) {
	var keys []SigningKey
	err := r.Read(ctx, pg.Q(listSigningKeys, nil, pg.Into(&keys)))
	return keys, pg.Translate("listing signing keys", err)
}
