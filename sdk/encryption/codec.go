// Package encryption encrypts the payloads of workflows so that they cannot be read in Temporal. The service names the
// key in the header of a workflow. The Propagator passes the key id in the context to everything that the workflow
// starts, and the data converter encrypts payloads of such contexts. An encrypted payload names its key, so decrypting
// needs no context. A Worker does all of it; the package is for other clients of Temporal.
package encryption

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"
)

// The form of an encrypted payload.
const (
	encoding      = "binary/encrypted?vendor=KuFlow"
	metadataKeyID = "encoding-encrypted-key-id"
	prefix        = "AES-256-GCM:"
	keySize       = 32
	nonceSize     = 12
)

// fetchTimeout bounds the wait for a key; converters do not get the context.
const fetchTimeout = 30 * time.Second

// codec encrypts with one key, or not at all when keyID is empty, and decrypts with any.
type codec struct {
	keys  *Keys
	keyID string
}

// Encode implements converter.PayloadCodec.
func (c *codec) Encode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	if c.keyID == "" {
		return payloads, nil
	}
	return mapPayloads(payloads, c.encryptPayload)
}

// Decode implements converter.PayloadCodec. Payloads in the open stay as they are.
func (c *codec) Decode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	return mapPayloads(payloads, c.decryptPayload)
}

func (c *codec) encryptPayload(p *commonpb.Payload) (*commonpb.Payload, error) {
	ctx, cancel := context.WithTimeout(context.Background(), fetchTimeout)
	defer cancel()
	aead, err := c.keys.cipherOf(ctx, c.keyID)
	if err != nil {
		return nil, err
	}
	inner := &commonpb.Payload{Metadata: maps.Clone(p.GetMetadata()), Data: p.GetData()}
	if inner.Metadata == nil {
		inner.Metadata = map[string][]byte{}
	}
	inner.Metadata[metadataKeyID] = []byte(c.keyID)
	plain, err := proto.Marshal(inner)
	if err != nil {
		return nil, fmt.Errorf("encoding a payload: %w", err)
	}
	var nonce [nonceSize]byte
	_, _ = rand.Read(nonce[:]) // ends the program instead of failing
	sealed := aead.Seal(nonce[:], nonce[:], plain, nil)
	return &commonpb.Payload{
		Metadata: map[string][]byte{converter.MetadataEncoding: []byte(encoding), metadataKeyID: []byte(c.keyID)},
		Data:     base64.StdEncoding.AppendEncode([]byte(prefix), sealed),
	}, nil
}

func (c *codec) decryptPayload(p *commonpb.Payload) (*commonpb.Payload, error) {
	if string(p.GetMetadata()[converter.MetadataEncoding]) != encoding {
		return p, nil
	}
	text, ok := bytes.CutPrefix(p.GetData(), []byte(prefix))
	if !ok {
		return nil, errors.New("the encryption of a payload is not AES-256-GCM")
	}
	sealed, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil || len(sealed) < nonceSize {
		return nil, errors.New("an encrypted payload is not the base64 of a nonce and a text")
	}
	keyID := string(p.GetMetadata()[metadataKeyID])
	ctx, cancel := context.WithTimeout(context.Background(), fetchTimeout)
	defer cancel()
	aead, err := c.keys.cipherOf(ctx, keyID)
	if err != nil {
		return nil, err
	}
	plain, err := aead.Open(nil, sealed[:nonceSize], sealed[nonceSize:], nil)
	if err != nil {
		return nil, fmt.Errorf("decrypting a payload with %s: %w", keyID, err)
	}
	inner := &commonpb.Payload{}
	if err := proto.Unmarshal(plain, inner); err != nil {
		return nil, errors.New("the decrypted text is not a payload")
	}
	return inner, nil
}

func mapPayloads(payloads []*commonpb.Payload, f func(*commonpb.Payload) (*commonpb.Payload, error)) ([]*commonpb.Payload, error) {
	result := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		var err error
		if result[i], err = f(p); err != nil {
			return nil, err
		}
	}
	return result, nil
}
