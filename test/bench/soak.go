package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/devstack/demo"
)

// soakOptions configure how hard and how long the service is used.
type soakOptions struct {
	minutes   int
	perSecond int
	clients   int
	growthMiB float64
	keep      bool
}

func parseSoakOptions(args []string, help io.Writer) (soakOptions, error) {
	var o soakOptions
	f := flag.NewFlagSet("bench soak", flag.ContinueOnError)
	f.SetOutput(help)
	f.IntVar(&o.minutes, "minutes", 30, "how long to keep the load up")
	f.IntVar(&o.perSecond, "rate", 10, "walks begun per second; one is some ten requests")
	f.IntVar(&o.clients, "clients", 8, "walks at once, at most")
	f.Float64Var(&o.growthMiB, "growth", 32, "most MiB that memory may grow after the second minute")
	f.BoolVar(&o.keep, "keep", false, "keep the directory with data and logs")
	if err := f.Parse(args); err != nil {
		return o, fmt.Errorf("reading the flags: %w", err)
	}
	if min(o.minutes, o.perSecond, o.clients) < 1 {
		return o, errors.New("numbers must be 1 or more")
	}
	return o, nil
}

// soaked counts requests and failures, and keeps the last error.
type soaked struct {
	requests, errors atomic.Int64
	mu               sync.Mutex
	last             error
}

func (s *soaked) recordRequests(requests int, err error) {
	s.requests.Add(int64(requests))
	if err == nil {
		return
	}
	s.errors.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = err
}

