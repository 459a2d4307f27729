package administration_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

func member() administration.ResourceKey { return inVault(resource.KindUser, "member") }

func (c *custody) ownTokens(as domain.Call) []domain.PersonalToken {
	c.t.Helper()
	found, err := c.FindOwnTokens(c.t.Context(), as)
	require.NoError(c.t, err)
	return found
}

func TestOwnTokens(t *testing.T) { //nolint:tparallel // one story in steps
	t.Parallel()
	c := newCustody(t)
	administrator, holder := c.as(domain.RoleAdministrator), c.as(domain.RoleMember)
	issued := c.issue(administrator, member(), "laptop")
	c.issue(administrator, inVault(resource.KindUser, "administrator"), "own")

	token := c.ownTokens(holder)[0]
	require.Equal(t, "laptop", token.Name)
	require.Equal(t, "administrator", token.IssuerName)
	require.Equal(t, "Vault", token.TenantName)
	require.True(t, token.New)
	require.Nil(t, token.LastUsedAt)
	require.False(t, c.ownTokens(administrator)[0].New, "its holder issued it")

	t.Run("confirming_marks_known", func(t *testing.T) { //nolint:paralleltest // as above
		require.NoError(t, c.ConfirmOwnTokens(t.Context(), holder))
		require.False(t, c.ownTokens(holder)[0].New)
	})
	t.Run("use_is_recorded_once_an_hour", func(t *testing.T) { //nolint:paralleltest // as above
		auth, err := authn.NewAuthenticator(c.db, func() time.Time { return *c.clock })
		require.NoError(t, err)
		_, err = auth.Authenticate(t.Context(), "Bearer "+issued.Value.Reveal())
		require.NoError(t, err)
		first := *c.clock
		require.WithinDuration(t, first, *c.ownTokens(holder)[0].LastUsedAt, 0)
		*c.clock = first.Add(30 * time.Minute)
		_, err = auth.Authenticate(t.Context(), "Bearer "+issued.Value.Reveal())
		require.NoError(t, err)
		require.WithinDuration(t, first, *c.ownTokens(holder)[0].LastUsedAt, 0)
		*c.clock = first.Add(61 * time.Minute)
		_, err = auth.Authenticate(t.Context(), "Bearer "+issued.Value.Reveal())
		require.NoError(t, err)
		require.WithinDuration(t, *c.clock, *c.ownTokens(holder)[0].LastUsedAt, 0)
	})
	t.Run("others_cannot_revoke", func(t *testing.T) { //nolint:paralleltest // as above
		err := c.RevokeOwnToken(t.Context(), administrator, issued.ID)
		require.True(t, domain.HasCode(err, domain.CodeNotFound), "%v", err)
		err = c.RevokeOwnToken(t.Context(), holder, uuid.New())
		require.True(t, domain.HasCode(err, domain.CodeNotFound), "%v", err)
	})
	t.Run("other_tenants_are_not_listed", func(t *testing.T) { //nolint:paralleltest // as above
		elsewhere := holder
		elsewhere.Memberships = []domain.Membership{{TenantID: c.ids["south"]}}
		require.Empty(t, c.ownTokens(elsewhere))
	})
	t.Run("revoking_ends_the_token", func(t *testing.T) { //nolint:paralleltest // as above
		require.NoError(t, c.RevokeOwnToken(t.Context(), holder, issued.ID))
		require.Empty(t, c.ownTokens(holder))
		_, err := c.lookUp(domain.CredentialPersonalAccessToken, nil, issued.Value)
		require.True(t, domain.HasCode(err, domain.CodeUnauthenticated), "%v", err)
	})
}

