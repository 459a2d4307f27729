package administration_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// A tenant's token proves no operator, so only another of the kind can replace
// one that does.
func TestTokenOfAnOperatorIsReplacedByAnOperator(t *testing.T) {
	t.Parallel()
	c := newCustody(t)
	require.NoError(t, c.db.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.MakeOperator(c.ids["member"])
		return nil
	}))
	member := inVault(resource.KindUser, "member")
	limited := c.issue(c.as(domain.RoleOwner), member, "of the tenant")
	caller, err := c.lookUp(domain.CredentialPersonalAccessToken, nil, limited.Value)
	require.NoError(t, err)
	require.False(t, caller.Operator)

	full := c.issue(system(), member, "of the operator")
	caller, err = c.lookUp(domain.CredentialPersonalAccessToken, nil, full.Value)
	require.NoError(t, err)
	require.True(t, caller.Operator)
	require.Len(t, c.find(c.as(domain.RoleOwner), member), 1, "a tenant's owner does not see it")
	err = c.RevokeSecret(t.Context(), c.as(domain.RoleOwner), member, full.ID)
	require.True(t, domain.HasCode(err, domain.CodeNotFound), "%v", err)
	require.Len(t, c.find(system(), member), 2)
	require.NoError(t, c.RevokeSecret(t.Context(), system(), member, full.ID))

	other := c.issue(system(), inVault(resource.KindUser, "administrator"), "laptop")
	caller, err = c.lookUp(domain.CredentialPersonalAccessToken, nil, other.Value)
	require.NoError(t, err)
	require.Equal(t, []uuid.UUID{c.ids["vault"]}, caller.TenantIDs())
	require.Len(t, c.find(c.as(domain.RoleOwner), inVault(resource.KindUser, "administrator")), 1, "no operator's")
}

func TestRevokeSecretRefusesDeclaredSecretOfManifest(t *testing.T) {
	t.Parallel()
	c := newCustody(t)
	first := c.find(c.as(domain.RoleOwner), robot())[0]
	err := c.RevokeSecret(t.Context(), c.as(domain.RoleOwner), robot(), first.ID)
	require.True(t, domain.HasCode(err, domain.CodeConflict), "%v", err)
	require.ErrorContains(t, err, "the document of the resource declares")
	require.Len(t, c.find(c.as(domain.RoleOwner), robot()), 1)
}

func TestSecretsTakeTheRightsOfApplying(t *testing.T) {
	t.Parallel()
	c := newCustody(t)
	stranger := domain.Call{Caller: domain.Caller{
		PrincipalID: c.ids["sara"], Memberships: []domain.Membership{{TenantID: c.ids["south"], Role: domain.RoleOwner}},
	}}
	owned := []administration.ResourceKey{inVault(resource.KindUser, "owner"), inVault(resource.KindApplication, "master")}
	others := []administration.ResourceKey{robot(), events(), inVault(resource.KindUser, "administrator")}
	for name, as := range map[string]struct {
		domain.Call
		owned, others domain.Code
	}{
		"operator":      {domain.Call{Caller: domain.Caller{PrincipalID: uuid.New(), Operator: true}}, "", ""},
		"owner":         {c.as(domain.RoleOwner), "", ""},
		"administrator": {c.as(domain.RoleAdministrator), domain.CodeAccessDenied, ""},
		"member":        {c.as(domain.RoleMember), domain.CodeNotFound, domain.CodeNotFound},
		"stranger":      {stranger, domain.CodeNotFound, domain.CodeNotFound},
	} {
		try := func(key administration.ResourceKey, want domain.Code) {
			issued, err := c.IssueSecret(t.Context(), domain.Call{Caller: as.Caller}, key, administration.NewSecret{Name: name})
			require.Equal(t, want, codeOf(err), "%s issues of %s: %v", name, key.Code, err)
			id := uuid.New()
			if issued != nil {
				id = issued.ID
			}
			err = c.RevokeSecret(t.Context(), domain.Call{Caller: as.Caller}, key, id)
			require.Equal(t, want, codeOf(err), "%s revokes of %s: %v", name, key.Code, err)
			_, err = c.FindSecrets(t.Context(), domain.Call{Caller: as.Caller}, key)
			require.Equal(t, want == domain.CodeNotFound, err != nil, "%s finds those of %s: %v", name, key.Code, err)
			require.NotEqual(t, domain.CodeAccessDenied, codeOf(err), "what can be seen can be listed")
		}
		for _, key := range owned {
			try(key, as.owned)
		}
		for _, key := range others {
			try(key, as.others)
		}
	}
	absent := c.RevokeSecret(t.Context(), c.as(domain.RoleOwner), inVault(resource.KindUser, "absent"), uuid.New())
	require.Equal(t, absent, c.RevokeSecret(t.Context(), stranger, robot(), uuid.New()), "another tenant's is absent")
}

