package authn_test

import (
	"encoding/base64"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

const (
	applicationSecret = "application-secret:with-a-colon"
	userToken         = "user-token"
)

// directory is a database with two tenants, an application of one and a user of
// both.
type directory struct {
	*authn.Authenticator

	db          *persistence.DB
	url         string
	clock       *testClock
	north       domain.Tenant
	south       domain.Tenant
	application uuid.UUID
	user        uuid.UUID
	secretID    uuid.UUID
}

func newDirectory(t *testing.T) *directory {
	t.Helper()
	d := &directory{
		url: pgtest.URL(t), clock: newTestClock(),
		application: uuid.New(), user: uuid.New(), secretID: uuid.New(),
	}
	d.db = pgtest.Open(t, d.url)
	var err error
	d.Authenticator, err = authn.NewAuthenticator(d.db, d.clock.Now)
	require.NoError(t, err)
	audit := domain.NewAudit(domain.SystemPrincipalID(), d.clock.Now())
	tenant := func(id byte, namespace string) domain.Tenant {
		return domain.Tenant{
			ID: uuid.UUID{15: id}, Name: namespace, Plan: domain.PlanFree, Namespace: namespace,
			TimeZone: "Etc/UTC", Audit: audit,
		}
	}
	d.north, d.south = tenant(1, "north"), tenant(2, "south")
	user := domain.Principal{ID: d.user, Type: domain.PrincipalUser, Name: "User", Email: "user@demo.example"}
	require.NoError(t, d.db.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.PutTenant(d.north)
		tx.PutTenant(d.south)
		tx.PutApplication(domain.Application{
			Principal: domain.Principal{ID: d.application, Name: "Application"}, TenantID: d.north.ID, Role: domain.RoleMember, Audit: audit,
		})
		for role, id := range map[domain.TenantRole]uuid.UUID{
			domain.RoleOwner: d.north.ID, domain.RoleMember: d.south.ID,
		} {
			require.NoError(t, tx.PutTenantUser(domain.TenantUser{ID: uuid.New(), TenantID: id, Role: role, Principal: user, Audit: audit}))
		}
		tx.InsertCredential(d.credential(d.secretID, d.application, domain.CredentialApplicationSecret, applicationSecret))
		tx.InsertCredential(d.credential(uuid.New(), d.user, domain.CredentialPersonalAccessToken, userToken))
		return nil
	}))
	return d
}

func (d *directory) credential(id, of uuid.UUID, kind domain.CredentialKind, secret string) domain.Credential {
	return domain.Credential{
		ID: id, PrincipalID: of, Kind: kind, SecretSHA256: authn.HashSecret(secret), CreatedAt: d.clock.Now(),
	}
}

func (d *directory) insert(t *testing.T, c domain.Credential) {
	t.Helper()
	require.NoError(t, d.db.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.InsertCredential(c)
		return nil
	}))
}

func (d *directory) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), d.url)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
}

func (d *directory) accepted(t *testing.T, header string) domain.Caller {
	t.Helper()
	caller, err := d.Authenticate(t.Context(), header)
	require.NoError(t, err)
	return caller
}

func (d *directory) refused(t *testing.T, header string) {
	t.Helper()
	caller, err := d.Authenticate(t.Context(), header)
	requireRefused(t, err, header)
	require.Equal(t, domain.Caller{}, caller)
}

func pair(id, secret string) string {
	return base64.StdEncoding.EncodeToString([]byte(id + ":" + secret))
}

