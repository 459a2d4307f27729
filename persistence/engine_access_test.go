package persistence_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// queueOwners is a database with two applications of one tenant and one of
// another.
type queueOwners struct {
	db     *persistence.DB
	url    string
	now    time.Time
	tenant uuid.UUID
	other  uuid.UUID
	runner uuid.UUID
	rival  uuid.UUID
	alien  uuid.UUID
	// versions counts the published versions.
	versions *atomic.Int32
	// maxWorkers is how many workers of a principal may be online.
	maxWorkers int
}

func newQueueOwners(t *testing.T) queueOwners {
	t.Helper()
	url := pgtest.URL(t)
	q := queueOwners{
		db: pgtest.Open(t, url), url: url, now: time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC), tenant: uuid.New(),
		other: uuid.New(), runner: uuid.New(), rival: uuid.New(), alien: uuid.New(), versions: &atomic.Int32{},
		maxWorkers: 10,
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

// publish publishes a version of a definition, replacing the one before.
func (q queueOwners) publish(t *testing.T, tenant, definition, runner uuid.UUID, queue string) {
	t.Helper()
	require.NoError(t, q.db.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.PublishVersion(persistence.DefinitionVersion{
			DefinitionRef: domain.DefinitionRef{ID: definition, Version: uuid.New(), Code: definition.String()},
			TenantID:      tenant, Number: int(q.versions.Add(1)), Name: translation.Name{Source: "Definition"},
			Engine: &domain.EngineBinding{
				WorkflowType: "Workflow", TaskQueue: queue, SignalShape: domain.SignalShapeB, RunnerID: runner,
			},
		}, domain.SystemPrincipalID(), q.now)
		tx.GrantOnProcess(definition, domain.PermissionManager, runner)
		return nil
	}))
}

// lists declares the queues in the manifest of an application.
func (q queueOwners) lists(t *testing.T, tenant, application uuid.UUID, queues ...string) {
	t.Helper()
	q.put(t, tenant, application, resource.KindApplication, "app-"+application.String(), &resource.ApplicationSpec{
		Name: "app", Engine: &resource.WorkerSpec{TaskQueues: queues},
	})
}

func (q queueOwners) put(t *testing.T, tenant, id uuid.UUID, kind resource.Kind, code string, spec resource.Spec) {
	t.Helper()
	require.NoError(t, q.db.Write(t.Context(), func(tx *persistence.Tx) error {
		return tx.PutResource(resource.Stored{
			Document: resource.Document{Kind: kind, Metadata: resource.Metadata{Code: code}, Spec: spec},
			ID:       id, TenantID: tenant, Audit: domain.NewAudit(domain.SystemPrincipalID(), q.now),
		})
	}))
}

// registration registers a worker with one place left for workers that are online.
func (q queueOwners) registration(
	t *testing.T, identity string, tenant, principal uuid.UUID, queue string,
) persistence.WorkerRegistration {
	t.Helper()
	w := &domain.Worker{
		ID: uuid.New(), TenantID: tenant, Identity: identity, TaskQueue: queue,
		Hostname: "host", IP: "127.0.0.1", WorkflowTypes: []string{}, ActivityTypes: []string{},
		RobotIDs: []uuid.UUID{}, LastSeenAt: q.now, Audit: domain.NewAudit(principal, q.now),
	}
	result, err := q.db.RegisterWorker(t.Context(), domain.Precondition{}, w, q.maxWorkers, domain.WorkerEvent(w, principal, q.now))
	require.NoError(t, err)
	return result
}

func (q queueOwners) register(t *testing.T, tenant, principal uuid.UUID, queues ...string) {
	t.Helper()
	q.registerAs(t, "worker of "+principal.String(), tenant, principal, queues...)
}

func (q queueOwners) registerAs(t *testing.T, identity string, tenant, principal uuid.UUID, queues ...string) {
	t.Helper()
	for _, queue := range queues {
		require.True(t, q.registration(t, identity, tenant, principal, queue).Stored, queue)
	}
}

// requireRefused requires that a principal may not register for the queues, and that the attempt gives it no
// access.
func (q queueOwners) requireRefused(t *testing.T, tenant, principal uuid.UUID, queues ...string) {
	t.Helper()
	before := q.access(t, tenant, principal)
	for _, queue := range queues {
		got := q.registration(t, "refused", tenant, principal, queue)
		require.Equal(t, persistence.WorkerRegistration{Worker: before.Worker}, got, queue)
	}
	require.Equal(t, before, q.access(t, tenant, principal))
}

func (q queueOwners) access(t *testing.T, tenant, principal uuid.UUID) persistence.EngineAccess {
	t.Helper()
	got, err := q.db.Reader().GetEngineAccess(t.Context(), domain.Caller{PrincipalID: principal}, tenant)
	require.NoError(t, err)
	require.Subset(t, got.Reachable, got.Servable)
	return got
}

