// Package accessmodel computes the documents, business artifacts and resources that are visible to a principal. The
// service computes them in SQL; tests compare the statements with this package.
package accessmodel

import (
	"slices"

	"github.com/procession-dev/procession/domain"
)

// DocumentRelations are the relations of a principal to a document of a process, or of a user action invoked on
// one.
type DocumentRelations struct {
	Process domain.ProcessRelations
	// LinkedToProcess reports whether a value of the process, or the input of an action on it, refers to the
	// document. LinkedTo lists the items with a value that does.
	LinkedToProcess bool
	LinkedTo        []domain.ItemRelations
	// Uploader stored the document.
	Uploader bool
	// Delivered reports whether the document is the result of a user action, Invoker whether the principal
	// invoked that action.
	Delivered, Invoker bool
}

// SeesDocument reports whether the document exists for the principal: a referrer is visible to the principal, or
// the principal uploaded it and it has no referrers yet.
func SeesDocument(r DocumentRelations) bool {
	switch {
	case r.Delivered:
		return r.Invoker && domain.SeesProcess(r.Process) || ownsResults(r.Process)
	case !r.LinkedToProcess && len(r.LinkedTo) == 0:
		return r.Uploader && domain.SeesProcess(r.Process) || domain.ManagesProcess(r.Process)
	default:
		return r.LinkedToProcess && domain.SeesProcess(r.Process) || slices.ContainsFunc(r.LinkedTo, domain.SeesItem)
	}
}

// ownsResults reports whether the results of user actions are visible to the principal. Candidates and owners of
// items read the process only for the sake of their tasks.
func ownsResults(r domain.ProcessRelations) bool {
	return r.Member && (r.Initiator || r.Viewer) || domain.ManagesProcess(r)
}

// ArtifactRelations are the relations of a principal to a business artifact. A permission granted to a group is
// one of each of its members, if the group belongs to the tenant of the artifact.
type ArtifactRelations struct {
	// Member belongs to the tenant of the artifact. Without it no other relation counts.
	Member bool
	// Viewer, Editor and Manager have the permission on the definition of the
	// artifact.
	Viewer, Editor, Manager bool
}

// SeesArtifact reports whether the artifact exists for the principal.
func SeesArtifact(r ArtifactRelations) bool { return r.Member && r.Viewer || EditsArtifact(r) }

// EditsArtifact reports whether the principal has the rights of an Editor of the
// artifact.
func EditsArtifact(r ArtifactRelations) bool { return r.Member && r.Editor || ManagesArtifact(r) }

// ManagesArtifact reports whether the principal has the rights of a Manager of
// the artifact.
func ManagesArtifact(r ArtifactRelations) bool { return r.Member && r.Manager }

// ResourceRelations are the relations of a principal to a resource of the configuration.
type ResourceRelations struct {
	// Operator administers all tenants.
	Operator bool
	// Role is the principal's role in the tenant of the resource, empty without membership.
	Role domain.TenantRole
	// Administrator has the permission on the process definition that the resource describes. Other resources
	// have no such permission.
	Administrator bool
}

// SeesResource reports whether the resource exists for the principal.
func SeesResource(r ResourceRelations) bool {
	return r.Operator || (domain.AdministrationRights{Role: r.Role}).Administers() || r.Role != "" && r.Administrator
}
