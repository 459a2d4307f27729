package enginetest

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/persistence"
)

// TaskCode is the code of the task that every seeded definition has.
const TaskCode = "TASK"

// Tenant is a tenant in a test's database. Its Caller owns it and runs, manages
// and is a candidate of everything in it.
type Tenant struct {
	Call      domain.Call
	ID        uuid.UUID
	Namespace string
	TaskQueue string
}

// Seed creates a tenant with a process definition for each workflow type, which is
// also the definition's code.
func Seed(tb testing.TB, db *persistence.DB, namespace string, workflowTypes ...string) Tenant {
	tb.Helper()
	return SeedIn(tb, db, "", namespace, workflowTypes...)
}

// SeedIn is Seed for a tenant in an additional cluster of Temporal.
func SeedIn(tb testing.TB, db *persistence.DB, cluster, namespace string, workflowTypes ...string) Tenant {
	tb.Helper()
	now := time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC)
	audit := domain.NewAudit(domain.SystemPrincipalID(), now)
	tenant := Tenant{ID: uuid.New(), Namespace: namespace, TaskQueue: "queue-of-" + namespace}
	tenant.Call = domain.Call{Caller: domain.Caller{
		PrincipalID: uuid.New(), Type: domain.PrincipalApplication,
		Memberships: []domain.Membership{{TenantID: tenant.ID, Namespace: namespace, Role: domain.RoleOwner}},
	}}
	err := db.Write(tb.Context(), func(tx *persistence.Tx) error {
		tx.PutTenant(domain.Tenant{
			ID: tenant.ID, Name: namespace, Plan: domain.PlanFree, Namespace: namespace, Cluster: cluster,
			TimeZone: "Europe/Madrid", Audit: audit,
		})
		tx.PutApplication(domain.Application{
			Principal: domain.Principal{ID: tenant.Call.PrincipalID, Name: "runner"}, TenantID: tenant.ID, Role: domain.RoleMember, Audit: audit,
		})
		for _, workflowType := range workflowTypes {
			publish(tx, tenant, workflowType, now)
		}
		return nil
	})
	if err != nil {
		tb.Fatalf("seeding a tenant: %v", err)
	}
	return tenant
}

func publish(tx *persistence.Tx, tenant Tenant, workflowType string, now time.Time) {
	runner := tenant.Call.PrincipalID
	task := domain.DefinitionRef{ID: uuid.New(), Version: uuid.New(), Code: TaskCode}
	definition := domain.DefinitionRef{ID: uuid.New(), Version: uuid.New(), Code: workflowType}
	tx.PublishVersion(persistence.DefinitionVersion{
		DefinitionRef: definition, TenantID: tenant.ID, Number: 1, Name: translation.Name{Source: workflowType},
		Engine: &domain.EngineBinding{
			WorkflowType: workflowType, TaskQueue: tenant.TaskQueue, SignalShape: domain.SignalShapeB, RunnerID: runner,
		},
		Items: []persistence.ItemDefinitionVersion{{DefinitionRef: task, Type: domain.ItemTask, Name: translation.Name{Source: "Task"}}},
	}, runner, now)
	tx.GrantOnProcess(definition.ID, domain.PermissionManager, runner)
	tx.GrantOnItem(task.ID, domain.PermissionCandidate, domain.Grantee{ID: runner})
}

// Create creates a process of the definition.
func (tenant Tenant) Create(tb testing.TB, service *app.Service, code string) *domain.Process {
	tb.Helper()
	p, _, err := service.CreateProcess(tb.Context(), tenant.Call, app.NewProcess{
		Definition: persistence.DefinitionKey{TenantID: &tenant.ID, Code: code},
	})
	if err != nil {
		tb.Fatalf("creating a process: %v", err)
	}
	return p
}

// Task creates a task of the process, claimed by the caller when claimed is set.
func (tenant Tenant) Task(tb testing.TB, service *app.Service, p *domain.Process, claimed bool) *domain.ProcessItem {
	tb.Helper()
	in := app.NewItem{Type: domain.ItemTask, ProcessID: p.ID, DefinitionCode: TaskCode}
	if claimed {
		in.Owner = app.PrincipalKey{ID: &tenant.Call.PrincipalID}
	}
	item, _, err := service.CreateProcessItem(tb.Context(), tenant.Call, in)
	if err != nil {
		tb.Fatalf("creating a task: %v", err)
	}
	return item
}
