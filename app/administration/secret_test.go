package administration_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// custody is a service with the tenant "vault": users of every role, the
// applications robot (MEMBER, with a declared secret) and master (OWNER), and
// the webhook subscription EVENTS. The tenant "south" has an owner.
type custody struct {
	*administration.Service
	t      *testing.T
	url    string
	db     *persistence.DB
	sealer *authn.Sealer
	clock  *time.Time
	ids    map[string]uuid.UUID
}

const declaredSecret = "declared"

func newCustody(t *testing.T) *custody {
	t.Helper()
	now := time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC)
	c := &custody{t: t, url: pgtest.URL(t), clock: &now, ids: map[string]uuid.UUID{}}
	c.db = pgtest.Open(t, c.url)
	key, err := authn.LoadOrCreateSealKey(t.TempDir() + "/seal.key")
	require.NoError(t, err)
	c.sealer, err = authn.NewSealer(key)
	require.NoError(t, err)
	c.Service = administration.New(administration.Options{
		Store: storage.New(storage.Options{DB: c.db, Clock: func() time.Time { return *c.clock }}), Sealer: c.sealer,
	})
	hash := authn.HashSecret(declaredSecret)
	vault := []json.RawMessage{
		document("Tenant", "", "vault", `{"name":"Vault"}`),
		document("Application", "vault", "robot", `{"name":"Robot","secrets":[{"name":"first","sha256":"`+hex.EncodeToString(hash[:])+`"}]}`),
		document("Application", "vault", "master", `{"name":"Master","role":"OWNER"}`),
		document("WebhookSubscription", "vault", "EVENTS", `{"name":"Events","url":"https://events.demo.example/hook"}`),
		document("Group", "vault", "CLERKS", `{"name":"Clerks"}`),
		document("Tenant", "", "south", `{"name":"South"}`),
		document("User", "south", "sara", `{"name":"Sara","email":"sara@south.example","role":"OWNER"}`),
	}
	for _, role := range []string{"OWNER", "ADMINISTRATOR", "MEMBER"} {
		code := strings.ToLower(role)
		vault = append(vault, document("User", "vault", code,
			fmt.Sprintf(`{"name":%q,"email":"%s@vault.example","role":%q}`, code, code, role)))
	}
	applied, err := c.ApplyResources(t.Context(), system(), administration.ApplyRequest{Documents: vault})
	require.NoError(t, err)
	for _, a := range applied {
		c.ids[a.Key.Code] = a.ID
	}
	return c
}

// as returns a caller with the role in the tenant.
func (c *custody) as(role domain.TenantRole) domain.Call {
	return domain.Call{Caller: domain.Caller{
		PrincipalID: c.ids[strings.ToLower(string(role))], Type: domain.PrincipalUser,
		Memberships: []domain.Membership{{TenantID: c.ids["vault"], Role: role}},
	}}
}

func inVault(kind resource.Kind, code string) administration.ResourceKey {
	return administration.ResourceKey{Tenant: "vault", Kind: kind, Code: code}
}

func robot() administration.ResourceKey { return inVault(resource.KindApplication, "robot") }

func events() administration.ResourceKey { return inVault(resource.KindWebhookSubscription, "EVENTS") }

func (c *custody) issue(as domain.Call, key administration.ResourceKey, name string) *administration.IssuedSecret {
	c.t.Helper()
	issued, err := c.IssueSecret(c.t.Context(), as, key, administration.NewSecret{Name: name})
	require.NoError(c.t, err)
	return issued
}

func (c *custody) find(as domain.Call, key administration.ResourceKey) []domain.SecretInfo {
	c.t.Helper()
	found, err := c.FindSecrets(c.t.Context(), as, key)
	require.NoError(c.t, err)
	return found
}

// lookUp finds who the value proves.
func (c *custody) lookUp(kind domain.CredentialKind, of *uuid.UUID, value domain.Secret) (domain.Call, error) {
	found, err := c.db.Reader().LookUpCredential(c.t.Context(), persistence.CredentialKey{
		Kind: kind, PrincipalID: of, SecretSHA256: authn.HashSecret(value.Reveal()),
	}, *c.clock)
	caller := found.Caller
	return domain.Call{Caller: caller}, err
}

// dump returns everything that the tables of secrets hold, as text.
func (c *custody) dump() string {
	c.t.Helper()
	return queried[string](c, `
		SELECT coalesce(string_agg(c::text, E'\n'), '') || (SELECT coalesce(string_agg(w::text, E'\n'), '') FROM webhook_secrets w)
		  FROM credentials c`)
}

// queried returns the one value that a query returns.
func queried[T any](c *custody, sql string, args ...any) T {
	c.t.Helper()
	conn, err := pgx.Connect(c.t.Context(), c.url)
	require.NoError(c.t, err)
	defer func() { require.NoError(c.t, conn.Close(c.t.Context())) }()
	var value T
	require.NoError(c.t, conn.QueryRow(c.t.Context(), sql, args...).Scan(&value))
	return value
}
