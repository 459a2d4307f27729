package console_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// movedClock is a clock that tests move on.
type movedClock struct{ ahead atomic.Int64 }

func (c *movedClock) currentTime() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

func (c *movedClock) advance(d time.Duration) { c.ahead.Add(int64(d)) }

// requireSignedIn requires that a browser is signed in, or is sent to sign in.
func (s *site) requireSignedIn(browser *http.Client, want bool, what string) {
	s.t.Helper()
	answer := s.sendRequest(browser, http.MethodGet, "tasks", nil)
	if want {
		require.Equal(s.t, http.StatusOK, answer.status, what)
		return
	}
	require.Contains(s.t, answer.header.Get("Location"), "/console/sign-in", what)
}

//nolint:funlen,paralleltest,tparallel // the cases move one clock, and most of it is a table of them
func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	clock := &movedClock{}
	shared := makeSiteAt(t, clock.currentTime)
	audit := domain.NewAudit(domain.SystemPrincipalID(), shared.currentTime())

	// userOf makes a user of the demonstration tenant with a token.
	userOf := func(s *site, name string) (domain.TenantUser, domain.Credential, *http.Client) {
		user := domain.TenantUser{
			ID: uuid.New(), TenantID: demo.TenantDemo(), Role: domain.RoleMember, Audit: audit,
			Principal: domain.Principal{ID: uuid.New(), Name: name, Email: name + "@sessions.example"},
		}
		token := domain.Credential{
			ID: uuid.New(), PrincipalID: user.Principal.ID, Kind: domain.CredentialPersonalAccessToken,
			SecretSHA256: authn.HashSecret("token-of-" + name), CreatedAt: audit.CreatedAt,
		}
		require.NoError(s.t, s.db.Write(t.Context(), func(tx *persistence.Tx) error {
			err := tx.PutTenantUser(user)
			tx.InsertCredential(token)
			return err
		}))
		return user, token, s.clientWithToken("token-of-" + name)
	}
	t.Run("after 8 hours without use", func(t *testing.T) {
		s := *shared
		s.t = t
		bob := s.clientWithToken(demo.Bob().Secret)
		clock.advance(8*time.Hour - time.Minute)
		s.requireSignedIn(bob, true, "8 hours are not over")
		clock.advance(8*time.Hour + time.Second)
		s.requireSignedIn(bob, false, "8 hours are over")
	})
	t.Run("after 24 hours in all", func(t *testing.T) {
		s := *shared
		s.t = t
		bob := s.clientWithToken(demo.Bob().Secret)
		for range 4 {
			clock.advance(6*time.Hour - time.Minute)
			s.requireSignedIn(bob, true, "it is in use")
		}
		clock.advance(5 * time.Minute)
		s.requireSignedIn(bob, false, "24 hours are over")
	})
	for name, end := range map[string]func(*persistence.Tx, domain.TenantUser, domain.Credential) error{
		"when the token is revoked": func(tx *persistence.Tx, _ domain.TenantUser, token domain.Credential) error {
			tx.DeleteCredential(token.ID)
			return nil
		},
		"when the user is disabled": func(tx *persistence.Tx, user domain.TenantUser, _ domain.Credential) error {
			at := audit.CreatedAt
			tx.DisablePerson(user.Principal.ID, &at)
			return nil
		},
		"when the membership is disabled": func(tx *persistence.Tx, user domain.TenantUser, _ domain.Credential) error {
			user.Disabled = true
			return tx.PutTenantUser(user)
		},
		"when the membership is removed": func(tx *persistence.Tx, user domain.TenantUser, _ domain.Credential) error {
			tx.RemoveTenantUser(user.TenantID, user.Principal.ID)
			return nil
		},
	} {
		t.Run(name+", within 10 seconds", func(t *testing.T) {
			s := *shared
			s.t = t
			user, token, browser := userOf(&s, strings.ReplaceAll(name, " ", "-"))
			s.requireSignedIn(browser, true, "it has just signed in")
			require.NoError(t, s.db.Write(t.Context(), func(tx *persistence.Tx) error { return end(tx, user, token) }))
			clock.advance(10 * time.Second)
			s.requireSignedIn(browser, false, "10 seconds are over")
		})
	}
}
