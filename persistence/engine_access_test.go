package persistence_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/pgtest"
)

// queueOwners is a database with two applications of one tenant and one of
// another.
type queueOwners struct {
	db     *persistence.DB
	now    time.Time
	tenant uuid.UUID
	other  uuid.UUID
	runner uuid.UUID
	rival  uuid.UUID
	alien  uuid.UUID
	// versions counts what was published.
	versions *atomic.Int32
}

func newQueueOwners(t *testing.T) queueOwners {
	t.Helper()
	q := queueOwners{
		db: pgtest.New(t), now: time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC), tenant: uuid.New(),
		other: uuid.New(), runner: uuid.New(), rival: uuid.New(), alien: uuid.New(), versions: &atomic.Int32{},
	}
	audit := domain.NewAudit(domain.SystemPrincipalID(), q.now)
	require.NoError(t, q.db.Write(t.Context(), func(tx *persistence.Tx) error {
		for id, namespace := range map[uuid.UUID]string{q.tenant: "tenant", q.other: "other"} {
			tx.PutTenant(domain.Tenant{
				ID: id, Name: namespace, Plan: domain.PlanFree, Namespace: namespace, TimeZone: "Etc/UTC", Audit: audit,
			})
		}
		tx.PutApplication(domain.Application{
			Principal: domain.Principal{ID: q.runner, Name: "runner"}, TenantID: q.tenant, Role: domain.RoleMember, Audit: audit,
		})
		tx.PutApplication(domain.Application{
			Principal: domain.Principal{ID: q.rival, Name: "rival"}, TenantID: q.tenant, Role: domain.RoleMember, Audit: audit,
		})
		tx.PutApplication(domain.Application{
			Principal: domain.Principal{ID: q.alien, Name: "alien"}, TenantID: q.other, Role: domain.RoleMember, Audit: audit,
		})
		return nil
	}))
	return q
}

// publish makes a version of a definition, which takes the place of the one
// before.
func (q queueOwners) publish(t *testing.T, tenant, definition, runner uuid.UUID, queue string) {
	t.Helper()
	require.NoError(t, q.db.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.PublishVersion(persistence.DefinitionVersion{
			DefinitionRef: domain.DefinitionRef{ID: definition, Version: uuid.New(), Code: definition.String()},
			TenantID:      tenant, Number: int(q.versions.Add(1)), Name: "Definition",
			Engine: &domain.EngineBinding{
				WorkflowType: "Workflow", TaskQueue: queue, SignalShape: domain.SignalShapeB, RunnerID: runner,
			},
		}, domain.SystemPrincipalID(), q.now)
		tx.GrantOnProcess(definition, domain.PermissionManager, runner)
		return nil
	}))
}

func (q queueOwners) register(t *testing.T, tenant, principal uuid.UUID, queues ...string) {
	t.Helper()
	q.registerAs(t, "worker of "+principal.String(), tenant, principal, queues...)
}

func (q queueOwners) registerAs(t *testing.T, identity string, tenant, principal uuid.UUID, queues ...string) {
	t.Helper()
	for _, queue := range queues {
		w := &domain.Worker{
			ID: uuid.New(), TenantID: tenant, Identity: identity, TaskQueue: queue,
			Hostname: "host", IP: "127.0.0.1", WorkflowTypes: []string{}, ActivityTypes: []string{},
			RobotIDs: []uuid.UUID{}, LastSeenAt: q.now, Audit: domain.NewAudit(principal, q.now),
		}
		_, err := q.db.UpsertWorker(t.Context(), w, domain.WorkerEvent(w, principal, q.now))
		require.NoError(t, err)
	}
}

func (q queueOwners) requireQueues(t *testing.T, tenant, principal uuid.UUID, want ...string) {
	t.Helper()
	got, err := q.db.Reader().ListServableQueues(t.Context(), domain.Caller{PrincipalID: principal}, tenant)
	require.NoError(t, err)
	require.ElementsMatch(t, want, got)
}

func TestServableQueuesOfNobodyAreNone(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	q.publish(t, q.tenant, uuid.New(), q.runner, "queue")
	q.requireQueues(t, q.tenant, q.rival)
	q.requireQueues(t, q.tenant, uuid.New())
}

