// Package demo loads the demonstration data of the local stack (examples/demo):
// two tenants, their people and programs, and the processes they work on.
// Identifiers and secrets are fixed, and known here, so that examples and
// acceptance checks can rely on them; they must never be loaded into anything
// that is reachable from outside.
package demo

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/examples/demo"
	"github.com/procession-dev/procession/internal/manifest"
	"github.com/procession-dev/procession/persistence"
)

// demoID returns an identifier of the demonstration data: they differ in their last 48
// bits only.
func demoID(suffix uint64) uuid.UUID {
	u := uuid.UUID{0x01, 0x97, 0, 0, 0, 0, 0x70, 0, 0x80, 0}
	binary.BigEndian.PutUint64(u[8:], 0x80<<56|suffix)
	return u
}

// TenantDemo returns the tenant that the examples run in.
func TenantDemo() uuid.UUID { return demoID(0xa1) }

// TenantOther returns a tenant that must be isolated from TenantDemo.
func TenantOther() uuid.UUID { return demoID(0xb1) }

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

// LoanWorker returns the application that runs the demo workflows and may take every
// demo task.
func LoanWorker() Account {
	return Account{Name: "loan-worker", ID: demoID(0xa001), Secret: "demo-loan-worker-secret", Tenant: TenantDemo()}
}

// Reader returns an application that may only look at LOAN.
func Reader() Account {
	return Account{Name: "reader", ID: demoID(0xa002), Secret: "demo-reader-secret", Tenant: TenantDemo()}
}

// Stranger returns an application of TenantDemo without any right.
func Stranger() Account {
	return Account{Name: "stranger", ID: demoID(0xa003), Secret: "demo-stranger-secret", Tenant: TenantDemo()}
}

// OtherWorker returns the application of TenantOther.
func OtherWorker() Account {
	return Account{Name: "other-worker", ID: demoID(0xb001), Secret: "demo-other-worker-secret", Tenant: TenantOther()}
}

// Alice owns TenantDemo and manages all its processes.
func Alice() Account {
	return Account{
		Name: "Alice", ID: demoID(0xc001), Email: "alice@demo.example", Secret: "demo-token-alice",
		Tenant: TenantDemo(), Role: domain.RoleOwner,
	}
}

// Bob reviews loans.
func Bob() Account {
	return Account{
		Name: "Bob", ID: demoID(0xc002), Email: "bob@demo.example", Secret: "demo-token-bob",
		Tenant: TenantDemo(), Role: domain.RoleMember,
	}
}

// Carol applies for loans.
func Carol() Account {
	return Account{
		Name: "Carol", ID: demoID(0xc003), Email: "carol@demo.example", Secret: "demo-token-carol",
		Tenant: TenantDemo(), Role: domain.RoleMember,
	}
}

// Reviewers returns the group that Bob is in.
func Reviewers() uuid.UUID { return demoID(0xd001) }

// Loan returns the process definition that the example worker runs.
func Loan() uuid.UUID { return demoID(0xe001) }

// Onboarding returns a manual process definition, without a workflow.
func Onboarding() uuid.UUID { return demoID(0xe002) }

// Inspection returns the id of a process definition with signals of API version 2022-10-08.
func Inspection() uuid.UUID { return demoID(0xe003) }

// OtherLoan returns the copy of LOAN in TenantOther.
func OtherLoan() uuid.UUID { return demoID(0xe0b1) }

// Robot is KYC_BOT, which the loan worker runs.
func Robot() uuid.UUID { return demoID(0x9001) }

// LoadNew calls Load for a database without the demonstration data and reports whether it did. It leaves
// existing data as users have changed it.
func LoadNew(ctx context.Context, db *persistence.DB, sealer *authn.Sealer, now time.Time) (bool, error) {
	service := administration.New(administration.Options{
		Store: storage.New(storage.Options{DB: db, Clock: func() time.Time { return now }}),
	})
	_, err := service.RetrieveResource(ctx, operatorCall(), administration.ResourceKey{
		Tenant: "demo", Kind: resource.KindTenant, Code: "demo",
	})
	if err == nil || !domain.HasCode(err, domain.CodeNotFound) {
		return false, err
	}
	return true, Load(ctx, db, sealer, now)
}

// Load applies the manifests of examples/demo in one transaction. sealer seals encryption keys; without one
// they are omitted.
func Load(ctx context.Context, db *persistence.DB, sealer *authn.Sealer, now time.Time) error {
	sources, err := manifest.ReadFS(demo.Files)
	if err != nil {
		return fmt.Errorf("reading the demonstration data: %w", err)
	}
	documents := make([]json.RawMessage, 0, len(sources))
	for _, source := range sources {
		var document struct {
			Kind resource.Kind `json:"kind"`
		}
		if err := json.Unmarshal(source.JSON, &document); err != nil {
			return fmt.Errorf("reading %s of the demonstration data: %w", source.File, err)
		}
		if sealer != nil || document.Kind != resource.KindEncryptionKey {
			documents = append(documents, source.JSON)
		}
	}
	service := administration.New(administration.Options{
		Store: storage.New(storage.Options{DB: db, Clock: func() time.Time { return now }}), Sealer: sealer,
	})
	if _, err := service.ApplyResources(ctx, operatorCall(), administration.ApplyRequest{Documents: documents}); err != nil {
		return fmt.Errorf("applying the demonstration data: %w", err)
	}
	return nil
}

// operatorCall returns the caller that loads the data.
func operatorCall() domain.Call {
	return domain.Call{Caller: domain.Caller{PrincipalID: domain.SystemPrincipalID(), Type: domain.PrincipalSystem, Operator: true}}
}
