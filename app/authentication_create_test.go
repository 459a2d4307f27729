package app_test

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// engineAccess is a service with one tenant and an application that runs a definition.
type engineAccess struct {
	*app.Service
	*administrationService
	*storage.Store

	db     *persistence.DB
	url    string
	issuer *authn.Issuer
	// now is the time at which the clock starts, later how much it has advanced since.
	now    time.Time
	later  *atomic.Int64
	tenant domain.Membership
	runner domain.Call
}

func newEngineAccess(t *testing.T) engineAccess {
	t.Helper()
	now := time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC)
	later := &atomic.Int64{}
	clock := func() time.Time { return now.Add(time.Duration(later.Load())) }
	url := pgtest.URL(t)
	db := pgtest.Open(t, url)
	sealKey, err := authn.LoadOrCreateSealKey(filepath.Join(t.TempDir(), "seal.key"))
	require.NoError(t, err)
	sealer, err := authn.NewSealer(sealKey)
	require.NoError(t, err)
	keys := authn.NewKeys(db, sealer, clock)
	require.NoError(t, keys.EnsureKeys(t.Context()))
	issuer, err := authn.NewIssuer(keys, "procession", authn.DefaultCertificateLifetime)
	require.NoError(t, err)

	store := storage.New(storage.Options{DB: db, Clock: clock})
	a := engineAccess{
		Service: app.New(app.Options{Store: store, Issuer: issuer}), administrationService: administration.New(administration.Options{Store: store}),
		Store: store, db: db, url: url, issuer: issuer, now: now, later: later,
		tenant: domain.Membership{TenantID: uuid.New(), Namespace: "demo", Role: domain.RoleMember},
	}
	a.runner = domain.Call{Caller: domain.Caller{
		PrincipalID: uuid.New(), Type: domain.PrincipalApplication, Memberships: []domain.Membership{a.tenant},
	}}
	audit := domain.NewAudit(domain.SystemPrincipalID(), now)
	require.NoError(t, db.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.PutTenant(domain.Tenant{
			ID: a.tenant.TenantID, Name: "Demo", Plan: domain.PlanFree, Namespace: "demo", TimeZone: "Etc/UTC", Audit: audit,
		})
		tx.PutApplication(domain.Application{
			Principal: domain.Principal{ID: a.runner.PrincipalID, Name: "runner"}, TenantID: a.tenant.TenantID, Role: domain.RoleMember, Audit: audit,
		})
		loan := domain.DefinitionRef{ID: uuid.New(), Version: uuid.New(), Code: "LOAN"}
		tx.PublishVersion(persistence.DefinitionVersion{
			DefinitionRef: loan, TenantID: a.tenant.TenantID, Number: 1, Name: translation.Name{Source: "Loan"},
			Engine: &domain.EngineBinding{
				WorkflowType: "Loan", TaskQueue: "loans", SignalShape: domain.SignalShapeB, RunnerID: a.runner.PrincipalID,
			},
		}, a.runner.PrincipalID, now)
		tx.GrantOnProcess(loan.ID, domain.PermissionManager, a.runner.PrincipalID)
		return nil
	}))
	return a
}

func claimsOf(t *testing.T, token domain.Secret) map[string]any {
	t.Helper()
	parsed, err := jwt.ParseSigned(token.Reveal(), []jose.SignatureAlgorithm{jose.ES256})
	require.NoError(t, err)
	claims := map[string]any{}
	require.NoError(t, parsed.UnsafeClaimsWithoutVerification(&claims))
	return claims
}

func TestCreateAuthenticationEngineToken(t *testing.T) {
	t.Parallel()
	a := newEngineAccess(t)
	got, err := a.CreateAuthentication(t.Context(), a.runner, app.NewAuthentication{
		Type: domain.AuthenticationEngineToken,
	})
	require.NoError(t, err)
	require.NotEqual(t, uuid.Nil, got.ID)
	require.Equal(t, &domain.Authentication{
		ID: got.ID, Type: domain.AuthenticationEngineToken, TenantID: a.tenant.TenantID,
		Token: &domain.EngineToken{
			Token: got.Token.Token, ExpiredAt: a.now.Add(time.Hour), NotAfter: a.now.Add(62 * time.Minute),
		},
		Audit: domain.NewAudit(a.runner.PrincipalID, a.now),
	}, got)
	claims := claimsOf(t, got.Token.Token)
	require.Equal(t, a.runner.PrincipalID.String(), claims["sub"])
	require.Equal(t, []any{"demo:write"}, claims["permissions"])
	require.Equal(t, []any{"loans"}, claims["task_queues"])
	require.Equal(t, []any{"loans"}, claims["tenant_task_queues"])
	require.Equal(t, got.ID.String(), claims["jti"])
	require.InDelta(t, a.now.Add(62*time.Minute).Unix(), claims["exp"], 0)
	require.Equal(t, []domain.EngineGrant{{
		ID: got.ID, TenantID: a.tenant.TenantID, PrincipalID: a.runner.PrincipalID, Kind: domain.AuthenticationEngineToken,
		Identifier: got.ID.String(), IssuedAt: a.now, ExpiresAt: a.now.Add(62 * time.Minute),
	}}, a.granted(t))
}

