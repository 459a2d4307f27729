package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"

	"github.com/procession-dev/procession/domain"
)

// KeySource returns an encryption key of a tenant, domain.EncryptionKeySize
// bytes. It returns domain.ErrKeyLost when the key does not exist or is no longer
// readable; other errors are temporary.
type KeySource func(ctx context.Context, tenant uuid.UUID, keyID string) (domain.Secret, error)

// The headers of a workflow with encrypted payloads (engine contract, section 9).
// Workers pass them on to the activities and child workflows that it starts.
const (
	headerEncoding = "x-kuflow-encoding"
	headerKeyID    = "x-kuflow-encoding-encrypted-key-id"
)

// maxEncrypted bounds, in bytes, the payloads that are decrypted: base64 makes
// four bytes of three, and a payload is larger than its data.
const maxEncrypted = 2 * maxResult

// errUndecryptable means that an encrypted payload is permanently unreadable.
var errUndecryptable = errors.New("the payload cannot be decrypted")

// encryptionHeader returns the headers that name the key of the run's payloads,
// nil for a run without encryption.
func encryptionHeader(r domain.EngineRun) (*commonpb.Header, error) {
	if r.EncryptionKeyID == "" {
		return nil, nil //nolint:nilnil // no header is a header
	}
	fields := map[string]*commonpb.Payload{}
	for name, value := range map[string]string{headerEncoding: encodingEncrypted, headerKeyID: r.EncryptionKeyID} {
		payload, err := converter.GetDefaultDataConverter().ToPayload(value)
		if err != nil {
			return nil, fmt.Errorf("writing the header %s: %w", name, err)
		}
		fields[name] = payload
	}
	return &commonpb.Header{Fields: fields}, nil
}

// encryptPayloads encrypts payloads with the run's key, if it has one. An unreadable
// key is an error of the command: Unavailable does not report it.
func (e *Engine) encryptPayloads(
	ctx context.Context, r domain.EngineRun, plain *commonpb.Payloads,
) (*commonpb.Payloads, error) {
	if r.EncryptionKeyID == "" {
		return plain, nil
	}
	c, err := e.tenantCipher(ctx, r.TenantID, r.EncryptionKeyID)
	if err != nil {
		return nil, fmt.Errorf("encrypting for %s: %s", r.WorkflowID, err.Error())
	}
	result := &commonpb.Payloads{}
	for _, p := range plain.GetPayloads() {
		encrypted, err := c.encrypt(p, newNonce())
		if err != nil {
			return nil, fmt.Errorf("encrypting for %s: %w", r.WorkflowID, err)
		}
		result.Payloads = append(result.Payloads, encrypted)
	}
	return result, nil
}

// decryptPayload decrypts a payload of a tenant's workflow with the key that it names.
// An unencrypted payload is returned unchanged. Errors are errUndecryptable unless the
// key could not be looked up.
func (e *Engine) decryptPayload(
	ctx context.Context, tenant uuid.UUID, p *commonpb.Payload,
) (*commonpb.Payload, error) {
	if string(p.GetMetadata()[converter.MetadataEncoding]) != encodingEncrypted {
		return p, nil
	}
	if len(p.GetData()) > maxEncrypted {
		return nil, fmt.Errorf("%w: it is too large", errUndecryptable)
	}
	keyID := string(p.GetMetadata()[metadataKeyID])
	c, err := e.tenantCipher(ctx, tenant, keyID)
	if errors.Is(err, domain.ErrKeyLost) {
		return nil, fmt.Errorf("%w: %w", errUndecryptable, err)
	}
	if err != nil {
		return nil, err
	}
	plain, err := c.decrypt(p)
	if err != nil {
		return nil, fmt.Errorf("%w with %q: %w", errUndecryptable, keyID, err)
	}
	return plain, nil
}

func (e *Engine) tenantCipher(ctx context.Context, tenant uuid.UUID, keyID string) (*payloadCipher, error) {
	if e.keys == nil {
		return nil, fmt.Errorf("%w: there are no keys", domain.ErrKeyLost)
	}
	value, err := e.keys(ctx, tenant, keyID)
	if err != nil {
		return nil, err
	}
	return newPayloadCipher(keyID, value)
}
