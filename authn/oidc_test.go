package authn_test

import (
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
	"github.com/procession-dev/procession/test/kit/oidctest"
)

const audience = "procession"

// union is a directory with an Authenticator that trusts issuers.
type union struct {
	*directory

	world    oidctest.World
	unlinked uuid.UUID
}

// published are the keys of the issuers of all tests: making them takes long.
var published struct {
	once   sync.Once
	issuer []oidctest.Key
	other  oidctest.Key
}

// newUnion trusts an issuer for every algorithm, with unfit keys besides, and
// another one. Options change how the first is trusted.
func newUnion(t *testing.T, options ...func(*authn.OIDCIssuer)) *union {
	t.Helper()
	u := &union{directory: newDirectory(t), unlinked: uuid.New()}
	published.once.Do(func() {
		published.issuer = append([]oidctest.Key{
			oidctest.NewKey(t, "RS256", "rs"), oidctest.NewKey(t, "ES256", "es"), oidctest.NewKey(t, "EdDSA", "ed"),
		}, oidctest.UnfitKeys(t)...)
		published.other = oidctest.NewKey(t, "RS256", "other")
	})
	u.world = oidctest.World{
		Issuer: oidctest.NewIssuer(t, published.issuer...), Other: oidctest.NewIssuer(t, published.other),
		Audience: audience, Now: u.clock.Now(),
		Subject: "the-subject", Email: "user@demo.example",
		Unlinked: "unlinked-k@demo.example", Disabled: "disabled@demo.example",
	}
	trusted := authn.OIDCIssuer{Issuer: u.world.Issuer.URL(), Audiences: []string{audience}}
	for _, option := range options {
		option(&trusted)
	}
	if !trusted.Scoped() {
		trusted.Tenants = []string{authn.AllTenants}
	}
	u.trust(t, trusted, authn.OIDCIssuer{
		Issuer: u.world.Other.URL(), Audiences: []string{audience}, Tenants: []string{authn.AllTenants},
	})
	disabled := uuid.New()
	u.addUser(t, u.unlinked, u.world.Unlinked)
	u.addUser(t, disabled, u.world.Disabled)
	u.exec(t, "UPDATE principals SET disabled_at = now() WHERE id = $1", disabled)
	return u
}

func (d *directory) trust(t *testing.T, issuers ...authn.OIDCIssuer) {
	t.Helper()
	oidc, err := authn.NewOIDC(d.db, issuers, d.clock.Now)
	require.NoError(t, err)
	d.Authenticator, err = authn.NewAuthenticator(d.db, d.clock.Now, authn.WithOIDC(oidc))
	require.NoError(t, err)
}

func (d *directory) addUser(t *testing.T, id uuid.UUID, email string) {
	t.Helper()
	require.NoError(t, d.db.Write(t.Context(), func(tx *persistence.Tx) error {
		return tx.PutTenantUser(domain.TenantUser{
			ID: uuid.New(), TenantID: d.north.ID, Role: domain.RoleMember,
			Principal: domain.Principal{ID: id, Type: domain.PrincipalUser, Name: email, Email: email},
			Audit:     domain.NewAudit(domain.SystemPrincipalID(), d.clock.Now()),
		})
	}))
}

// requireRefused requires the one error that callers see, with a reason behind it.
func requireRefused(t *testing.T, err error, about string) domain.SignInReason {
	t.Helper()
	var denial *domain.SignInError
	require.ErrorAs(t, err, &denial, about)
	require.Equal(t, domain.RefuseSignIn(*denial), err, about)
	require.Contains(t, domain.SignInReasons(), denial.Reason, about)
	return denial.Reason
}

// bearer returns the header of a token with the claims.
func (u *union) bearer(claims oidctest.Members) string {
	return "Bearer " + u.world.Issuer.Key("ES256").Token(claims)
}

