package administration

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

func artifactDefinitionHandler() kindHandler {
	return kindHandler{
		put: putSpec((*configuration).putArtifactDefinition),
		remove: func(_ *configuration, tx *persistence.Tx, a AppliedResource, _ uuid.UUID, _ time.Time) {
			tx.RevokeOnArtifact(a.ID)
		},
	}
}

// putArtifactDefinition gives the rights on a business artifact definition,
// and takes all others away.
func (c *configuration) putArtifactDefinition(tx *persistence.Tx, w written, spec *resource.BusinessArtifactDefinitionSpec) error {
	tx.RevokeOnArtifact(w.id)
	for permission, grantees := range map[domain.ArtifactPermission][]resource.Grantee{
		domain.PermissionArtifactViewer:  spec.Permissions.Viewers,
		domain.PermissionArtifactEditor:  spec.Permissions.Editors,
		domain.PermissionArtifactManager: spec.Permissions.Managers,
	} {
		for _, g := range grantees {
			tx.GrantOnArtifact(w.id, w.tenant, permission, c.resolveGrantee(w.Metadata.Tenant, g).ID)
		}
	}
	return nil
}

// settleArtifacts applies the change to existing artifacts: they are indexed
// again where the indexes of their definition change. The stored validity of
// their data does not change. A definition that has artifacts cannot be
// deleted.
func (c *configuration) settleArtifacts(ctx context.Context, tx *persistence.Tx, dryRun bool) error {
	for _, a := range c.applied {
		if a.Key.Kind != resource.KindBusinessArtifactDefinition {
			continue
		}
		before, wasThere := specOfArtifact(a.Before)
		after, isThere := specOfArtifact(a.After)
		tenant := c.tenantID(a.Key.Tenant)
		var err error
		switch {
		case a.Action == ApplyDeleted:
			err = checkArtifactDefinitionUnused(ctx, tx, a.Key, tenant, a.ID)
		case a.Action == ApplyConfigured && wasThere && isThere && !dryRun &&
			!sameIndexes(before.IndexedMembers(), after.IndexedMembers()):
			err = reindexArtifacts(ctx, tx, tenant, a.ID, after.IndexedMembers())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func specOfArtifact(d *resource.Document) (*resource.BusinessArtifactDefinitionSpec, bool) {
	if d == nil {
		return nil, false
	}
	spec, ok := d.Spec.(*resource.BusinessArtifactDefinitionSpec)
	return spec, ok
}

// sameIndexes reports whether two definitions index the same, in whatever order.
func sameIndexes(a, b []domain.IndexedMember) bool {
	missing := func(from []domain.IndexedMember) func(domain.IndexedMember) bool {
		return func(m domain.IndexedMember) bool { return !slices.Contains(from, m) }
	}
	return !slices.ContainsFunc(a, missing(b)) && !slices.ContainsFunc(b, missing(a))
}

func checkArtifactDefinitionUnused(
	ctx context.Context, tx *persistence.Tx, key resource.Key, tenant, id uuid.UUID,
) error {
	used, err := tx.LockArtifactDefinition(ctx, tenant, id)
	if err != nil {
		return fmt.Errorf("looking for artifacts of %s: %w", displayKey(key), err)
	}
	if used {
		return domain.Conflict(domain.CodeConflict, displayKey(key)+" has artifacts: delete them first")
	}
	return nil
}

func reindexArtifacts(
	ctx context.Context, tx *persistence.Tx, tenant, id uuid.UUID, indexes []domain.IndexedMember,
) error {
	if used, err := tx.LockArtifactDefinition(ctx, tenant, id); err != nil || !used {
		return err
	}
	return tx.ReindexArtifacts(ctx, tenant, id, func(data []byte) ([]persistence.IndexedValue, error) {
		return storage.IndexedValues(data, indexes)
	})
}
