package administration_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/events/webhook"
)

func TestIssueSecretAuthenticatesApplication(t *testing.T) {
	t.Parallel()
	c := newCustody(t)
	administrator := c.as(domain.RoleAdministrator)
	issued := c.issue(administrator, robot(), "second")
	require.Regexp(t, `^`+authn.SecretPrefix+`[A-Za-z0-9_-]{43}$`, issued.Value.Reveal())
	require.NotContains(t, fmt.Sprintf("%v %+v %#v", issued, issued, issued), issued.Value.Reveal())
	require.NotContains(t, c.dump(), issued.Value.Reveal())

	id := c.ids["robot"]
	caller, err := c.lookUp(domain.CredentialApplicationSecret, &id, issued.Value)
	require.NoError(t, err)
	require.Equal(t, id, caller.PrincipalID)
	found := c.find(administrator, robot())
	require.Len(t, found, 2)
	require.Equal(t, domain.SecretInfo{ID: found[0].ID, Name: "first", Declared: true, CreatedAt: *c.clock}, found[0])
	require.Equal(t, issued.SecretInfo, found[1])

	require.NoError(t, c.RevokeSecret(t.Context(), administrator, robot(), issued.ID))
	_, err = c.lookUp(domain.CredentialApplicationSecret, &id, issued.Value)
	require.True(t, domain.HasCode(err, domain.CodeUnauthenticated), "%v", err)
	require.Len(t, c.find(administrator, robot()), 1)
}

func TestAccessTokenIsLimitedToItsTenant(t *testing.T) {
	t.Parallel()
	c := newCustody(t)
	_, err := c.ApplyResources(t.Context(), system(), administration.ApplyRequest{Documents: []json.RawMessage{
		document("User", "south", "guest", `{"name":"Guest","email":"member@vault.example","role":"OWNER"}`),
	}})
	require.NoError(t, err)
	issued := c.issue(c.as(domain.RoleAdministrator), inVault(resource.KindUser, "member"), "laptop")
	caller, err := c.lookUp(domain.CredentialPersonalAccessToken, nil, issued.Value)
	require.NoError(t, err)
	require.Equal(t, c.ids["member"], caller.PrincipalID)
	require.Equal(t, []uuid.UUID{c.ids["vault"]}, caller.TenantIDs())

	sara := domain.Call{Caller: domain.Caller{Memberships: []domain.Membership{{TenantID: c.ids["south"], Role: domain.RoleOwner}}}}
	require.Empty(t, c.find(sara, administration.ResourceKey{Tenant: "south", Kind: resource.KindUser, Code: "guest"}),
		"tokens of another tenant do not exist")
}

func TestWebhookSecretIsSealed(t *testing.T) {
	t.Parallel()
	c := newCustody(t)
	issued := c.issue(c.as(domain.RoleAdministrator), events(), "first")
	encoded, found := strings.CutPrefix(issued.Value.Reveal(), "whsec_")
	require.True(t, found)
	key, err := base64.StdEncoding.DecodeString(encoded)
	require.NoError(t, err)
	require.Len(t, key, 32)
	dump := c.dump()
	for _, form := range []string{issued.Value.Reveal(), hex.EncodeToString([]byte(issued.Value.Reveal())), hex.EncodeToString(key)} {
		require.NotContains(t, dump, form)
	}

	sealed := queried[[]byte](c, `SELECT sealed FROM webhook_secrets WHERE id = $1 AND tenant_id = $2 AND subscription_id = $3`,
		issued.ID, c.ids["vault"], c.ids["EVENTS"])
	opened, err := c.sealer.Open(webhook.SecretPurpose, issued.ID.String(), sealed)
	require.NoError(t, err)
	require.Equal(t, issued.Value.Reveal(), string(opened))

	require.NoError(t, c.RevokeSecret(t.Context(), c.as(domain.RoleAdministrator), events(), issued.ID))
	require.Empty(t, c.find(c.as(domain.RoleAdministrator), events()))
}

func TestWebhookSecretNeedsAKeyToSealIt(t *testing.T) {
	t.Parallel()
	c := newCustody(t)
	unsealed := administration.New(administration.Options{Store: storage.New(storage.Options{DB: c.db, Clock: func() time.Time { return *c.clock }})})
	_, err := unsealed.IssueSecret(t.Context(), c.as(domain.RoleOwner), events(), administration.NewSecret{Name: "first"})
	require.ErrorContains(t, err, "no key to seal it with")
	require.Empty(t, c.find(c.as(domain.RoleOwner), events()))
}

