package app

import (
	"context"
	"fmt"

	"github.com/procession-dev/procession/assistance"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// EmbedAssistancePassages executes the second step of a run: passages that have no vector get one, a batch at a time. A
// finished batch is kept when a later one fails. It reports whether there may be more.
func (s *Service) EmbedAssistancePassages(ctx context.Context, key domain.AssistanceKey) (more bool, err error) {
	run, err := s.pendingRun(ctx, key)
	if err != nil {
		return false, err
	}
	space := s.embeddingSpace(run)
	batch, missing, err := s.store.Reader.ListMissingEmbeddings(ctx, space, contentsOf(run), assistance.MaxBatch)
	if err != nil {
		return false, err
	}
	if len(batch) == 0 {
		return false, nil
	}
	if err := s.countEmbeddings(ctx, key, missing-len(batch), len(batch)); err != nil {
		return false, err
	}
	texts := make([]string, len(batch))
	for i, passage := range batch {
		texts[i] = passage.Text
	}
	vectors, err := s.assistant.provider.Embed(ctx, texts)
	if err != nil {
		return false, fmt.Errorf("embedding passages: %w", err)
	}
	encoded := make([][]byte, len(vectors))
	for i, vector := range vectors {
		encoded[i] = assistance.EncodeVector(vector)
	}
	err = s.writeInternal(ctx, func(tx *persistence.Tx) error {
		tx.SetEmbeddings(space, batch, encoded)
		tx.SetEmbeddingCounts(key, missing-len(batch), 0)
		return nil
	})
	return err == nil && missing > len(batch), err
}

func (s *Service) countEmbeddings(ctx context.Context, key domain.AssistanceKey, pending, processing int) error {
	return s.writeInternal(ctx, func(tx *persistence.Tx) error {
		tx.SetEmbeddingCounts(key, pending, processing)
		return nil
	})
}

// ForgetUnusedPassages deletes the passages and embeddings of documents that are
// no more.
func (s *Service) ForgetUnusedPassages(ctx context.Context) error {
	return s.writeInternal(ctx, func(tx *persistence.Tx) error {
		tx.DeleteUnusedEmbeddings()
		return nil
	})
}
