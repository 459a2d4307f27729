package app_test

import (
	"encoding/json"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// application creates an application of a tenant, which is a worker if it lists
// queues.
func (a engineAccess) application(t *testing.T, name string, tenant domain.Membership, queues ...string) domain.Call {
	t.Helper()
	id := uuid.New()
	spec := &resource.ApplicationSpec{Name: name}
	if len(queues) > 0 {
		spec.Engine = &resource.WorkerSpec{TaskQueues: queues}
	}
	require.NoError(t, a.db.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.PutApplication(domain.Application{
			Principal: domain.Principal{ID: id, Name: name}, TenantID: tenant.TenantID, Role: tenant.Role,
			Audit: domain.NewAudit(domain.SystemPrincipalID(), a.now),
		})
		return tx.PutResource(resource.Stored{
			Document: resource.Document{Kind: resource.KindApplication, Metadata: resource.Metadata{Code: name}, Spec: spec},
			ID:       id, TenantID: tenant.TenantID, Audit: domain.NewAudit(domain.SystemPrincipalID(), a.now),
		})
	}))
	return domain.Call{Caller: domain.Caller{PrincipalID: id, Type: domain.PrincipalApplication, Memberships: []domain.Membership{tenant}}}
}

// user creates a user with a role in the tenant.
func (a engineAccess) user(t *testing.T, role domain.TenantRole) domain.Call {
	t.Helper()
	id := uuid.New()
	require.NoError(t, a.db.Write(t.Context(), func(tx *persistence.Tx) error {
		return tx.PutTenantUser(domain.TenantUser{
			ID: uuid.New(), TenantID: a.tenant.TenantID, Role: role, Audit: domain.NewAudit(domain.SystemPrincipalID(), a.now),
			Principal: domain.Principal{ID: id, Type: domain.PrincipalUser, Name: "user", Email: id.String() + "@demo.example"},
		})
	}))
	return domain.Call{Caller: domain.Caller{PrincipalID: id, Type: domain.PrincipalUser, Memberships: []domain.Membership{a.as(role)}}}
}

// as returns a membership in the tenant.
func (a engineAccess) as(role domain.TenantRole) domain.Membership {
	return domain.Membership{TenantID: a.tenant.TenantID, Namespace: a.tenant.Namespace, Role: role}
}

// otherTenant creates another tenant with an owner.
func (a engineAccess) otherTenant(t *testing.T) domain.Membership {
	t.Helper()
	other := domain.Membership{TenantID: uuid.New(), Namespace: "other", Role: domain.RoleOwner}
	require.NoError(t, a.db.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.PutTenant(domain.Tenant{
			ID: other.TenantID, Name: "Other", Plan: domain.PlanFree, Namespace: other.Namespace, TimeZone: "Etc/UTC",
			Audit: domain.NewAudit(domain.SystemPrincipalID(), a.now),
		})
		return nil
	}))
	return other
}

// granted returns all grants there are, the oldest first.
func (a engineAccess) granted(t *testing.T) []domain.EngineGrant {
	t.Helper()
	operator := domain.Call{Caller: domain.Caller{PrincipalID: uuid.New(), Operator: true}}
	page, err := a.FindEngineAccess(t.Context(), operator, administration.EngineAccessFilter{},
		domain.PageRequest{Size: 1000}, []domain.SortKey{{Property: "issuedAt"}})
	require.NoError(t, err)
	require.Len(t, page.Items, int(page.Total))
	return page.Items
}

func (a engineAccess) issueToken(t *testing.T, caller domain.Call) *domain.Authentication {
	t.Helper()
	got, err := a.CreateAuthentication(t.Context(), caller, app.NewAuthentication{Type: domain.AuthenticationEngineToken})
	require.NoError(t, err)
	return got
}

func (a engineAccess) certificate(t *testing.T, caller domain.Call) *domain.Authentication {
	t.Helper()
	got, err := a.CreateAuthentication(t.Context(), caller, app.NewAuthentication{Type: domain.AuthenticationEngineCertificate})
	require.NoError(t, err)
	return got
}

// denied is a published deny list.
type denied struct {
	GeneratedAt  time.Time
	Tokens       []string
	Certificates []string
}

func deniedBy(t *testing.T, s *storage.Store) denied {
	t.Helper()
	var list denied
	require.NoError(t, json.Unmarshal(s.Revocations().Document(), &list))
	require.NotNil(t, list.Tokens)
	require.NotNil(t, list.Certificates)
	return list
}

