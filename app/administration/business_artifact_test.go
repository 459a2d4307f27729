package administration_test

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// car returns the definition of a business artifact with a user as an Editor.
func car(tenant, editor, index string) json.RawMessage {
	return document("BusinessArtifactDefinition", tenant, "CAR", `{"name":"Car",
		"dataSchema":{"properties":{"A":{},"B":{}}},"indexes":[{"field":"`+index+`","type":"STRING"}],
		"permissions":{"editors":[{"user":"`+editor+`"}]}}`)
}

func (c *configured) createCar(caller domain.Call, key app.DefinitionKey) (*domain.BusinessArtifact, error) {
	c.t.Helper()
	a, _, err := c.CreateBusinessArtifact(c.t.Context(), caller, app.NewBusinessArtifact{
		Definition: key, Data: json.RawMessage(`{"A":"x","B":"y"}`),
	})
	return a, err
}

// A code in several tenants of the caller names a definition only together with the tenant; definitions without a right
// do not count.
func TestArtifactsOfSeveralTenants(t *testing.T) {
	t.Parallel()
	c := newConfigured(t)
	c.apply(system(), car("north", "ines", "A"), car("south", "erik", "A"))
	both := c.caller("north", "ines", domain.RoleMember)
	both.Memberships = append(both.Memberships, c.caller("south", "erik", domain.RoleMember).Memberships...)
	north, south := both.Memberships[0].TenantID, both.Memberships[1].TenantID

	a, err := c.createCar(both, app.DefinitionKey{Code: "CAR"})
	require.NoError(t, err)
	require.Equal(t, north, a.TenantID)

	id := c.id(resource.KindBusinessArtifactDefinition, "south", "CAR")
	_, err = c.createCar(both, app.DefinitionKey{ID: &id})
	require.True(t, domain.HasCode(err, domain.CodeDefinitionNotFound), err)
	c.grantToInes(id)

	var failure *domain.Error
	_, err = c.createCar(both, app.DefinitionKey{Code: "CAR"})
	require.ErrorAs(t, err, &failure)
	require.Equal(t, domain.CodeValidation, failure.Code)
	require.Equal(t, domain.FieldTenant, failure.Details[0].Field)
	for _, tenant := range []uuid.UUID{north, south} {
		a, err := c.createCar(both, app.DefinitionKey{Code: "CAR", TenantID: &tenant})
		require.NoError(t, err)
		require.Equal(t, tenant, a.TenantID)
	}
	// Definitions of different tenants index the same field.
	for want, tenants := range map[int64][]uuid.UUID{3: nil, 2: {north}, 1: {south}} {
		found, err := c.FindBusinessArtifacts(t.Context(), both,
			app.BusinessArtifactFilter{Values: []string{"A eq x"}, TenantIDs: tenants}, domain.PageRequest{Size: 10}, nil)
		require.NoError(t, err)
		require.Equal(t, want, found.Total)
		require.Len(t, found.Items, int(want))
	}
	// With a credential for one of the tenants, artifacts of the other are not found.
	both.Memberships = both.Memberships[:1]
	found, err := c.FindBusinessArtifacts(t.Context(), both,
		app.BusinessArtifactFilter{Values: []string{"A eq x"}}, domain.PageRequest{Size: 10}, nil)
	require.NoError(t, err)
	require.EqualValues(t, 2, found.Total)
}

// grantToInes makes a user of the tenant north an Editor of a definition.
func (c *configured) grantToInes(definition uuid.UUID) {
	c.t.Helper()
	conn := c.connect()
	_, err := conn.Exec(c.t.Context(),
		`INSERT INTO business_artifact_definition_grants VALUES ($1, 'EDITOR', $2)`,
		definition, c.id(resource.KindUser, "north", "ines"))
	require.NoError(c.t, err)
	require.NoError(c.t, conn.Close(c.t.Context()))
}

// All artifacts are indexed again, even if there are more than one batch, and a
// dry run indexes none.
func TestNewIndexesAreThoseOfAllArtifacts(t *testing.T) {
	t.Parallel()
	c := newConfigured(t)
	c.apply(system(), car("north", "ines", "A"))
	ines := c.caller("north", "ines", domain.RoleMember)
	a, err := c.createCar(ines, app.DefinitionKey{Code: "CAR"})
	require.NoError(t, err)
	conn := c.connect()
	// All were created at one time, so that only their ids distinguish them.
	_, err = conn.Exec(t.Context(), `
		INSERT INTO business_artifacts (id, tenant_id, definition_id, definition_code, data, data_valid,
		                                created_by, created_at, last_modified_by, last_modified_at)
		SELECT gen_random_uuid(), tenant_id, definition_id, definition_code,
		       CASE WHEN n > 1 THEN data END, CASE WHEN n > 1 THEN data_valid END,
		       created_by, created_at, last_modified_by, last_modified_at
		  FROM business_artifacts, generate_series(1, 2500) n WHERE id = $1`, a.ID)
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
	total := func(value string) int64 {
		found, err := c.FindBusinessArtifacts(t.Context(), ines,
			app.BusinessArtifactFilter{Values: []string{value}}, domain.PageRequest{Size: 1}, nil)
		require.NoError(t, err)
		return found.Total
	}
	before := c.dump()
	_, err = c.ApplyResources(t.Context(), system(), administration.ApplyRequest{
		Documents: []json.RawMessage{car("north", "ines", "B")}, DryRun: true,
	})
	require.NoError(t, err)
	require.Equal(t, before, c.dump())
	require.EqualValues(t, 1, total("A eq x"))
	c.apply(system(), car("north", "ines", "B"))
	require.EqualValues(t, 2500, total("B eq y"))
	c.apply(system(), car("north", "ines", "A"))
	require.EqualValues(t, 2500, total("A eq x"))

	// A definition with artifacts is not deleted, not even in a dry run.
	c.apply(system(), labelled(car("north", "ines", "A"), "app", "cars"))
	for _, dryRun := range []bool{true, false} {
		_, err = c.ApplyResources(t.Context(), system(), administration.ApplyRequest{
			DryRun: dryRun, Prune: &administration.Prune{Tenant: "north", Selector: resource.Selector{"app": "cars"}},
		})
		require.True(t, domain.HasCode(err, domain.CodeConflict), err)
	}
}
