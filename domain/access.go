package domain

import (
	"github.com/google/uuid"
)

// ProcessRights are the rights of a caller on a process that is visible to it. Other processes are never loaded, so
// visibility is implied.
type ProcessRights struct {
	// Manages is the Manager permission on the definition; the application that runs the definition's workflow
	// has it too.
	Manages bool
}

// ItemRights are the rights of a caller on a process item that is visible to it.
type ItemRights struct {
	ProcessRights
	// Candidate may claim the task, by a grant of its own, through a group or as the initiator of the process
	// where the definition says so.
	Candidate bool
	// Substitute acts for the owner of the task, who is absent.
	Substitute bool
}

// ProcessRelations are the relations of a principal to a process. A permission granted to a group is one of each
// of its members, if the group belongs to the tenant of the process.
type ProcessRelations struct {
	// Member belongs to the tenant of the process. Without it no other relation counts.
	Member bool
	// Initiator is the initiator of the process.
	Initiator bool
	// Runner is the application that runs the workflow of the version that the
	// process is pinned to.
	Runner bool
	// Starter, Viewer, Manager and Administrator have the permission on the definition of the process; the
	// permission of a Starter is called Initiator.
	Starter, Viewer, Manager, Administrator bool
	// ItemOwner owns an item of the process, delegated it to its owner, or substitutes for its owner.
	ItemOwner bool
	// ItemCandidate is a candidate of an item of the process.
	ItemCandidate bool
}

// SeesProcess reports whether the process exists for the principal.
func SeesProcess(r ProcessRelations) bool {
	return r.Member && (r.Initiator || r.Viewer || r.ItemOwner || r.ItemCandidate) || ManagesProcess(r)
}

// ManagesProcess reports whether the principal has the rights of a Manager of
// the process.
func ManagesProcess(r ProcessRelations) bool { return r.Member && (r.Manager || r.Runner) }

// ItemRelations are the relations of a principal to an item of a process.
type ItemRelations struct {
	Process ProcessRelations
	// Owner owns the item, Delegator delegated it to its owner, Substitute acts for its owner by SubstitutesOwner.
	Owner, Delegator, Substitute bool
	// Candidate and Viewer have the permission on the definition of the item, by a grant of their own or through
	// a group.
	Candidate, Viewer bool
	// InitiatorCandidate and InitiatorViewer report whether the definition of the item grants the permission to
	// the initiator of the process.
	InitiatorCandidate, InitiatorViewer bool
}

// SeesItem reports whether the item exists for the principal.
func SeesItem(r ItemRelations) bool {
	views := r.Viewer || r.InitiatorViewer && r.Process.Initiator
	return r.Process.Member && (r.Owner || r.Delegator || r.Substitute || views || r.Process.Viewer) || ClaimsItem(r) || ManagesProcess(r.Process)
}

// ClaimsItem reports whether the principal is a candidate of the item.
func ClaimsItem(r ItemRelations) bool {
	return r.Process.Member && (r.Candidate || r.InitiatorCandidate && r.Process.Initiator)
}

// ArtifactRights are the rights of a caller on a business artifact that is visible to it. Other artifacts are never
// loaded, so visibility is implied.
type ArtifactRights struct {
	// Edits is the Editor or the Manager permission on the definition: to create artifacts, to save their data,
	// to upload documents and to invoke actions.
	Edits bool
	// Manages is the Manager permission on the definition: the rights of an Editor, and to delete artifacts and
	// cancel the actions of others.
	Manages bool
}

// RequireEditor refuses callers other than Editors and Managers with ACCESS_DENIED.
func (r ArtifactRights) RequireEditor() error {
	if !r.Edits {
		return Denied("the Editor permission on the business artifact is required")
	}
	return nil
}

// RequireManager refuses callers other than Managers with ACCESS_DENIED.
func (r ArtifactRights) RequireManager() error {
	if !r.Manages {
		return Denied("the Manager permission on the business artifact is required")
	}
	return nil
}

// DefinitionRights are the rights of a caller on a process definition.
type DefinitionRights struct {
	Initiates bool
	Views     bool
	Manages   bool
}

// Sees reports whether the definition exists for the caller.
func (r DefinitionRights) Sees() bool { return r.Initiates || r.Views || r.Manages }

// MayStart reports whether the caller may create processes of the definition.
func (r DefinitionRights) MayStart() bool { return r.Initiates || r.Manages }

func (r ProcessRights) requireManager() error {
	if !r.Manages {
		return Denied("the Manager permission on the process is required")
	}
	return nil
}

// AdministrationRights are the rights of a caller on the configuration of a tenant: to its identities, definitions,
// webhooks and operations.
type AdministrationRights struct {
	Role TenantRole
}

// Administration returns the caller's rights to the configuration of the tenant. They are zero if the caller does not
// belong to the tenant.
func (c Caller) Administration(tenant uuid.UUID) AdministrationRights {
	if c.Operator {
		return AdministrationRights{Role: RoleOwner}
	}
	for _, m := range c.Memberships {
		if m.TenantID == tenant {
			return AdministrationRights{Role: m.Role}
		}
	}
	return AdministrationRights{}
}

// AdministeredTenants lists the tenants that the caller administers. It is incomplete for an operator, who
// administers all tenants.
func (c Caller) AdministeredTenants() []uuid.UUID {
	tenants := []uuid.UUID{}
	for _, m := range c.Memberships {
		if (AdministrationRights{Role: m.Role}).Administers() {
			tenants = append(tenants, m.TenantID)
		}
	}
	return tenants
}

// Administers reports whether the caller administers any tenant.
func (c Caller) Administers() bool { return c.Operator || len(c.AdministeredTenants()) > 0 }

// DefinitionTenants lists the tenants in which the caller administers process definitions only.
func (c Caller) DefinitionTenants() []uuid.UUID {
	tenants := []uuid.UUID{}
	for _, m := range c.Memberships {
		if m.AdministersDefinitions && !(AdministrationRights{Role: m.Role}).Administers() {
			tenants = append(tenants, m.TenantID)
		}
	}
	return tenants
}

// Administers reports whether the caller may read and change the configuration.
func (r AdministrationRights) Administers() bool {
	return r.Role == RoleOwner || r.Role == RoleAdministrator
}

// Owns reports whether the caller may change the tenant itself and its owners.
func (r AdministrationRights) Owns() bool { return r.Role == RoleOwner }
