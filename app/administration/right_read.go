package administration

import (
	"context"
	"slices"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// maxHeld bounds the resources that FindHeldRights looks at.
const maxHeld = 1000

// HeldRight is a right that a user, an application or a group has.
type HeldRight struct {
	resource.Right

	// By is the resource that gives it, Name its title.
	By   resource.Key
	Name string
	// Group is the code of the group through which it is held, "" where it is held directly or by everyone.
	Group string
	// Everyone reports whether all active users of the tenant have it.
	Everyone bool
}

// Holder is a user, an application or a group with its rights.
type Holder struct {
	resource.Stored

	// Groups are the groups of the holder.
	Groups []resource.Stored
	Rights []HeldRight
	// More reports that not all resources were looked at.
	More bool
}

// RetrieveHolder returns a user, an application or a group that the caller administers with its rights and their
// origins, or NOT_FOUND. Rights of its role in the tenant are not listed.
func (s *Service) RetrieveHolder(ctx context.Context, call domain.Call, key ResourceKey) (*Holder, error) {
	holder := &Holder{}
	var others []resource.Stored
	found := false
	err := s.FindResources(ctx, call, ResourceFilter{Holder: key}, domain.PageRequest{Size: maxHeld}, nil,
		func(list *domain.Listing[resource.Stored]) error {
			holder.More = list.Total > maxHeld
			return list.Each(func(r *resource.Stored) error {
				if r.Key() == key {
					holder.Stored, found = *r, true
				} else {
					others = append(others, *r)
				}
				return nil
			})
		})
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, domain.NotFound("resource")
	}
	user, _ := userSpec(&holder.Document)
	others = slices.DeleteFunc(others, func(r resource.Stored) bool {
		isGroup := isMember(&r.Document, key) || r.Kind == resource.KindGroup && user.Claims(r.Metadata.Code)
		if isGroup {
			holder.Groups = append(holder.Groups, r)
		}
		return isGroup
	})
	for i := range others {
		holder.Rights = append(holder.Rights, holder.heldBy(&others[i])...)
	}
	return holder, nil
}

// isMember reports whether a document describes a group with a member.
func isMember(d *resource.Document, key resource.Key) bool {
	group, isGroup := d.Spec.(*resource.GroupSpec)
	return isGroup && slices.ContainsFunc(group.Members, func(m resource.Member) bool {
		return key.Kind == resource.KindUser && m.User == key.Code || key.Kind == resource.KindApplication && m.Application == key.Code
	})
}

// heldBy returns the rights that a resource gives to the holder.
func (h *Holder) heldBy(r *resource.Stored) []HeldRight {
	var rights []HeldRight
	for _, right := range r.Spec.Rights() {
		for _, g := range right.Holders {
			group := slices.IndexFunc(h.Groups, func(of resource.Stored) bool { return g.Holds(of.Key()) })
			everyone := g.Role == resource.RoleEveryone && h.isActiveUser()
			if !g.Holds(h.Key()) && group < 0 && !everyone {
				continue
			}
			held := HeldRight{Right: right, By: r.Key(), Name: resource.NameOf(r.Spec), Everyone: everyone}
			if group >= 0 {
				held.Group = h.Groups[group].Metadata.Code
			}
			rights = append(rights, held)
			break
		}
	}
	return rights
}

// isActiveUser reports whether the holder is one of everyone of its tenant.
func (h *Holder) isActiveUser() bool {
	user, isUser := h.Spec.(*resource.UserSpec)
	return isUser && !user.Disabled
}
