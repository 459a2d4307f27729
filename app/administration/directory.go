package administration

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// DirectoryCall is a request of the directory of a tenant.
type DirectoryCall struct {
	domain.Call

	Tenant domain.DirectoryTenant
}

// DirectoryResource is a user or a group as a directory reads it. A nil Entry is of one that no directory has written.
type DirectoryResource struct {
	resource.Stored

	// Links are the groups of a user, or the users of a group.
	Links []persistence.DirectoryLink
}

const (
	// maxDirectoryPage bounds the resources of a page.
	maxDirectoryPage = 200
	// maxDirectoryLinks bounds the members or groups of a page: as many as a group may have.
	maxDirectoryLinks = 10_000
)

// DirectoryQuery is a page of a list of users or groups. Skip is the number of resources before it.
type DirectoryQuery struct {
	Kind        resource.Kind
	Filter      *domain.DirectoryFilter
	Skip, Count int
	// WithoutLinks leaves Links out.
	WithoutLinks bool
}

// FindDirectoryResources returns a page and the total. A page ends early when its groups have more members than a page may have.
func (s *Service) FindDirectoryResources(ctx context.Context, call DirectoryCall, q DirectoryQuery) ([]DirectoryResource, int64, error) {
	found, total, err := s.store.Reader.ListDirectory(ctx, call.Tenant.ID, q.Kind, q.Filter, q.Skip, min(q.Count, maxDirectoryPage))
	if err != nil || len(found) == 0 {
		return nil, total, err
	}
	if q.Kind == resource.KindGroup && !q.WithoutLinks {
		found = boundMembers(found)
	}
	resources := make([]DirectoryResource, len(found))
	ids := make([]uuid.UUID, len(found))
	places := map[uuid.UUID]int{}
	for i := range found {
		resources[i].Stored, ids[i], places[found[i].ID] = found[i], found[i].ID, i
	}
	if q.WithoutLinks {
		return resources, total, nil
	}
	links, err := s.store.Reader.ListDirectoryLinks(ctx, call.Tenant.ID, q.Kind, ids, maxDirectoryLinks)
	for _, link := range links {
		of := &resources[places[link.Of]]
		of.Links = append(of.Links, link)
	}
	return resources, total, err
}

// boundMembers keeps the first groups, one at least, that have no more members than a page may have.
func boundMembers(groups []resource.Stored) []resource.Stored {
	members := 0
	for i := range groups {
		if spec, ok := groups[i].Spec.(*resource.GroupSpec); ok {
			members += len(spec.Members)
		}
		if i > 0 && members > maxDirectoryLinks {
			return groups[:i]
		}
	}
	return groups
}

// RetrieveDirectoryResource returns a user or a group, or NOT_FOUND.
func (s *Service) RetrieveDirectoryResource(ctx context.Context, call DirectoryCall, kind resource.Kind, id uuid.UUID) (*DirectoryResource, error) {
	found, _, err := s.FindDirectoryResources(ctx, call, DirectoryQuery{Kind: kind, Count: 1, Filter: &domain.DirectoryFilter{
		Operator: domain.DirectoryEqual, Attribute: domain.DirectoryID, Value: id.String(),
	}})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, domain.NotFound(strings.ToLower(string(kind)))
	}
	return &found[0], nil
}

// writeDirectory runs plan on the configuration of the tenant of a directory, in the transaction of the change, and carries out the
// change. The work of people who leave stays with them.
func (s *Service) writeDirectory(
	ctx context.Context, call DirectoryCall, emails []string, plan func(c *configuration, tx *persistence.Tx) error,
) (*configuration, error) {
	return s.writeTenant(ctx, call, emails, func(c *configuration, tx *persistence.Tx) error {
		c.byDirectory = true
		return plan(c, tx)
	})
}

// writeTenant is writeDirectory for changes of which no directory is the author.
func (s *Service) writeTenant(
	ctx context.Context, call DirectoryCall, emails []string, plan func(c *configuration, tx *persistence.Tx) error,
) (*configuration, error) {
	var c *configuration
	now := s.now()
	err := s.write(ctx, call.Call, func(tx *persistence.Tx) (_ domain.Events, err error) {
		if c, err = s.lockConfiguration(ctx, tx, call.Caller, []string{call.Tenant.Code}, nil, emails); err != nil {
			return nil, err
		}
		c.handOver, c.now = &domain.HandOver{Keep: true}, now
		if err := plan(c, tx); err != nil {
			return nil, err
		}
		if err := c.planConsequences(); err != nil {
			return nil, err
		}
		if err := c.checkViolations(nil); err != nil {
			return nil, err
		}
		if _, err := s.settleLeavers(ctx, tx, c, now); err != nil {
			return nil, err
		}
		events, err := c.carryOut(tx, nil, now)
		return append(events, c.leftWork(now)...), err
	})
	return c, err
}

// leftWork returns the events of users who leave open work behind.
func (c *configuration) leftWork(now time.Time) domain.Events {
	var events domain.Events
	for _, l := range c.leavers {
		if l.work.Empty() {
			continue
		}
		events = append(events, domain.ConfigurationEvent(domain.EventUserLeftWork, domain.Configured{
			ID: l.id, TenantID: l.tenant, Kind: string(resource.KindUser), Code: l.key.Code,
		}, c.caller.PrincipalID, now).
			With("tasks", strconv.Itoa(len(l.work.Tasks))).With("processes", strconv.Itoa(len(l.work.Processes))).
			With("incidents", strconv.Itoa(len(l.work.Incidents))).With("rights", strconv.Itoa(len(l.work.Rights))).
			With(domain.LeftRights, c.rightsOn(l.work.Rights)))
	}
	return events
}

// leftRights bounds the rights of a person who leaves that an event names.
const leftRights = 100

