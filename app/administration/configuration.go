package administration

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// maxNeedsReported is how many reasons against a deletion an error lists.
const maxNeedsReported = 5

// notYourTenant refuses a tenant without a membership of the caller.
const notYourTenant = "%q is not a tenant that you belong to"

// configuration is a change of the resources of some tenants: the current and
// the desired state, and the steps between them.
type configuration struct {
	*persistence.Configuration
	caller domain.Caller
	policy tokenPolicy
	// clusters are Temporal's clusters by name, each with the suffix of its namespaces in Temporal Cloud.
	clusters map[string]string
	// dryRun suppresses all writes.
	dryRun bool
	// reason is the reason of the change, "" for none.
	reason string
	// handOver is the decision about the work of people who leave, nil for none, and leavers are these people.
	handOver *domain.HandOver
	// assigned are the tasks that were given to successors, by their processes.
	assigned map[uuid.UUID]domain.FourEyes
	leavers  []*leaver
	// partly reports whether only a part of the work may be handed over.
	partly  bool
	tenants map[string]*domain.Tenant
	stored  map[resource.Key]*resource.Stored
	// desired is the desired state of all resources of the tenants.
	desired map[resource.Key]*resource.Document
	ids     map[resource.Key]uuid.UUID
	applied []AppliedResource
	// recorded are the ids of the events that record the change.
	recorded map[resource.Key]uuid.UUID
	// encryptionKeys are the first versions of new keys.
	encryptionKeys map[resource.Key]sealedKey
	provisioning
}

func newConfiguration(caller domain.Caller, found *persistence.Configuration) *configuration {
	c := &configuration{
		Configuration: found, caller: caller, tenants: map[string]*domain.Tenant{},
		stored: map[resource.Key]*resource.Stored{}, desired: map[resource.Key]*resource.Document{},
		ids: map[resource.Key]uuid.UUID{}, recorded: map[resource.Key]uuid.UUID{}, encryptionKeys: map[resource.Key]sealedKey{},
		provisioning: provisioning{origins: map[resource.Key]resource.Origin{}},
	}
	for i := range found.Tenants {
		c.tenants[found.Tenants[i].Code] = &found.Tenants[i]
	}
	for i := range found.Resources {
		r := &found.Resources[i]
		key := r.Key()
		c.stored[key], c.desired[key], c.ids[key] = r, &r.Document, r.ID
	}
	return c
}

// planAll plans the changes for the documents. checkURL refuses unusable URLs.
func (c *configuration) planAll(documents []resource.Document, prune *Prune, checkURL func(url string) error) error {
	valid, violations, err := c.planDocuments(documents, checkURL)
	if err != nil {
		return err
	}
	if prune != nil {
		if err := c.planPrune(documents, prune); err != nil {
			return err
		}
	}
	if err := c.planConsequences(); err != nil {
		return err
	}
	return c.checkViolations(resource.MergeViolations(violations, c.findUnmet(valid)))
}

// planDocuments plans the documents one by one, and returns the documents with a known tenant and the violations within
// each document.
func (c *configuration) planDocuments(
	documents []resource.Document, checkURL func(url string) error,
) (valid []resource.Document, violations []resource.Violation, err error) {
	valid, violations = c.inKnownTenants(documents)
	for i := range valid {
		d := &valid[i]
		c.keepClaims(d)
		action, err := c.planDocument(d)
		if err != nil {
			return nil, nil, inDocument(err, d.Place)
		}
		if violation := c.assignID(d); violation != nil {
			violation.Document = d.Place
			violations = append(violations, *violation)
			continue
		}
		violation, err := checkWebhook(d, action, checkURL)
		if err != nil {
			return nil, nil, err
		}
		if violation != nil {
			violation.Document = d.Place
			violations = append(violations, *violation)
		}
		result := AppliedResource{Key: d.Key(), ID: c.ids[d.Key()], Action: action, After: d}
		if before := c.stored[d.Key()]; before != nil {
			result.Before = &before.Document
		}
		id := result.ID
		d.Metadata.ID = &id
		c.applied = append(c.applied, result)
		c.desired[d.Key()] = d
	}
	return valid, violations, nil
}

// findUnmet reports unmet requirements on other documents.
func (c *configuration) findUnmet(documents []resource.Document) []resource.Violation {
	violations := c.findMissing(documents)
	violations = append(violations, c.idleRobots(documents)...)
	violations = append(violations, c.foreignQueues(documents)...)
	return append(violations, c.crowdedWorkers(documents)...)
}

