package main

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// bootstrap runs the command and returns its output.
func bootstrap(t *testing.T, url string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, explained bytes.Buffer
	err = run(t.Context(), append([]string{"bootstrap", "--database-url", url}, args...), &out, &explained)
	return out.String(), explained.String(), err
}

// countRows answers a query for one number.
func countRows(t *testing.T, url, sql string) int {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	var n int
	require.NoError(t, conn.QueryRow(t.Context(), sql).Scan(&n))
	return n
}

func TestBootstrapMakesTheFirstTenantOnce(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	token, explained, err := bootstrap(t, url, "--tenant", "north", "--tenant-name", "The North",
		"--email", "olga@north.example", "--name", "Olga")
	require.NoError(t, err)
	require.Regexp(t, `^`+authn.SecretPrefix+`[A-Za-z0-9_-]{43}\n$`, token, "nothing but the token")
	require.NotContains(t, explained, strings.TrimSpace(token))
	require.Contains(t, explained, "north")
	require.Contains(t, explained, "olga@north.example")

	db := pgtest.Open(t, url)
	found, err := db.Reader().LookUpCredential(t.Context(), persistence.CredentialKey{
		Kind: domain.CredentialPersonalAccessToken, SecretSHA256: authn.HashSecret(strings.TrimSpace(token)),
	}, time.Now())
	caller := found.Caller
	require.NoError(t, err)
	require.True(t, caller.Operator)
	require.Equal(t, domain.PrincipalUser, caller.Type)
	require.Len(t, caller.Memberships, 1)
	require.Equal(t, domain.RoleOwner, caller.Memberships[0].Role)

	_, explained, err = bootstrap(t, url, "--tenant", "south", "--email", "other@south.example")
	require.Equal(t, exitConflict, exitCode(err), err)
	require.ErrorContains(t, err, "there is a tenant already")
	require.Empty(t, explained)
	require.Equal(t, 1, countRows(t, url, "SELECT count(*) FROM tenants"))
	require.Equal(t, 1, countRows(t, url, "SELECT count(*) FROM credentials"))
	require.Equal(t, 1, countRows(t, url, "SELECT count(*) FROM principals WHERE type = 'USER'"))
}

func TestBootstrapAtOnceHasOneWinner(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	var wait sync.WaitGroup
	var mu sync.Mutex
	codes := map[int]int{}
	for _, tenant := range []string{"a", "b", "c", "d", "e", "f"} {
		wait.Go(func() {
			_, _, err := bootstrap(t, url, "--tenant", tenant, "--email", tenant+"@demo.example")
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				codes[0]++
				return
			}
			codes[exitCode(err)]++
		})
	}
	wait.Wait()
	require.Equal(t, map[int]int{0: 1, exitConflict: 5}, codes)
	require.Equal(t, 1, countRows(t, url, "SELECT count(*) FROM tenants"))
	require.Equal(t, 1, countRows(t, url, "SELECT count(*) FROM principals WHERE operator"))
	require.Equal(t, 2, countRows(t, url, "SELECT count(*) FROM resources"))
}

func TestBootstrapNamesTheFlagsThatAreWrong(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	for name, c := range map[string]struct {
		args []string
		says []string
	}{
		"nothing given":         {nil, []string{"--tenant", "--email"}},
		"no address":            {[]string{"--tenant", "north"}, []string{"--email"}},
		"a code and an address": {[]string{"--tenant", "N O", "--email", "olga"}, []string{"--tenant must be", "--email must be"}},
		"names": {
			[]string{"--tenant", "north", "--email", "o@n.example", "--tenant-name", " ", "--name", strings.Repeat("x", 256)},
			[]string{"--tenant-name must be", "--name must"},
		},
	} {
		_, _, err := bootstrap(t, url, c.args...)
		require.Equal(t, exitUsage, exitCode(err), "%s: %v", name, err)
		for _, part := range c.says {
			require.ErrorContains(t, err, part, name)
		}
	}
	require.Zero(t, countRows(t, url, "SELECT count(*) FROM tenants"))
}

// The schema is migrated before the tenant is made.
func TestBootstrapMigrates(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
	_, _, err = bootstrap(t, url, "--migrate", "check", "--tenant", "north", "--email", "olga@north.example")
	require.ErrorContains(t, err, "run procession migrate")
	_, _, err = bootstrap(t, url, "--tenant", "north", "--email", "olga@north.example")
	require.NoError(t, err)
	require.Equal(t, 1, countRows(t, url, "SELECT count(*) FROM tenants"))
}
