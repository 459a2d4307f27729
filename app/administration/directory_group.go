package administration

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// DirectoryGroup contains the attributes of a group that a directory writes. Members are the ids of users.
type DirectoryGroup struct {
	DisplayName string
	ExternalID  string
	Members     []uuid.UUID
}

// CreateDirectoryGroup creates a group for a directory. A group that had departed and has the name comes back under its code and id.
// Errors: VALIDATION, also for members that are not users of the tenant, and CONFLICT for a name that another group of the tenant has.
func (s *Service) CreateDirectoryGroup(ctx context.Context, call DirectoryCall, g DirectoryGroup) (*DirectoryResource, error) {
	var key resource.Key
	c, err := s.writeDirectory(ctx, call, nil, func(c *configuration, _ *persistence.Tx) error {
		departed, err := c.findSameGroup(g, resource.Key{})
		if err != nil {
			return err
		}
		d := resource.Document{Kind: resource.KindGroup, Metadata: resource.Metadata{Tenant: call.Tenant.Code}}
		var before *resource.GroupSpec
		if departed != nil {
			d.Metadata = departed.Metadata
			before, _ = departed.Spec.(*resource.GroupSpec)
		} else {
			d.Metadata.Code = c.newCode(resource.KindGroup, call.Tenant.Code, g.DisplayName)
		}
		if d.Spec, err = c.groupSpec(call.Tenant.Code, g, before); err != nil {
			return err
		}
		key = d.Key()
		return s.planProvisioned(c, d, originOfGroup(g))
	})
	if err != nil {
		return nil, err
	}
	return c.showProvisioned(key), nil
}

func originOfGroup(g DirectoryGroup) resource.Origin {
	return resource.Origin{
		Source: resource.SourceDirectory, ExternalID: g.ExternalID, Entry: &resource.DirectoryEntry{DisplayName: g.DisplayName, Active: true},
	}
}

// findSameGroup returns the departed group with the name, nil for none. Another group than self with the name or the external id is a
// CONFLICT.
func (c *configuration) findSameGroup(g DirectoryGroup, self resource.Key) (*resource.Stored, error) {
	var departed *resource.Stored
	for key, other := range c.stored {
		if key.Kind != resource.KindGroup || key == self {
			continue
		}
		sameName := strings.EqualFold(resource.NameOf(other.Spec), g.DisplayName)
		switch {
		case other.Source == resource.SourceDeparted:
			if sameName {
				departed = other
			}
		case sameName:
			return nil, conflictOf("displayName is the name of another group of the tenant")
		case g.ExternalID != "" && other.ExternalID == g.ExternalID:
			return nil, conflictOf("externalId is the identifier of another group of the tenant")
		}
	}
	return departed, nil
}

// groupSpec returns the spec of a group with the users of the directory, and the applications that it had before.
func (c *configuration) groupSpec(tenant string, g DirectoryGroup, before *resource.GroupSpec) (*resource.GroupSpec, error) {
	codes := map[uuid.UUID]string{}
	for key, stored := range c.stored {
		if key.Kind == resource.KindUser && stored.Source != resource.SourceDeparted && key.Tenant == tenant {
			codes[stored.ID] = key.Code
		}
	}
	spec := &resource.GroupSpec{Name: g.DisplayName}
	for _, id := range g.Members {
		code, ok := codes[id]
		if !ok {
			return nil, domain.InvalidBody("/members", "must be users: "+id.String()+" is not the id of one")
		}
		spec.Members = append(spec.Members, resource.Member{User: code})
	}
	if before != nil {
		for _, m := range before.Members {
			if m.User == "" {
				spec.Members = append(spec.Members, m)
			}
		}
	}
	return spec, nil
}

// ChangeDirectoryGroup changes a group for a directory, as ChangeDirectoryUser changes a user.
func (s *Service) ChangeDirectoryGroup(
	ctx context.Context, call DirectoryCall, id uuid.UUID, change func(*DirectoryGroup) error,
) (*DirectoryResource, error) {
	var key resource.Key
	c, err := s.writeDirectory(ctx, call, nil, func(c *configuration, tx *persistence.Tx) error {
		before, err := c.findProvisioned(tx, resource.KindGroup, id)
		if err != nil {
			return err
		}
		key = before.Key()
		current := DirectoryGroup{DisplayName: resource.NameOf(before.Spec), ExternalID: before.ExternalID}
		spec, _ := before.Spec.(*resource.GroupSpec)
		for _, code := range usersOf(spec) {
			current.Members = append(current.Members, c.ids[identityKey(call.Tenant.Code, code, "", "")])
		}
		next := current
		next.Members = slices.Clone(current.Members)
		if err := change(&next); err != nil {
			return err
		}
		if next.DisplayName == current.DisplayName && next.ExternalID == current.ExternalID && slices.Equal(next.Members, current.Members) {
			return nil
		}
		if err := c.checkManageable(before); err != nil {
			return err
		}
		if _, err := c.findSameGroup(next, key); err != nil {
			return err
		}
		changed, err := c.groupSpec(call.Tenant.Code, next, spec)
		if err != nil {
			return err
		}
		return s.planProvisioned(c, resource.Document{Kind: resource.KindGroup, Metadata: before.Metadata, Spec: changed}, originOfGroup(next))
	})
	if err != nil {
		return nil, err
	}
	return c.showProvisioned(key), nil
}

// DeleteDirectoryGroup deletes a group for a directory. A group that other resources name loses its users instead, and departs.
// Errors: NOT_FOUND, and ACCESS_DENIED for a group that administrators manage.
func (s *Service) DeleteDirectoryGroup(ctx context.Context, call DirectoryCall, id uuid.UUID) error {
	_, err := s.writeDirectory(ctx, call, nil, func(c *configuration, tx *persistence.Tx) error {
		before, err := c.findProvisioned(tx, resource.KindGroup, id)
		if err != nil {
			return err
		}
		if err := c.checkManageable(before); err != nil {
			return err
		}
		key := before.Key()
		if c.referrers(key) == 0 {
			return c.planDeletion(key)
		}
		spec, _ := before.Spec.(*resource.GroupSpec)
		departed, err := c.groupSpec(call.Tenant.Code, DirectoryGroup{DisplayName: resource.NameOf(before.Spec)}, spec)
		if err != nil {
			return err
		}
		return s.planProvisioned(c, resource.Document{Kind: resource.KindGroup, Metadata: before.Metadata, Spec: departed},
			resource.Origin{Source: resource.SourceDeparted})
	})
	return err
}