// rightsOn returns the first rights as domain.LeftRights has them.
func (c *configuration) rightsOn(rights []SoleRight) string {
	permissions := map[string]string{
		resource.MayStartProcesses: "INITIATOR", resource.MayManageProcesses: "MANAGER", resource.MayChangeDefinition: "ADMINISTRATOR",
		resource.MayRepairProcesses: "REPAIRER", resource.MayManageArtifacts: "MANAGER", resource.MayClaim: "CANDIDATE",
	}
	var named []string
	for _, r := range rights {
		if text := c.ids[r.By].String() + "/" + permissions[r.May]; !slices.Contains(named, text) && len(named) < leftRights {
			named = append(named, text)
		}
	}
	return strings.Join(named, " ")
}

// findProvisioned returns the key of a resource that a directory may read.
func (c *configuration) findProvisioned(tx *persistence.Tx, kind resource.Kind, id uuid.UUID) (*resource.Stored, error) {
	for key, stored := range c.stored {
		if key.Kind == kind && stored.ID == id && stored.Source != resource.SourceDeparted {
			tx.Found(id, stored.Version())
			return stored, nil
		}
	}
	return nil, domain.NotFound(strings.ToLower(string(kind)))
}

// checkManageable refuses a change of a resource that the directory does not manage, unless a sign-in created it or the tenant lets
// directories adopt it.
func (c *configuration) checkManageable(stored *resource.Stored) error {
	if stored.Source == resource.SourceDirectory || stored.Source == resource.SourceSignIn {
		return nil
	}
	for key, d := range c.desired {
		if spec, ok := d.Spec.(*resource.TenantSpec); ok && key.Kind == resource.KindTenant && spec.Provisioning != nil && spec.Provisioning.Adopt {
			return nil
		}
	}
	return domain.Denied(displayKey(stored.Key()) + " is managed by administrators: provisioning.adopt of the tenant lets the directory take it over")
}

// planProvisioned plans a document of a directory, with its origin.
func (s *Service) planProvisioned(c *configuration, d resource.Document, origin resource.Origin) error {
	text, err := jsontext.Marshal(d)
	if err != nil {
		return err
	}
	documents, violations := resource.Decode([]json.RawMessage{text})
	if len(violations) > 0 {
		return invalidDocuments(violations)
	}
	c.origins[d.Key()] = origin
	_, violations, err = c.planDocuments(documents, s.checkWebhookURL)
	if err != nil {
		return err
	}
	if violations = resource.MergeViolations(violations, c.findUnmet(documents)); len(violations) > 0 {
		return invalidDocuments(violations)
	}
	return nil
}

// showProvisioned returns a resource after the change.
func (c *configuration) showProvisioned(key resource.Key) *DirectoryResource {
	changed := slices.IndexFunc(c.applied, func(a AppliedResource) bool { return a.Key == key && a.Action != ApplyUnchanged }) >= 0
	found := &DirectoryResource{Stored: resource.Stored{
		Document: *c.desired[key], ID: c.ids[key], TenantID: c.tenantID(key.Tenant), Origin: c.originOf(key), Audit: domain.NewAudit(c.caller.PrincipalID, c.now),
	}}
	if before := c.stored[key]; before != nil {
		found.Audit = before.Audit
		if changed {
			found.Audit = before.Touched(c.caller.PrincipalID, c.now)
		}
	}
	switch spec := found.Spec.(type) {
	case *resource.GroupSpec:
		for _, m := range spec.Members {
			user := c.desired[identityKey(key.Tenant, m.User, "", "")]
			if m.User != "" && user != nil {
				found.Links = append(found.Links, persistence.DirectoryLink{Of: found.ID, ID: c.ids[user.Key()], Name: resource.NameOf(user.Spec)})
			}
		}
	case *resource.UserSpec:
		for other, d := range c.desired {
			if other.Kind == resource.KindGroup && isMember(d, key) {
				found.Links = append(found.Links, persistence.DirectoryLink{Of: found.ID, ID: c.ids[other], Name: resource.NameOf(d.Spec)})
			}
		}
	}
	slices.SortFunc(found.Links, func(a, b persistence.DirectoryLink) int { return strings.Compare(a.ID.String(), b.ID.String()) })
	return found
}

// newCode returns an unused code for a resource of a kind, from a text.
func (c *configuration) newCode(kind resource.Kind, tenant, text string) string {
	const longest = 46
	base := strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '.':
			return r
		}
		return '-'
	}, text), "-_.")
	base = base[:min(len(base), longest)]
	if base == "" {
		base = strings.ToLower(string(kind))
	}
	for n := 1; ; n++ {
		code := base
		if n > 1 {
			code += "-" + strconv.Itoa(n)
		}
		if c.desired[resource.Key{Tenant: tenant, Kind: kind, Code: code}] == nil {
			return code
		}
	}
}

// errUniqueness is the cause of a CONFLICT with another resource of the directory.
var errUniqueness = errors.New("uniqueness")

// IsUniqueness reports whether an error is a conflict of a unique attribute.
func IsUniqueness(err error) bool { return errors.Is(err, errUniqueness) }

func conflictOf(message string) error {
	failure := domain.Conflict(domain.CodeConflict, message)
	failure.Cause = errUniqueness
	return failure
}

// referrers returns the number of resources that refer to one, other than groups that a directory manages.
func (c *configuration) referrers(key resource.Key) int {
	n := 0
	for other, d := range c.desired {
		if other.Tenant != key.Tenant || other.Kind == resource.KindGroup && c.originOf(other).Source == resource.SourceDirectory {
			continue
		}
		if slices.ContainsFunc(d.Spec.References(), func(r resource.Reference) bool { return r.Kind == key.Kind && r.Code == key.Code }) {
			n++
		}
	}
	return n
}
