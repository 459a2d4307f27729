package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/events"
)

// FindArtifactBoard returns a page of the business artifacts visible to the caller, and their definitions for filters.
// Filters, orders and errors are as in FindBusinessArtifacts.
func (s *Service) FindArtifactBoard(
	ctx context.Context, call domain.Call, filter BusinessArtifactFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.ArtifactBoard, error) {
	var board domain.ArtifactBoard
	err := s.searchArtifacts(ctx, call.Caller, filter, func(search persistence.ArtifactFilter) (states []persistence.ArtifactDefinitionState, err error) {
		board, states, err = s.store.Reader.ListArtifactBoard(ctx, call.Caller, search, page, sort)
		return states, err
	})
	return board, err
}

// ExportArtifactBoard calls each with the first limit artifacts that FindArtifactBoard lists, while they are read, and
// returns its error.
func (s *Service) ExportArtifactBoard(
	ctx context.Context, call domain.Call, filter BusinessArtifactFilter, limit int, sort []domain.SortKey,
	each func(*domain.BoardArtifact) error,
) error {
	search := persistence.ArtifactFilter{DefinitionIDs: filter.DefinitionIDs, Search: filter.Search}
	if len(filter.Values) > 0 {
		var err error
		if search, err = s.searchOf(ctx, call.Caller, filter); err != nil {
			return err
		}
	}
	return s.streams.EachOfArtifactBoard(ctx, call.Caller, search, limit, sort, each)
}

// ArtifactView is a business artifact visible to a caller as people read it, with its definition and the actions that
// the caller may invoke on it.
type ArtifactView struct {
	*persistence.ArtifactOverview

	Definition *ArtifactDefinitionView
}

// RetrieveArtifactView returns a business artifact visible to the caller, or NOT_FOUND.
func (s *Service) RetrieveArtifactView(ctx context.Context, call domain.Call, id uuid.UUID) (*ArtifactView, error) {
	found, err := s.store.Reader.GetArtifactOverview(ctx, call.Caller, id)
	if err != nil {
		return nil, err
	}
	definition, err := s.RetrieveBusinessArtifactDefinition(ctx, call, found.Definition.ID)
	return &ArtifactView{ArtifactOverview: found, Definition: definition}, err
}

// FindArtifactDocuments returns a page of the documents of a business artifact, and of actions on it, that are kept and
// visible to the caller, the newest first.
func (s *Service) FindArtifactDocuments(
	ctx context.Context, call domain.Call, artifact uuid.UUID, page domain.PageRequest,
) (domain.Page[domain.NamedDocument], error) {
	return s.store.Reader.ListArtifactDocuments(ctx, call.Caller, artifact, page, s.now())
}

// FindArtifactActions returns a page of the actions that were invoked on a business artifact visible to the caller, the
// newest first.
func (s *Service) FindArtifactActions(
	ctx context.Context, call domain.Call, artifact uuid.UUID, page domain.PageRequest,
) (domain.Page[domain.NamedArtifactAction], error) {
	return s.store.Reader.ListArtifactActions(ctx, call.Caller, artifact, page, s.now())
}

// FindArtifactEvents returns the newest events of a business artifact visible to the caller before the cursor, nil for
// the newest of all, and of its actions and visible documents. It returns NOT_FOUND for other artifacts.
func (s *Service) FindArtifactEvents(
	ctx context.Context, call domain.Call, artifact uuid.UUID, before *domain.EventCursor, limit int,
) ([]domain.TimelineEvent, error) {
	return events.ListArtifactTimeline(ctx, s.store.Reader, call.Caller, artifact, before, limit)
}