func TestSecretsAreAsManyAsRotationTakes(t *testing.T) {
	t.Parallel()
	owner := domain.RoleOwner
	for name, c := range map[string]struct {
		key   administration.ResourceKey
		there int
		limit int
	}{
		"application":  {robot(), 1, 2},
		"webhook":      {events(), 0, 2},
		"access token": {inVault(resource.KindUser, "member"), 0, 20},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newCustody(t)
			soon := s.clock.Add(time.Hour)
			expiring, err := s.IssueSecret(t.Context(), s.as(owner), c.key, administration.NewSecret{Name: "expiring", ExpiresAt: &soon})
			require.NoError(t, err)
			for i := range c.limit - c.there - 1 {
				s.issue(s.as(owner), c.key, fmt.Sprintf("secret %d", i))
			}
			_, err = s.IssueSecret(t.Context(), s.as(owner), c.key, administration.NewSecret{Name: "too many"})
			require.True(t, domain.HasCode(err, domain.CodeConflict), "%v", err)
			require.ErrorContains(t, err, expiring.ID.String(), "it says what can be revoked")
			require.Len(t, s.find(s.as(owner), c.key), c.limit)
			*s.clock = soon
			s.issue(s.as(owner), c.key, "after the expiry")
			require.Len(t, s.find(s.as(owner), c.key), c.limit+1)
		})
	}
}

func TestSecretsAreNotIssuedInARace(t *testing.T) {
	t.Parallel()
	c := newCustody(t)
	var wait sync.WaitGroup
	outcomes := make(chan error, 8)
	for i := range cap(outcomes) {
		wait.Go(func() {
			_, err := c.IssueSecret(t.Context(), c.as(domain.RoleOwner), events(), administration.NewSecret{Name: fmt.Sprint(i)})
			outcomes <- err
		})
	}
	wait.Wait()
	close(outcomes)
	issued := 0
	for err := range outcomes {
		if err == nil {
			issued++
			continue
		}
		require.True(t, domain.HasCode(err, domain.CodeConflict), "%v", err)
	}
	require.Equal(t, 2, issued)
	require.Len(t, c.find(c.as(domain.RoleOwner), events()), 2)
}

func TestIssueSecretRefuses(t *testing.T) {
	t.Parallel()
	c := newCustody(t)
	past := *c.clock
	for name, in := range map[string]struct {
		secret   administration.NewSecret
		location string
	}{
		"no name":              {administration.NewSecret{}, "/name"},
		"a blank name":         {administration.NewSecret{Name: " "}, "/name"},
		"a name of two lines":  {administration.NewSecret{Name: "a\nb"}, "/name"},
		"a name that is long":  {administration.NewSecret{Name: strings.Repeat("é", 51)}, "/name"},
		"a secret of the past": {administration.NewSecret{Name: "n", ExpiresAt: &past}, "/expiresAt"},
	} {
		_, err := c.IssueSecret(t.Context(), c.as(domain.RoleOwner), robot(), in.secret)
		requireInvalid(t, err, in.location, name)
	}
	for _, key := range []administration.ResourceKey{
		inVault(resource.KindGroup, "CLERKS"), {Kind: resource.KindTenant, Code: "vault"}, inVault("Nothing", "x"),
	} {
		_, err := c.IssueSecret(t.Context(), c.as(domain.RoleOwner), key, administration.NewSecret{Name: "n"})
		requireInvalid(t, err, "kind", key.Code)
		_, err = c.FindSecrets(t.Context(), c.as(domain.RoleOwner), key)
		requireInvalid(t, err, "kind", key.Code)
		requireInvalid(t, c.RevokeSecret(t.Context(), c.as(domain.RoleOwner), key, uuid.New()), "kind", key.Code)
	}
	for _, name := range []string{"first", "second"} {
		if name == "second" {
			c.issue(c.as(domain.RoleOwner), robot(), name)
		}
		_, err := c.IssueSecret(t.Context(), c.as(domain.RoleOwner), robot(), administration.NewSecret{Name: name})
		require.True(t, domain.HasCode(err, domain.CodeConflict), "%v", err)
		require.ErrorContains(t, err, `the name "`+name+`"`)
	}
	c.issue(c.as(domain.RoleOwner), events(), strings.Repeat("é", 50))
}

func requireInvalid(t *testing.T, err error, location, about string) {
	t.Helper()
	var failure *domain.Error
	require.ErrorAs(t, err, &failure, about)
	require.Equal(t, domain.KindInvalid, failure.Kind, about)
	require.Equal(t, location, failure.Details[0].Location, about)
}