func TestAuthenticateApplication(t *testing.T) {
	t.Parallel()
	d := newDirectory(t)
	want := domain.Caller{
		PrincipalID: d.application, Type: domain.PrincipalApplication,
		Memberships: []domain.Membership{{TenantID: d.north.ID, Namespace: "north", Role: domain.RoleMember}},
	}
	padded := pair(d.application.String(), applicationSecret)
	require.True(t, strings.HasSuffix(padded, "="), "the test needs base64 with padding")
	for name, header := range map[string]string{
		"Basic":                            "Basic " + padded,
		"Basic in other case":              "bAsIc " + padded,
		"Basic with more spaces":           "Basic   " + padded,
		"Basic, id in upper case":          "Basic " + pair(strings.ToUpper(d.application.String()), applicationSecret),
		"Bearer with padding":              "Bearer " + padded,
		"Bearer without padding":           "Bearer " + strings.TrimRight(padded, "="),
		"Bearer in other case, no padding": "BEARER " + strings.TrimRight(padded, "="),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, want, d.accepted(t, header))
			require.Equal(t, want, d.accepted(t, header), "from memory")
		})
	}
}

func TestAuthenticateUserOfSeveralTenants(t *testing.T) {
	t.Parallel()
	d := newDirectory(t)
	require.Equal(t, domain.Caller{
		PrincipalID: d.user, Type: domain.PrincipalUser,
		Memberships: []domain.Membership{
			{TenantID: d.north.ID, Namespace: "north", Role: domain.RoleOwner},
			{TenantID: d.south.ID, Namespace: "south", Role: domain.RoleMember},
		},
	}, d.accepted(t, "Bearer "+userToken))
}

func TestAuthenticateRefuses(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	d := newDirectory(t)
	keys := newIssuance(t)
	token, err := keys.EngineToken(authn.EngineAccess{
		ID: uuid.New(), Principal: d.application, Namespace: "north", TaskQueues: []string{"queue"},
	}, d.clock.Now())
	require.NoError(t, err)
	id, good := d.application.String(), pair(d.application.String(), applicationSecret)
	for name, header := range map[string]string{
		"nothing":                             "",
		"a space":                             " ",
		"scheme only":                         "Basic",
		"scheme and spaces":                   "Basic   ",
		"Bearer only":                         "Bearer",
		"Bearer and a space":                  "Bearer ",
		"credentials without a scheme":        good,
		"leading space":                       " Basic " + good,
		"trailing space":                      "Basic " + good + " ",
		"tab for a space":                     "Basic\t" + good,
		"two credentials":                     "Basic " + good + " " + good,
		"two schemes in one header":           "Basic " + good + ", Bearer " + userToken,
		"another scheme":                      "Digest " + good,
		"scheme with a suffix":                "Basics " + good,
		"Basic that is not base64":            "Basic !!!",
		"Basic in plain text":                 "Basic " + id + ":" + applicationSecret,
		"Basic in base64url":                  "Basic " + base64.URLEncoding.EncodeToString([]byte(id+":\xff\xfe\xff\xfe")),
		"Basic with too much padding":         "Basic " + good + "=",
		"Basic with bits in the padding":      "Basic " + strings.TrimRight(good, "=")[:len(strings.TrimRight(good, "="))-1] + "9=",
		"Basic with a line break":             "Basic " + good[:8] + "\n" + good[8:],
		"Basic with a personal access token":  "Basic " + userToken,
		"Basic of nothing":                    "Basic =",
		"pair without a colon":                "Basic " + base64.StdEncoding.EncodeToString([]byte(id)),
		"pair of empty parts":                 "Basic " + pair("", ""),
		"pair without a secret":               "Basic " + pair(id, ""),
		"pair without an id":                  "Basic " + pair("", applicationSecret),
		"pair with a name for an id":          "Basic " + pair("application", applicationSecret),
		"pair with an id in braces":           "Basic " + pair("{"+id+"}", applicationSecret),
		"pair with an id as a URN":            "Basic " + pair("urn:uuid:"+id, applicationSecret),
		"pair with an id without dashes":      "Basic " + pair(strings.ReplaceAll(id, "-", ""), applicationSecret),
		"pair with an id of no hexadecimals":  "Basic " + pair(strings.Repeat("z", len(id)), applicationSecret),
		"pair with another's id":              "Basic " + pair(d.user.String(), applicationSecret),
		"pair with an unknown id":             "Basic " + pair(uuid.NewString(), applicationSecret),
		"pair with the nil id":                "Basic " + pair(uuid.Nil.String(), applicationSecret),
		"pair with the system's id":           "Basic " + pair(domain.SystemPrincipalID().String(), applicationSecret),
		"pair with a wrong secret":            "Basic " + pair(id, applicationSecret+"x"),
		"pair with a part of the secret":      "Basic " + pair(id, "application-secret"),
		"pair with the secret in other case":  "Basic " + pair(id, strings.ToUpper(applicationSecret)),
		"pair with NUL after the secret":      "Basic " + pair(id, applicationSecret+"\x00"),
		"pair with a personal access token":   "Basic " + pair(d.user.String(), userToken),
		"Bearer pair with a wrong secret":     "Bearer " + pair(id, "wrong"),
		"Bearer with the bare secret":         "Bearer application-secret",
		"Bearer with an unknown token":        "Bearer user-tokens",
		"Bearer with the token in other case": "Bearer " + strings.ToUpper(userToken),
		"Bearer with padding after the token": "Bearer " + userToken + "==",
		"Bearer with only padding":            "Bearer ==",
		"Bearer with quotes":                  `Bearer "` + userToken + `"`,
		"Bearer with a comma":                 "Bearer " + userToken + ",",
		"Bearer with a letter beyond ASCII":   "Bearer " + userToken + "é",
		"Bearer with NUL":                     "Bearer " + userToken + "\x00",
		"Bearer with an engine token":         "Bearer " + token.Token.Reveal(),
		"Bearer with an unsigned JWT":         "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJwcm9jZXNzaW9uIn0.",
		"the hash of a token":                 "Bearer " + hexHash(userToken),
		"a header that is too long":           "Bearer " + strings.Repeat("a", 5000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d.refused(t, header)
		})
	}
}

