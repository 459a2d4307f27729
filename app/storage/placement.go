package storage

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

const (
	// adoptedSample is the number of documents that are read before a directory is adopted.
	adoptedSample = 100
	// copiedAtOnce is the number of documents of one read.
	copiedAtOnce = 500
)

// RequireMarker returns an error if the database knows documents and their directory has no marker, as the place of a volume that is not
// mounted. It marks the directory if there are no documents.
func RequireMarker(ctx context.Context, r *persistence.Reader, blobs *blobstore.Store) error {
	marked, err := blobs.Marked()
	if err != nil || marked {
		return err
	}
	found, err := r.SampleDocuments(ctx, 1)
	switch {
	case err != nil:
		return err
	case len(found) > 0:
		return fmt.Errorf("the directory of --documents-url has no file %s, and the database knows documents: mount the volume of the "+
			"documents, or run procession documents adopt if they are there", blobstore.MarkerName)
	}
	return blobs.Mark()
}

// Adopt marks the directory of the documents. It returns an error, unless forced, if one of 100 random documents is missing or
// differs. It returns the number of documents that it read.
func Adopt(ctx context.Context, r *persistence.Reader, blobs *blobstore.Store, force bool) (int, error) {
	found, err := r.SampleDocuments(ctx, adoptedSample)
	if err != nil {
		return 0, err
	}
	lost := 0
	for i := range found {
		held, err := blobs.Holds(ctx, blobstore.KeyOf(&found[i]), storedOf(&found[i]))
		if err != nil {
			return 0, err
		}
		if !held {
			lost++
		}
	}
	if lost > 0 && !force {
		return len(found), &domain.Error{
			Kind: domain.KindConflict, Code: domain.CodeConflict,
			Message: fmt.Sprintf("%d of %d documents are missing or differ; nothing was written", lost, len(found)),
		}
	}
	return len(found), blobs.Mark()
}

func storedOf(d *domain.Document) blobstore.Stored {
	return blobstore.Stored{Size: d.Size, SHA256: d.SHA256}
}

// Copied is the result of a copy: documents copied, found in the target, and missing or damaged in the source.
type Copied struct{ Copied, Present, Lost int }

// Copy copies all documents that the database knows into another store, verifies each by its checksum, and marks the target if
// none is lost. It can be interrupted and repeated: documents that the target has are kept.
func Copy(ctx context.Context, r *persistence.Reader, from, to *blobstore.Store) (Copied, error) {
	var done Copied
	for after := uuid.Nil; ; {
		page, err := r.ListDocumentsAfter(ctx, after, copiedAtOnce)
		if err != nil {
			return done, err
		}
		for i := range page {
			if err := done.copyOne(ctx, &page[i], from, to); err != nil {
				return done, err
			}
			after = page[i].ID
		}
		if len(page) < copiedAtOnce {
			break
		}
	}
	if done.Lost > 0 {
		return done, nil
	}
	return done, to.Mark()
}

func (c *Copied) copyOne(ctx context.Context, d *domain.Document, from, to *blobstore.Store) error {
	key, want := blobstore.KeyOf(d), storedOf(d)
	held, err := to.Holds(ctx, key, want)
	if err != nil {
		return err
	}
	if held {
		c.Present++
		return nil
	}
	if held, err = from.Holds(ctx, key, want); err != nil {
		return err
	}
	if !held {
		c.Lost++
		return nil
	}
	// An earlier attempt may have left other bytes.
	if err := to.Delete(ctx, key); err != nil {
		return err
	}
	source, err := from.NewReader(ctx, key, 0, -1)
	if err != nil {
		return err
	}
	_, err = to.Put(ctx, key, source, want.Size)
	if err := errors.Join(err, source.Close()); err != nil {
		return err
	}
	if held, err = to.Holds(ctx, key, want); err != nil {
		return err
	}
	if !held {
		return fmt.Errorf("document %s was copied and differs", key)
	}
	c.Copied++
	return nil
}
