package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"golang.org/x/sync/errgroup"

	"github.com/procession-dev/procession/devstack/demo"
)

const (
	rawNamespace = "bench-raw"
	// underWay is the number of clients that begin processes, or workflows, at once.
	underWay = 128
	// warmUp is the number of processes before the measured rounds.
	warmUp = 20
	// endTimeout bounds the time until the last workflow of a round has ended.
	endTimeout = 5 * time.Minute
	endPoll    = 50 * time.Millisecond
)

// engineWork is a kind of process with a workflow.
type engineWork struct {
	measure, code, workflow string
	// hasTask is set when the workflow waits until a task is completed.
	hasTask bool
	// target is the share of Temporal's rate without the service that is to be reached.
	target float64
}

func engineWorks() []engineWork {
	return []engineWork{
		{"processes whose workflow returns at once", codeReturn, workflowReturn, false, 0.91},
		{"processes whose workflow waits for one task", codeWait, workflowWait, true, 0.80},
	}
}

// engineRounds contains the results of the rounds of one contender.
type engineRounds struct {
	name  string
	stack *stack
	run   func(ctx context.Context, w engineWork, n int) (float64, error)
	rates []float64
	// costs are the processor times of a process in milliseconds, by party.
	costs map[string][]float64
}

// measureEngine measures processes with a workflow through the whole system,
// from the first request until the last process is COMPLETED, and compares them with
// the same workflows started, signalled and counted by a client of Temporal.
func (b *bench) measureEngine(ctx context.Context) error {
	seen := &watch{}
	builds := map[string]*stack{"service": b.stack}
	if b.baseline != nil {
		builds["baseline"] = b.baseline
	}
	var contenders []*engineRounds
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(builds))) {
		build := builds[name]
		c, err := build.dialEngine(ctx)
		if err != nil {
			return err
		}
		defer c.Close()
		w, err := startWorker(ctx, c, seen)
		if err != nil {
			return err
		}
		defer w.Stop()
		contenders = append(contenders, &engineRounds{name: name, stack: build, run: func(ctx context.Context, w engineWork, n int) (float64, error) {
			return build.runProcesses(ctx, seen, w, n)
		}})
	}
	raw, err := b.dialRaw(ctx, rawNamespace)
	if err != nil {
		return err
	}
	defer raw.Close()
	w, err := startWorker(ctx, raw, seen)
	if err != nil {
		return err
	}
	defer w.Stop()
	contenders = append(contenders, &engineRounds{name: "Temporal alone", stack: b.stack, run: func(ctx context.Context, w engineWork, n int) (float64, error) {
		return runRaw(ctx, seen, raw, w, n)
	}})
	for _, work := range engineWorks() {
		if err := b.runEngineRounds(ctx, work, contenders); err != nil {
			return err
		}
		b.reportEngine(work, contenders)
	}
	return b.reportListings(ctx)
}

// runEngineRounds lets the contenders run processes by turns. The first round warms up.
func (b *bench) runEngineRounds(ctx context.Context, work engineWork, contenders []*engineRounds) error {
	for _, c := range contenders {
		c.rates, c.costs = nil, map[string][]float64{}
		if _, err := c.run(ctx, work, warmUp); err != nil {
			return err
		}
	}
	for round := range b.rounds {
		for i := range contenders {
			c := contenders[(i+round)%len(contenders)]
			before, err := c.stack.processorTimes(ctx)
			if err != nil {
				return err
			}
			rate, err := c.run(ctx, work, b.processes)
			if err != nil {
				return err
			}
			after, err := c.stack.processorTimes(ctx)
			if err != nil {
				return err
			}
			c.rates = append(c.rates, rate)
			for party, used := range after {
				c.costs[party] = append(c.costs[party], (used-before[party]).Seconds()*1000/float64(b.processes))
			}
			fmt.Fprintf(b.progress, "  %s, round %d: %s %.0f/s\n", work.code, round+1, c.name, rate)
		}
	}
	return nil
}

// reportEngine compares the service with Temporal alone and the baseline, and reports the processor time per party.
func (b *bench) reportEngine(work engineWork, contenders []*engineRounds) {
	service := contenders[0]
	for _, other := range contenders[1:] {
		target := work.target
		if other.name == "baseline" {
			target = baselineTarget
		}
		b.report.add(row{
			measure: work.measure, value: formatRate(medianOf(service.rates)), beside: formatRate(medianOf(other.rates)) + " " + other.name,
			ratio: medianOf(divideRounds(service.rates, other.rates)), target: target,
		})
	}
	for _, party := range []string{ofBench, ofService, ofDatabase, ofTemporal, ofOthers} {
		beside := ""
		for _, other := range contenders[1:] {
			beside += fmt.Sprintf("%.1f ms %s  ", medianOf(other.costs[party]), other.name)
		}
		b.report.add(row{
			measure: work.measure + ", CPU per process, " + party, value: fmt.Sprintf("%.1f ms", medianOf(service.costs[party])), beside: beside,
		})
	}
}

