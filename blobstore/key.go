package blobstore

import (
	"errors"
	"strings"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

// Key names a blob. It consists of identifiers of the service and no client input, so that no name can lead out of the
// storage.
type Key struct {
	Tenant   uuid.UUID
	Document uuid.UUID
}

// KeyOf returns where the bytes of a document are.
func KeyOf(d *domain.Document) Key { return Key{Tenant: d.TenantID, Document: d.BlobID} }

// String returns the tenant and the document, for logs.
func (k Key) String() string {
	return k.Tenant.String() + "/" + k.Document.String()
}

// checkParts refuses a key with an unset part.
func (k Key) checkParts() error {
	if k.Tenant == uuid.Nil || k.Document == uuid.Nil {
		return errors.New("the key is not complete")
	}
	return nil
}

// blobName returns where the blob is kept: tenant, shard, document. The shard is the
// last byte of the document's UUID, which is random in versions 4 and 7. It keeps
// directories small: a million documents of a tenant are 256 directories of 4,000.
func (k Key) blobName() string {
	document := k.Document.String()
	return k.Tenant.String() + "/" + document[len(document)-2:] + "/" + document
}

// parseKey returns the key with the name. Only the exact spelling is accepted; other names are foreign.
func parseKey(name string) (Key, bool) {
	tenant, rest, _ := strings.Cut(name, "/")
	_, document, _ := strings.Cut(rest, "/")
	tenantID, tenantErr := uuid.Parse(tenant)
	documentID, documentErr := uuid.Parse(document)
	key := Key{Tenant: tenantID, Document: documentID}
	if tenantErr != nil || documentErr != nil || key.blobName() != name {
		return Key{}, false
	}
	return key, true
}
