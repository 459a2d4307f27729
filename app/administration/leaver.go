package administration

import (
	"cmp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// SoleRight is a right on a definition without another active holder.
type SoleRight struct {
	// May and Item are as in resource.Right.
	May, Item string
	By        resource.Key
	// Waiting is the number of tasks that wait for a candidate, of a right to claim.
	Waiting int
}

// LeaverWork is the open work of a person who leaves, and the rights without another active holder. Each kind of work
// is listed up to domain.MaxHandedOver.
type LeaverWork struct {
	*persistence.PersonalWork

	Rights []SoleRight
	// More reports that there is more work of a kind than listed.
	More bool
}

// Empty reports whether there is no work and no right without another holder.
func (w *LeaverWork) Empty() bool {
	return len(w.Tasks)+len(w.Processes)+len(w.Incidents)+len(w.Rights) == 0
}

// String lists the work, as "2 claimed tasks, 1 running process".
func (w *LeaverWork) String() string {
	var parts []string
	add := func(n int, one, many string) {
		if n > 0 {
			parts = append(parts, domain.CountText(n, one, many))
		}
	}
	add(len(w.Tasks), "claimed task", "claimed tasks")
	add(len(w.Processes), "running process", "running processes")
	add(len(w.Incidents), "assigned incident", "assigned incidents")
	for _, r := range w.Rights[:min(len(w.Rights), maxNeedsReported)] {
		parts = append(parts, r.String())
	}
	if more := len(w.Rights) - maxNeedsReported; more > 0 {
		parts = append(parts, domain.CountText(more, "more right", "more rights"))
	}
	return strings.Join(parts, ", ")
}

func (r SoleRight) String() string {
	text := "the only right to " + r.May + " of " + displayKey(r.By)
	if r.Item != "" {
		text += " item " + r.Item
	}
	return text
}

// leaver is a user that loses access with a change, or whose work is handed over.
type leaver struct {
	key    resource.Key
	id     uuid.UUID
	tenant uuid.UUID
	// place is the index of the document of the request that disables the user, -1 for none.
	place   int
	deleted bool
	work    *LeaverWork
}

// findLeavers returns the users that the change deletes or disables.
func (c *configuration) findLeavers() []*leaver {
	var leavers []*leaver
	for i := range c.applied {
		a := &c.applied[i]
		before, isUser := userSpec(a.Before)
		if !isUser || before.Disabled && a.Action != ApplyDeleted {
			continue
		}
		after, _ := userSpec(a.After)
		if a.Action != ApplyDeleted && !after.Disabled {
			continue
		}
		l := &leaver{key: a.Key, id: a.ID, work: &LeaverWork{}, tenant: c.tenantID(a.Key.Tenant), place: -1, deleted: a.Action == ApplyDeleted}
		if a.After != nil {
			l.place = a.After.Place
		}
		leavers = append(leavers, l)
	}
	return leavers
}

func userSpec(d *resource.Document) (*resource.UserSpec, bool) {
	if d == nil {
		return nil, false
	}
	spec, ok := d.Spec.(*resource.UserSpec)
	return spec, ok
}

// planLeaving finds the rights of the leavers without another active holder. With a decision, it takes deleted people out of
// groups and definitions, and gives those rights to the successor. Documents of the request stay as they are.
func (c *configuration) planLeaving() error {
	c.leavers = append(c.leavers, c.findLeavers()...)
	leavers, to := c.leavers, c.handOver
	if len(leavers) == 0 {
		return nil
	}
	for _, l := range leavers {
		if _, err := c.successors(l.key.Tenant, leavers, to); err != nil {
			return err
		}
	}
	if to != nil && !to.Keep {
		for _, key := range c.sortedKeys() {
			if err := c.removeLeavers(key, leavers); err != nil {
				return err
			}
		}
	}
	for _, key := range c.sortedKeys() {
		if err := c.settleRights(key, leavers, to); err != nil {
			return err
		}
	}
	for _, a := range c.applied {
		if !a.derived {
			continue
		}
		if _, err := a.After.Clone(); err != nil {
			return domain.Conflict(domain.CodeOpenWork, displayKey(a.Key)+" needs another holder of a right: hand over to a user or a group")
		}
	}
	return nil
}

// sortedKeys returns the keys of all resources in a fixed order.
func (c *configuration) sortedKeys() []resource.Key {
	keys := make([]resource.Key, 0, len(c.desired))
	for key := range c.desired {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b resource.Key) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), compareKeys(a, b)) })
	return keys
}

// removeLeavers takes deleted people out of a resource.
func (c *configuration) removeLeavers(key resource.Key, leavers []*leaver) error {
	isRemoved := func(code string) bool {
		return slices.ContainsFunc(leavers, func(l *leaver) bool { return l.deleted && l.key.Tenant == key.Tenant && l.key.Code == code })
	}
	return c.replaceDocument(key, func(spec resource.Spec) bool { return resource.RemoveUsers(spec, isRemoved) })
}

// replaceDocument plans a change of a resource that is not a document of the request, if the caller may make it.
func (c *configuration) replaceDocument(key resource.Key, change func(resource.Spec) bool) error {
	after, err := c.deriveDocument(key, change)
	if err != nil || after == nil {
		return err
	}
	return c.checkAuthorized(after, c.stored[key], ApplyConfigured)
}