func TestOIDCTokenAuthenticatesAUser(t *testing.T) {
	t.Parallel()
	u := newUnion(t)
	want := domain.Caller{
		PrincipalID: u.user, Type: domain.PrincipalUser, OAuth: true,
		Memberships: []domain.Membership{
			{TenantID: u.north.ID, Namespace: "north", Role: domain.RoleOwner},
			{TenantID: u.south.ID, Namespace: "south", Role: domain.RoleMember},
		},
	}
	key, claims := u.world.Issuer.Key("ES256"), u.world.Claims()
	now := u.clock.Now()
	for name, token := range map[string]string{
		"RS256":                    u.world.Issuer.Key("RS256").Token(claims),
		"ES256":                    key.Token(claims),
		"EdDSA":                    u.world.Issuer.Key("EdDSA").Token(claims),
		"an access token":          key.Sign(key.Header().With(oidctest.Members{"typ": "at+jwt"}), claims),
		"no type":                  key.Sign(key.Header().Without("typ"), claims),
		"a thumbprint":             key.Sign(key.Header().With(oidctest.Members{"x5t": "abc"}), claims),
		"one audience in a list":   key.Token(claims.With(oidctest.Members{"aud": []string{audience}})),
		"several audiences":        key.Token(claims.With(oidctest.Members{"aud": []string{"b", audience}, "azp": audience})),
		"one audience and azp":     key.Token(claims.With(oidctest.Members{"azp": "a-frontend"})),
		"neither nbf nor iat":      key.Token(claims.Without("nbf").Without("iat")),
		"times with fractions":     key.Token(claims.With(oidctest.Members{"exp": float64(now.Unix()) + 60.5})),
		"expired within the skew":  key.Token(claims.With(oidctest.Members{"exp": now.Unix() - 29})),
		"nbf within the skew":      key.Token(claims.With(oidctest.Members{"nbf": now.Unix() + 29})),
		"iat within the skew":      key.Token(claims.With(oidctest.Members{"iat": now.Unix() + 29})),
		"an address in upper case": key.Token(claims.With(oidctest.Members{"email": strings.ToUpper(u.world.Email)})),
		"more claims":              key.Token(claims.With(oidctest.Members{"groups": []string{"a"}, "_claim_names": oidctest.Members{}})),
		"a long token":             key.Token(claims.With(oidctest.Members{"groups": strings.Repeat("x", 10_000)})),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, want, u.accepted(t, "Bearer "+token))
			require.Equal(t, want, u.accepted(t, "bearer "+token), "in another case")
		})
	}
	require.False(t, u.accepted(t, "Bearer "+userToken).OAuth, "a personal access token is no OAuth")
}

// Each of them gets the same error as no credentials at all.
func TestBadOIDCTokens(t *testing.T) {
	t.Parallel()
	u := newUnion(t)
	u.accepted(t, u.bearer(u.world.Claims()))
	bad := oidctest.BadTokens()
	require.GreaterOrEqual(t, len(bad), 45)
	reasons := map[string]domain.SignInReason{
		"expired": domain.SignInExpired, "nbf in the future": domain.SignInNotYetValid,
		"issuer that is not trusted": domain.SignInUnknownIssuer, "another audience": domain.SignInWrongAudience,
		"a key of another issuer": domain.SignInBadSignature, "crit empty": domain.SignInMalformed,
		"a new subject whose address is not verified": domain.SignInUnverifiedEmail,
		"a new subject that is not known":             domain.SignInUnknownUser,
		"a disabled user":                             domain.SignInDisabled,
	}
	for _, token := range bad {
		caller, err := u.Authenticate(t.Context(), "Bearer "+token.Token(u.world))
		reason := requireRefused(t, err, token.Name)
		if want, ok := reasons[token.Name]; ok {
			require.Equal(t, want, reason, token.Name)
			delete(reasons, token.Name)
		}
		require.Equal(t, domain.Caller{}, caller, token.Name)
	}
	require.Empty(t, reasons)
	require.Equal(t, 1, u.links(t), "none of them linked a user")
}

func (d *directory) links(t *testing.T) int {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), d.url)
	require.NoError(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	var n int
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT count(*) FROM oidc_subjects").Scan(&n))
	return n
}

func TestOIDCWithoutIssuers(t *testing.T) {
	t.Parallel()
	u := newUnion(t)
	token := u.bearer(u.world.Claims())
	u.accepted(t, token)
	u.trust(t)
	u.refused(t, token)
	var err error
	u.Authenticator, err = authn.NewAuthenticator(u.db, u.clock.Now)
	require.NoError(t, err)
	u.refused(t, token)
}

func TestOIDCUsesTheSettingsOfTheIssuer(t *testing.T) {
	t.Parallel()
	none := time.Duration(0)
	u := newUnion(t, func(i *authn.OIDCIssuer) {
		i.Algorithms, i.Audiences, i.ClockSkew = []string{"EdDSA"}, []string{"one", "two"}, &none
	})
	key, claims := u.world.Issuer.Key("EdDSA"), u.world.Claims().With(oidctest.Members{"aud": "two"})
	u.accepted(t, "Bearer "+key.Token(claims))
	u.accepted(t, "Bearer "+key.Token(claims.With(oidctest.Members{"aud": []string{"one", "x"}, "azp": "two"})))
	u.refused(t, "Bearer "+u.world.Issuer.Key("ES256").Token(claims))
	u.refused(t, "Bearer "+u.world.Issuer.Key("RS256").Token(claims))
	u.refused(t, "Bearer "+key.Token(claims.With(oidctest.Members{"aud": audience})))
	u.refused(t, "Bearer "+key.Token(claims.With(oidctest.Members{"exp": u.clock.Now().Unix()})))
	u.refused(t, "Bearer "+key.Token(claims.With(oidctest.Members{"nbf": u.clock.Now().Unix() + 1})))
}

