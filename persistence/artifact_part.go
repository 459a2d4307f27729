package persistence

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/listquery"
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
	l := documentList(caller, "business_artifacts a", "a", artifact, now, access.VisibleArtifact, ofArtifact, access.VisibleArtifactDocument)
	return ReadPage(ctx, r, "listing the documents of a business artifact", l, page, scanNamedDocument)
}

// ListArtifactActions returns a page of the actions that were invoked on an artifact visible to the caller, the newest
// first. now decides whether their documents have expired.
func (r *Reader) ListArtifactActions(
	ctx context.Context, caller domain.Caller, artifact uuid.UUID, page domain.PageRequest, now time.Time,
) (domain.Page[domain.NamedArtifactAction], error) {
	l := listquery.OfCaller(caller, "a.tenant_id", listquery.List{
		Columns: artifactActionColumns + ", coalesce(sname.name, s.name, '')", Table: "business_artifact_actions x",
		Joins: `
  JOIN business_artifacts a ON a.id = x.business_artifact_id
  LEFT JOIN principals s ON s.id = x.created_by
  LEFT JOIN person_names sname ON sname.tenant_id = a.tenant_id AND sname.principal_id = x.created_by`,
		Visible: listquery.Match(access.VisibleArtifact),
		Where:   []listquery.Condition{listquery.Match("a.id = %s", artifact)},
		Order: listquery.Order{
			Default: []listquery.Column{{SQL: "x.created_at", Descending: true}}, Columns: listquery.Columns{"id": {SQL: "x.id"}},
		},
	})
	return ReadPage(ctx, r, "listing the actions on a business artifact", l, page,
		func(row pgx.CollectableRow) (a domain.NamedArtifactAction, err error) {
			return a, readArtifactAction(&a.BusinessArtifactAction, now, &a.AuthorName)(row.Scan)
		})
}
