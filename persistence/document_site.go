package persistence

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// ProcessSite is a process to add a document to, with the rights of the caller.
type ProcessSite struct {
	Process domain.Process
	Rights  domain.ProcessRights
	// WritesTask reports whether the caller may write to an open task of the process: as its owner, as the substitute
	// of its owner or as a Manager.
	WritesTask bool
}

// CheckMayAttach returns the error of domain.Process.CheckMayAttach.
func (s *ProcessSite) CheckMayAttach() error { return s.Process.CheckMayAttach(s.Rights, s.WritesTask) }

const (
	selectProcessSite = `
SELECT ` + processSummaryColumns + `,
       ` + access.ManagesProcess + `,
       EXISTS (SELECT 1 FROM process_items i
                WHERE i.process_id = p.id AND i.task_state IN ('READY', 'CLAIMED')
                  AND (i.owner_id = $1 OR ` + access.SubstitutesOwner + ` OR ` + access.ManagesProcess + `))
  FROM processes p
 WHERE p.id = $3 AND p.tenant_id = ANY($2) AND ` + access.VisibleProcess

	shareProcessSite = selectProcessSite + `
   FOR SHARE OF p`
)

func processSite(sql string, caller domain.Caller, id uuid.UUID, site *ProcessSite) pg.Query {
	return pg.Q(sql, []any{caller.PrincipalID, caller.TenantIDs(), id}, pg.OrNotFound("process", pg.One(
		append(processSummaryFields(&site.Process), &site.Rights.Manages, &site.WritesTask)...)))
}

// GetProcessSite returns a process visible to the caller, or NOT_FOUND.
func (r *Reader) GetProcessSite(ctx context.Context, caller domain.Caller, id uuid.UUID) (*ProcessSite, error) {
	var site ProcessSite
	err := r.Read(ctx, processSite(selectProcessSite, caller, id, &site))
	if err != nil {
		return nil, pg.Translate("reading a process", err)
	}
	return &site, nil
}

// ShareProcessSite is GetProcessSite that also blocks the process from being finished until the transaction
// ends.
func ShareProcessSite(caller domain.Caller, id uuid.UUID) Read[*ProcessSite] {
	var site ProcessSite
	return Read[*ProcessSite]{[]pg.Query{processSite(shareProcessSite, caller, id, &site)}, func(tx *Tx) (*ProcessSite, error) {
		tx.Found(id, site.Process.Version())
		return &site, nil
	}}
}

// ArtifactSite is a business artifact to which a document is to be added.
type ArtifactSite struct {
	TenantID   uuid.UUID
	Rights     domain.ArtifactRights
	ModifiedAt time.Time
	domain.Deletion
}

// CheckMayAttach refuses callers without the Editor permission, and a deleted artifact with INVALID_STATE.
func (s *ArtifactSite) CheckMayAttach() error {
	if err := s.Rights.RequireEditor(); err != nil {
		return err
	}
	return s.RequireKept("business artifact")
}

const (
	selectArtifactSite = `
SELECT a.tenant_id, a.last_modified_at, a.deleted_at, a.deleted_by, ` + access.EditsArtifact + `, ` + access.ManagesArtifact + `
  FROM business_artifacts a
 WHERE a.id = $3 AND a.tenant_id = ANY($2) AND ` + access.VisibleArtifact

	shareArtifactSite = selectArtifactSite + `
   FOR SHARE OF a`
)

func artifactSite(sql string, caller domain.Caller, id uuid.UUID, site *ArtifactSite) pg.Query {
	return pg.Q(sql, []any{caller.PrincipalID, caller.TenantIDs(), id}, pg.OrNotFound("business artifact", pg.One(
		&site.TenantID, &site.ModifiedAt, &site.DeletedAt, &site.DeletedBy, &site.Rights.Edits, &site.Rights.Manages)))
}

// GetArtifactSite returns a business artifact visible to the caller, or NOT_FOUND.
func (r *Reader) GetArtifactSite(ctx context.Context, caller domain.Caller, id uuid.UUID) (*ArtifactSite, error) {
	var site ArtifactSite
	err := r.Read(ctx, artifactSite(selectArtifactSite, caller, id, &site))
	if err != nil {
		return nil, pg.Translate("reading a business artifact", err)
	}
	return &site, nil
}

// ShareArtifactSite is GetArtifactSite that also blocks the artifact from being deleted until the transaction
// ends.
func ShareArtifactSite(caller domain.Caller, id uuid.UUID) Read[*ArtifactSite] {
	var site ArtifactSite
	return Read[*ArtifactSite]{[]pg.Query{artifactSite(shareArtifactSite, caller, id, &site)}, func(tx *Tx) (*ArtifactSite, error) {
		tx.Found(id, domain.VersionAt(site.ModifiedAt))
		return &site, nil
	}}
}
