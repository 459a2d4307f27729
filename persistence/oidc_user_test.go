package persistence_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

const issuer = "https://issuer.example"

// people is a database with the demonstration data.
type people struct {
	*persistence.DB

	pool *pgxpool.Pool
	now  time.Time
}

func newPeople(t *testing.T) *people {
	t.Helper()
	url := pgtest.URL(t)
	p := &people{DB: pgtest.Open(t, url), now: time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC)}
	require.NoError(t, demo.Load(t.Context(), p.DB, nil, p.now))
	var err error
	p.pool, err = pgxpool.New(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(p.pool.Close)
	return p
}

func (p *people) find(t *testing.T, subject persistence.OIDCSubject) (domain.Caller, error) {
	t.Helper()
	return p.FindOIDCUser(t.Context(), subject, p.now)
}

func (p *people) found(t *testing.T, want uuid.UUID, subject persistence.OIDCSubject) {
	t.Helper()
	got, err := p.find(t, subject)
	require.NoError(t, err)
	require.Equal(t, want, got.PrincipalID)
}

func (p *people) unknown(t *testing.T, subject persistence.OIDCSubject) {
	t.Helper()
	got, err := p.find(t, subject)
	require.True(t, domain.HasCode(err, domain.CodeUnauthenticated), "%v", err)
	require.Equal(t, domain.Caller{}, got)
}

func (p *people) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := p.pool.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// linked returns the user to which each subject of the issuer is linked.
func (p *people) linked(t *testing.T) map[string]uuid.UUID {
	t.Helper()
	rows, err := p.pool.Query(t.Context(), "SELECT subject, principal_id FROM oidc_subjects WHERE issuer = $1", issuer)
	require.NoError(t, err)
	defer rows.Close()
	links := map[string]uuid.UUID{}
	for rows.Next() {
		var subject string
		var user uuid.UUID
		require.NoError(t, rows.Scan(&subject, &user))
		links[subject] = user
	}
	require.NoError(t, rows.Err())
	return links
}

func TestFindOIDCUserByAddressThenBySubject(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	alice := demo.Alice()
	p.unknown(t, persistence.OIDCSubject{Issuer: issuer, Subject: "a"})
	got, err := p.find(t, persistence.OIDCSubject{Issuer: issuer, Subject: "a", Email: strings.ToUpper(alice.Email)})
	require.NoError(t, err)
	require.Equal(t, domain.Caller{
		PrincipalID: alice.ID, Type: domain.PrincipalUser, Memberships: got.Memberships, Operator: got.Operator,
	}, got)
	require.Len(t, got.Memberships, 1)
	require.Equal(t, demo.TenantDemo(), got.Memberships[0].TenantID)
	require.Equal(t, "demo", got.Memberships[0].Namespace)

	p.found(t, alice.ID, persistence.OIDCSubject{Issuer: issuer, Subject: "a"})
	p.found(t, alice.ID, persistence.OIDCSubject{Issuer: issuer, Subject: "a", Email: demo.Bob().Email})
	require.Equal(t, map[string]uuid.UUID{"a": alice.ID}, p.linked(t))
}

func TestFindOIDCUserLinksOneSubjectOfAnIssuer(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	alice := demo.Alice()
	p.found(t, alice.ID, persistence.OIDCSubject{Issuer: issuer, Subject: "a", Email: alice.Email})
	p.unknown(t, persistence.OIDCSubject{Issuer: issuer, Subject: "A", Email: alice.Email})
	p.unknown(t, persistence.OIDCSubject{Issuer: "https://other.example", Subject: "a"})
	p.found(t, alice.ID, persistence.OIDCSubject{Issuer: "https://other.example", Subject: "b", Email: alice.Email})
	p.found(t, demo.Bob().ID, persistence.OIDCSubject{Issuer: issuer, Subject: "b", Email: demo.Bob().Email})
	require.Equal(t, map[string]uuid.UUID{"a": alice.ID, "b": demo.Bob().ID}, p.linked(t))
}

