package administration

import (
	"slices"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain/resource"
)

// planConsequences plans the changes that follow from the planned ones.
func (c *configuration) planConsequences() error {
	if err := c.settleClaims(); err != nil {
		return err
	}
	c.endAbsences()
	return c.planLeaving()
}

// keepClaims gives the document of a user the memberships by sign-ins that the user has: manifests do not change them.
func (c *configuration) keepClaims(d *resource.Document) {
	spec, isUser := d.Spec.(*resource.UserSpec)
	if !isUser || d.Key() == c.signedIn {
		return
	}
	before := c.storedUser(d.Key())
	spec.ClaimedGroups = nil
	if before != nil {
		spec.ClaimedGroups = before.ClaimedGroups
	}
}

// storedUser returns the user with a key before the change, nil for none.
func (c *configuration) storedUser(key resource.Key) *resource.UserSpec {
	stored := c.stored[key]
	if stored == nil {
		return nil
	}
	spec, _ := userSpec(&stored.Document)
	return spec
}

// settleClaims ends the memberships by sign-ins that the rules of the tenant or the groups no longer allow, and finds the members of
// groups by sign-ins.
func (c *configuration) settleClaims() error {
	c.claimants = map[resource.Key][]string{}
	for _, key := range c.sortedKeys() {
		spec, isUser := userSpec(c.desired[key])
		if !isUser || len(spec.ClaimedGroups) == 0 {
			continue
		}
		kept := slices.DeleteFunc(slices.Clone(spec.ClaimedGroups), func(claim resource.ClaimedGroup) bool {
			return !c.isClaimValid(key, claim)
		})
		if len(kept) < len(spec.ClaimedGroups) {
			if err := c.replaceClaims(key, kept); err != nil {
				return err
			}
		}
		for _, claim := range kept {
			group := identityKey(key.Tenant, "", "", claim.Group)
			if !slices.Contains(c.claimants[group], key.Code) {
				c.claimants[group] = append(c.claimants[group], key.Code)
			}
		}
	}
	return nil
}

func (c *configuration) isClaimValid(user resource.Key, claim resource.ClaimedGroup) bool {
	group := identityKey(user.Tenant, "", "", claim.Group)
	if c.desired[group] == nil || c.originOf(group).Source == resource.SourceDeparted || c.originOf(user).Source == resource.SourceDeparted {
		return false
	}
	rule := c.signInRule(user.Tenant, claim.Issuer)
	return rule != nil && rule.Gives(claim.Value, claim.Group)
}

// signInRule returns the rule of a tenant for an issuer after the change, nil for none.
func (c *configuration) signInRule(tenant, issuer string) *resource.SignInRule {
	if spec := c.tenantSpec(tenant); spec != nil {
		return spec.Rule(issuer)
	}
	return nil
}

// replaceClaims plans the memberships of a user by sign-ins, also of one that is a document of the request.
func (c *configuration) replaceClaims(key resource.Key, claims []resource.ClaimedGroup) error {
	i := slices.IndexFunc(c.applied, func(a AppliedResource) bool { return a.Key == key })
	if i < 0 {
		_, err := c.deriveDocument(key, func(spec resource.Spec) bool {
			user, ok := spec.(*resource.UserSpec)
			if ok {
				user.ClaimedGroups = claims
			}
			return ok
		})
		return err
	}
	if spec, ok := userSpec(c.applied[i].After); ok {
		spec.ClaimedGroups = claims
	}
	if c.applied[i].Action == ApplyUnchanged {
		c.applied[i].Action = ApplyConfigured
	}
	return nil
}

// membersOf returns the members of a group after the change, by its manifest and by sign-ins.
func (c *configuration) membersOf(group resource.Key) []resource.Member {
	var members []resource.Member
	if d := c.desired[group]; d != nil {
		if spec, ok := d.Spec.(*resource.GroupSpec); ok {
			members = slices.Clone(spec.Members)
		}
	}
	for _, code := range c.claimants[group] {
		if member := (resource.Member{User: code}); !slices.Contains(members, member) {
			members = append(members, member)
		}
	}
	return members
}

// claimedIDs returns the ids of the groups that a user is a member of by sign-ins.
func (c *configuration) claimedIDs(tenant string, spec *resource.UserSpec) []uuid.UUID {
	ids := []uuid.UUID{}
	for _, claim := range spec.ClaimedGroups {
		if id, ok := c.ids[identityKey(tenant, "", "", claim.Group)]; ok {
			ids = append(ids, id)
		}
	}
	return ids
}