func codeOf(err error) domain.Code {
	if failure, ok := errors.AsType[*domain.Error](err); ok {
		return failure.Code
	}
	return ""
}

// Secrets of others are found neither by the id nor by the owner.
func TestRevokeSecretKeepsToItsOwner(t *testing.T) {
	t.Parallel()
	c := newCustody(t)
	owner := c.as(domain.RoleOwner)
	ofRobot, ofMember, ofEvents := c.issue(owner, robot(), "a"), c.issue(owner, inVault(resource.KindUser, "member"), "a"), c.issue(owner, events(), "a")
	for _, key := range []administration.ResourceKey{robot(), inVault(resource.KindUser, "member"), events()} {
		for of, id := range map[administration.ResourceKey]uuid.UUID{
			robot(): ofRobot.ID, inVault(resource.KindUser, "member"): ofMember.ID, events(): ofEvents.ID,
		} {
			if of != key {
				err := c.RevokeSecret(t.Context(), owner, key, id)
				require.True(t, domain.HasCode(err, domain.CodeNotFound), "%v", err)
			}
		}
	}
	require.Len(t, c.find(owner, robot()), 2)
	require.Len(t, c.find(owner, inVault(resource.KindUser, "member")), 1)
	require.Len(t, c.find(owner, events()), 1)
}

// The tenant is optional while only one of the caller's tenants has the
// resource.
func TestSecretOwnerIsNamedWithoutItsTenant(t *testing.T) {
	t.Parallel()
	c := newCustody(t)
	both := c.as(domain.RoleOwner)
	both.Memberships = append(both.Memberships, domain.Membership{TenantID: c.ids["south"], Role: domain.RoleOwner})
	key := administration.ResourceKey{Kind: resource.KindApplication, Code: "robot"}
	c.issue(both, key, "second")
	_, err := c.ApplyResources(t.Context(), system(), administration.ApplyRequest{Documents: []json.RawMessage{
		document("Application", "south", "robot", `{"name":"Robot"}`),
	}})
	require.NoError(t, err)
	_, err = c.IssueSecret(t.Context(), both, key, administration.NewSecret{Name: "third"})
	requireInvalid(t, err, "tenant", "ambiguous")
	_, err = c.FindSecrets(t.Context(), both, key)
	requireInvalid(t, err, "tenant", "ambiguous")
}

// A secret is not issued for a resource that is deleted at the same time.
func TestSecretsGoWithTheirOwner(t *testing.T) {
	t.Parallel()
	c := newCustody(t)
	owner := c.as(domain.RoleOwner)
	member := inVault(resource.KindUser, "member")
	var wait sync.WaitGroup
	wait.Go(func() {
		for i := range 20 {
			_, err := c.IssueSecret(t.Context(), owner, member, administration.NewSecret{Name: fmt.Sprint(i)})
			if err != nil && !domain.HasCode(err, domain.CodeNotFound) {
				t.Errorf("issuing: %v", err)
			}
		}
	})
	wait.Go(func() {
		if err := c.DeleteResource(t.Context(), owner, member, "", nil); err != nil {
			t.Errorf("deleting: %v", err)
		}
	})
	wait.Wait()
	require.Zero(t, queried[int](c, `SELECT count(*) FROM credentials WHERE principal_id = $1`, c.ids["member"]))
}