// requireReach requires the queues that workflows of a principal may use.
func (q queueOwners) requireReach(t *testing.T, principal uuid.UUID, want ...string) {
	t.Helper()
	require.ElementsMatch(t, want, q.access(t, q.tenant, principal).Reachable)
}

func (q queueOwners) requireQueues(t *testing.T, tenant, principal uuid.UUID, want ...string) {
	t.Helper()
	require.ElementsMatch(t, want, q.access(t, tenant, principal).Servable)
}

func TestServableQueuesExcludeOtherPrincipals(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	q.publish(t, q.tenant, uuid.New(), q.runner, "queue")
	for _, principal := range []uuid.UUID{q.rival, uuid.New()} {
		require.Equal(t, persistence.EngineAccess{Servable: []string{}, Reachable: []string{}}, q.access(t, q.tenant, principal))
	}
	q.requireRefused(t, q.tenant, q.rival, "queue", "free")
}

func TestServableQueuesOfDefinitionsAndLists(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	q.publish(t, q.tenant, uuid.New(), q.runner, "loans")
	q.publish(t, q.tenant, uuid.New(), q.runner, "claims")
	q.publish(t, q.tenant, uuid.New(), q.runner, "loans")
	q.lists(t, q.tenant, q.runner, "loans", "reports")
	q.requireQueues(t, q.tenant, q.runner, "claims", "loans", "reports")
	q.requireReach(t, q.runner, "claims", "loans", "reports")
	q.register(t, q.tenant, q.runner, "claims", "reports")
	q.requireRefused(t, q.tenant, q.runner, "free")
	q.lists(t, q.tenant, q.runner, "others")
	q.requireQueues(t, q.tenant, q.runner, "claims", "loans", "others")
}

func TestListingAQueueMakesAnApplicationAWorker(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	q.publish(t, q.tenant, uuid.New(), q.runner, "loans")
	q.lists(t, q.tenant, q.rival, "loans", "activities")
	require.True(t, q.access(t, q.tenant, q.rival).Worker)
	q.requireQueues(t, q.tenant, q.rival, "activities", "loans")
	q.requireReach(t, q.runner, "loans")
}

func TestServableQueuesOfActions(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	put := func(tenant, application uuid.UUID, definition, queue string) {
		code := "app-" + application.String()
		q.put(t, tenant, application, resource.KindApplication, code, &resource.ApplicationSpec{Name: "app"})
		q.put(t, tenant, uuid.New(), resource.KindBusinessArtifactDefinition, definition, &resource.BusinessArtifactDefinitionSpec{
			Actions: []resource.ArtifactActionSpec{{TaskQueue: queue, Runner: code}, {ProcessDefinition: "LOAN"}},
		})
	}
	put(q.tenant, q.runner, "CUSTOMER", "statements")
	put(q.tenant, q.rival, "SUPPLIER", "orders")
	put(q.other, q.alien, "CUSTOMER", "elsewhere")
	q.requireRefused(t, q.tenant, q.rival, "statements", "free")
	q.requireQueues(t, q.tenant, q.runner, "statements")
	q.requireQueues(t, q.tenant, q.rival, "orders")
	q.requireQueues(t, q.other, q.alien, "elsewhere")
}

func TestServableQueuesOfRobots(t *testing.T) {
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
	q.requireRefused(t, q.tenant, q.rival, "mine", "free")
	q.requireQueues(t, q.tenant, q.runner, "mine")
	q.requireQueues(t, q.tenant, q.rival)
	require.True(t, q.access(t, q.tenant, q.rival).Worker, "a robot without a queue makes its runner a worker")
	q.requireQueues(t, q.other, q.alien, "elsewhere")
}

func TestServableQueuesOfDataSources(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	put := func(tenant, runner uuid.UUID, queue string) domain.DataSource {
		source := domain.DataSource{ID: uuid.New(), TenantID: tenant, Code: "GOODS", TaskQueue: queue, RunnerID: runner}
		require.NoError(t, q.db.Write(t.Context(), func(tx *persistence.Tx) error {
			tx.PutDataSource(source, nil)
			return nil
		}))
		return source
	}
	mine := put(q.tenant, q.runner, "goods")
	put(q.other, q.alien, "elsewhere")
	q.requireQueues(t, q.tenant, q.runner, "goods")
	require.True(t, q.access(t, q.tenant, q.runner).Worker)
	q.requireRefused(t, q.tenant, q.rival, "goods")
	q.requireQueues(t, q.other, q.alien, "elsewhere")
	require.NoError(t, q.db.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.RemoveDataSource(mine.ID)
		return nil
	}))
	require.False(t, q.access(t, q.tenant, q.runner).Worker)
}

