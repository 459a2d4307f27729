package persistence_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/accessmodel"
	"github.com/procession-dev/procession/domain/filter"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// collector is a caller with its relations to definitions of business artifacts with one artifact each.
type collector struct {
	domain.Caller
	definitions map[uuid.UUID]accessmodel.ArtifactRelations
	artifactOf  map[uuid.UUID]uuid.UUID
}

// artifactKind creates a definition with an artifact that is indexed by the field F.
func (s *accessFixture) artifactKind(tenant uuid.UUID) (definition, artifact uuid.UUID) {
	definition, artifact = uuid.New(), uuid.New()
	code := fmt.Sprintf("K%d", len(s.tables["resources"].rows))
	s.add("resources", tenant, resource.KindBusinessArtifactDefinition, code, definition, map[string]string{},
		[]byte(`{"name":"K","indexes":[{"field":"F","type":"STRING"}]}`), s.author, s.now, s.author, s.now)
	s.add("business_artifacts", artifact, tenant, definition, code, s.author, s.now, s.author, s.now)
	s.add("business_artifact_index", artifact, definition, s.now, "F", "x", tenant)
	return definition, artifact
}

func (s *accessFixture) grantOnArtifact(
	definition uuid.UUID, permission domain.ArtifactPermission, w way, caller domain.Caller, group uuid.UUID,
) {
	switch w {
	case directly:
		s.add("business_artifact_definition_grants", definition, permission, caller.PrincipalID)
	case throughGroup:
		s.add("business_artifact_definition_grants", definition, permission, group)
	case notAtAll, asInitiator, asEveryone:
	}
}

// collector creates a caller with every combination of permissions.
func (s *accessFixture) collector(kind domain.PrincipalType) *collector {
	caller, group := s.principal(kind)
	c := &collector{
		Caller: caller, definitions: map[uuid.UUID]accessmodel.ArtifactRelations{}, artifactOf: map[uuid.UUID]uuid.UUID{},
	}
	ways := []way{notAtAll, directly, throughGroup}
	for _, viewer := range ways {
		for _, editor := range ways {
			for _, manager := range ways {
				definition, artifact := s.artifactKind(s.tenant)
				s.grantOnArtifact(definition, domain.PermissionArtifactViewer, viewer, caller, group)
				s.grantOnArtifact(definition, domain.PermissionArtifactEditor, editor, caller, group)
				s.grantOnArtifact(definition, domain.PermissionArtifactManager, manager, caller, group)
				c.definitions[definition] = accessmodel.ArtifactRelations{
					Member: true, Viewer: viewer != notAtAll, Editor: editor != notAtAll, Manager: manager != notAtAll,
				}
				c.artifactOf[definition] = artifact
			}
		}
	}
	return c
}

// outside returns the same principal with a credential for another tenant only.
func (c *collector) outside(tenant uuid.UUID) *collector {
	out := &collector{Caller: c.Caller, definitions: map[uuid.UUID]accessmodel.ArtifactRelations{}, artifactOf: c.artifactOf}
	out.Memberships = []domain.Membership{{TenantID: tenant, Role: domain.RoleOwner}}
	for id, r := range c.definitions {
		r.Member = false
		out.definitions[id] = r
	}
	return out
}

// The visibility rules of the domain and the conditions of the queries agree for business artifacts.
func TestArtifactsAreVisibleAsTheDomainSays(t *testing.T) {
	t.Parallel()
	s := newAccessFixture(t)
	collectors := []*collector{s.collector(domain.PrincipalUser), s.collector(domain.PrincipalApplication)}
	for _, c := range collectors[:2] {
		collectors = append(collectors, c.outside(s.elsewhere))
	}
	url := pgtest.URL(t)
	s.store(url)
	db := pgtest.Open(t, url)
	for i, c := range collectors {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			c.requireArtifacts(t, db)
		})
	}
}

