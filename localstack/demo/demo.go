// Package demo holds the demonstration data of the local stack: two tenants,
// their people and programs, and the processes they work on. Identifiers and
// secrets are fixed, so that examples and acceptance checks can rely on them;
// they must never be loaded into anything that is reachable from outside.
package demo

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// id is an identifier of the demonstration data: they differ in their last 48
// bits only.
func id(suffix uint64) uuid.UUID {
	u := uuid.UUID{0x01, 0x97, 0, 0, 0, 0, 0x70, 0, 0x80, 0}
	binary.BigEndian.PutUint64(u[8:], 0x80<<56|suffix)
	return u
}

// TenantDemo is the tenant that the examples run in.
func TenantDemo() uuid.UUID { return id(0xa1) }

// TenantOther is a tenant that must know nothing of TenantDemo.
func TenantOther() uuid.UUID { return id(0xb1) }

// Account is a principal of the demonstration data. Applications, which have no
// e-mail, authenticate with id and secret, users with the secret as a personal
// access token.
type Account struct {
	Name   string
	ID     uuid.UUID
	Email  string
	Secret string
	Tenant uuid.UUID
	Role   domain.TenantRole
}

// LoanWorker is the application that runs the demo workflows and may take every
// demo task.
func LoanWorker() Account {
	return Account{Name: "loan-worker", ID: id(0xa001), Secret: "demo-loan-worker-secret", Tenant: TenantDemo()}
}

// Reader is an application that may only look at LOAN.
func Reader() Account {
	return Account{Name: "reader", ID: id(0xa002), Secret: "demo-reader-secret", Tenant: TenantDemo()}
}

// Stranger is an application of TenantDemo without any right.
func Stranger() Account {
	return Account{Name: "stranger", ID: id(0xa003), Secret: "demo-stranger-secret", Tenant: TenantDemo()}
}

// OtherWorker is the application of TenantOther.
func OtherWorker() Account {
	return Account{Name: "other-worker", ID: id(0xb001), Secret: "demo-other-worker-secret", Tenant: TenantOther()}
}

// Alice owns TenantDemo and manages all its processes.
func Alice() Account {
	return Account{
		Name: "Alice", ID: id(0xc001), Email: "alice@demo.example", Secret: "demo-token-alice",
		Tenant: TenantDemo(), Role: domain.RoleOwner,
	}
}

// Bob reviews loans.
func Bob() Account {
	return Account{
		Name: "Bob", ID: id(0xc002), Email: "bob@demo.example", Secret: "demo-token-bob",
		Tenant: TenantDemo(), Role: domain.RoleMember,
	}
}

// Carol applies for loans.
func Carol() Account {
	return Account{
		Name: "Carol", ID: id(0xc003), Email: "carol@demo.example", Secret: "demo-token-carol",
		Tenant: TenantDemo(), Role: domain.RoleMember,
	}
}

// Reviewers is the group that Bob is in.
func Reviewers() uuid.UUID { return id(0xd001) }

// Load stores the demonstration data, all or nothing. What is there already
// stays as it is.
func Load(ctx context.Context, db *persistence.DB, now time.Time) error {
	audit := domain.NewAudit(domain.SystemPrincipalID(), now.UTC().Truncate(time.Microsecond))
	return db.Write(ctx, func(tx *persistence.Tx) error {
		loadIdentities(tx, audit)
		for _, d := range definitions() {
			if err := d.load(tx, audit.CreatedAt); err != nil {
				return err
			}
		}
		return nil
	})
}

func loadIdentities(tx *persistence.Tx, audit domain.Audit) {
	for _, t := range []domain.Tenant{
		{ID: TenantDemo(), Name: "Demo", Namespace: "demo"},
		{ID: TenantOther(), Name: "Other", Namespace: "other"},
	} {
		t.Plan, t.TimeZone, t.Audit = domain.PlanFree, "Etc/UTC", audit
		tx.InsertTenant(t)
	}
	for _, a := range []Account{LoanWorker(), Reader(), Stranger(), OtherWorker()} {
		tx.InsertApplication(domain.Principal{ID: a.ID, Name: a.Name}, a.Tenant, audit)
		a.insertCredential(tx, domain.CredentialApplicationSecret, audit)
	}
	for _, a := range []Account{Alice(), Bob(), Carol()} {
		user := domain.Principal{ID: a.ID, Name: a.Name, Email: a.Email}
		tx.InsertTenantUser(domain.TenantUser{
			ID: derived(a.ID, "tenant user"), TenantID: a.Tenant, Role: a.Role, Principal: user, Audit: audit,
		})
		a.insertCredential(tx, domain.CredentialPersonalAccessToken, audit)
	}
	reviewers := domain.Group{ID: Reviewers(), TenantID: TenantDemo(), Code: "REVIEWERS", Name: "Reviewers"}
	tx.InsertGroup(reviewers, []uuid.UUID{Bob().ID})
}

func (a Account) insertCredential(tx *persistence.Tx, kind domain.CredentialKind, audit domain.Audit) {
	tx.InsertCredential(domain.Credential{
		ID: derived(a.ID, "credential"), PrincipalID: a.ID, Kind: kind,
		SecretSHA256: authn.HashSecret(a.Secret), CreatedAt: audit.CreatedAt,
	})
}

// derived is an identifier that follows from another one, so that loading the
// data again finds what it stored before.
func derived(from uuid.UUID, what string) uuid.UUID {
	return uuid.NewSHA1(from, []byte(what))
}
