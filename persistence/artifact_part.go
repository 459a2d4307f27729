package persistence

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// ArtifactOverview is an artifact with the names of its creator and last editor, and the actions that the caller may
// perform.
type ArtifactOverview struct {
	domain.BusinessArtifact

	AuthorName, EditorName string
	Rights                 domain.ArtifactRights
}

const selectArtifactOverview = `
SELECT ` + artifactColumns + `,
       coalesce((SELECT n.name FROM person_names n WHERE n.tenant_id = a.tenant_id AND n.principal_id = a.created_by),
                (SELECT s.name FROM principals s WHERE s.id = a.created_by), ''),
       coalesce((SELECT n.name FROM person_names n WHERE n.tenant_id = a.tenant_id AND n.principal_id = a.last_modified_by),
                (SELECT s.name FROM principals s WHERE s.id = a.last_modified_by), ''),
       ` + access.EditsArtifact + `, ` + access.ManagesArtifact + `
  FROM business_artifacts a
 WHERE a.id = $3 AND a.tenant_id = ANY($2) AND ` + access.VisibleArtifact

// GetArtifactOverview returns an artifact visible to the caller, or NOT_FOUND.
func (r *Reader) GetArtifactOverview(ctx context.Context, caller domain.Caller, id uuid.UUID) (*ArtifactOverview, error) {
	var o ArtifactOverview
	err := r.Read(ctx, pg.Q(selectArtifactOverview, []any{caller.PrincipalID, caller.TenantIDs(), id},
		scanArtifact(&o.BusinessArtifact, &o.AuthorName, &o.EditorName, &o.Rights.Edits, &o.Rights.Manages)))
	if err != nil {
		return nil, pg.Translate("reading the overview of a business artifact", pg.NotFound(err, "business artifact"))
	}
	return &o, nil
}

// ListArtifactDocuments returns a page of the documents of an artifact, and of actions on it, that are kept and visible
// to the caller like the artifact, the newest first.
func (r *Reader) ListArtifactDocuments(
	ctx context.Context, caller domain.Caller, artifact uuid.UUID, page domain.PageRequest, now time.Time,
) (domain.Page[domain.NamedDocument], error) {
	result := domain.Page[domain.NamedDocument]{PageRequest: page}
	l := pg.NewList(caller, documentColumns+", coalesce(sname.name, s.name, '')", `business_artifacts a
  JOIN documents d ON d.tenant_id = a.tenant_id
  LEFT JOIN principals s ON s.id = d.created_by
  LEFT JOIN person_names sname ON sname.tenant_id = a.tenant_id AND sname.principal_id = d.created_by`, "a.tenant_id")
	// The fragments take the artifact from $3, and the time from $5.
	l.Args = append(l.Args, artifact, "", now)
	l.Where = append(l.Where, "a.id = $3 AND $4 = ''", access.VisibleArtifact, ofArtifact, documentKept, access.VisibleArtifactDocument)
	if err := l.SortBy(nil, map[string]string{"id": "d.id"}, "d.created_at DESC"); err != nil {
		return result, err
	}
	err := r.Read(ctx, l.Page(page, func(rows pgx.Rows) (err error) {
		result.Items, err = pgx.CollectRows(rows, scanNamedDocument)
		return err
	}, &result.Total)...)
	return result, pg.Translate("listing the documents of a business artifact", err)
}

// ListArtifactActions returns a page of the actions that were invoked on an artifact visible to the caller, the newest
// first. now decides whether their documents have expired.
func (r *Reader) ListArtifactActions(
	ctx context.Context, caller domain.Caller, artifact uuid.UUID, page domain.PageRequest, now time.Time,
) (domain.Page[domain.NamedArtifactAction], error) {
	result := domain.Page[domain.NamedArtifactAction]{PageRequest: page}
	l := pg.NewList(caller, artifactActionColumns+", coalesce(sname.name, s.name, '')", `business_artifact_actions x
  JOIN business_artifacts a ON a.id = x.business_artifact_id
  LEFT JOIN principals s ON s.id = x.created_by
  LEFT JOIN person_names sname ON sname.tenant_id = a.tenant_id AND sname.principal_id = x.created_by`, "a.tenant_id")
	l.Where = append(l.Where, access.VisibleArtifact)
	l.Filter("a.id = %s", artifact)
	if err := l.SortBy(nil, map[string]string{"id": "x.id"}, "x.created_at DESC"); err != nil {
		return result, err
	}
	err := r.Read(ctx, l.Page(page, func(rows pgx.Rows) (err error) {
		result.Items, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (a domain.NamedArtifactAction, err error) {
			return a, readArtifactAction(&a.BusinessArtifactAction, now, &a.AuthorName)(row.Scan)
		})
		return err
	}, &result.Total)...)
	return result, pg.Translate("listing the actions on a business artifact", err)
}