// deriveDocument is replaceDocument for any caller. It returns the new document, nil for none.
func (c *configuration) deriveDocument(key resource.Key, change func(resource.Spec) bool) (*resource.Document, error) {
	before := c.stored[key]
	i := slices.IndexFunc(c.applied, func(a AppliedResource) bool { return a.Key == key })
	switch {
	case before == nil || i >= 0 && !c.applied[i].derived:
		return nil, nil
	case i >= 0:
		change(c.applied[i].After.Spec)
		return nil, nil
	}
	after, err := c.desired[key].Clone()
	if err != nil || !change(after.Spec) {
		return nil, err
	}
	after.Place = -1
	c.applied = append(c.applied, AppliedResource{
		Key: key, ID: before.ID, Action: ApplyConfigured, Before: &before.Document, After: after, derived: true,
	})
	c.desired[key] = after
	return after, nil
}

// settleRights records the rights on a resource that lose their last active holder, and gives them to the successor.
func (c *configuration) settleRights(key resource.Key, leavers []*leaver, to *domain.HandOver) error {
	stored := c.stored[key]
	if stored == nil {
		return nil
	}
	before, after := resource.GrantLists(stored.Spec), resource.GrantLists(c.desired[key].Spec)
	for i := range before {
		list := before[i]
		j := slices.IndexFunc(after, func(g resource.GrantList) bool { return g.May == list.May && g.Item == list.Item })
		if !matters(list.May) || j < 0 || c.hasActiveHolder(key.Tenant, *after[j].Grantees, leavers) {
			continue
		}
		held := false
		for _, l := range leavers {
			if l.key.Code != "" && l.key.Tenant == key.Tenant && c.holds(l.key, *list.Grantees) {
				l.work.Rights = append(l.work.Rights, SoleRight{May: list.May, Item: list.Item, By: key})
				held = true
			}
		}
		if !held || !to.Transfers() {
			continue
		}
		err := c.replaceDocument(key, func(spec resource.Spec) bool {
			grantees := resource.GrantLists(spec)[j].Grantees
			*grantees = append(*grantees, resource.Grantee{User: to.User, Group: to.Group})
			return true
		})
		if err != nil {
			return err
		}
		after = resource.GrantLists(c.desired[key].Spec)
	}
	return nil
}

// matters reports whether work stops without a holder of a right.
func matters(may string) bool {
	switch may {
	case resource.MayClaim, resource.MayManageProcesses, resource.MayChangeDefinition, resource.MayRepairProcesses, resource.MayStartProcesses,
		resource.MayManageArtifacts:
		return true
	}
	return false
}

// holds reports whether a stored user is in a list, by itself or through a group.
func (c *configuration) holds(user resource.Key, grantees []resource.Grantee) bool {
	return slices.ContainsFunc(grantees, func(g resource.Grantee) bool {
		if g.User == user.Code {
			return true
		}
		if g.Group == "" {
			return false
		}
		group := c.stored[identityKey(user.Tenant, "", "", g.Group)]
		spec := c.storedUser(user)
		return group != nil && isMember(&group.Document, user) || spec.Claims(g.Group)
	})
}

// hasActiveHolder reports whether an active user or application other than leavers is in a list, or the initiator of each process.
func (c *configuration) hasActiveHolder(tenant string, grantees []resource.Grantee, leavers []*leaver) bool {
	return slices.ContainsFunc(grantees, func(g resource.Grantee) bool {
		if g.Group == "" {
			return g.Role != "" || c.isActive(identityKey(tenant, g.User, g.Application, ""), leavers)
		}
		return slices.ContainsFunc(c.membersOf(identityKey(tenant, "", "", g.Group)), func(m resource.Member) bool {
			return c.isActive(identityKey(tenant, m.User, m.Application, ""), leavers)
		})
	})
}

// isActive reports whether a user or an application may work after the change.
func (c *configuration) isActive(key resource.Key, leavers []*leaver) bool {
	d := c.desired[key]
	if d == nil || slices.ContainsFunc(leavers, func(l *leaver) bool { return l.key == key }) {
		return false
	}
	switch spec := d.Spec.(type) {
	case *resource.UserSpec:
		return !spec.Disabled && !slices.Contains(c.Disabled, c.ids[key])
	case *resource.ApplicationSpec:
		return !spec.Disabled
	}
	return false
}

// successors returns the ids of the users who get the work of a tenant: none for a release.
func (c *configuration) successors(tenant string, leavers []*leaver, to *domain.HandOver) ([]uuid.UUID, error) {
	if !to.Transfers() {
		return nil, nil
	}
	codes := []string{to.User}
	if to.Group != "" {
		codes = nil
		group := identityKey(tenant, "", "", to.Group)
		if c.desired[group] == nil {
			return nil, invalidHandOver("is not a group of the tenant: " + to.Group)
		}
		for _, m := range c.membersOf(group) {
			codes = append(codes, m.User)
		}
	}
	var ids []uuid.UUID
	for _, code := range codes {
		if key := identityKey(tenant, code, "", ""); code != "" && c.isActive(key, leavers) {
			ids = append(ids, c.ids[key])
		}
	}
	if len(ids) == 0 {
		return nil, invalidHandOver("has no active user of the tenant: " + to.String())
	}
	return ids, nil
}

func invalidHandOver(message string) error {
	return domain.Invalid(domain.LocationBody, "/handOver", message)
}