func TestWhoIsDisabledGetsNoEngineAccess(t *testing.T) {
	t.Parallel()
	a := newEngineAccess(t)
	colleague := a.application(t, "colleague", a.tenant, "reports")
	a.issueToken(t, colleague)
	require.NoError(t, a.db.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.RemoveApplication(a.tenant.TenantID, a.runner.PrincipalID, a.now)
		tx.RemoveApplication(a.tenant.TenantID, colleague.PrincipalID, a.now)
		return nil
	}))
	before := a.granted(t)
	for _, caller := range []domain.Call{a.runner, colleague, {Caller: domain.Caller{
		PrincipalID: uuid.New(), Type: domain.PrincipalApplication, Memberships: []domain.Membership{a.tenant},
	}}} {
		for _, kind := range []domain.AuthenticationType{
			domain.AuthenticationEngineToken, domain.AuthenticationEngineCertificate,
		} {
			_, err := a.CreateAuthentication(t.Context(), caller, app.NewAuthentication{Type: kind})
			require.True(t, domain.HasCode(err, domain.CodeUnauthenticated), "%v", err)
		}
	}
	require.Equal(t, before, a.granted(t))
}

// Disabling a principal and then revoking its access covers all access,
// including requests in progress.
func TestRevokeAfterDisableCoversAllAccess(t *testing.T) {
	t.Parallel()
	a := newEngineAccess(t)
	owner := a.user(t, domain.RoleOwner)
	var wait sync.WaitGroup
	started := make(chan struct{}, 8)
	for range cap(started) {
		wait.Go(func() {
			for n := 0; ; n++ {
				_, err := a.CreateAuthentication(t.Context(), a.runner, app.NewAuthentication{
					Type: domain.AuthenticationEngineToken,
				})
				if n == 0 {
					started <- struct{}{}
				}
				if err != nil {
					if !domain.HasCode(err, domain.CodeUnauthenticated) {
						t.Error(err)
					}
					return
				}
			}
		})
	}
	for range cap(started) {
		<-started
	}
	require.NoError(t, a.db.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.RemoveApplication(a.tenant.TenantID, a.runner.PrincipalID, a.now)
		return nil
	}))
	_, err := a.RevokeEngineAccess(t.Context(), owner, administration.EngineAccessSelection{PrincipalID: &a.runner.PrincipalID})
	require.NoError(t, err)
	wait.Wait()
	active := true
	page, err := a.FindEngineAccess(t.Context(), owner, administration.EngineAccessFilter{Active: &active}, domain.PageRequest{Size: 1}, nil)
	require.NoError(t, err)
	require.Empty(t, page.Items, "of all there are")
	page, err = a.FindEngineAccess(t.Context(), owner, administration.EngineAccessFilter{}, domain.PageRequest{}, nil)
	require.NoError(t, err)
	require.GreaterOrEqual(t, page.Total, int64(cap(started)))
	require.Len(t, deniedBy(t, a.Store).Tokens, int(page.Total))
}

func TestRevokeEngineAccess(t *testing.T) {
	t.Parallel()
	a := newEngineAccess(t)
	owner, administrator := a.user(t, domain.RoleOwner), a.user(t, domain.RoleAdministrator)
	colleague := a.application(t, "colleague", a.tenant, "reports")
	alien := a.application(t, "alien", a.otherTenant(t), "elsewhere")
	first, second, certificate := a.issueToken(t, a.runner), a.issueToken(t, a.runner), a.certificate(t, a.runner)
	others, elsewhere := a.issueToken(t, colleague), a.issueToken(t, alien)
	revoke := func(by domain.Call, what administration.EngineAccessSelection) int64 {
		revoked, err := a.RevokeEngineAccess(t.Context(), by, what)
		require.NoError(t, err)
		return revoked
	}
	require.Nil(t, a.Revocations().Document(), "they were never loaded")

	require.EqualValues(t, 1, revoke(administrator, administration.EngineAccessSelection{ID: &first.ID}))
	require.Equal(t, denied{GeneratedAt: a.now, Tokens: []string{first.ID.String()}, Certificates: []string{}}, deniedBy(t, a.Store))
	require.Zero(t, revoke(administrator, administration.EngineAccessSelection{ID: &first.ID}), "it is revoked already")
	grant := a.granted(t)[0]
	require.Equal(t, first.ID, grant.ID)
	require.Equal(t, a.now, *grant.RevokedAt)
	require.Equal(t, administrator.PrincipalID, *grant.RevokedBy)

	require.EqualValues(t, 2, revoke(owner, administration.EngineAccessSelection{PrincipalID: &a.runner.PrincipalID}))
	list := deniedBy(t, a.Store)
	require.ElementsMatch(t, []string{first.ID.String(), second.ID.String()}, list.Tokens)
	require.Equal(t, []string{certificate.Certificate.Serial}, list.Certificates)
	require.EqualValues(t, 1, revoke(owner, administration.EngineAccessSelection{TenantID: &a.tenant.TenantID}))
	require.Contains(t, deniedBy(t, a.Store).Tokens, others.ID.String())
	require.NotContains(t, deniedBy(t, a.Store).Tokens, elsewhere.ID.String())

	operator := a.user(t, domain.RoleMember)
	operator.Operator = true
	require.EqualValues(t, 1, revoke(operator, administration.EngineAccessSelection{PrincipalID: &alien.PrincipalID}))
}