// Tokens list own queues only, and registering adds none.
func TestEngineTokensNameTheQueuesOfTheirBearer(t *testing.T) {
	t.Parallel()
	a := newEngineAccess(t)
	reporter := a.application(t, "reporter", a.tenant, "reports")
	register := func(caller domain.Call, queue string) error {
		_, _, err := a.CreateWorker(t.Context(), caller, nil, domain.Worker{
			Identity: caller.PrincipalID.String(), TaskQueue: queue, Hostname: "host", IP: "127.0.0.1",
		})
		return err
	}
	require.NoError(t, register(reporter, "reports"))
	err := register(reporter, "loans")
	require.True(t, domain.HasCode(err, domain.CodeAccessDenied), "%v", err)
	require.ErrorContains(t, err, `may not serve the task queue "loans"`)
	for _, c := range []struct {
		caller domain.Call
		own    []any
	}{{reporter, []any{"reports"}}, {a.runner, []any{"loans"}}} {
		claims := claimsOf(t, a.issueToken(t, c.caller).Token.Token)
		require.Equal(t, c.own, claims["task_queues"])
		require.Equal(t, c.own, claims["tenant_task_queues"])
	}
}

func TestOnlyWorkersGetEngineAccess(t *testing.T) {
	t.Parallel()
	a := newEngineAccess(t)
	for name, caller := range map[string]domain.Call{
		"owner": a.user(t, domain.RoleOwner), "member": a.user(t, domain.RoleMember),
		"application": a.application(t, "stranger", a.tenant), "owning application": a.application(t, "owner", a.as(domain.RoleOwner)),
		"worker elsewhere": a.application(t, "alien", a.otherTenant(t)),
	} {
		denied := func(err error) {
			t.Helper()
			require.True(t, domain.HasCode(err, domain.CodeAccessDenied), "%s: %v", name, err)
			require.ErrorContains(t, err, "spec.engine.taskQueues")
		}
		for _, kind := range []domain.AuthenticationType{
			domain.AuthenticationEngineToken, domain.AuthenticationEngineCertificate,
		} {
			_, err := a.CreateAuthentication(t.Context(), caller, app.NewAuthentication{Type: kind})
			denied(err)
		}
		_, _, err := a.CreateWorker(t.Context(), caller, nil, domain.Worker{
			Identity: name, TaskQueue: "loans", Hostname: "host", IP: "127.0.0.1",
		})
		denied(err)
		_, err = a.RetrieveKmsKey(t.Context(), caller, "absent")
		denied(err)
	}
	require.Empty(t, a.granted(t))
}

func TestEngineTokensAreBounded(t *testing.T) {
	t.Parallel()
	a := newEngineAccess(t)
	var queues []string
	for i := range 17 {
		queues = append(queues, strings.Repeat("q", 239)+strconv.Itoa(100+i))
	}
	fits := a.application(t, "fits", a.tenant, queues[:16]...)
	token := a.issueToken(t, fits)
	require.Less(t, len(token.Token.Token.Reveal()), 12_000)
	_, err := a.CreateAuthentication(t.Context(), a.application(t, "crowded", a.tenant, queues...),
		app.NewAuthentication{Type: domain.AuthenticationEngineToken})
	require.True(t, domain.HasCode(err, domain.CodeConflict), "%v", err)
	require.ErrorContains(t, err, "take 8330 bytes of a token, at most 8192")
}

func TestWorkersOfAnApplicationAreBounded(t *testing.T) {
	t.Parallel()
	a := newEngineAccess(t)
	rival := a.application(t, "rival", a.tenant, "loans")
	register := func(caller domain.Call, identity string) error {
		_, _, err := a.CreateWorker(t.Context(), caller, nil, domain.Worker{
			Identity: identity, TaskQueue: "loans", Hostname: "host", IP: "127.0.0.1",
		})
		return err
	}
	require.NoError(t, register(a.runner, "1@host"))
	err := register(rival, "1@host")
	require.True(t, domain.HasCode(err, domain.CodeConflict), "%v", err)
	require.ErrorContains(t, err, `another application is online with the identity "1@host"`)

	conn, err := pgx.Connect(t.Context(), a.url)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	_, err = conn.Exec(t.Context(), `
		INSERT INTO workers (id, tenant_id, principal_id, identity, hostname, ip, workflow_types, activity_types, robot_ids,
		                     last_seen_at, created_by, created_at, last_modified_by, last_modified_at)
		SELECT gen_random_uuid(), w.tenant_id, w.principal_id, i || '@host', w.hostname, w.ip, '{}', '{}', '{}',
		       w.last_seen_at, w.created_by, w.created_at, w.last_modified_by, w.last_modified_at
		  FROM workers w CROSS JOIN generate_series(2, 1000) i`)
	require.NoError(t, err)
	err = register(a.runner, "1001@host")
	require.True(t, domain.HasCode(err, domain.CodeConflict), "%v", err)
	require.ErrorContains(t, err, "1000 workers online already")
	require.NoError(t, register(a.runner, "1000@host"))
}