func TestAuthenticateForgetsARevokedCredential(t *testing.T) {
	t.Parallel()
	d := newDirectory(t)
	header := "Basic " + pair(d.application.String(), applicationSecret)
	d.accepted(t, header)
	require.NoError(t, d.db.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.DeleteCredential(d.secretID)
		return nil
	}))
	d.clock.Advance(10*time.Second - time.Nanosecond)
	d.accepted(t, header)
	d.clock.Advance(time.Nanosecond)
	d.refused(t, header)
}

func TestAuthenticateKeepsToTheExpiry(t *testing.T) {
	t.Parallel()
	d := newDirectory(t)
	expiresAt := d.clock.Now().Add(3 * time.Second)
	credential := d.credential(uuid.New(), d.user, domain.CredentialPersonalAccessToken, "short-lived")
	credential.ExpiresAt = &expiresAt
	d.insert(t, credential)
	d.accepted(t, "Bearer short-lived")
	d.clock.Advance(3*time.Second - time.Microsecond)
	d.accepted(t, "Bearer short-lived")
	d.clock.Advance(time.Microsecond)
	d.refused(t, "Bearer short-lived")
}

func TestAuthenticateDoesNotRememberFailures(t *testing.T) {
	t.Parallel()
	d := newDirectory(t)
	d.refused(t, "Bearer later")
	d.insert(t, d.credential(uuid.New(), d.user, domain.CredentialPersonalAccessToken, "later"))
	require.Equal(t, d.user, d.accepted(t, "Bearer later").PrincipalID)
}

func TestAuthenticateDuringSecretRotation(t *testing.T) {
	t.Parallel()
	d := newDirectory(t)
	secret := authn.NewSecret().Reveal()
	for range 2 {
		d.insert(t, d.credential(uuid.New(), d.application, domain.CredentialApplicationSecret, secret))
	}
	require.Equal(t, d.accepted(t, "Basic "+pair(d.application.String(), applicationSecret)),
		d.accepted(t, "Basic "+pair(d.application.String(), secret)))
}