// checkViolations refuses a change that leaves something wrong behind.
func (c *configuration) checkViolations(violations []resource.Violation) error {
	if len(violations) > 0 {
		return invalidDocuments(violations)
	}
	if err := c.checkNeeded(); err != nil {
		return err
	}
	return c.checkOwners()
}

// inKnownTenants returns the documents of tenants that are the caller's, and reports the others. An operator may create
// the tenant in the same request.
func (c *configuration) inKnownTenants(documents []resource.Document) (valid []resource.Document, violations []resource.Violation) {
	brought := map[string]bool{}
	for i := range documents {
		if documents[i].Kind == resource.KindTenant && c.caller.Operator {
			brought[documents[i].Metadata.Code] = true
		}
	}
	for i := range documents {
		d := &documents[i]
		if c.tenants[d.TenantCode()] != nil || brought[d.TenantCode()] {
			valid = append(valid, *d)
			continue
		}
		pointer, message := "/metadata/tenant", fmt.Sprintf(notYourTenant, d.TenantCode())
		if d.Kind == resource.KindTenant {
			pointer, message = "/metadata/code", message+"; only operators create tenants"
		}
		violations = append(violations, resource.Violation{Document: d.Place, Pointer: pointer, Message: message})
	}
	return valid, violations
}

// planDocument returns the outcome of applying the document, if the caller may apply it.
func (c *configuration) planDocument(d *resource.Document) (ApplyAction, error) {
	before := c.stored[d.Key()]
	action := ApplyCreated
	if before != nil {
		same, err := sameResource(&before.Document, d)
		if err != nil {
			return "", err
		}
		if action = ApplyConfigured; same && !c.changesOrigin(before) {
			action = ApplyUnchanged
		}
	}
	if err := c.checkAuthorized(d, before, action); err != nil {
		return "", err
	}
	return action, nil
}

// sameResource reports whether two documents have the same content, apart from the id, which never changes.
func sameResource(a, b *resource.Document) (bool, error) {
	if len(a.Metadata.Labels) != len(b.Metadata.Labels) || !resource.Selector(a.Metadata.Labels).Matches(b.Metadata.Labels) {
		return false, nil
	}
	left, err := a.SpecJSON()
	if err != nil {
		return false, err
	}
	right, err := b.SpecJSON()
	if err != nil {
		return false, err
	}
	return bytes.Equal(left, right), nil
}

// planPrune deletes the resources that match the selector and have no document.
func (c *configuration) planPrune(documents []resource.Document, prune *Prune) error {
	tenant := c.tenants[prune.Tenant]
	if tenant == nil {
		return domain.InvalidBody("/prune/tenant", fmt.Sprintf(notYourTenant, prune.Tenant))
	}
	described := map[resource.Key]bool{}
	for i := range documents {
		described[documents[i].Key()] = true
	}
	for i := range c.Resources {
		r := &c.Resources[i]
		key := r.Key()
		if r.Kind == resource.KindTenant || r.TenantID != tenant.ID || described[key] ||
			!prune.Selector.Matches(r.Metadata.Labels) {
			continue
		}
		if err := c.planDeletion(key); err != nil {
			return err
		}
	}
	return nil
}

func (c *configuration) planDeletion(key resource.Key) error {
	before := c.stored[key]
	if c.isManaged(before) {
		return domain.Conflict(domain.CodeConflict, displayKey(key)+" is managed by the directory: delete it there, or revoke the tokens of the directory")
	}
	if err := c.checkAuthorized(&before.Document, before, ApplyDeleted); err != nil {
		return err
	}
	if key.Kind == resource.KindTenant {
		return domain.Conflict(domain.CodeConflict, "a tenant cannot be deleted")
	}
	if d := c.definitionState(before.TenantID, key.Code); key.Kind == resource.KindProcessDefinition && d != nil && d.Used {
		return domain.Conflict(domain.CodeConflict, fmt.Sprintf(
			"%s has processes: set its state to %s instead", displayKey(key), resource.StateRetired))
	}
	delete(c.desired, key)
	c.applied = append(c.applied, AppliedResource{
		Key: key, ID: before.ID, Action: ApplyDeleted, Before: &before.Document,
	})
	return nil
}

// findMissing reports missing targets of references.
func (c *configuration) findMissing(documents []resource.Document) []resource.Violation {
	return resource.MissingReferences(documents, func(key resource.Key) resource.Presence {
		switch {
		case c.desired[key] != nil:
			return resource.Present
		case c.stored[key] != nil:
			return resource.Pruned
		}
		return resource.Absent
	})
}

