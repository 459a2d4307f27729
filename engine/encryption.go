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

// KeySource finds what an encryption key of a tenant is: domain.EncryptionKeySize
// bytes. domain.ErrKeyLost says that there is no such key, or that it cannot be
// read any more; other errors, that it could not be looked up now.
type KeySource func(ctx context.Context, tenant uuid.UUID, keyID string) (domain.Secret, error)

// The headers of a workflow whose payloads are encrypted (engine contract,
// section 9). Workers pass them on to all that the workflow begins.
const (
	headerEncoding = "x-kuflow-encoding"
	headerKeyID    = "x-kuflow-encoding-encrypted-key-id"
)

// maxEncrypted bounds, in bytes, what is decrypted: base64 makes four bytes of
// three, and a payload is more than its data.
const maxEncrypted = 2 * maxResult

// errUndecryptable says that an encrypted payload cannot be read, now or later.
var errUndecryptable = errors.New("the payload cannot be decrypted")

// encryptionHeader tells a worker that the run's payloads are encrypted, and with
// which key. It is nil for a run in the open.
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

// encrypted returns the payloads as the run's worker is to get them: encrypted
// with the run's key, or as they are where it has none. That a key cannot be had
// is the command's own trouble: the error never says that Temporal is down.
func (e *Engine) encrypted(
	ctx context.Context, r domain.EngineRun, plain *commonpb.Payloads,
) (*commonpb.Payloads, error) {
	if r.EncryptionKeyID == "" {
		return plain, nil
	}
	c, err := e.cipher(ctx, r.TenantID, r.EncryptionKeyID)
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

// decrypted returns a payload of a workflow of the tenant as it was before the
// worker encrypted it. One in the open comes back as it is. Which key it takes
// the payload itself says. Errors are errUndecryptable unless the key could not
// be looked up.
func (e *Engine) decrypted(
	ctx context.Context, tenant uuid.UUID, p *commonpb.Payload,
) (*commonpb.Payload, error) {
	if string(p.GetMetadata()[converter.MetadataEncoding]) != encodingEncrypted {
		return p, nil
	}
	if len(p.GetData()) > maxEncrypted {
		return nil, fmt.Errorf("%w: it is too large", errUndecryptable)
	}
	keyID := string(p.GetMetadata()[metadataKeyID])
	c, err := e.cipher(ctx, tenant, keyID)
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

func (e *Engine) cipher(ctx context.Context, tenant uuid.UUID, keyID string) (*payloadCipher, error) {
	if e.keys == nil {
		return nil, fmt.Errorf("%w: there are no keys", domain.ErrKeyLost)
	}
	value, err := e.keys(ctx, tenant, keyID)
	if err != nil {
		return nil, err
	}
	return newPayloadCipher(keyID, value)
}