// Events contain the id of the token only if another user issued it.
func TestEventsNameIssuedToken(t *testing.T) {
	t.Parallel()
	c := newCustody(t)
	owner := c.as(domain.RoleOwner)
	act := func(token *administration.IssuedSecret, name string) map[string]string {
		t.Helper()
		caller, err := c.lookUp(domain.CredentialPersonalAccessToken, nil, token.Value)
		require.NoError(t, err)
		made, err := c.IssueSecret(t.Context(), caller, robot(), administration.NewSecret{Name: name})
		require.NoError(t, err)
		var recorded []domain.Event
		// Events are returned once all earlier transactions of the cluster have ended.
		require.Eventually(t, func() bool {
			recorded, _, err = c.FindEvents(t.Context(), owner, administration.EventFilter{Concerning: &made.ID}, administration.EventRange{Limit: 10})
			return err == nil && len(recorded) == 1
		}, 30*time.Second, 10*time.Millisecond)
		require.Equal(t, caller.PrincipalID, recorded[0].ActorID)
		return recorded[0].Details
	}
	foreign := c.issue(owner, inVault(resource.KindUser, "administrator"), "handed over")
	details := act(foreign, "one")
	require.Equal(t, foreign.ID.String(), details["tokenId"])
	require.Equal(t, owner.PrincipalID.String(), details["tokenIssuedBy"])
	require.NoError(t, c.RevokeSecret(t.Context(), owner, robot(), c.find(owner, robot())[1].ID))

	own := c.issue(c.as(domain.RoleAdministrator), inVault(resource.KindUser, "administrator"), "own")
	require.NotContains(t, act(own, "two"), "tokenId")
}

func TestPersonalTokensAreForbidden(t *testing.T) {
	t.Parallel()
	c := newCustody(t)
	c.Service = c.with(administration.Options{NoPersonalTokens: true})
	_, err := c.IssueSecret(t.Context(), c.as(domain.RoleOwner), member(), administration.NewSecret{Name: "laptop"})
	require.True(t, domain.HasCode(err, domain.CodeAccessDenied), "%v", err)
	require.ErrorContains(t, err, "--personal-tokens")
	err = c.declareToken(t.Context(), `{"name":"x","sha256":"`+hashText+`"}`)
	requireViolation(t, err, "/documents/0/spec/accessTokens", "sign in through an issuer only")
	_, err = c.IssueSecret(t.Context(), c.as(domain.RoleOwner), robot(), administration.NewSecret{Name: "application"})
	require.NoError(t, err, "applications have no issuer")
}

func TestDeclaredTokensEnd(t *testing.T) {
	t.Parallel()
	c := newCustody(t)
	c.Service = c.with(administration.Options{Lifetimes: administration.SecretLifetimes{MaxAccessToken: 48 * time.Hour}})
	begun := *c.clock
	end := func() time.Time { return *c.find(c.as(domain.RoleOwner), member())[0].ExpiresAt }
	require.NoError(t, c.declareToken(t.Context(), `{"name":"x","sha256":"`+hashText+`"}`))
	require.WithinDuration(t, begun.Add(48*time.Hour), end(), time.Second)
	*c.clock = begun.Add(time.Hour)
	require.NoError(t, c.declareToken(t.Context(), `{"name":"renamed","sha256":"`+hashText+`"}`))
	require.WithinDuration(t, begun.Add(48*time.Hour), end(), time.Second, "declaring it again does not extend it")
	require.NoError(t, c.declareToken(t.Context(), `{"name":"x","sha256":"`+hashText+`","expiresAt":"2026-03-03T00:00:00Z"}`))
	require.WithinDuration(t, time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC), end(), time.Second)
	err := c.declareToken(t.Context(), `{"name":"x","sha256":"`+hashText+`","expiresAt":"2027-03-03T00:00:00Z"}`)
	requireViolation(t, err, "/documents/0/spec/accessTokens/0/expiresAt", "must be at most 2 days from now")
}

func requireViolation(t *testing.T, err error, location, message string) {
	t.Helper()
	var domainErr *domain.Error
	require.ErrorAs(t, err, &domainErr)
	require.Equal(t, location, domainErr.Details[0].Location)
	require.Contains(t, domainErr.Details[0].Message, message)
}

const hashText = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

// with returns the administration with other options.
func (c *custody) with(o administration.Options) *administration.Service {
	o.Store = storage.New(storage.Options{DB: c.db, Clock: func() time.Time { return *c.clock }})
	o.Sealer = c.sealer
	return administration.New(o)
}

// declareToken applies the member's manifest with a token.
func (c *custody) declareToken(ctx context.Context, token string) error {
	_, err := c.ApplyResources(ctx, c.as(domain.RoleOwner), administration.ApplyRequest{Documents: []json.RawMessage{
		document("User", "vault", "member", `{"name":"MEMBER","email":"member@vault.example","role":"MEMBER","accessTokens":[`+token+`]}`),
	}})
	return err
}