func TestRevokeEngineAccessRefuses(t *testing.T) {
	t.Parallel()
	a := newEngineAccess(t)
	owner, member := a.user(t, domain.RoleOwner), a.user(t, domain.RoleMember)
	foreign := a.application(t, "foreign", a.otherTenant(t), "elsewhere")
	own, elsewhere := a.issueToken(t, a.runner), a.issueToken(t, foreign)

	_, err := a.RevokeEngineAccess(t.Context(), owner, administration.EngineAccessSelection{})
	require.True(t, domain.HasCode(err, domain.CodeValidation), "%v", err)
	absent := uuid.New()
	for name, c := range map[string]struct {
		by domain.Call
		id uuid.UUID
	}{
		"another tenant's": {owner, elsewhere.ID}, "unknown": {owner, absent},
		"a member": {member, own.ID}, "the bearer": {a.runner, own.ID}, "an owner elsewhere": {foreign, own.ID},
	} {
		_, err := a.RevokeEngineAccess(t.Context(), c.by, administration.EngineAccessSelection{ID: &c.id})
		require.True(t, domain.HasCode(err, domain.CodeNotFound), "%s: %v", name, err)
	}
	for _, by := range []domain.Call{member, a.runner, foreign} {
		revoked, err := a.RevokeEngineAccess(t.Context(), by, administration.EngineAccessSelection{TenantID: &a.tenant.TenantID})
		require.NoError(t, err)
		require.Zero(t, revoked)
	}
	for _, grant := range a.granted(t) {
		require.Nil(t, grant.RevokedAt)
	}
	for _, c := range []struct {
		by   domain.Call
		want []uuid.UUID
	}{{owner, []uuid.UUID{own.ID}}, {foreign, []uuid.UUID{elsewhere.ID}}, {member, nil}, {a.runner, nil}} {
		page, err := a.FindEngineAccess(t.Context(), c.by, administration.EngineAccessFilter{}, domain.PageRequest{Size: 10}, nil)
		require.NoError(t, err)
		require.Len(t, page.Items, len(c.want))
		for i, id := range c.want {
			require.Equal(t, id, page.Items[i].ID)
		}
	}
}

