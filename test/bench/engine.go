package main

import (
	"context"
	"fmt"
	"net/http"
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
	// underWay is how many processes, or workflows, are begun or waited for at once.
	underWay = 128
	// warmUp is how many processes are run before those that count.
	warmUp = 20
	// endTimeout bounds the time until the last workflow of a round has ended.
	endTimeout = 5 * time.Minute
	endPoll    = 50 * time.Millisecond
)

// measureEngine measures processes with a workflow through the whole system,
// from the first request until the last process is COMPLETED, beside the same
// workflows on the same Temporal started, signalled and counted by its client.
func (b *bench) measureEngine(ctx context.Context) error {
	ours, err := b.dialEngine(ctx)
	if err != nil {
		return err
	}
	defer ours.Close()
	raw, err := b.dialRaw(ctx, rawNamespace)
	if err != nil {
		return err
	}
	defer raw.Close()
	seen := &watch{}
	for _, c := range []client.Client{ours, raw} {
		w, err := startWorker(ctx, c, seen)
		if err != nil {
			return err
		}
		defer w.Stop()
	}
	for _, kind := range []struct {
		measure, code, workflow string
		signals                 bool
		target                  float64
	}{
		{"processes whose workflow returns at once", codeReturn, workflowReturn, false, 0.91},
		{"processes whose workflow waits for one task", codeWait, workflowWait, true, 0.80},
	} {
		var oursRates, rawRates []float64
		for round := range b.rounds + 1 {
			n := b.processes
			if round == 0 {
				n = warmUp
			}
			through, err := b.runProcesses(ctx, seen, kind.code, kind.signals, n)
			if err != nil {
				return err
			}
			if round > 0 {
				fmt.Fprintf(b.progress, "  %s, round %d: service %.0f/s, ", kind.code, round, through)
			}
			beside, err := b.runRaw(ctx, seen, raw, kind.workflow, kind.signals, n)
			if err != nil {
				return err
			}
			if round == 0 {
				continue
			}
			oursRates, rawRates = append(oursRates, through), append(rawRates, beside)
			fmt.Fprintf(b.progress, "Temporal alone %.0f/s\n", beside)
		}
		b.report.add(row{
			measure: kind.measure, value: rate(median(oursRates)), beside: rate(median(rawRates)) + " Temporal alone",
			ratio: median(oursRates) / median(rawRates), target: kind.target,
		})
	}
	return nil
}

// runProcesses creates n processes over HTTP and returns how many per second
// were completed. A task is completed when the workflow has begun, as it would
// be by a person whom the workflow has asked.
func (b *bench) runProcesses(ctx context.Context, seen *watch, code string, task bool, n int) (float64, error) {
	const completed = "SELECT count(*) FROM processes WHERE process_definition_id = $1 AND state = 'COMPLETED'"
	conns := make([]*conn, underWay)
	for i := range conns {
		var err error
		if conns[i], err = b.dial(ctx, demo.Alice()); err != nil {
			return 0, err
		}
		defer conns[i].Close()
	}
	return timeUntilCompleted(ctx, n, func(ctx context.Context) (int64, error) {
		return b.count(ctx, completed, definitionID(code))
	}, func(ctx context.Context, client int) error {
		c, process, item := conns[client], uuid.New(), uuid.New()
		if !task {
			return createProcess(c, code, process)
		}
		workflow := "process-" + process.String()
		life := seen.follow(workflow)
		defer seen.watched.Delete(workflow)
		if err := createProcess(c, code, process); err != nil {
			return err
		}
		if _, err := moment(ctx, "the workflow to begin", life.began); err != nil {
			return err
		}
		if err := createTask(c, process, item, codeTask); err != nil {
			return err
		}
		return c.expect(http.MethodPost, "/process-items/"+item.String()+"/task/~actions/complete", "", http.StatusOK)
	})
}

// runRaw starts n workflows with Temporal's own client and returns how many per
// second were completed. A signal is sent when the workflow has begun.
func (b *bench) runRaw(
	ctx context.Context, seen *watch, c client.Client, workflowType string, signals bool, n int,
) (float64, error) {
	return timeUntilCompleted(ctx, n, func(ctx context.Context) (int64, error) {
		answer, err := c.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{
			Query: "ExecutionStatus = 'Completed' AND WorkflowType = '" + workflowType + "'",
		})
		if err != nil {
			return 0, fmt.Errorf("counting workflows: %w", err)
		}
		return answer.Count, nil
	}, func(ctx context.Context, _ int) error {
		id := uuid.NewString()
		workflow := "process-" + id
		life := seen.follow(workflow)
		defer seen.watched.Delete(workflow)
		_, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: workflow, TaskQueue: taskQueue},
			workflowType, workflowRequest{ProcessID: id})
		if err != nil {
			return fmt.Errorf("starting a workflow: %w", err)
		}
		if !signals {
			return nil
		}
		if _, err := moment(ctx, "the workflow to begin", life.began); err != nil {
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
	err = until(ctx, endPoll, func(ctx context.Context) (bool, error) {
		now, err := completed(ctx)
		return now == before+int64(n), err
	})
	return perSecond(int64(n), time.Since(start)), err
}

func createProcess(c *conn, code string, id uuid.UUID) error {
	body := `{"id":"` + id.String() + `","tenantId":"` + demo.TenantDemo().String() + `","processDefinitionCode":"` + code + `"}`
	return c.expect(http.MethodPost, "/processes", body, http.StatusCreated)
}

// createTask creates a task that Alice owns.
func createTask(c *conn, process, id uuid.UUID, code string) error {
	body := `{"id":"` + id.String() + `","type":"TASK","processId":"` + process.String() +
		`","processItemDefinitionCode":"` + code + `","ownerId":"` + demo.Alice().ID.String() + `"}`
	return c.expect(http.MethodPost, "/process-items", body, http.StatusCreated)
}
