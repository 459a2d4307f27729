package administration

import (
	"cmp"
	"slices"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// provisioning is the part of a change that a directory or a sign-in makes.
type provisioning struct {
	// origins are the new origins of resources. Without one a resource keeps its origin.
	origins map[resource.Key]resource.Origin
	// byDirectory reports whether a directory makes the change, now the time of it.
	byDirectory bool
	now         time.Time
	// signedIn is the user with memberships that the change sets, the zero key for none.
	signedIn resource.Key
	// claimants are the codes of the members of groups by sign-ins, after settleClaims.
	claimants map[resource.Key][]string
}

// originOf returns the origin of a resource after the change.
func (c *configuration) originOf(key resource.Key) resource.Origin {
	if origin, ok := c.origins[key]; ok {
		return origin
	}
	if before := c.stored[key]; before != nil {
		return before.Origin
	}
	return resource.Origin{Source: resource.SourceManifest}
}

// changesOrigin reports whether the change gives a stored resource another origin.
func (c *configuration) changesOrigin(before *resource.Stored) bool {
	after, ok := c.origins[before.Key()]
	if !ok {
		return false
	}
	return after.Source != before.Source || after.ExternalID != before.ExternalID || (after.Entry == nil) != (before.Entry == nil) ||
		after.Entry != nil && *after.Entry != *before.Entry
}

// isManaged reports whether a stored resource belongs to a directory with an active token, and another caller makes the change.
func (c *configuration) isManaged(before *resource.Stored) bool {
	return before != nil && !c.byDirectory && before.Source == resource.SourceDirectory && slices.Contains(c.Directories, before.TenantID)
}

const managed = "is managed by the directory: change it there, or revoke the tokens of the directory"

// checkManagedUser reports a change of a member that the directory manages. Administrators may disable a user that is active in the
// directory.
func (c *configuration) checkManagedUser(d *resource.Document, spec *resource.UserSpec) *resource.Violation {
	before := c.stored[d.Key()]
	if !c.isManaged(before) {
		return nil
	}
	stored, ok := before.Spec.(*resource.UserSpec)
	switch {
	case !ok:
		return nil
	case stored.Name != spec.Name:
		return &resource.Violation{Pointer: "/spec/name", Message: managed}
	case !domain.EqualEmails(stored.Email, spec.Email):
		return &resource.Violation{Pointer: "/spec/email", Message: managed}
	case !spec.Disabled && before.Entry != nil && !before.Entry.Active:
		return &resource.Violation{Pointer: "/spec/disabled", Message: "must be true: the directory has deactivated the user"}
	}
	return nil
}

// checkManagedGroup reports a change of a member that the directory manages. Applications are members by the manifest.
func (c *configuration) checkManagedGroup(d *resource.Document, spec *resource.GroupSpec) *resource.Violation {
	before := c.stored[d.Key()]
	if !c.isManaged(before) {
		return nil
	}
	stored, ok := before.Spec.(*resource.GroupSpec)
	switch {
	case !ok:
		return nil
	case stored.Name != spec.Name:
		return &resource.Violation{Pointer: "/spec/name", Message: managed}
	case !slices.Equal(usersOf(stored), usersOf(spec)):
		return &resource.Violation{Pointer: "/spec/members", Message: "the users are managed by the directory: change them there, or revoke the tokens of the directory"}
	}
	return nil
}

// usersOf returns the codes of the users of a group in order.
func usersOf(spec *resource.GroupSpec) []string {
	var users []string
	for _, m := range spec.Members {
		if m.User != "" {
			users = append(users, m.User)
		}
	}
	slices.SortFunc(users, cmp.Compare[string])
	return users
}