func TestServableQueuesAreThoseOfRunDefinitionsAndRegistrations(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	q.publish(t, q.tenant, uuid.New(), q.runner, "loans")
	q.publish(t, q.tenant, uuid.New(), q.runner, "claims")
	q.publish(t, q.tenant, uuid.New(), q.runner, "loans")
	q.register(t, q.tenant, q.runner, "loans", "reports")
	q.requireQueues(t, q.tenant, q.runner, "claims", "loans", "reports")
}

func TestServableQueuesAreThoseOfRunActions(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	put := func(tenant, application uuid.UUID, definition, queue string) {
		require.NoError(t, q.db.Write(t.Context(), func(tx *persistence.Tx) error {
			for id, document := range map[uuid.UUID]resource.Document{
				application: {
					Kind: resource.KindApplication, Metadata: resource.Metadata{Code: "app-" + application.String()},
					Spec: &resource.ApplicationSpec{Name: "app"},
				},
				uuid.New(): {
					Kind: resource.KindBusinessArtifactDefinition, Metadata: resource.Metadata{Code: definition},
					Spec: &resource.BusinessArtifactDefinitionSpec{Actions: []resource.ArtifactActionSpec{
						{TaskQueue: queue, Runner: "app-" + application.String()}, {ProcessDefinition: "LOAN"},
					}},
				},
			} {
				err := tx.PutResource(persistence.StoredResource{
					Document: document, ID: id, TenantID: tenant, Audit: domain.NewAudit(domain.SystemPrincipalID(), q.now),
				})
				if err != nil {
					return err
				}
			}
			return nil
		}))
	}
	put(q.tenant, q.runner, "CUSTOMER", "statements")
	put(q.tenant, q.rival, "SUPPLIER", "orders")
	put(q.other, q.alien, "CUSTOMER", "elsewhere")
	q.register(t, q.tenant, q.rival, "statements", "free")
	q.requireQueues(t, q.tenant, q.runner, "statements")
	q.requireQueues(t, q.tenant, q.rival, "orders", "free")
	q.requireQueues(t, q.other, q.alien, "elsewhere")
}

func TestServableQueuesAreThoseOfRobotsThatAreRun(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	put := func(tenant uuid.UUID, code string, worker domain.RobotWorker) {
		require.NoError(t, q.db.Write(t.Context(), func(tx *persistence.Tx) error {
			tx.PutRobot(domain.Robot{
				ID: uuid.New(), TenantID: tenant, Code: code, Name: code, SourceType: domain.RobotSourcePackage,
				Worker: worker, Audit: domain.NewAudit(domain.SystemPrincipalID(), q.now),
			}, nil)
			return nil
		}))
	}
	put(q.tenant, "MINE", domain.RobotWorker{WorkflowType: "W", TaskQueue: "mine", RunnerID: q.runner})
	put(q.tenant, "NOBODYS", domain.RobotWorker{TaskQueue: "free"})
	put(q.tenant, "IDLE", domain.RobotWorker{RunnerID: q.rival})
	put(q.other, "MINE", domain.RobotWorker{WorkflowType: "W", TaskQueue: "elsewhere", RunnerID: q.alien})
	q.register(t, q.tenant, q.rival, "mine", "free")
	q.requireQueues(t, q.tenant, q.runner, "mine")
	q.requireQueues(t, q.tenant, q.rival, "free")
	q.requireQueues(t, q.other, q.alien, "elsewhere")
}

