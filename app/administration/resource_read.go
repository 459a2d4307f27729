package administration

import (
	"context"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// ResourceFilter narrows FindResources.
type ResourceFilter = persistence.ResourceFilter

// ResourceKey names a resource. The tenant's code may be left out where only one
// of the caller's tenants has such a resource.
type ResourceKey = resource.Key

// FindResources returns a page of the resources that the caller administers:
// all of the tenants where it is an OWNER or ADMINISTRATOR, and the process
// definitions that it has the Administrator permission on.
func (s *Service) FindResources(
	ctx context.Context, call domain.Call, filter ResourceFilter, page domain.PageRequest, sort []domain.SortKey,
	show func(*domain.Listing[resource.Stored]) error,
) error {
	return s.store.Reader.ShowResources(ctx, persistence.AdministrationOf(call.Caller), filter, page, sort, show)
}

// RetrieveResource returns a resource that the caller administers, or NOT_FOUND.
func (s *Service) RetrieveResource(ctx context.Context, call domain.Call, key ResourceKey) (*resource.Stored, error) {
	return s.store.Reader.GetResource(ctx, persistence.AdministrationOf(call.Caller), key)
}

// FindDefinitionVersions returns the published versions of a process definition
// that the caller administers, the newest first, or NOT_FOUND.
func (s *Service) FindDefinitionVersions(
	ctx context.Context, call domain.Call, key ResourceKey,
) ([]domain.PublishedVersion, error) {
	found, err := s.RetrieveResource(ctx, call, key)
	if err != nil {
		return nil, err
	}
	if found.Kind != resource.KindProcessDefinition {
		return nil, domain.NotFound("resource")
	}
	return s.store.Reader.ListDefinitionVersions(ctx, found.ID)
}