func TestAuthenticateRefusesADisabledPrincipal(t *testing.T) {
	t.Parallel()
	d := newDirectory(t)
	d.exec(t, "UPDATE principals SET disabled_at = now() WHERE id = ANY($1)", []uuid.UUID{d.user, d.application})
	d.refused(t, "Bearer "+userToken)
	d.refused(t, "Basic "+pair(d.application.String(), applicationSecret))
}

func TestAuthenticateRefusesTheSystemPrincipal(t *testing.T) {
	t.Parallel()
	d := newDirectory(t)
	d.insert(t, d.credential(uuid.New(), domain.SystemPrincipalID(), domain.CredentialPersonalAccessToken, "planted"))
	d.refused(t, "Bearer planted")
}

func TestAuthenticateKeepsATokensFirstOwner(t *testing.T) {
	t.Parallel()
	d := newDirectory(t)
	d.clock.Advance(time.Minute)
	d.insert(t, d.credential(uuid.New(), d.application, domain.CredentialPersonalAccessToken, userToken))
	require.Equal(t, d.user, d.accepted(t, "Bearer "+userToken).PrincipalID)
	d.clock.Advance(time.Minute)
	d.exec(t, "UPDATE credentials SET expires_at = $2 WHERE principal_id = $1", d.user, d.clock.Now())
	d.refused(t, "Bearer "+userToken)
	d.exec(t, "UPDATE principals SET disabled_at = now() WHERE id = $1", d.user)
	d.refused(t, "Bearer "+userToken)
	d.exec(t, "DELETE FROM credentials WHERE principal_id = $1", d.user)
	require.Equal(t, d.application, d.accepted(t, "Bearer "+userToken).PrincipalID)
}

// One secret can be a credential for all tenants and for one of them.
func TestAuthenticateCountsATenantOnce(t *testing.T) {
	t.Parallel()
	d := newDirectory(t)
	before := d.accepted(t, "Bearer "+userToken)
	limited := d.credential(uuid.New(), d.user, domain.CredentialPersonalAccessToken, userToken)
	limited.TenantID = &d.south.ID
	d.insert(t, limited)
	d.clock.Advance(time.Minute)
	require.Equal(t, before, d.accepted(t, "Bearer "+userToken))
	d.exec(t, "DELETE FROM credentials WHERE principal_id = $1 AND tenant_id IS NULL", d.user)
	d.clock.Advance(time.Minute)
	require.Equal(t, before.Memberships[1:], d.accepted(t, "Bearer "+userToken).Memberships)
}

func TestAuthenticateUserWithoutTenant(t *testing.T) {
	t.Parallel()
	d := newDirectory(t)
	d.exec(t, "DELETE FROM tenant_users")
	require.Equal(t, domain.Caller{PrincipalID: d.user, Type: domain.PrincipalUser}, d.accepted(t, "Bearer "+userToken))
}

func TestAuthenticateReportsAnUnreachableDatabase(t *testing.T) {
	t.Parallel()
	db, err := persistence.Open(t.Context(), "postgres://user@127.0.0.1:1/nowhere", persistence.Limits{Requests: 1})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	a, err := authn.NewAuthenticator(db, newTestClock().Now)
	require.NoError(t, err)
	_, err = a.Authenticate(t.Context(), "Bearer secret-of-the-caller")
	require.True(t, domain.HasCode(err, domain.CodeUnavailable), "%v", err)
	require.NotContains(t, err.Error(), "secret-of-the-caller")
}

func TestAuthenticateConcurrently(t *testing.T) {
	t.Parallel()
	d := newDirectory(t)
	var wait sync.WaitGroup
	for range 64 {
		wait.Go(func() {
			for range 20 {
				caller, err := d.Authenticate(t.Context(), "Bearer "+userToken)
				if err != nil || caller.PrincipalID != d.user {
					t.Errorf("authenticating: %v, %v", caller, err)
				}
				d.clock.Advance(100 * time.Millisecond)
			}
		})
	}
	wait.Wait()
}