// runSoak keeps a constant load of mixed operations on the service and prints each
// minute how it bears it. It fails when any operation has failed, when memory
// has grown beyond the bound, or when commands or processes are left over.
func runSoak(ctx context.Context, s *stack, o soakOptions, out io.Writer) error {
	c, err := s.dialEngine(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	w, err := startWorker(ctx, c, &watch{})
	if err != nil {
		return err
	}
	defer w.Stop()

	var done soaked
	working, stop := context.WithTimeout(ctx, time.Duration(o.minutes)*time.Minute)
	defer stop()
	var walkers sync.WaitGroup
	begin := make(chan struct{})
	for client := range o.clients {
		walkers.Go(func() { s.soakWalker(working, client, begin, &done) })
	}
	walkers.Go(func() {
		_ = pollUntil(working, time.Second/time.Duration(o.perSecond), func(ctx context.Context) (bool, error) {
			select {
			case begin <- struct{}{}:
			case <-ctx.Done():
			}
			return false, nil
		})
	})
	fmt.Fprintln(out, "minute  requests  errors  RSS MiB  goroutines  pending commands")
	baseline, most := 0.0, 0.0
	for minute := 1; minute <= o.minutes && err == nil; minute++ {
		var resident float64
		if resident, err = s.soakMinute(ctx, minute, &done, out); err != nil {
			break
		}
		if minute <= 2 {
			baseline = max(baseline, resident)
		}
		most = max(most, resident)
	}
	stop()
	walkers.Wait()
	if err != nil {
		return err
	}
	if done.last != nil {
		return fmt.Errorf("%d walks of the soak had errors, the last: %w", done.errors.Load(), done.last)
	}
	if most > baseline+o.growthMiB {
		return fmt.Errorf("the service grew from %.0f to %.0f MiB", baseline, most)
	}
	return s.awaitDrained(ctx)
}

// soakMinute waits a minute and prints the state of the service.
func (s *stack) soakMinute(ctx context.Context, minute int, done *soaked, out io.Writer) (float64, error) {
	if err := waitFor(ctx, time.Minute); err != nil {
		return 0, err
	}
	resident, err := residentMiB(s.service.PID())
	if err != nil {
		return 0, err
	}
	goroutines, err := s.readMetric(ctx, "go_goroutines")
	if err != nil {
		return 0, err
	}
	backlog, err := s.db.Reader().ReadAllBacklogs(ctx, time.Now())
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(out, "%6d  %8d  %6d  %7.0f  %10.0f  %16d\n",
		minute, done.requests.Load(), done.errors.Load(), resident, goroutines, backlog.Commands)
	return resident, nil
}

// awaitDrained returns when no command for Temporal is left and every
// process with a workflow is COMPLETED.
func (s *stack) awaitDrained(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var pending, open int64
	err := pollUntil(ctx, 100*time.Millisecond, func(ctx context.Context) (bool, error) {
		backlog, err := s.db.Reader().ReadAllBacklogs(ctx, time.Now())
		if err != nil {
			return false, err
		}
		pending = backlog.Commands
		open, err = s.countRows(ctx, "SELECT count(*) FROM processes WHERE process_definition_id = $1 AND state <> 'COMPLETED'",
			definitionID(codeWait))
		return pending == 0 && open == 0, err
	})
	if err != nil {
		return fmt.Errorf("%d commands and %d processes are left over: %w", pending, open, err)
	}
	return nil
}

// soakWalker makes a walk each time it is signalled, three of four by hand and
// one with a workflow. After an error it starts over with a new connection.
func (s *stack) soakWalker(ctx context.Context, client int, begin <-chan struct{}, done *soaked) {
	var c *conn
	for n := client; ; n++ {
		select {
		case <-ctx.Done():
			if c != nil {
				_ = c.Close()
			}
			return
		case <-begin:
		}
		if c == nil {
			var err error
			if c, err = s.dial(ctx, demo.Alice()); err != nil {
				if ctx.Err() == nil {
					done.recordRequests(0, err)
				}
				c = nil
				continue
			}
		}
		requests, err := soakWalk(c, n%4 == 0)
		done.recordRequests(requests, err)
		if err != nil {
			_ = c.Close()
			c = nil
		}
	}
}

// soakWalk takes one process through its life and returns how many requests
// that took.
func soakWalk(c *conn, engine bool) (requests int, err error) {
	process, item := uuid.New(), uuid.New()
	definition, task := "ONBOARDING", "CHECKLIST"
	if engine {
		definition, task = codeWait, codeTask
	}
	items := "/process-items/" + item.String()
	steps := []func() error{
		func() error { return createProcess(c, definition, process) },
		func() error { return createTask(c, process, item, task) },
		func() error { return c.callExpecting(http.MethodGet, items, "", http.StatusOK) },
		func() error {
			return c.callExpecting(http.MethodPut, items+"/task/data", `{"data":{"value":{"DONE":true}}}`, http.StatusOK)
		},
		func() error {
			return c.callExpecting(http.MethodPost, items+"/task/~actions/append-log", `{"message":"soaked","level":"INFO"}`, http.StatusOK)
		},
		func() error { return c.callExpecting(http.MethodPost, items+"/task/~actions/claim", "", http.StatusOK) },
		func() error {
			return c.callExpecting(http.MethodPost, items+"/task/~actions/complete", "", http.StatusOK)
		},
		func() error {
			return c.callExpecting(http.MethodGet, "/process-items?size=25&processId="+process.String(), "", http.StatusOK)
		},
		func() error {
			return c.callExpecting(http.MethodGet, "/processes/"+process.String(), "", http.StatusOK)
		},
		func() error {
			return c.callExpecting(http.MethodGet, "/processes/"+uuid.NewString(), "", http.StatusNotFound)
		},
	}
	if !engine {
		steps = append(steps, func() error {
			return c.callExpecting(http.MethodPost, "/processes/"+process.String()+"/~actions/complete", "", http.StatusOK)
		})
	}
	for _, step := range steps {
		requests++
		if err := step(); err != nil {
			return requests, err
		}
	}
	return requests, nil
}

// readMetric reads a number from /metrics.
func (s *stack) readMetric(ctx context.Context, name string) (float64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.admin+"/metrics", http.NoBody)
	if err != nil {
		return 0, fmt.Errorf("reading the metrics: %w", err)
	}
	answer, err := (&http.Client{}).Do(request)
	if err != nil {
		return 0, fmt.Errorf("reading the metrics: %w", err)
	}
	defer answer.Body.Close()
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			var value float64
			if _, err := fmt.Sscan(rest, &value); err != nil {
				return 0, fmt.Errorf("reading the metric %s: %w", name, err)
			}
			return value, nil
		}
	}
	return 0, fmt.Errorf("there is no metric %s", name)
}
