package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"golang.org/x/sync/errgroup"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/persistence"
)

const (
	// idleCPUTarget is the share of a core that the service and its database may take at rest.
	idleCPUTarget = 0.05
	// runsOfTenant is how many processes with an open workflow each tenant has.
	runsOfTenant = 10
	startsAtOnce = 16
	// calmTime is longer than the service scans a namespace more often after a command.
	calmTime         = 35 * time.Second
	setUpTime        = 20 * time.Minute
	namespacesAtOnce = 32
	namespaceRetry   = 100 * time.Millisecond
	// confirmTime is the longest time in which the service finds the namespace of a new tenant.
	confirmTime = 5 * time.Millisecond
)

// measureIdle measures the cost of tenants at rest: first with a definition and a task queue each, then with
// processes that have a waiting workflow.
func (b *bench) measureIdle(ctx context.Context) error {
	if err := b.loadTenants(ctx); err != nil {
		return err
	}
	if err := b.measureRest(ctx, fmt.Sprintf("idle, %d tenants without runs", b.tenants)); err != nil {
		return err
	}
	if err := b.loadOpenRuns(ctx); err != nil {
		return err
	}
	return b.measureRest(ctx, fmt.Sprintf("idle, %d tenants with %d open runs each", b.tenants, runsOfTenant))
}