// checkNeeded refuses to delete a target of a reference of a remaining resource.
func (c *configuration) checkNeeded() error {
	removed := map[resource.Key]bool{}
	for _, a := range c.applied {
		removed[a.Key] = a.Action == ApplyDeleted
	}
	var needs []string
	for key, d := range c.desired {
		for _, reference := range d.Spec.References() {
			needed := resource.Key{Tenant: key.Tenant, Kind: reference.Kind, Code: reference.Code}
			if removed[needed] {
				needs = append(needs, fmt.Sprintf("%s needs %s", displayKey(key), displayKey(needed)))
			}
		}
	}
	if len(needs) == 0 {
		return nil
	}
	slices.Sort(needs)
	needs = slices.Compact(needs)
	message := strings.Join(needs[:min(len(needs), maxNeedsReported)], ", ")
	if more := len(needs) - maxNeedsReported; more > 0 {
		message += fmt.Sprintf(" and %d more", more)
	}
	if len(c.leavers) > 0 {
		message += "; with handOver, users are taken out of groups and definitions"
	}
	return domain.Conflict(domain.CodeConflict, message)
}

// checkOwners refuses a change that removes or disables the last enabled owner
// of a tenant.
func (c *configuration) checkOwners() error {
	before, after := map[string]int{}, map[string]int{}
	for key, r := range c.stored {
		if isActiveOwner(&r.Document) {
			before[key.Tenant]++
		}
	}
	for key, d := range c.desired {
		if isActiveOwner(d) {
			after[key.Tenant]++
		}
	}
	for tenant, owners := range before {
		if owners > 0 && after[tenant] == 0 {
			return domain.Conflict(domain.CodeConflict, fmt.Sprintf("tenant %s would be left without an OWNER that is not disabled", tenant))
		}
	}
	return nil
}

// carryOut deletes resources, then writes new and changed ones in the order of the kinds, targets of references first. It returns
// the events of the change after the ones of the work that was handed over.
func (c *configuration) carryOut(tx *persistence.Tx, handed domain.Events, now time.Time) (domain.Events, error) {
	changed, events := c.changedKeys(), append(handed, c.newEvents(now)...)
	for _, a := range slices.Backward(c.applied) {
		if a.Action == ApplyDeleted {
			c.removeResource(tx, a, now)
		}
	}
	for _, key := range changed {
		if err := c.putResource(tx, key, now); err != nil {
			return nil, err
		}
	}
	return events, nil
}

// changedKeys returns the keys of applied resources and of resources that depend on them, in the order of the kinds.
func (c *configuration) changedKeys() []resource.Key {
	keys := map[resource.Key]bool{}
	for _, a := range c.applied {
		if a.Action == ApplyCreated || a.Action == ApplyConfigured {
			keys[a.Key] = true
		}
	}
	for key, d := range c.desired {
		if key.Kind == resource.KindUser && keys[resource.Key{Tenant: key.Tenant, Kind: resource.KindTenant, Code: key.Tenant}] {
			keys[key] = true
		}
		for _, reference := range d.Spec.References() {
			if reference.Kind == resource.KindDataStructure && keys[resource.Key{Tenant: key.Tenant, Kind: reference.Kind, Code: reference.Code}] {
				keys[key] = true
			}
		}
	}
	order := resource.Kinds()
	sorted := make([]resource.Key, 0, len(keys))
	for key := range keys {
		sorted = append(sorted, key)
	}
	slices.SortFunc(sorted, func(a, b resource.Key) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Kind), slices.Index(order, b.Kind)), compareKeys(a, b))
	})
	return sorted
}

func isOwner(d *resource.Document) bool {
	switch spec := d.Spec.(type) {
	case *resource.UserSpec:
		return spec.Role == domain.RoleOwner
	case *resource.ApplicationSpec:
		return spec.Role == domain.RoleOwner
	default:
		return false
	}
}

// isActiveOwner reports whether a document describes an owner that is not
// disabled.
func isActiveOwner(d *resource.Document) bool {
	switch spec := d.Spec.(type) {
	case *resource.UserSpec:
		return spec.Role == domain.RoleOwner && !spec.Disabled
	case *resource.ApplicationSpec:
		return spec.Role == domain.RoleOwner && !spec.Disabled
	default:
		return false
	}
}

func displayKey(key resource.Key) string { return string(key.Kind) + " " + key.Code }

// compareKeys orders resources of a kind.
func compareKeys(a, b resource.Key) int {
	return cmp.Or(strings.Compare(a.Tenant, b.Tenant), strings.Compare(a.Code, b.Code))
}