func TestFindEngineAccess(t *testing.T) {
	t.Parallel()
	a := newEngineAccess(t)
	owner := a.user(t, domain.RoleOwner)
	colleague := a.application(t, "colleague", a.tenant, "reports")
	token := a.issueToken(t, a.runner)
	a.later.Add(int64(time.Second))
	certificate := a.certificate(t, colleague)
	a.later.Add(int64(time.Second))
	revoked := a.certificate(t, a.runner)
	_, err := a.RevokeEngineAccess(t.Context(), owner, administration.EngineAccessSelection{ID: &revoked.ID})
	require.NoError(t, err)
	a.later.Add(int64(2 * time.Hour))

	find := func(filter administration.EngineAccessFilter, sort ...domain.SortKey) []uuid.UUID {
		page, err := a.FindEngineAccess(t.Context(), owner, filter, domain.PageRequest{Size: 10}, sort)
		require.NoError(t, err)
		found := []uuid.UUID{}
		for _, grant := range page.Items {
			found = append(found, grant.ID)
		}
		return found
	}
	active, ended := true, false
	require.Equal(t, []uuid.UUID{revoked.ID, certificate.ID, token.ID}, find(administration.EngineAccessFilter{}))
	require.Equal(t, []uuid.UUID{certificate.ID}, find(administration.EngineAccessFilter{Active: &active}))
	require.Equal(t, []uuid.UUID{revoked.ID, token.ID}, find(administration.EngineAccessFilter{Active: &ended}))
	require.Equal(t, []uuid.UUID{token.ID}, find(administration.EngineAccessFilter{Kinds: []domain.AuthenticationType{domain.AuthenticationEngineToken}}))
	require.Equal(t, []uuid.UUID{certificate.ID}, find(administration.EngineAccessFilter{PrincipalIDs: []uuid.UUID{colleague.PrincipalID}}))
	require.Len(t, find(administration.EngineAccessFilter{TenantIDs: []uuid.UUID{a.tenant.TenantID}}), 3)
	require.Empty(t, find(administration.EngineAccessFilter{TenantIDs: []uuid.UUID{uuid.New()}}))
	require.Empty(t, find(administration.EngineAccessFilter{TenantCodes: []string{"nowhere"}}))
	require.Equal(t, []uuid.UUID{token.ID, certificate.ID, revoked.ID},
		find(administration.EngineAccessFilter{}, domain.SortKey{Property: "expiresAt"}))
	_, err = a.FindEngineAccess(t.Context(), owner, administration.EngineAccessFilter{}, domain.PageRequest{}, []domain.SortKey{{Property: "kind"}})
	require.True(t, domain.HasCode(err, domain.CodeValidation))
}

// The list omits access that has expired, and grants are deleted some time
// after they have expired.
func TestExpiredRevocationsAndGrantsAreDeleted(t *testing.T) {
	t.Parallel()
	a := newEngineAccess(t)
	owner := a.user(t, domain.RoleOwner)
	token, certificate := a.issueToken(t, a.runner), a.certificate(t, a.runner)
	_, err := a.RevokeEngineAccess(t.Context(), owner, administration.EngineAccessSelection{TenantID: &a.tenant.TenantID})
	require.NoError(t, err)
	at := func(later time.Duration) denied {
		a.later.Store(int64(later))
		require.NoError(t, a.Revocations().Reload(t.Context()))
		return deniedBy(t, a.Store)
	}
	lifetime := token.Token.NotAfter.Sub(a.now)
	require.Len(t, at(lifetime).Tokens, 1, "a clock may be a minute behind")
	after := at(lifetime + time.Minute)
	require.Empty(t, after.Tokens)
	require.Equal(t, []string{certificate.Certificate.Serial}, after.Certificates)
	require.Equal(t, a.now.Add(lifetime+time.Minute), after.GeneratedAt)
	require.Empty(t, at(certificate.Certificate.NotAfter.Sub(a.now)+time.Minute).Certificates)

	a.later.Store(int64(lifetime + 24*time.Hour))
	a.issueToken(t, a.runner)
	require.Len(t, a.granted(t), 3)
	a.later.Store(int64(lifetime + 24*time.Hour + time.Millisecond))
	a.issueToken(t, a.runner)
	require.Len(t, a.granted(t), 3, "the one that expired a day ago is gone")
}

func TestRevocationsAreKnownInEveryReplica(t *testing.T) {
	t.Parallel()
	a := newEngineAccess(t)
	other := storage.New(storage.Options{DB: a.db, Clock: func() time.Time { return a.now }})
	require.NoError(t, other.Revocations().Reload(t.Context()))
	require.Empty(t, deniedBy(t, other).Tokens)
	var wait sync.WaitGroup
	wait.Go(func() {
		other.Revocations().RefreshEvery(t.Context(), 5*time.Millisecond, slog.New(slog.DiscardHandler))
	})
	t.Cleanup(wait.Wait)
	token := a.issueToken(t, a.runner)
	_, err := a.RevokeEngineAccess(t.Context(), a.user(t, domain.RoleOwner), administration.EngineAccessSelection{ID: &token.ID})
	require.NoError(t, err)
	require.Equal(t, []string{token.ID.String()}, deniedBy(t, a.Store).Tokens, "at once where it was revoked")
	require.Eventually(t, func() bool { return len(deniedBy(t, other).Tokens) == 1 }, 10*time.Second, 5*time.Millisecond)
}
