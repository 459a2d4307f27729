package engine

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"

	"github.com/procession-dev/procession/domain"
)

// The form of an encrypted payload (engine contract, section 9).
const (
	encodingEncrypted = "binary/encrypted?vendor=KuFlow"
	metadataKeyID     = "encoding-encrypted-key-id"
	cipherPrefix      = "AES-256-GCM:"
	nonceSize         = 12
)

type nonce [nonceSize]byte

func newNonce() (n nonce) {
	// rand.Read never fails: the program ends when there is no randomness.
	_, _ = rand.Read(n[:])
	return n
}

// payloadCipher encrypts payloads with one key.
type payloadCipher struct {
	keyID string
	aead  cipher.AEAD
}

// newPayloadCipher returns a cipher for a key of domain.EncryptionKeySize bytes.
func newPayloadCipher(keyID string, key domain.Secret) (*payloadCipher, error) {
	value := []byte(key.Reveal())
	if len(value) != domain.EncryptionKeySize {
		return nil, fmt.Errorf("%w: %s has the wrong size", domain.ErrKeyLost, keyID)
	}
	block, err := aes.NewCipher(value)
	if err != nil {
		return nil, fmt.Errorf("creating a cipher for %s: %w", keyID, err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("creating a cipher for %s: %w", keyID, err)
	}
	return &payloadCipher{keyID: keyID, aead: aead}, nil
}

// encrypt returns a payload that contains p with its metadata in encrypted form. The
// encrypted text names the key as well. A nonce must not be reused.
func (c *payloadCipher) encrypt(p *commonpb.Payload, n nonce) (*commonpb.Payload, error) {
	inner := &commonpb.Payload{Metadata: maps.Clone(p.GetMetadata()), Data: p.GetData()}
	if inner.Metadata == nil {
		inner.Metadata = map[string][]byte{}
	}
	inner.Metadata[metadataKeyID] = []byte(c.keyID)
	plain, err := proto.MarshalOptions{Deterministic: true}.Marshal(inner)
	if err != nil {
		return nil, fmt.Errorf("encoding a payload: %w", err)
	}
	sealed := c.aead.Seal(n[:], n[:], plain, nil)
	return &commonpb.Payload{
		Metadata: map[string][]byte{
			converter.MetadataEncoding: []byte(encodingEncrypted), metadataKeyID: []byte(c.keyID),
		},
		Data: base64.StdEncoding.AppendEncode([]byte(cipherPrefix), sealed),
	}, nil
}

// decrypt reverses encrypt. Its errors do not quote the payload.
func (c *payloadCipher) decrypt(p *commonpb.Payload) (*commonpb.Payload, error) {
	text, ok := bytes.CutPrefix(p.GetData(), []byte(cipherPrefix))
	if !ok {
		return nil, errors.New("its encryption is not AES-256-GCM")
	}
	sealed, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil || len(sealed) < nonceSize {
		return nil, errors.New("it is not the base64 of a nonce and a text")
	}
	plain, err := c.aead.Open(nil, sealed[:nonceSize], sealed[nonceSize:], nil)
	if err != nil {
		return nil, errors.New("it was encrypted with another key, or altered")
	}
	inner := &commonpb.Payload{}
	if err := proto.Unmarshal(plain, inner); err != nil {
		return nil, errors.New("the decrypted text is not a payload")
	}
	return inner, nil
}
