package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

func TestOperatorsComeAndGo(t *testing.T) { //nolint:funlen // one story
	t.Parallel()
	url := pgtest.URL(t)
	first, explained, err := bootstrap(t, url, "--tenant", "north", "--email", "olga@north.example")
	require.NoError(t, err)
	require.Contains(t, explained, "expires at")
	db := pgtest.Open(t, url)
	lookUp := func(token string, at time.Time) (domain.Caller, error) {
		found, err := db.Reader().LookUpCredential(t.Context(), persistence.CredentialKey{
			Kind: domain.CredentialPersonalAccessToken, SecretSHA256: authn.HashSecret(strings.TrimSpace(token)),
		}, at)
		caller := found.Caller
		return caller, err
	}
	_, err = lookUp(first, time.Now().Add(25*time.Hour))
	require.True(t, domain.HasCode(err, domain.CodeUnauthenticated), "the first token works for a day: %v", err)
	require.Equal(t, 0, countRows(t, url, `SELECT count(*) FROM credentials WHERE expires_at IS NULL`))

	exec := func(args ...string) (string, error) {
		var out bytes.Buffer
		err := run(t.Context(), append(args, "--database-url", url), &out, &bytes.Buffer{})
		return out.String(), err
	}
	_, err = exec("operators", "remove", "--email", "olga@north.example")
	require.ErrorContains(t, err, "last operator")
	_, err = exec("people", "disable", "--email", "olga@north.example")
	require.ErrorContains(t, err, "last operator")
	_, err = exec("operators", "add", "--email", "paul@north.example")
	require.ErrorContains(t, err, "not found")

	require.Equal(t, 1, countRows(t, url, `WITH p AS (INSERT INTO principals (id, type, name, email, created_at)
		VALUES (gen_random_uuid(), 'USER', 'Paul', 'paul@north.example', now()) RETURNING id), u AS (
		INSERT INTO tenant_users (id, tenant_id, principal_id, role, created_by, created_at, last_modified_by, last_modified_at)
		SELECT gen_random_uuid(), t.id, p.id, 'MEMBER', p.id, now(), p.id, now() FROM p, tenants t RETURNING 1)
		SELECT count(*) FROM u`))
	second, err := exec("operators", "add", "--email", "Paul@north.example", "--token")
	require.NoError(t, err)
	caller, err := lookUp(second, time.Now())
	require.NoError(t, err)
	require.True(t, caller.Operator)

	_, err = exec("operators", "remove", "--email", "olga@north.example")
	require.NoError(t, err)
	_, err = lookUp(first, time.Now())
	require.Error(t, err, "tokens that are good everywhere go with the right")
	listed, err := exec("operators", "list")
	require.NoError(t, err)
	require.Contains(t, listed, "paul@north.example")
	require.NotContains(t, listed, "olga@north.example")

	_, err = exec("people", "disable", "--email", "olga@north.example")
	require.NoError(t, err)
	require.Equal(t, 1, countRows(t, url, `SELECT count(*) FROM principals WHERE disabled_at IS NOT NULL`))
	_, err = exec("people", "enable", "--email", "olga@north.example")
	require.NoError(t, err)
	require.Equal(t, 0, countRows(t, url, `SELECT count(*) FROM principals WHERE disabled_at IS NOT NULL`))
	requireErased(t, exec)
	for eventType, want := range map[string]int{
		"PERSON.ERASED": 2, "OPERATOR.ADDED": 1, "OPERATOR.REMOVED": 1, "PERSON.DISABLED": 4, "PERSON.ENABLED": 2,
	} {
		require.Equal(t, want, countRows(t, url, `SELECT count(*) FROM events WHERE type = '`+eventType+`'`), eventType)
	}
}

// requireErased erases a person, who has to be disabled, and no operator.
func requireErased(t *testing.T, exec func(args ...string) (string, error)) {
	t.Helper()
	for _, step := range []struct{ what, who, refusal string }{
		{"erase", "olga", "not disabled"},
		{"erase", "paul", "an operator"},
		{"disable", "olga", ""},
		{"erase", "olga", ""},
		{"erase", "olga", "not found"},
	} {
		_, err := exec("people", step.what, "--email", step.who+"@north.example")
		if step.refusal != "" {
			require.ErrorContains(t, err, step.refusal)
			continue
		}
		require.NoError(t, err)
	}
}
