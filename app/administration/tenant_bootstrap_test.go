package administration_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// caller is who a personal access token proves.
func callerWith(t *testing.T, db *persistence.DB, token domain.Secret) (domain.Call, error) {
	t.Helper()
	found, err := db.Reader().LookUpCredential(t.Context(), persistence.CredentialKey{
		Kind: domain.CredentialPersonalAccessToken, SecretSHA256: authn.HashSecret(token.Reveal()),
	}, time.Now())
	caller := found.Caller
	return domain.Call{Caller: caller}, err
}

func TestBootstrappedUserMakesEverythingElse(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	s := administration.New(administration.Options{Store: storage.New(storage.Options{DB: db, Clock: time.Now})})
	made, err := s.BootstrapTenant(t.Context(), administration.FirstTenant{Code: "north", Email: "Olga@north.example"})
	require.NoError(t, err)
	olga, err := callerWith(t, db, made.Token)
	require.NoError(t, err)
	require.Equal(t, made.UserID, olga.PrincipalID)
	require.True(t, olga.Operator)

	for key, name := range map[administration.ResourceKey]string{
		{Kind: resource.KindTenant, Code: "north"}:                        "north",
		{Tenant: "north", Kind: resource.KindUser, Code: "administrator"}: "Olga@north.example",
	} {
		found, err := s.RetrieveResource(t.Context(), olga, key)
		require.NoError(t, err)
		require.Equal(t, domain.SystemPrincipalID(), found.CreatedBy)
		spec, err := found.SpecJSON()
		require.NoError(t, err)
		require.Contains(t, string(spec), `"name":"`+name+`"`)
	}
	applied, err := s.ApplyResources(t.Context(), olga, administration.ApplyRequest{Documents: []json.RawMessage{
		document("Tenant", "", "south", `{"name":"South"}`),
		document("User", "south", "olga", `{"name":"Olga","email":"olga@north.example","role":"OWNER"}`),
	}})
	require.NoError(t, err)
	require.Equal(t, made.UserID, applied[1].ID, "a person is one principal")
	olga, err = callerWith(t, db, made.Token)
	require.NoError(t, err)
	require.Len(t, olga.Memberships, 2, "the token is valid in tenants that are made later")
}

func TestBootstrapTenantSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	s := administration.New(administration.Options{Store: storage.New(storage.Options{DB: db, Clock: time.Now})})
	for _, c := range []struct {
		in        administration.FirstTenant
		locations []string
	}{
		{administration.FirstTenant{Code: "North", Email: "olga@north.example"}, []string{"/code"}},
		{administration.FirstTenant{Code: "north", Email: "olga"}, []string{"/email"}},
		{administration.FirstTenant{Code: "north", Name: "\n", Email: "olga@north.example"}, []string{"/name"}},
		{administration.FirstTenant{Code: "north", Email: "olga@north.example", UserName: "\t"}, []string{"/userName"}},
		{administration.FirstTenant{}, []string{"/code", "/name", "/email", "/userName"}},
	} {
		_, err := s.BootstrapTenant(t.Context(), c.in)
		var failure *domain.Error
		require.ErrorAs(t, err, &failure)
		require.Equal(t, domain.KindInvalid, failure.Kind)
		var locations []string
		for _, d := range failure.Details {
			locations = append(locations, d.Location)
		}
		require.ElementsMatch(t, c.locations, locations, "%+v", failure.Details)
	}
}
