package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// RetrieveKmsKey (EXTRA) returns the value of an encryption key of the caller's tenant. The caller must be a worker
// that can be handed payloads of the key: one that runs a version of a process definition that names the key, or may
// serve a queue that the version names or its runner lists. A shared key is read by all workers of the tenant. The
// first read of an application on a day is recorded. Errors: NOT_FOUND, ACCESS_DENIED for callers that no manifest
// makes workers.
func (s *Service) RetrieveKmsKey(
	ctx context.Context, call domain.Call, keyID string,
) (*domain.EncryptionKeyValue, error) {
	tenant, err := call.Tenant(nil)
	if call.Type != domain.PrincipalApplication || err != nil {
		return nil, notWorker()
	}
	event := domain.EncryptionKeyReadEvent(tenant.TenantID, keyID, call.PrincipalID, s.now())
	found, worker, err := s.store.DB.ReadKey(ctx, call.PrincipalID, tenant.TenantID, keyID, event)
	switch {
	case err != nil:
		return nil, err
	case !worker:
		return nil, notWorker()
	case found == nil:
		return nil, domain.NotFound("encryption key")
	}
	value, err := s.openEncryptionKey(found)
	if err != nil {
		return nil, err
	}
	return &domain.EncryptionKeyValue{KeyID: found.KeyID, Value: value}, nil
}

// EncryptionKey returns the value of a tenant's key for the service itself:
// domain.EncryptionKeySize bytes. Opened values are cached in memory.
// domain.ErrKeyLost means that the key no longer exists or cannot be opened;
// other errors may be retried.
func (s *Service) EncryptionKey(ctx context.Context, tenant uuid.UUID, keyID string) (domain.Secret, error) {
	now := s.now()
	if value, ok := s.encryptionKeys.get(tenant, keyID, now); ok {
		return value, nil
	}
	found, err := s.store.Reader.GetSealedKey(ctx, tenant, keyID)
	if domain.HasCode(err, domain.CodeNotFound) {
		return domain.Secret{}, fmt.Errorf("%w: there is no %s", domain.ErrKeyLost, keyID)
	}
	if err != nil {
		return domain.Secret{}, err
	}
	value, err := s.openEncryptionKey(found)
	if err != nil {
		return domain.Secret{}, err
	}
	s.encryptionKeys.put(tenant, keyID, value, now)
	return value, nil
}

// openEncryptionKey unseals a key. Its error is ErrKeyLost, which contains no
// part of the key.
func (s *Service) openEncryptionKey(k *persistence.SealedKey) (domain.Secret, error) {
	lost := func(cause error) error {
		return fmt.Errorf("%w: opening %s: %w", domain.ErrKeyLost, k.KeyID, cause)
	}
	if s.sealer == nil {
		return domain.Secret{}, lost(storage.ErrNoSealer)
	}
	value, err := s.sealer.Open(storage.EncryptionKeyPurpose, k.ID.String(), k.Sealed)
	if err != nil {
		return domain.Secret{}, lost(err)
	}
	if len(value) != domain.EncryptionKeySize {
		return domain.Secret{}, lost(errors.New("it has the wrong size"))
	}
	return domain.NewSecret(string(value)), nil
}