func TestServableQueuesAreThoseOfRunUserActions(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	publish := func(definition uuid.UUID, engine *domain.EngineBinding, actions ...resource.UserActionSpec) {
		spec, err := resource.Encode(map[string]any{"userActions": actions})
		require.NoError(t, err)
		require.NoError(t, q.db.Write(t.Context(), func(tx *persistence.Tx) error {
			tx.PublishVersion(persistence.DefinitionVersion{
				DefinitionRef: domain.DefinitionRef{ID: definition, Version: uuid.New(), Code: definition.String()},
				TenantID:      q.tenant, Number: int(q.versions.Add(1)), Name: "Definition", Engine: engine, Spec: spec,
			}, domain.SystemPrincipalID(), q.now)
			return nil
		}))
	}
	require.NoError(t, q.db.Write(t.Context(), func(tx *persistence.Tx) error {
		return tx.PutResource(persistence.StoredResource{
			Document: resource.Document{
				Kind: resource.KindApplication, Metadata: resource.Metadata{Code: "rival"},
				Spec: &resource.ApplicationSpec{Name: "rival"},
			},
			ID: q.rival, TenantID: q.tenant, Audit: domain.NewAudit(domain.SystemPrincipalID(), q.now),
		})
	}))
	action := func(queue, runner string) resource.UserActionSpec {
		return resource.UserActionSpec{UserAction: domain.UserAction{Code: queue, TaskQueue: queue}, Runner: runner}
	}
	engine := &domain.EngineBinding{
		WorkflowType: "W", TaskQueue: "loans", SignalShape: domain.SignalShapeB, RunnerID: q.runner,
	}
	loan := uuid.New()
	publish(loan, engine, action("former", ""))
	publish(loan, engine, action("loans", ""), action("reports", ""), action("nudges", "rival"), action("", ""))
	publish(uuid.New(), nil, action("nobody's", ""), action("manual", "rival"))
	q.register(t, q.tenant, q.rival, "reports", "free", "nobody's")
	q.requireQueues(t, q.tenant, q.runner, "loans", "reports", "former")
	q.requireQueues(t, q.tenant, q.rival, "nudges", "manual", "free", "nobody's")
}

func TestRegisteringTakesNoQueueOfAnotherRunner(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	definition := uuid.New()
	q.publish(t, q.tenant, definition, q.runner, "before")
	q.publish(t, q.tenant, definition, q.runner, "now")
	q.register(t, q.tenant, q.rival, "before", "now", "free")
	q.requireQueues(t, q.tenant, q.rival, "free")
}

func TestTakingOverAnIdentityGivesNoQueue(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	q.registerAs(t, "1@host", q.tenant, q.runner, "mine")
	q.registerAs(t, "1@host", q.tenant, q.rival, "yours")
	q.requireQueues(t, q.tenant, q.runner, "mine")
	q.requireQueues(t, q.tenant, q.rival, "yours")
}

func TestARegisteredQueueIsLostToALaterDefinition(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	q.register(t, q.tenant, q.rival, "queue")
	q.requireQueues(t, q.tenant, q.rival, "queue")
	q.publish(t, q.tenant, uuid.New(), q.runner, "queue")
	q.requireQueues(t, q.tenant, q.rival)
}

func TestARunnerKeepsTheQueueOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	definition := uuid.New()
	q.publish(t, q.tenant, definition, q.runner, "before")
	q.publish(t, q.tenant, definition, q.runner, "now")
	q.requireQueues(t, q.tenant, q.runner, "before", "now")
}

func TestAnEarlierRunnerLosesAQueueThatWasTakenOver(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	definition := uuid.New()
	q.publish(t, q.tenant, definition, q.runner, "queue")
	q.publish(t, q.tenant, definition, q.rival, "queue")
	q.register(t, q.tenant, q.runner, "queue")
	q.requireQueues(t, q.tenant, q.runner)
	q.requireQueues(t, q.tenant, q.rival, "queue")
}

func TestRunnersOfTwoDefinitionsMayShareAQueue(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	q.publish(t, q.tenant, uuid.New(), q.runner, "queue")
	q.publish(t, q.tenant, uuid.New(), q.rival, "queue")
	q.requireQueues(t, q.tenant, q.runner, "queue")
	q.requireQueues(t, q.tenant, q.rival, "queue")
}

func TestServableQueuesStayWithinTheTenant(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	q.publish(t, q.tenant, uuid.New(), q.runner, "queue")
	q.publish(t, q.other, uuid.New(), q.alien, "queue")
	q.register(t, q.other, q.alien, "elsewhere")
	q.requireQueues(t, q.tenant, q.runner, "queue")
	q.requireQueues(t, q.other, q.alien, "elsewhere", "queue")
	q.requireQueues(t, q.tenant, q.alien)
	q.requireQueues(t, q.other, q.runner)
}

func TestServableQueuesReportsAnEndedContext(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := q.db.Reader().ListServableQueues(ctx, domain.Caller{PrincipalID: q.runner}, q.tenant)
	require.ErrorIs(t, err, context.Canceled)
}
