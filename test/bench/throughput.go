package main

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// baselineTarget is the share of the baseline's rate that is to be reached.
const baselineTarget = 0.97

// pairsPerSecond is more claim+complete pairs than this machine can do.
const pairsPerSecond = 5_000

// work is a kind of request with a measured throughput.
type work struct {
	name    string
	measure string
	// target is the share of pgbench's rate that is to be reached.
	target float64
	// request does the work for the i-th subject of a lane.
	request func(c *conn, lane, i int) error
	// perClient bounds the subjects of a client and a round; 0 is no bound.
	perClient int
	// freshKind is the first of the kinds of ids that pgbench generates.
	freshKind int
}

// measureCreates measures B8 for a manual process.
func (b *bench) measureCreates(ctx context.Context) error {
	before, err := b.countRows(ctx, "SELECT count(*) FROM processes")
	if err != nil {
		return err
	}
	done, err := b.measureWork(ctx, work{
		name: "creates", measure: "POST /processes, manual", target: 0.55, freshKind: kindFreshCreates,
		request: func(c *conn, lane, i int) error {
			return createProcess(c, "ONBOARDING", subjectID(kindProcess, lane, i))
		},
	})
	if err != nil {
		return err
	}
	return b.checkCount(ctx, "processes created by request", done, before,
		"SELECT count(*) FROM processes")
}

// measurePairs measures B26 followed by B28, each on a task of its own process.
func (b *bench) measurePairs(ctx context.Context) error {
	perClient := b.seconds*pairsPerSecond/b.clients + 1
	fmt.Fprintf(b.progress, "  loading %d tasks\n", 2*perClient*b.clients*b.rounds)
	frozen, err := b.frozenStack(ctx)
	if err != nil {
		return err
	}
	for _, s := range []*stack{b.stack, b.baseline, frozen} {
		if s == nil {
			continue
		}
		if err := s.loadTasks(ctx, workLane, b.clients, perClient*b.rounds); err != nil {
			return err
		}
	}
	done, err := b.measureWork(ctx, work{
		name: "pairs", measure: "claim + complete a task", target: 0.67, perClient: perClient, freshKind: kindFreshPairs,
		request: func(c *conn, lane, i int) error {
			path := "/process-items/" + subjectID(kindItem, lane, i).String() + "/task/~actions/"
			if _, err := c.callAPI(http.MethodPost, path+"claim", "", http.StatusOK); err != nil {
				return err
			}
			_, err := c.callAPI(http.MethodPost, path+"complete", "", http.StatusOK)
			return err
		},
	})
	if err != nil {
		return err
	}
	return b.checkCount(ctx, "tasks completed by request", done, 0,
		"SELECT count(*) FROM process_items WHERE task_state = 'COMPLETED'")
}

// measureWork measures the service, the baseline if there is one, and pgbench by
// turns and returns how often the service did the work.
func (b *bench) measureWork(ctx context.Context, w work) (int64, error) {
	sent, err := readScript(w.name)
	if err != nil {
		return 0, err
	}
	variables, err := b.scriptVariables(ctx, w.freshKind)
	if err != nil {
		return 0, err
	}
	frozen, err := b.frozenStack(ctx)
	if err != nil {
		return 0, err
	}
	service, err := newContender(ctx, b.stack, b.clients)
	if err != nil {
		return 0, err
	}
	defer service.close()
	contenders := []*contender{service}
	if b.baseline != nil {
		baseline, err := newContender(ctx, b.baseline, b.clients)
		if err != nil {
			return 0, err
		}
		defer baseline.close()
		contenders = append(contenders, baseline)
	}
	var theirs []float64
	for round := range b.rounds {
		// Who begins changes, so that a drift of the machine favours none.
		for i := range contenders {
			one := contenders[(i+round)%len(contenders)]
			if err := one.runRound(ctx, w, round, time.Duration(b.seconds)*time.Second); err != nil {
				return 0, err
			}
		}
		run := pgbenchRun{
			name: w.name, script: sent, variables: variables, clients: b.clients, seconds: b.seconds,
			start: w.firstSubject(round), transactions: w.perClient,
		}
		rate, err := frozen.runPgbench(ctx, run)
		if err != nil {
			return 0, err
		}
		theirs = append(theirs, rate)
		fmt.Fprintf(b.progress, "  %s, round %d: service %.0f/s, pgbench %.0f/s\n", w.name, round+1, service.rates[round], rate)
	}
	b.report.add(row{
		measure: w.measure, value: formatRate(medianOf(service.rates)),
		beside: formatRate(medianOf(theirs)) + fmt.Sprintf(" pgbench, %d statements, %d round trips", sent.statements, sent.roundTrips),
		ratio:  medianOf(service.rates) / medianOf(theirs), target: w.target,
	})
	if len(contenders) > 1 {
		b.reportBaseline(w, service, contenders[1])
	}
	return service.done, nil
}

// reportBaseline compares the service with another build, round by round.
func (b *bench) reportBaseline(w work, service, baseline *contender) {
	b.report.add(row{
		measure: w.measure + ", beside the baseline", value: formatRate(medianOf(service.rates)), beside: formatRate(medianOf(baseline.rates)) + " baseline",
		ratio: medianOf(divideRounds(service.rates, baseline.rates)), target: baselineTarget,
	})
	cost := func(values []float64) string { return fmt.Sprintf("%.0f µs", medianOf(values)) }
	b.report.add(row{
		measure: w.measure + ", CPU of the service", value: cost(service.costs), beside: cost(baseline.costs) + " baseline",
		limit: fmt.Sprintf("≤ %.2f ×", 1/baselineTarget), missed: medianOf(divideRounds(service.costs, baseline.costs)) > 1/baselineTarget,
	})
}

// firstSubject returns the number of the last subject that earlier rounds have used up.
func (w work) firstSubject(round int) int {
	if w.perClient > 0 {
		return round * w.perClient
	}
	return round * subjectStride / maxRounds
}

// maxRounds keeps the numbers of a client within its lane.
const maxRounds = 100

// checkCount compares the stored rows with the successful requests.
func (b *bench) checkCount(ctx context.Context, what string, done, before int64, sql string) error {
	n, err := b.countRows(ctx, sql)
	if err == nil && n != before+done {
		err = fmt.Errorf("%s: %d are stored, not %d", what, n-before, done)
	}
	return err
}