// reportListings reports how many rows Temporal has listed for each end that the service has recorded.
func (b *bench) reportListings(ctx context.Context) error {
	listed, err := b.readMetric(ctx, "procession_engine_ends_listed_total")
	if err != nil {
		return err
	}
	recorded, err := b.readMetric(ctx, "procession_engine_ends_recorded_total")
	if err != nil {
		return err
	}
	b.report.add(row{measure: "rows listed per recorded end", value: fmt.Sprintf("%.1f", listed/max(recorded, 1))})
	return nil
}

// runProcesses creates n processes over HTTP and returns how many per second
// were completed. A task is completed when the workflow has begun, as it would
// be by a person whom the workflow has asked.
func (s *stack) runProcesses(ctx context.Context, seen *watch, work engineWork, n int) (float64, error) {
	const completed = "SELECT count(*) FROM processes WHERE process_definition_id = $1 AND state = 'COMPLETED' AND created_at >= $2"
	began := time.Now()
	conns := make([]*conn, underWay)
	for i := range conns {
		var err error
		if conns[i], err = s.dial(ctx, demo.Alice()); err != nil {
			return 0, err
		}
		defer conns[i].Close()
	}
	return timeUntilCompleted(ctx, n, func(ctx context.Context) (int64, error) {
		return s.countRows(ctx, completed, definitionID(work.code), began)
	}, func(ctx context.Context, client int) error {
		c, process, item := conns[client], uuid.New(), uuid.New()
		if !work.hasTask {
			return createProcess(c, work.code, process)
		}
		workflow := "process-" + process.String()
		life := seen.followWorkflow(workflow)
		defer seen.watched.Delete(workflow)
		if err := createProcess(c, work.code, process); err != nil {
			return err
		}
		if _, err := awaitMoment(ctx, "the workflow to begin", life.began); err != nil {
			return err
		}
		if err := createTask(c, process, item, codeTask); err != nil {
			return err
		}
		return c.callExpecting(http.MethodPost, "/process-items/"+item.String()+"/task/~actions/complete", "", http.StatusOK)
	})
}

// runRaw starts n workflows with Temporal's own client and returns how many per
// second were completed. A signal is sent when the workflow has begun.
func runRaw(ctx context.Context, seen *watch, c client.Client, work engineWork, n int) (float64, error) {
	return timeUntilCompleted(ctx, n, func(ctx context.Context) (int64, error) {
		answer, err := c.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{
			Query: "ExecutionStatus = 'Completed' AND WorkflowType = '" + work.workflow + "'",
		})
		if err != nil {
			return 0, fmt.Errorf("counting workflows: %w", err)
		}
		return answer.Count, nil
	}, func(ctx context.Context, _ int) error {
		id := uuid.NewString()
		workflow := "process-" + id
		life := seen.followWorkflow(workflow)
		defer seen.watched.Delete(workflow)
		_, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: workflow, TaskQueue: taskQueue},
			work.workflow, workflowRequest{ProcessID: id})
		if err != nil {
			return fmt.Errorf("starting a workflow: %w", err)
		}
		if !work.hasTask {
			return nil
		}
		if _, err := awaitMoment(ctx, "the workflow to begin", life.began); err != nil {
			return err
		}
		if err := c.SignalWorkflow(ctx, workflow, "", signalName, workflowRequest{ProcessID: id}); err != nil {
			return fmt.Errorf("signalling a workflow: %w", err)
		}
		return nil
	})
}

// timeUntilCompleted begins n things, underWay at once, waits until so many
// more are completed and returns how many per second that were.
func timeUntilCompleted(
	ctx context.Context, n int, completed func(context.Context) (int64, error),
	begin func(ctx context.Context, client int) error,
) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, endTimeout)
	defer cancel()
	before, err := completed(ctx)
	if err != nil {
		return 0, err
	}
	start := time.Now()
	group, working := errgroup.WithContext(ctx)
	var next atomic.Int64
	for client := range underWay {
		group.Go(func() error {
			for next.Add(1) <= int64(n) && working.Err() == nil {
				if err := begin(working, client); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return 0, err
	}
	err = pollUntil(ctx, endPoll, func(ctx context.Context) (bool, error) {
		now, err := completed(ctx)
		return now == before+int64(n), err
	})
	return perSecond(int64(n), time.Since(start)), err
}

func createProcess(c *conn, code string, id uuid.UUID) error {
	body := `{"id":"` + id.String() + `","tenantId":"` + demo.TenantDemo().String() + `","processDefinitionCode":"` + code + `"}`
	return c.callExpecting(http.MethodPost, "/processes", body, http.StatusCreated)
}

// createTask creates a task that Alice owns.
func createTask(c *conn, process, id uuid.UUID, code string) error {
	body := `{"id":"` + id.String() + `","type":"TASK","processId":"` + process.String() +
		`","processItemDefinitionCode":"` + code + `","ownerId":"` + demo.Alice().ID.String() + `"}`
	return c.callExpecting(http.MethodPost, "/process-items", body, http.StatusCreated)
}