func (c *collector) requireArtifacts(t *testing.T, db *persistence.DB) {
	t.Helper()
	var seen, all []uuid.UUID
	for definition, r := range c.definitions {
		all = append(all, definition)
		if accessmodel.SeesArtifact(r) {
			seen = append(seen, c.artifactOf[definition])
		}
		a, err := db.Reader().GetBusinessArtifact(t.Context(), c.Caller, c.artifactOf[definition])
		requireFound(t, accessmodel.SeesArtifact(r), err, r)
		require.True(t, err != nil || a.ID == c.artifactOf[definition])
	}
	filters := map[string]persistence.ArtifactFilter{
		"all":            {},
		"by definitions": {DefinitionIDs: all},
	}
	if c.definitions[all[0]].Member {
		// A search never uses definitions of other tenants.
		filters["by data"] = persistence.ArtifactFilter{Indexed: all, Criteria: []filter.Criterion{
			{Field: "F", Type: filter.String, Operator: filter.Eq, Operands: []string{"x"}},
		}}
	}
	for name, filter := range filters {
		found, states, err := db.Reader().ListBusinessArtifacts(
			t.Context(), c.Caller, filter, domain.PageRequest{Size: 1000}, nil)
		require.NoError(t, err)
		var got []uuid.UUID
		for _, a := range found.Items {
			got = append(got, a.ID)
		}
		require.EqualValues(t, len(seen), found.Total, name)
		requireSameIDs(t, seen, got)
		if name == "by data" {
			require.Len(t, states, len(seen))
		}
	}
	definitions, err := db.Reader().ListArtifactDefinitions(t.Context(), c.Caller)
	require.NoError(t, err)
	require.Len(t, definitions, len(seen))
	c.requireArtifactWrites(t, db)
}

func (c *collector) requireArtifactWrites(t *testing.T, db *persistence.DB) {
	t.Helper()
	err := db.Write(t.Context(), func(tx *persistence.Tx) error {
		for definition, r := range c.definitions {
			rights := domain.ArtifactRights{Edits: accessmodel.EditsArtifact(r), Manages: accessmodel.ManagesArtifact(r)}
			artifact := c.artifactOf[definition]
			prepared, err := persistence.PrepareArtifact(c.Caller, artifact, persistence.DefinitionKey{ID: &definition}).Do(t.Context(), tx)
			require.NoError(t, err)
			require.NotNil(t, prepared.Existing)
			require.Equal(t, accessmodel.SeesArtifact(r), prepared.ExistingVisible, "%+v", r)
			require.Equal(t, accessmodel.SeesArtifact(r), len(prepared.Definitions) == 1, "%+v", r)
			if len(prepared.Definitions) == 1 {
				require.Equal(t, rights, prepared.Definitions[0].Rights, "%+v", r)
			}
		}
		return errChecked
	})
	require.ErrorIs(t, err, errChecked)
	for definition, r := range c.definitions {
		err := db.Write(t.Context(), func(tx *persistence.Tx) error {
			locked, err := persistence.LockArtifact(c.Caller, c.artifactOf[definition]).Do(t.Context(), tx)
			requireFound(t, accessmodel.SeesArtifact(r), err, r)
			if err == nil {
				require.Equal(t, domain.ArtifactRights{Edits: accessmodel.EditsArtifact(r), Manages: accessmodel.ManagesArtifact(r)},
					locked.Rights, "%+v", r)
			}
			return errChecked
		})
		require.ErrorIs(t, err, errChecked)
	}
}

// A group gets no rights on artifacts of another tenant, and a principal that leaves a tenant loses its rights
// there, and only those.
func TestArtifactRightsStayInTheirTenant(t *testing.T) {
	t.Parallel()
	s := newAccessFixture(t)
	caller, own := s.principal(domain.PrincipalUser)
	caller.Memberships = append(caller.Memberships, domain.Membership{TenantID: s.elsewhere, Role: domain.RoleMember})
	foreign := s.groupOf(caller.PrincipalID, s.elsewhere)
	here, artifact := s.artifactKind(s.tenant)
	there, other := s.artifactKind(s.elsewhere)
	url := pgtest.URL(t)
	s.store(url)
	db := pgtest.Open(t, url)
	sees := func(id uuid.UUID) bool {
		t.Helper()
		_, err := db.Reader().GetBusinessArtifact(t.Context(), caller, id)
		return err == nil
	}
	write := func(fn func(tx *persistence.Tx)) {
		t.Helper()
		require.NoError(t, db.Write(t.Context(), func(tx *persistence.Tx) error {
			fn(tx)
			return nil
		}))
	}
	write(func(tx *persistence.Tx) {
		tx.GrantOnArtifact(here, s.tenant, domain.PermissionArtifactManager, foreign)
	})
	require.False(t, sees(artifact))
	write(func(tx *persistence.Tx) {
		tx.GrantOnArtifact(here, s.tenant, domain.PermissionArtifactViewer, own)
		tx.GrantOnArtifact(here, s.tenant, domain.PermissionArtifactViewer, caller.PrincipalID)
		tx.GrantOnArtifact(there, s.elsewhere, domain.PermissionArtifactViewer, caller.PrincipalID)
	})
	require.True(t, sees(artifact) && sees(other))
	write(func(tx *persistence.Tx) { tx.RemoveTenantUser(s.tenant, caller.PrincipalID) })
	require.False(t, sees(artifact))
	require.True(t, sees(other))
}
