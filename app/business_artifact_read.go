package app

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/filter"
	"github.com/procession-dev/procession/persistence"
)

// BusinessArtifactFilter narrows FindBusinessArtifacts. Values are filter
// expressions (package criteria), which must all fit.
type BusinessArtifactFilter struct {
	TenantIDs       []uuid.UUID
	DefinitionIDs   []uuid.UUID
	DefinitionCodes []string
	Values          []string
	// Search is the id of the artifact, or a part of an indexed member of its data.
	Search  string
	Deleted domain.DeletedFilter
}

// FindBusinessArtifacts (B34) returns a page of the business artifacts visible
// to the caller. Filter expressions may name fields that are indexed by a
// definition which is visible to the caller and passes the other filters; any
// other field is a VALIDATION error at the query parameter "value". Where no
// definition is left, the page is empty, whatever the field.
func (s *Service) FindBusinessArtifacts(
	ctx context.Context, call domain.Call, filter BusinessArtifactFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.BusinessArtifact], error) {
	var found domain.Page[domain.BusinessArtifact]
	err := s.searchArtifacts(ctx, call.Caller, filter, func(search persistence.ArtifactFilter) (states []persistence.ArtifactDefinitionState, err error) {
		found, states, err = s.store.Reader.ListBusinessArtifacts(ctx, call.Caller, search, page, sort)
		return states, err
	})
	if err != nil {
		found = domain.Page[domain.BusinessArtifact]{PageRequest: page}
	}
	return found, err
}

// searchArtifacts calls list with the filter as storage expects it. If the filter has expressions, list also returns the states of
// the definitions.
func (s *Service) searchArtifacts(
	ctx context.Context, caller domain.Caller, filter BusinessArtifactFilter,
	list func(persistence.ArtifactFilter) ([]persistence.ArtifactDefinitionState, error),
) error {
	if len(filter.Values) == 0 {
		_, err := list(persistence.ArtifactFilter{
			TenantIDs: filter.TenantIDs, DefinitionIDs: filter.DefinitionIDs, DefinitionCodes: filter.DefinitionCodes,
			Deleted: filter.Deleted, Search: filter.Search,
		})
		return err
	}
	// The cached list is used until the list itself proves it outdated: one round trip, or two after a change.
	if definitions := s.artifactDefinitions.cachedFor(caller); definitions != nil {
		if search, err := filter.newSearch(definitions); err == nil {
			states, err := list(search)
			if err != nil || sameStates(definitions, states) {
				return err
			}
		}
	}
	search, err := s.searchOf(ctx, caller, filter)
	if err == nil {
		_, err = list(search)
	}
	return err
}

// searchOf reads the expressions of a filter by the definitions as they are.
func (s *Service) searchOf(
	ctx context.Context, caller domain.Caller, filter BusinessArtifactFilter,
) (persistence.ArtifactFilter, error) {
	definitions, err := s.artifactDefinitions.listVisible(ctx, s.store.Reader, caller)
	if err != nil {
		return persistence.ArtifactFilter{}, err
	}
	return filter.newSearch(definitions)
}

func sameStates(definitions []*artifactDefinition, states []persistence.ArtifactDefinitionState) bool {
	return slices.EqualFunc(definitions, states, func(d *artifactDefinition, s persistence.ArtifactDefinitionState) bool {
		return d.ID == s.ID && d.ModifiedAt.Equal(s.ModifiedAt)
	})
}

// includes reports whether artifacts of the definition meet the filters other than
// those on values.
func (f *BusinessArtifactFilter) includes(d *artifactDefinition) bool {
	return (len(f.TenantIDs) == 0 || slices.Contains(f.TenantIDs, d.TenantID)) &&
		(len(f.DefinitionIDs) == 0 || slices.Contains(f.DefinitionIDs, d.ID)) &&
		(len(f.DefinitionCodes) == 0 || slices.Contains(f.DefinitionCodes, d.Code))
}

// search reads the values by the indexes of the definitions. Artifacts that meet
// all of them are of definitions that index all of their fields.
func (f *BusinessArtifactFilter) newSearch(definitions []*artifactDefinition) (persistence.ArtifactFilter, error) {
	search := persistence.ArtifactFilter{Deleted: f.Deleted, Search: f.Search}
	index := map[string]filter.Type{}
	ambiguous := map[string]bool{}
	definitions = slices.DeleteFunc(slices.Clone(definitions), func(d *artifactDefinition) bool { return !f.includes(d) })
	for _, d := range definitions {
		for _, member := range d.indexes {
			types, ok := index[member.Field]
			ambiguous[member.Field] = ambiguous[member.Field] || ok && types != member.Type
			index[member.Field] = member.Type
		}
	}
	if len(definitions) == 0 {
		// The page is empty, and no index gives the types of the fields.
		for _, text := range f.Values {
			index[fieldOf(text)] = filter.String
		}
	}
	var wrong []domain.Detail
	for _, text := range f.Values {
		c, err := filter.Parse(text, index)
		if ambiguous[fieldOf(text)] {
			err = errors.New("the definitions index this field as different types: name one by businessArtifactDefinitionId")
		}
		if err != nil {
			wrong = append(wrong, domain.Detail{
				Code: domain.CodeValidation, Message: err.Error(), Field: domain.FieldValueFilter,
			})
			continue
		}
		search.Criteria = append(search.Criteria, c)
	}
	if len(wrong) > 0 {
		return search, &domain.Error{
			Kind: domain.KindInvalid, Code: domain.CodeValidation, Message: "the request is not valid", Details: wrong,
		}
	}
	search.Indexed = []uuid.UUID{}
	for _, d := range definitions {
		indexesAll := !slices.ContainsFunc(search.Criteria, func(c filter.Criterion) bool {
			return !slices.Contains(d.indexes, domain.IndexedMember{Field: c.Field, Type: c.Type})
		})
		if indexesAll {
			search.Indexed = append(search.Indexed, d.ID)
		}
	}
	return search, nil
}

// fieldOf returns the name of the field that an expression begins with, empty where
// it is not written as one.
func fieldOf(expression string) string {
	encoded, _, _ := strings.Cut(expression, " ")
	field, err := url.PathUnescape(encoded)
	if err != nil {
		return ""
	}
	return field
}

// RetrieveBusinessArtifact (B36) returns a business artifact, or NOT_FOUND where
// the caller does not see it.
func (s *Service) RetrieveBusinessArtifact(
	ctx context.Context, call domain.Call, id uuid.UUID,
) (*domain.BusinessArtifact, error) {
	return s.store.Reader.GetBusinessArtifact(ctx, call.Caller, id)
}