func TestServableQueuesOfUserActions(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	publish := func(definition uuid.UUID, engine *domain.EngineBinding, actions ...resource.UserActionSpec) {
		spec, err := jsontext.Marshal(map[string]any{"userActions": actions})
		require.NoError(t, err)
		require.NoError(t, q.db.Write(t.Context(), func(tx *persistence.Tx) error {
			tx.PublishVersion(persistence.DefinitionVersion{
				DefinitionRef: domain.DefinitionRef{ID: definition, Version: uuid.New(), Code: definition.String()},
				TenantID:      q.tenant, Number: int(q.versions.Add(1)), Name: translation.Name{Source: "Definition"}, Engine: engine, Spec: spec,
			}, domain.SystemPrincipalID(), q.now)
			return nil
		}))
	}
	q.put(t, q.tenant, q.rival, resource.KindApplication, "rival", &resource.ApplicationSpec{Name: "rival"})
	action := func(queue, runner string) resource.UserActionSpec {
		return resource.UserActionSpec{UserAction: domain.UserAction{Code: queue, TaskQueue: queue}, Runner: runner}
	}
	engine := &domain.EngineBinding{
		WorkflowType: "W", TaskQueue: "loans", SignalShape: domain.SignalShapeB, RunnerID: q.runner,
	}
	loan := uuid.New()
	publish(loan, engine, action("former", ""))
	publish(loan, engine, action("loans", ""), action("reports", ""), action("nudges", "rival"), action("", ""))
	publish(uuid.New(), nil, action("unassigned", ""), action("manual", "rival"))
	q.requireRefused(t, q.tenant, q.rival, "reports", "free", "unassigned")
	q.requireQueues(t, q.tenant, q.runner, "loans", "reports", "former")
	q.requireQueues(t, q.tenant, q.rival, "nudges", "manual")
	q.requireReach(t, q.runner, "loans", "reports", "former", "nudges")
	q.requireReach(t, q.rival, "nudges", "manual")
}

// A queue that another runner has taken over is also out of reach for the workflows of an earlier version.
func TestReachEndsWithTheQueue(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	robot := domain.DefinitionRef{ID: uuid.New(), Version: uuid.New(), Code: "REVIEW"}
	require.NoError(t, q.db.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.PutRobot(domain.Robot{
			ID: uuid.New(), TenantID: q.tenant, Code: "BOT", Name: "Bot", SourceType: domain.RobotSourcePackage,
			Worker: domain.RobotWorker{WorkflowType: "W", TaskQueue: "robots", RunnerID: q.rival},
			Audit:  domain.NewAudit(domain.SystemPrincipalID(), q.now),
		}, nil)
		return nil
	}))
	loan := uuid.New()
	publish := func(runner uuid.UUID) {
		require.NoError(t, q.db.Write(t.Context(), func(tx *persistence.Tx) error {
			robot.Version = uuid.New()
			tx.PublishVersion(persistence.DefinitionVersion{
				DefinitionRef: domain.DefinitionRef{ID: loan, Version: uuid.New(), Code: "LOAN"},
				TenantID:      q.tenant, Number: int(q.versions.Add(1)), Name: translation.Name{Source: "Loan"}, Engine: &domain.EngineBinding{
					WorkflowType: "W", TaskQueue: "loans", SignalShape: domain.SignalShapeB, RunnerID: runner,
				},
				Items: []persistence.ItemDefinitionVersion{{
					DefinitionRef: robot, Type: domain.ItemTask, Name: translation.Name{Source: "Review"},
					Robot: domain.TaskRobot{Code: "BOT", Operation: "REVIEW"},
				}},
			}, domain.SystemPrincipalID(), q.now)
			return nil
		}))
	}
	publish(q.runner)
	q.publish(t, q.tenant, uuid.New(), q.rival, "claims")
	q.requireQueues(t, q.tenant, q.runner, "loans")
	q.requireReach(t, q.runner, "loans", "robots")
	q.requireReach(t, q.rival, "claims", "robots")
	publish(q.rival)
	q.requireReach(t, q.runner)
	q.requireReach(t, q.rival, "claims", "loans", "robots")
}

func TestARunnerKeepsTheQueueOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	definition := uuid.New()
	q.publish(t, q.tenant, definition, q.runner, "before")
	q.publish(t, q.tenant, definition, q.runner, "now")
	q.requireQueues(t, q.tenant, q.runner, "before", "now")
}

func TestServableQueuesLostToLaterRunner(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	definition := uuid.New()
	q.publish(t, q.tenant, definition, q.runner, "queue")
	q.publish(t, q.tenant, definition, q.rival, "queue")
	q.requireRefused(t, q.tenant, q.runner, "queue")
	q.requireQueues(t, q.tenant, q.runner)
	require.True(t, q.access(t, q.tenant, q.runner).Worker)
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
	q.lists(t, q.other, q.alien, "elsewhere")
	q.requireQueues(t, q.tenant, q.runner, "queue")
	q.requireQueues(t, q.other, q.alien, "elsewhere", "queue")
	q.requireQueues(t, q.tenant, q.alien)
	q.requireQueues(t, q.other, q.runner)
}

func TestGetEngineAccessReportsAnEndedContext(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := q.db.Reader().GetEngineAccess(ctx, domain.Caller{PrincipalID: q.runner}, q.tenant)
	require.ErrorIs(t, err, context.Canceled)
}