// measureRest reports the processor time of the service without requests.
func (b *bench) measureRest(ctx context.Context, measure string) error {
	if err := waitFor(ctx, min(calmTime+time.Duration(b.tenants)*confirmTime, b.restTime()*2)); err != nil {
		return err
	}
	before, err := b.processorTimes(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	if err := waitFor(ctx, b.restTime()); err != nil {
		return err
	}
	after, err := b.processorTimes(ctx)
	if err != nil {
		return err
	}
	took := time.Since(began).Seconds()
	share := func(of string) float64 { return max(0, (after[of]-before[of]).Seconds()) / took }
	ours := share(ofService) + share(ofDatabase)
	b.report.add(row{
		measure: measure, value: fmt.Sprintf("%.1f %% of a core", 100*ours), limit: fmt.Sprintf("≤ %.0f %%", 100*idleCPUTarget),
		beside: fmt.Sprintf("service %.1f, its database %.1f, Temporal %.1f, Temporal's databases %.1f",
			100*share(ofService), 100*share(ofDatabase), 100*share(ofTemporal), 100*share(ofOthers)),
		missed: ours > idleCPUTarget,
	})
	return nil
}

// restTime returns the length of a rest.
func (b *bench) restTime() time.Duration { return time.Duration(b.restSeconds) * time.Second }

// Parties that use processor time.
const (
	ofBench    = "clients and worker"
	ofService  = "service"
	ofDatabase = "its database"
	ofTemporal = "temporal"
	ofOthers   = "Temporal's databases"
)

// processorTimes returns the processor time by party. Sessions of PostgreSQL that have ended are not counted, so
// differences are right while few end.
func (s *stack) processorTimes(ctx context.Context) (map[string]time.Duration, error) {
	pids := map[int]string{os.Getpid(): ofBench, s.service.PID(): ofService}
	for _, replica := range s.replicas {
		pids[replica.service.PID()] = ofService
	}
	for _, server := range s.engine {
		pids[server.PID()] = ofTemporal
	}
	rows, err := s.pool.Query(ctx, "SELECT pid, coalesce(datname, '') FROM pg_stat_activity WHERE pid <> pg_backend_pid()") //nolint:rowserrcheck // ForEachRow does
	if err != nil {
		return nil, fmt.Errorf("listing sessions: %w", err)
	}
	var pid int
	var database string
	_, err = pgx.ForEachRow(rows, []any{&pid, &database}, func() error {
		pids[pid] = ofOthers
		if database == s.database {
			pids[pid] = ofDatabase
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing sessions: %w", err)
	}
	times := map[string]time.Duration{}
	for pid, of := range pids {
		used, err := processorTime(pid)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		times[of] += used
	}
	return times, nil
}

func benchTenant(n int) uuid.UUID { return uuid.NewSHA1(demo.TenantDemo(), []byte(benchNamespace(n))) }

func benchNamespace(n int) string { return "bench-" + strconv.Itoa(n) }

// loadTenants makes tenants with a namespace and a definition each.
func (b *bench) loadTenants(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, setUpTime)
	defer cancel()
	if err := b.makeNamespaces(ctx); err != nil {
		return err
	}
	fmt.Fprintf(b.progress, "  %d namespaces\n", b.tenants)
	if b.db == nil {
		return nil // the baseline has them already
	}
	const atOnce = 200
	now := time.Now()
	for from := 0; from < b.tenants; from += atOnce {
		err := b.db.Write(ctx, func(tx *persistence.Tx) error {
			for n := from; n < min(b.tenants, from+atOnce); n++ {
				tenant := benchTenant(n)
				tx.PutTenant(domain.Tenant{
					ID: tenant, Code: benchNamespace(n), Name: benchNamespace(n), Plan: "FREE", Namespace: benchNamespace(n), TimeZone: "Etc/UTC",
					Audit: domain.NewAudit(demo.Alice().ID, now),
				})
				id := uuid.NewSHA1(tenant, []byte(codeWait))
				tx.InsertDefinition(id, tenant, codeWait)
				tx.PublishVersion(persistence.DefinitionVersion{
					DefinitionRef: domain.DefinitionRef{ID: id, Version: uuid.NewSHA1(id, []byte("version")), Code: codeWait},
					TenantID:      tenant, Number: 1, Name: translation.Name{Source: codeWait},
					Engine: &domain.EngineBinding{
						WorkflowType: workflowWait, TaskQueue: taskQueue, SignalShape: domain.SignalShapeB, RunnerID: demo.LoanWorker().ID,
					},
				}, demo.Alice().ID, now)
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("making tenants: %w", err)
		}
	}
	return b.copyDefinitions(ctx)
}

// makeNamespaces creates the namespaces of tenants, which the service then finds. Each takes seconds, in which Temporal mostly
// waits.
func (b *bench) makeNamespaces(ctx context.Context) error {
	e, err := b.openEngine()
	if err != nil {
		return err
	}
	defer e.Close()
	group, making := errgroup.WithContext(ctx)
	group.SetLimit(namespacesAtOnce)
	for n := range b.tenants {
		group.Go(func() error {
			var conflict error
			err := pollUntil(making, namespaceRetry, func(ctx context.Context) (bool, error) {
				// Temporal refuses changes of two namespaces in the same moment.
				conflict = e.EnsureNamespace(ctx, benchNamespace(n))
				return conflict == nil, nil
			})
			return errors.Join(err, conflict)
		})
	}
	return group.Wait()
}

const (
	loadRunningProcesses = `
INSERT INTO processes (id, tenant_id, process_definition_id, process_version, process_definition_code, state, subject,
                       initiator_id, created_by, created_at, last_modified_by, last_modified_at)
SELECT r.id, d.tenant_id, d.id, d.published_version, d.code, 'RUNNING', d.code, $3, $3, now(), $3, now()
  FROM unnest($1::uuid[], $2::uuid[]) r (id, tenant_id)
  JOIN process_definitions d USING (tenant_id)`

	loadRuns = `
INSERT INTO engine_runs (id, tenant_id, kind, owner_id, namespace, workflow_id, run_id, workflow_type, task_queue, state,
                         created_at, last_active_at)
SELECT r.id, t.id, 'PROCESS', r.id, t.namespace, 'process-' || r.id, r.run_id, $4, $5, 'RUNNING', now(), now()
  FROM unnest($1::uuid[], $2::uuid[], $3::text[]) r (id, tenant_id, run_id)
  JOIN tenants t ON t.id = r.tenant_id`

	// The service would look at these namespaces within a minute.
	wakeLooks = `
INSERT INTO engine_watermarks (namespace, closed_at)
SELECT DISTINCT namespace, timestamptz 'epoch' FROM engine_runs WHERE namespace LIKE 'bench-%' AND state = 'RUNNING'
    ON CONFLICT (namespace) DO UPDATE SET due_at = 'epoch'`
)

// loadOpenRuns starts workflows that no worker takes, with processes and runs that belong to them.
func (b *bench) loadOpenRuns(ctx context.Context) error {
	c, err := b.dialRaw(ctx, benchNamespace(0))
	if err != nil {
		return err
	}
	defer c.Close()
	total := b.tenants * runsOfTenant
	ids, tenants, runs := make([]uuid.UUID, total), make([]uuid.UUID, total), make([]string, total)
	group, starting := errgroup.WithContext(ctx)
	group.SetLimit(startsAtOnce)
	for i := range total {
		group.Go(func() error {
			n := i / runsOfTenant
			ids[i], tenants[i] = uuid.New(), benchTenant(n)
			started, err := c.WorkflowService().StartWorkflowExecution(starting, &workflowservice.StartWorkflowExecutionRequest{
				Namespace: benchNamespace(n), WorkflowId: "process-" + ids[i].String(), RequestId: uuid.NewString(),
				WorkflowType: &common.WorkflowType{Name: workflowWait}, TaskQueue: &taskqueue.TaskQueue{Name: taskQueue},
			})
			if err != nil {
				return fmt.Errorf("starting a workflow: %w", err)
			}
			runs[i] = started.GetRunId()
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	fmt.Fprintf(b.progress, "  %d open runs\n", total)
	if err := b.inOne(ctx, []any{ids, tenants, demo.Alice().ID}, loadRunningProcesses); err != nil {
		return err
	}
	if err := b.inOne(ctx, []any{ids, tenants, runs, workflowWait, taskQueue}, loadRuns); err != nil {
		return err
	}
	if err := b.inOne(ctx, nil, wakeLooks); err != nil {
		return err
	}
	return b.vacuumTables(ctx)
}
