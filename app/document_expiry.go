package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// orphanAge is how old bytes have to be to count as left behind: everything that
// stores a document has ended by then.
const orphanAge = time.Hour

// ExpireDocuments deletes up to limit documents that have expired, and the bytes
// that no other document shares. It returns how many documents it deleted; with
// limit of them there may be more. Bytes that could not be deleted are left to
// SweepDocuments.
func (s *Service) ExpireDocuments(ctx context.Context, limit int) (int, error) {
	keys, err := s.store.DB.ExpireDocuments(ctx, s.now(), limit)
	if err != nil {
		return 0, err
	}
	// Read again: documents that were copied meanwhile are known only now.
	orphans, err := s.store.Reader.Orphans(ctx, keys)
	if err != nil {
		return len(keys), err
	}
	_, err = s.deleteBlobs(ctx, orphans)
	return len(keys), err
}

// Sweep is the result of a part of SweepDocuments.
type Sweep struct {
	// Removed counts deleted bytes without a document, including interrupted uploads.
	Removed int
	// Foreign names objects in the storage that the service did not store.
	Foreign []string
	// Next is where to go on, empty at the end.
	Next string
}

// SweepDocuments scans the next limit objects of the storage from the cursor on, "" for the beginning, and deletes the
// bytes of failed uploads and of deleted documents.
func (s *Service) SweepDocuments(ctx context.Context, cursor string, limit int) (Sweep, error) {
	page, err := s.documents.List(ctx, cursor, limit, s.now().Add(-orphanAge))
	if err != nil {
		return Sweep{}, err
	}
	found := Sweep{Foreign: page.Foreign, Next: page.Next}
	keys := make([]persistence.BlobKey, len(page.Blobs))
	for i, blob := range page.Blobs {
		keys[i] = persistence.BlobKey{TenantID: blob.Key.Tenant, BlobID: blob.Key.Document}
	}
	orphans, err := s.store.Reader.Orphans(ctx, keys)
	if err != nil {
		return Sweep{}, err
	}
	if found.Removed, err = s.deleteBlobs(ctx, orphans); err != nil {
		return found, err
	}
	for _, leftover := range page.Leftovers {
		if err := s.documents.RemoveLeftover(ctx, leftover.Name); err != nil {
			return found, err
		}
		found.Removed++
	}
	return found, nil
}

func (s *Service) deleteBlobs(ctx context.Context, keys []persistence.BlobKey) (deleted int, err error) {
	for _, key := range keys {
		if err := s.documents.Delete(ctx, blobstore.Key{Tenant: key.TenantID, Document: key.BlobID}); err != nil {
			return deleted, err
		}
		deleted++
	}
	return deleted, nil
}

// FindLostDocuments checks the next limit documents after the id and returns the documents with missing bytes. next is
// the last one checked, the zero id at the end.
func (s *Service) FindLostDocuments(
	ctx context.Context, after uuid.UUID, limit int,
) (lost []domain.Document, next uuid.UUID, err error) {
	documents, err := s.store.Reader.ListDocumentsAfter(ctx, after, limit)
	if err != nil {
		return nil, after, err
	}
	for i := range documents {
		d := &documents[i]
		size, err := s.documents.Size(ctx, blobstore.KeyOf(d))
		switch {
		case errors.Is(err, fs.ErrNotExist), err == nil && size != d.Size:
			lost = append(lost, *d)
		case err != nil:
			return nil, after, fmt.Errorf("looking for the bytes of document %s: %w", d.ID, err)
		}
	}
	if len(documents) == limit {
		next = documents[limit-1].ID
	}
	lost, err = s.stillThere(ctx, lost)
	return lost, next, err
}

// stillThere leaves out the documents that were deleted meanwhile.
func (s *Service) stillThere(ctx context.Context, documents []domain.Document) ([]domain.Document, error) {
	keys := make([]persistence.BlobKey, len(documents))
	for i, d := range documents {
		keys[i] = persistence.BlobKey{TenantID: d.TenantID, BlobID: d.BlobID}
	}
	deleted, err := s.store.Reader.Orphans(ctx, keys)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(documents, func(d domain.Document) bool {
		return slices.Contains(deleted, persistence.BlobKey{TenantID: d.TenantID, BlobID: d.BlobID})
	}), nil
}
