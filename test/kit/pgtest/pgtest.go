// Package pgtest gives every test a migrated PostgreSQL database of its own.
//
// A test binary that uses it calls Main from TestMain. The first test that asks
// for a database starts a private cluster, in memory where there is room, and
// migrates a template; every test then gets a copy of the template, which takes
// about ten milliseconds.
package pgtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/pgcluster"
	"github.com/procession-dev/procession/persistence"
)

const template = "template_procession"

// serviceRole is the name of a role, and its password.
const serviceRole = "procession_service"

//nolint:gochecknoglobals // the cluster is shared by all tests of a binary, which start in no order
var shared struct {
	once    sync.Once
	dir     string
	cluster *pgcluster.Cluster
	admin   *pgxpool.Pool
	err     error
}

// Main runs the tests of a binary and stops the cluster, if one was started. It
// returns the exit code.
func Main(m *testing.M) int {
	code := m.Run()
	if shared.admin != nil {
		shared.admin.Close()
	}
	if shared.cluster != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := shared.cluster.Stop(ctx); err != nil {
			fmt.Fprintln(os.Stderr, "stopping the test database:", err)
			code = max(code, 1)
		}
	}
	if shared.dir != "" {
		_ = os.RemoveAll(shared.dir)
	}
	return code
}

// New opens a database that is migrated, empty and the test's own.
func New(tb testing.TB) *persistence.DB {
	tb.Helper()
	return Open(tb, URL(tb))
}

// Open opens the database at url until the test ends.
func Open(tb testing.TB, url string) *persistence.DB {
	tb.Helper()
	return OpenWithin(tb, url, persistence.Limits{})
}

// OpenWithin opens the database at url until the test ends, within the limits.
func OpenWithin(tb testing.TB, url string, limits persistence.Limits) *persistence.DB {
	tb.Helper()
	db, err := persistence.Open(tb.Context(), url, limits)
	require.NoError(tb, err)
	tb.Cleanup(db.Close)
	return db
}

// URL creates a database that is migrated, empty and the test's own, and returns
// its address.
func URL(tb testing.TB) string {
	tb.Helper()
	shared.once.Do(startCluster)
	require.NoError(tb, shared.err, "starting the test database")
	return copyDatabase(tb, template)
}

// Template is a database that is filled once per test binary and copied for each test.
type Template struct {
	// Fill fills the migrated database at url before the first copy.
	Fill func(ctx context.Context, url string) error

	once sync.Once
	name string
	err  error
}

// planOnce plans each statement once per connection, instead of for each of its first five runs: short tests spend most of the
// time of PostgreSQL on plans.
const planOnce = "plan_cache_mode=force_generic_plan"

// URL creates a copy for the test and returns its address.
func (t *Template) URL(tb testing.TB) string {
	tb.Helper()
	shared.once.Do(startCluster)
	require.NoError(tb, shared.err, "starting the test database")
	t.once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		t.name = newName("template_")
		t.err = runStatement(ctx, "CREATE DATABASE "+t.name+" TEMPLATE "+template+" STRATEGY file_copy")
		if t.err == nil {
			t.err = t.Fill(ctx, shared.cluster.URL(t.name))
		}
	})
	require.NoError(tb, t.err, "filling the template of the test database")
	return copyDatabase(tb, t.name) + "&" + planOnce
}

func newName(prefix string) string { return prefix + strings.ReplaceAll(uuid.NewString(), "-", "") }

func copyDatabase(tb testing.TB, from string) string {
	tb.Helper()
	name := newName("test_")
	adminURL(tb, "CREATE DATABASE "+name+" TEMPLATE "+from+" STRATEGY file_copy")
	tb.Cleanup(func() { adminURL(tb, "DROP DATABASE "+name+" WITH (FORCE)") })
	return shared.cluster.URL(name)
}

// AsService returns the URL of the same database for the role that the service works
// as where it does not own it.
func AsService(tb testing.TB, address string) string {
	tb.Helper()
	u, err := url.Parse(address)
	require.NoError(tb, err)
	u.User = url.UserPassword(serviceRole, serviceRole)
	return u.String()
}

func adminURL(tb testing.TB, sql string) {
	tb.Helper()
	require.NoError(tb, runStatement(context.Background(), sql))
}

func runStatement(ctx context.Context, sql string) error {
	_, err := shared.admin.Exec(ctx, sql)
	return err
}

func startCluster() {
	shared.err = func() error {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		var err error
		if shared.dir, err = os.MkdirTemp(pgcluster.ScratchDir(), "procession-pgtest-"); err != nil {
			return err
		}
		shared.cluster, err = pgcluster.Start(ctx, pgcluster.Options{
			Dir: shared.dir, Fast: true, CacheDir: pgcluster.CacheDir(),
			MaxConnections: 400, Settings: []string{"max_prepared_transactions=20"},
		})
		if err != nil {
			return err
		}
		if shared.admin, err = pgxpool.New(ctx, shared.cluster.URL("postgres")); err != nil {
			return err
		}
		if err := runStatement(ctx, "CREATE DATABASE "+template); err != nil {
			return err
		}
		db, err := persistence.Open(ctx, shared.cluster.URL(template), persistence.Limits{Requests: 2})
		if err != nil {
			return err
		}
		defer db.Close()
		if err := db.Migrate(ctx); err != nil {
			return err
		}
		if err := runStatement(ctx, "CREATE ROLE "+serviceRole+" LOGIN PASSWORD '"+serviceRole+"'"); err != nil {
			return err
		}
		return db.GrantTo(ctx, serviceRole)
	}()
}