func TestOIDCTokenType(t *testing.T) {
	t.Parallel()
	u := newUnion(t, func(i *authn.OIDCIssuer) { i.TokenType = authn.TokenTypeAccess })
	key := u.world.Issuer.Key("ES256")
	for typ, accepted := range map[string]bool{
		"at+jwt": true, "AT+JWT": true, "application/at+jwt": true, "JWT": false, "application/jwt": false, "": false, "at": false,
	} {
		header := "Bearer " + key.Sign(key.Header().With(oidctest.Members{"typ": typ}), u.world.Claims())
		if accepted {
			u.accepted(t, header)
			continue
		}
		_, err := u.Authenticate(t.Context(), header)
		reason := requireRefused(t, err, typ)
		require.Contains(t, []domain.SignInReason{domain.SignInWrongTokenType, domain.SignInMalformed}, reason, typ)
	}
	u.refused(t, "Bearer "+key.Sign(key.Header().Without("typ"), u.world.Claims()))
}

func TestOIDCEmailClaimIsTheIssuers(t *testing.T) {
	t.Parallel()
	u := newUnion(t, func(i *authn.OIDCIssuer) { i.EmailClaim = "upn" })
	claims := u.world.Claims().With(oidctest.Members{"email": u.world.Unlinked, "upn": u.world.Email})
	require.Equal(t, u.user, u.accepted(t, u.bearer(claims)).PrincipalID)
	u.refused(t, u.bearer(claims.With(oidctest.Members{"sub": "two"}).Without("upn")))
	u.refused(t, u.bearer(claims.With(oidctest.Members{"sub": "two", "upn": u.world.Unlinked, "email_verified": false})))
}

func TestOIDCSubjectStaysLinked(t *testing.T) {
	t.Parallel()
	u := newUnion(t)
	claims := u.world.Claims()
	want := u.accepted(t, u.bearer(claims))
	for name, changes := range map[string]oidctest.Members{
		"without an address":     {"email": nil, "email_verified": nil},
		"with another's address": {"email": u.world.Unlinked},
		"with a new address":     {"email": "moved@demo.example", "email_verified": false},
	} {
		require.Equal(t, want, u.accepted(t, u.bearer(claims.With(changes))), name)
	}
	other := claims.With(oidctest.Members{"iss": u.world.Other.URL()})
	require.Equal(t, u.user, u.accepted(t, "Bearer "+u.world.Other.Key("RS256").Token(other)).PrincipalID)
	require.Equal(t, 2, u.links(t), "one for each issuer")
}

func TestOIDCRefusesALinkedUserThatIsDisabled(t *testing.T) {
	t.Parallel()
	u := newUnion(t)
	token := u.bearer(u.world.Claims())
	u.accepted(t, token)
	u.exec(t, "UPDATE principals SET disabled_at = now() WHERE id = $1", u.user)
	u.clock.Advance(10*time.Second - time.Nanosecond)
	u.accepted(t, token)
	u.clock.Advance(time.Nanosecond)
	u.refused(t, token)
}

// Within the skew a token is accepted a little longer, but its caller is not
// cached.
func TestOIDCCallerIsForgottenWhenTheTokenExpires(t *testing.T) {
	t.Parallel()
	u := newUnion(t)
	expiry := u.clock.Now().Truncate(time.Second).Add(4 * time.Second)
	token := u.bearer(u.world.Claims().With(oidctest.Members{"exp": expiry.Unix()}))
	u.accepted(t, token)
	u.exec(t, "UPDATE principals SET disabled_at = now() WHERE id = $1", u.user)
	u.clock.Advance(expiry.Sub(u.clock.Now()) - time.Nanosecond)
	u.accepted(t, token)
	u.clock.Advance(time.Nanosecond)
	u.refused(t, token)

	u.exec(t, "UPDATE principals SET disabled_at = NULL WHERE id = $1", u.user)
	u.accepted(t, token)
	u.exec(t, "UPDATE principals SET disabled_at = now() WHERE id = $1", u.user)
	u.refused(t, token)
	u.exec(t, "UPDATE principals SET disabled_at = NULL WHERE id = $1", u.user)
	u.clock.Advance(authn.DefaultClockSkew - time.Nanosecond)
	u.accepted(t, token)
	u.clock.Advance(time.Nanosecond)
	u.refused(t, token)
}

func TestOIDCFirstTokensAtTheSameTime(t *testing.T) {
	t.Parallel()
	u := newUnion(t)
	var wait sync.WaitGroup
	for n := range 32 {
		wait.Go(func() {
			caller, err := u.Authenticate(t.Context(), u.bearer(u.world.Claims().With(oidctest.Members{"jti": n})))
			if err != nil || caller.PrincipalID != u.user {
				t.Errorf("authenticating: %v, %v", caller, err)
			}
		})
	}
	wait.Wait()
	require.Equal(t, 1, u.world.Issuer.Requests(oidctest.KeysPath), "the keys were fetched once")
	require.Equal(t, 1, u.links(t))
}