func TestFindOIDCUserOnlyFindsActiveUsers(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	alice, bob := demo.Alice(), demo.Bob()
	p.found(t, bob.ID, persistence.OIDCSubject{Issuer: issuer, Subject: "b", Email: bob.Email})
	p.exec(t, "UPDATE principals SET disabled_at = now() WHERE id = ANY($1)", []uuid.UUID{alice.ID, bob.ID})
	p.unknown(t, persistence.OIDCSubject{Issuer: issuer, Subject: "a", Email: alice.Email})
	p.unknown(t, persistence.OIDCSubject{Issuer: issuer, Subject: "b", Email: bob.Email})
	p.exec(t, "INSERT INTO oidc_subjects VALUES ($1, 'w', $2, now())", issuer, demo.LoanWorker().ID)
	p.unknown(t, persistence.OIDCSubject{Issuer: issuer, Subject: "w"})
	for _, email := range []string{"", "%", "alice%", "absent@demo.example", " " + alice.Email} {
		p.unknown(t, persistence.OIDCSubject{Issuer: issuer, Subject: "n", Email: email})
	}
	require.Equal(t, map[string]uuid.UUID{"b": bob.ID, "w": demo.LoanWorker().ID}, p.linked(t))
}

// Letters that the index folds together may belong to different addresses.
func TestFindOIDCUserComparesLettersOfASCIIOnly(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.exec(t, "UPDATE principals SET email = 'k@demo.example' WHERE id = $1", demo.Alice().ID)
	p.unknown(t, persistence.OIDCSubject{Issuer: issuer, Subject: "a", Email: "\u212a@demo.example"})
	p.found(t, demo.Alice().ID, persistence.OIDCSubject{Issuer: issuer, Subject: "a", Email: "K@demo.example"})
}

func TestFindOIDCUserWithoutTenant(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.exec(t, "DELETE FROM tenant_users WHERE principal_id = $1", demo.Alice().ID)
	got, err := p.find(t, persistence.OIDCSubject{Issuer: issuer, Subject: "a", Email: demo.Alice().Email})
	require.NoError(t, err)
	require.Empty(t, got.Memberships)
}

func TestFindOIDCUserRaces(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	race := func(subject func(n int) persistence.OIDCSubject) (found int64) {
		var let atomic.Int64
		var wait sync.WaitGroup
		start := make(chan struct{})
		for n := range 16 {
			wait.Go(func() {
				<-start
				switch _, err := p.FindOIDCUser(t.Context(), subject(n), p.now); {
				case err == nil:
					let.Add(1)
				case !domain.HasCode(err, domain.CodeUnauthenticated):
					t.Errorf("finding: %v", err)
				}
			})
		}
		close(start)
		wait.Wait()
		return let.Load()
	}
	for range 10 {
		p.exec(t, "DELETE FROM oidc_subjects")
		require.EqualValues(t, 16, race(func(int) persistence.OIDCSubject {
			return persistence.OIDCSubject{Issuer: issuer, Subject: "same", Email: demo.Alice().Email}
		}), "one subject finds its user from everywhere")
		require.Equal(t, map[string]uuid.UUID{"same": demo.Alice().ID}, p.linked(t))

		require.EqualValues(t, 1, race(func(n int) persistence.OIDCSubject {
			return persistence.OIDCSubject{Issuer: issuer, Subject: strings.Repeat("s", n+1), Email: demo.Bob().Email}
		}), "of several subjects one gets the user")
		require.Len(t, p.linked(t), 2)
	}
}

func TestFindOIDCUserWithoutDatabase(t *testing.T) {
	t.Parallel()
	db, err := persistence.Open(t.Context(), "postgres://user@127.0.0.1:1/nowhere", persistence.Limits{Requests: 1})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	_, err = db.FindOIDCUser(t.Context(), persistence.OIDCSubject{Issuer: issuer, Subject: "a"}, time.Now())
	require.True(t, domain.HasCode(err, domain.CodeUnavailable), "%v", err)
}
