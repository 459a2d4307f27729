package cloud_test

import (
	"context"
	"crypto/x509"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/engine/cloud"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/cloudtest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

const namespace = "north." + cloudtest.Account

// options returns the settings of an account in the stand-in.
func options(c *cloudtest.Cloud) cloud.Options {
	return cloud.Options{
		Address: c.Address, Account: cloudtest.Account, Regions: []string{"aws-eu-central-1"}, Retention: 72 * time.Hour,
		Credentials: engine.Credentials{
			Token:   func() (string, error) { return cloudtest.Key, nil },
			RootCAs: func() *x509.CertPool { return c.Roots },
		},
		RequestsPerSecond: 1000,
	}
}

func newAccount(t *testing.T, o cloud.Options) *cloud.Account {
	t.Helper()
	a, err := cloud.NewAccount(o)
	require.NoError(t, err)
	t.Cleanup(a.Close)
	return a
}

// installation is a database with a tenant in the cluster cloud, and an application that runs a definition of it.
type installation struct {
	*cloudtest.Cloud

	t      *testing.T
	db     *persistence.DB
	url    string
	sealer *authn.Sealer
	keys   *authn.Keys
	issuer *authn.Issuer
	// later is the time by which the clock is ahead.
	later    *atomic.Int64
	tenant   uuid.UUID
	runner   uuid.UUID
	accounts map[string]*cloud.Account
}

func (i *installation) now() time.Time { return time.Now().Add(time.Duration(i.later.Load())) }

func newInstallation(t *testing.T, change func(*cloud.Options)) *installation {
	t.Helper()
	i := &installation{Cloud: cloudtest.Start(t), t: t, url: pgtest.URL(t), later: &atomic.Int64{}, tenant: uuid.New(), runner: uuid.New()}
	i.Clock = i.now
	i.db = pgtest.Open(t, i.url)
	sealKey, err := authn.LoadOrCreateSealKey(filepath.Join(t.TempDir(), "seal.key"))
	require.NoError(t, err)
	i.sealer, err = authn.NewSealer(sealKey)
	require.NoError(t, err)
	i.keys = authn.NewKeys(i.db, i.sealer, i.now)
	require.NoError(t, i.keys.EnsureKeys(t.Context()))
	issuer, err := authn.NewIssuer(i.keys, "procession", authn.DefaultCertificateLifetime)
	require.NoError(t, err)
	i.issuer = issuer.WithClusters(authn.Cluster{}, map[string]authn.Cluster{"cloud": {CloudKeys: true}}).In("cloud")
	o := options(i.Cloud)
	change(&o)
	i.accounts = map[string]*cloud.Account{"cloud": newAccount(t, o)}
	audit := domain.NewAudit(domain.SystemPrincipalID(), i.now())
	require.NoError(t, i.db.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.PutTenant(domain.Tenant{
			ID: i.tenant, Code: "north", Name: "North", Plan: domain.PlanFree, Namespace: namespace, Cluster: "cloud", TimeZone: "Etc/UTC", Audit: audit,
		})
		tx.PutApplication(domain.Application{
			Principal: domain.Principal{ID: i.runner, Name: "runner"}, TenantID: i.tenant, Role: domain.RoleMember, Audit: audit,
		})
		tx.PublishVersion(persistence.DefinitionVersion{
			DefinitionRef: domain.DefinitionRef{ID: uuid.New(), Version: uuid.New(), Code: "LOAN"}, TenantID: i.tenant, Number: 1,
			Name: translation.Name{Source: "Loan"},
			Engine: &domain.EngineBinding{
				WorkflowType: "Loan", TaskQueue: "loans", SignalShape: domain.SignalShapeB, RunnerID: i.runner,
			},
		}, i.runner, i.now())
		return nil
	}))
	return i
}

// keep runs a Keeper until the returned function is called, which waits for its end.
func (i *installation) keep(log *slog.Logger) (keeper *cloud.Keeper, stop func()) {
	i.t.Helper()
	ctx, cancel := context.WithCancel(i.t.Context())
	keeper = cloud.NewKeeper(cloud.KeeperOptions{
		Accounts: i.accounts, DB: i.db, Sealer: i.sealer, Authorities: i.issuer.Authorities, Ready: func() {}, Clock: i.now, Logger: log,
		Interval: 20 * time.Millisecond,
	})
	done := make(chan struct{})
	go func() {
		defer close(done)
		keeper.Run(ctx)
	}()
	stop = func() {
		cancel()
		<-done
	}
	i.t.Cleanup(stop)
	return keeper, stop
}

// token requests a token as the worker does, and records its grant.
func (i *installation) token() (token domain.EngineToken, grant uuid.UUID, err error) {
	i.t.Helper()
	grant = uuid.New()
	err = i.db.Write(i.t.Context(), func(tx *persistence.Tx) error {
		grantee, err := tx.LockGrantee(i.t.Context(), i.runner, i.tenant, grant)
		if err != nil {
			return err
		}
		token, err = i.issuer.EngineToken(authn.EngineAccess{
			ID: grant, Principal: i.runner, Namespace: namespace, TaskQueues: grantee.Access.Servable, CloudKey: grantee.CloudKey,
		}, i.now())
		if err != nil {
			return err
		}
		tx.InsertEngineGrant(domain.EngineGrant{
			ID: grant, TenantID: i.tenant, PrincipalID: i.runner, Kind: domain.AuthenticationEngineToken, Identifier: grant.String(),
			IssuedAt: i.now(), ExpiresAt: token.NotAfter,
		})
		return nil
	})
	return token, grant, err
}

// awaitToken waits for a token that Temporal Cloud accepts and that is not one of the others.
func (i *installation) awaitToken(others ...string) (secret string, grant uuid.UUID) {
	i.t.Helper()
	require.Eventually(i.t, func() bool {
		token, id, err := i.token()
		secret, grant = token.Token.Reveal(), id
		for _, other := range others {
			if secret == other {
				return false
			}
		}
		return err == nil && i.Authenticate(secret) == namespace
	}, time.Minute, 50*time.Millisecond)
	return secret, grant
}

func (i *installation) await(what string, condition func() bool) {
	i.t.Helper()
	require.Eventually(i.t, condition, time.Minute, 20*time.Millisecond, what)
}
