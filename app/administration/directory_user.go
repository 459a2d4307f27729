package administration

import (
	"cmp"
	"context"
	"strings"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// DirectoryUser contains the attributes of a user that a directory writes. Email is empty if the directory sends none; the user name
// is the address then.
type DirectoryUser struct {
	resource.DirectoryEntry

	ExternalID string
	Email      string
}

// DirectoryUserOf returns the attributes of a user.
func DirectoryUserOf(r *DirectoryResource) DirectoryUser {
	spec, ok := r.Spec.(*resource.UserSpec)
	if !ok {
		return DirectoryUser{}
	}
	u := DirectoryUser{ExternalID: r.ExternalID, Email: spec.Email}
	if r.Entry == nil {
		u.DirectoryEntry = resource.DirectoryEntry{UserName: spec.Email, DisplayName: spec.Name, Active: !spec.Disabled}
		return u
	}
	u.DirectoryEntry = *r.Entry
	return u
}

// displayName returns the name of the user in the tenant.
func (u DirectoryUser) displayName() string {
	return cmp.Or(u.DisplayName, u.Formatted, strings.TrimSpace(u.GivenName+" "+u.FamilyName), u.UserName)
}

// CreateDirectoryUser creates a user for a directory, a member without rights. A user that had departed comes back under its code and
// id. Errors: VALIDATION, and CONFLICT for a user name, an address or an external id that another user of the tenant has.
func (s *Service) CreateDirectoryUser(ctx context.Context, call DirectoryCall, u DirectoryUser) (*DirectoryResource, error) {
	u.Email = cmp.Or(u.Email, u.UserName)
	var key resource.Key
	c, err := s.writeDirectory(ctx, call, []string{u.Email}, func(c *configuration, tx *persistence.Tx) error {
		departed, err := c.findSameUser(u, resource.Key{})
		if err != nil {
			return err
		}
		d := resource.Document{Kind: resource.KindUser, Metadata: resource.Metadata{Tenant: call.Tenant.Code}}
		spec := &resource.UserSpec{Name: u.displayName(), Email: u.Email, Disabled: !u.Active}
		if departed != nil {
			d.Metadata = departed.Metadata
			if before, ok := departed.Spec.(*resource.UserSpec); ok {
				spec.Metadata, spec.Email = before.Metadata, before.Email
			}
			tx.Found(departed.ID, departed.Version())
		} else {
			local, _, _ := strings.Cut(u.Email, "@")
			d.Metadata.Code = c.newCode(resource.KindUser, call.Tenant.Code, local)
		}
		d.Spec, key = spec, d.Key()
		return s.planProvisioned(c, d, originOfUser(u))
	})
	if err != nil {
		return nil, err
	}
	return c.showProvisioned(key), nil
}

func originOfUser(u DirectoryUser) resource.Origin {
	return resource.Origin{Source: resource.SourceDirectory, ExternalID: u.ExternalID, Entry: &u.DirectoryEntry}
}

// findSameUser returns the departed user with a unique attribute of u, nil for none. Another user than self with one is a CONFLICT.
func (c *configuration) findSameUser(u DirectoryUser, self resource.Key) (*resource.Stored, error) {
	var departed *resource.Stored
	for key, other := range c.stored {
		spec, isUser := other.Spec.(*resource.UserSpec)
		if !isUser || key == self {
			continue
		}
		sameEmail := domain.EqualEmails(spec.Email, u.Email)
		sameName := other.Entry != nil && strings.EqualFold(other.Entry.UserName, u.UserName) || domain.EqualEmails(spec.Email, u.UserName)
		sameID := u.ExternalID != "" && other.ExternalID == u.ExternalID
		switch {
		case !sameEmail && !sameName && !sameID:
		case other.Source == resource.SourceDeparted && sameEmail:
			departed = other
		case other.Source == resource.SourceDeparted:
		case sameName:
			return nil, conflictOf("userName is the name of another user of the tenant")
		case sameEmail:
			return nil, conflictOf("the e-mail address is the address of another user of the tenant")
		default:
			return nil, conflictOf("externalId is the identifier of another user of the tenant")
		}
	}
	return departed, nil
}

// ChangeDirectoryUser changes a user for a directory. change gets the current attributes and changes them, and may be repeated. The
// e-mail address cannot change, and an administrator's block of the user stays until the directory deactivates the user or the
// administrator ends it. Errors: NOT_FOUND, VALIDATION, ACCESS_DENIED for a user that administrators manage, CONFLICT, and the errors
// of change.
func (s *Service) ChangeDirectoryUser(
	ctx context.Context, call DirectoryCall, id uuid.UUID, change func(*DirectoryUser) error,
) (*DirectoryResource, error) {
	var key resource.Key
	c, err := s.writeDirectory(ctx, call, nil, func(c *configuration, tx *persistence.Tx) error {
		before, err := c.findProvisioned(tx, resource.KindUser, id)
		if err != nil {
			return err
		}
		spec, ok := before.Spec.(*resource.UserSpec)
		if !ok {
			return domain.NotFound("user")
		}
		key = before.Key()
		current := DirectoryUserOf(&DirectoryResource{Stored: *before})
		next := current
		if err := change(&next); err != nil {
			return err
		}
		if next == current {
			return nil
		}
		if err := c.checkManageable(before); err != nil {
			return err
		}
		if next.Email = cmp.Or(next.Email, current.Email); !domain.EqualEmails(next.Email, current.Email) {
			return domain.InvalidBody("/emails", "cannot be changed, it says who the user is")
		}
		if _, err := c.findSameUser(next, key); err != nil {
			return err
		}
		changed := *spec
		changed.Name = next.displayName()
		switch {
		case !next.Active:
			changed.Disabled = true
		case !current.Active && before.Entry != nil:
			changed.Disabled = false
		}
		return s.planProvisioned(c, resource.Document{Kind: resource.KindUser, Metadata: before.Metadata, Spec: &changed}, originOfUser(next))
	})
	if err != nil {
		return nil, err
	}
	return c.showProvisioned(key), nil
}

// DeleteDirectoryUser deletes a user for a directory, and takes it out of the groups that the directory manages. A user that other
// resources name is disabled instead, and departs: directories do not find it any more. Open work stays with the user. Errors:
// NOT_FOUND, ACCESS_DENIED for a user that administrators manage, and CONFLICT for the last owner.
func (s *Service) DeleteDirectoryUser(ctx context.Context, call DirectoryCall, id uuid.UUID) error {
	_, err := s.writeDirectory(ctx, call, nil, func(c *configuration, tx *persistence.Tx) error {
		before, err := c.findProvisioned(tx, resource.KindUser, id)
		if err != nil {
			return err
		}
		if err := c.checkManageable(before); err != nil {
			return err
		}
		key := before.Key()
		if err := s.removeFromGroups(c, key); err != nil {
			return err
		}
		spec, ok := before.Spec.(*resource.UserSpec)
		if !ok || c.referrers(key) == 0 {
			return c.planDeletion(key)
		}
		departed := *spec
		departed.Disabled, departed.AccessTokens = true, nil
		return s.planProvisioned(c, resource.Document{Kind: resource.KindUser, Metadata: before.Metadata, Spec: &departed},
			resource.Origin{Source: resource.SourceDeparted})
	})
	return err
}

// removeFromGroups takes a user out of the groups that the directory manages.
func (s *Service) removeFromGroups(c *configuration, user resource.Key) error {
	for _, key := range c.sortedKeys() {
		stored := c.stored[key]
		if key.Kind != resource.KindGroup || stored == nil || stored.Source != resource.SourceDirectory || !isMember(&stored.Document, user) {
			continue
		}
		spec, ok := stored.Spec.(*resource.GroupSpec)
		if !ok {
			continue
		}
		changed := *spec
		changed.Members = nil
		for _, m := range spec.Members {
			if m.User != user.Code {
				changed.Members = append(changed.Members, m)
			}
		}
		if err := s.planProvisioned(c, resource.Document{Kind: resource.KindGroup, Metadata: stored.Metadata, Spec: &changed}, stored.Origin); err != nil {
			return err
		}
	}
	return nil
}