func TestCreateAuthenticationEngineCertificate(t *testing.T) {
	t.Parallel()
	a := newEngineAccess(t)
	got, err := a.CreateAuthentication(t.Context(), a.runner, app.NewAuthentication{
		Type: domain.AuthenticationEngineCertificate, TenantID: &a.tenant.TenantID,
	})
	require.NoError(t, err)
	require.Nil(t, got.Token)
	require.Equal(t, "demo", got.Certificate.Namespace)
	block, _ := pem.Decode([]byte(got.Certificate.ClientCertificate))
	require.NotNil(t, block)
	certificate, err := x509.ParseCertificate(block.Bytes)
	require.NoError(t, err)
	require.Equal(t, []string{"demo"}, certificate.Subject.OrganizationalUnit)
	require.Equal(t, a.runner.PrincipalID.String(), certificate.Subject.CommonName)
	require.Equal(t, []domain.EngineGrant{{
		ID: got.ID, TenantID: a.tenant.TenantID, PrincipalID: a.runner.PrincipalID,
		Kind: domain.AuthenticationEngineCertificate, Identifier: certificate.SerialNumber.Text(16),
		IssuedAt: a.now, ExpiresAt: certificate.NotAfter,
	}}, a.granted(t))
}

func TestCreateAuthenticationWithOAuthNamesTheTenant(t *testing.T) {
	t.Parallel()
	a := newEngineAccess(t)
	caller := a.runner
	caller.OAuth = true
	got, err := a.CreateAuthentication(t.Context(), caller, app.NewAuthentication{
		Type: domain.AuthenticationEngineToken, TenantID: &a.tenant.TenantID,
	})
	require.NoError(t, err)
	require.Equal(t, a.tenant.TenantID, got.TenantID)
	require.Equal(t, []any{"demo:write"}, claimsOf(t, got.Token.Token)["permissions"])
}

func TestCreateAuthenticationRefuses(t *testing.T) {
	t.Parallel()
	a := newEngineAccess(t)
	foreign := uuid.New()
	ofTwo := a.runner
	ofTwo.Memberships = append(ofTwo.Memberships[:1:1], domain.Membership{TenantID: uuid.New(), Namespace: "two"})
	byOAuth := a.runner
	byOAuth.OAuth = true
	for name, c := range map[string]struct {
		caller domain.Call
		in     app.NewAuthentication
		field  domain.Field
	}{
		"no type":      {a.runner, app.NewAuthentication{}, domain.FieldAuthenticationType},
		"unknown type": {a.runner, app.NewAuthentication{Type: "ENGINE_PASSWORD"}, domain.FieldAuthenticationType},
		"a foreign tenant": {
			a.runner, app.NewAuthentication{Type: domain.AuthenticationEngineToken, TenantID: &foreign}, domain.FieldTenant,
		},
		"no tenant of several": {
			ofTwo, app.NewAuthentication{Type: domain.AuthenticationEngineCertificate}, domain.FieldTenant,
		},
		"no tenant of the only one, with OAuth": {
			byOAuth, app.NewAuthentication{Type: domain.AuthenticationEngineToken}, domain.FieldTenant,
		},
		"a foreign tenant, with OAuth": {
			byOAuth, app.NewAuthentication{Type: domain.AuthenticationEngineToken, TenantID: &foreign}, domain.FieldTenant,
		},
		"no tenant at all": {
			domain.Call{Caller: domain.Caller{PrincipalID: uuid.New(), Type: domain.PrincipalApplication}},
			app.NewAuthentication{Type: domain.AuthenticationEngineToken},
			domain.FieldTenant,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := a.CreateAuthentication(t.Context(), c.caller, c.in)
			var domainErr *domain.Error
			require.ErrorAs(t, err, &domainErr)
			require.Equal(t, domain.CodeValidation, domainErr.Code)
			require.Equal(t, c.field, domainErr.Details[0].Field)
		})
	}
}
