// Command bench measures the service as its users meet it: the real program, on
// a durable PostgreSQL and a secured Temporal that it starts for itself, over
// HTTP with credentials. It compares each throughput with the same work without
// the service. "bench soak" instead keeps a constant load on it
// for long. See docs/benchmarks.md.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the program at once.
	context.AfterFunc(ctx, stop)
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run measures the sections that args name and prints the results to out, progress to
// progress. A missed target is no error; a failed operation is.
func run(ctx context.Context, args []string, out, progress io.Writer) (err error) {
	if len(args) > 0 && args[0] == "soak" {
		o, err := parseSoakOptions(args[1:], progress)
		if err != nil {
			return err
		}
		return withStack(ctx, stackOptions{keep: o.keep}, progress, func(s *stack) error { return runSoak(ctx, s, o, out) })
	}
	o, err := parseOptions(args, progress)
	if err != nil {
		return err
	}
	made := stackOptions{
		keep: o.keep, baseline: o.baselineBinary, watchStatements: o.statements > 0,
		replicas: o.serviceCount, spread: o.spread, standIn: o.standIn,
	}
	return withStack(ctx, made, progress, func(s *stack) error {
		b := &bench{options: o, stack: s, progress: progress, report: newReport(time.Now())}
		err := b.runSections(ctx)
		b.report.writeTo(out)
		return err
	})
}

// bench is one run of the measurements.
type bench struct {
	options
	*stack
	progress io.Writer
	report   *report
	memory   *memoryWatch
}

// runSections runs the chosen sections. Sections that leave much data behind come last.
func (b *bench) runSections(ctx context.Context) error {
	var err error
	if b.memory, err = watchMemory(ctx, b.service.PID()); err != nil {
		return err
	}
	defer b.memory.stop()
	for _, section := range []struct {
		name string
		run  func(*bench, context.Context) error
		// byTurns is set when the section itself measures the baseline, by turns with the other build, or cannot.
		byTurns bool
	}{
		{"memory", (*bench).measureIdleMemory, false},
		{"creates", (*bench).measureCreates, true},
		{"pairs", (*bench).measurePairs, true},
		{"engine", (*bench).measureEngine, true},
		{"hosts", (*bench).measureHosts, true},
		{"workers", (*bench).measureWorkers, false},
		{"latency", (*bench).measureLatency, false},
		{"webhooks", (*bench).measureWebhooks, true},
		{"pages", (*bench).measurePages, true},
		{"list", (*bench).measureLists, false},
		{"artifacts", (*bench).measureArtifacts, false},
		{"administration", (*bench).measureAdministration, false},
		{"bulk", (*bench).measureBulk, false},
		{"ends", (*bench).measureEnds, false},
		{"idle", (*bench).measureIdle, false},
		{"camunda", (*bench).measureCamunda, false},
	} {
		if !b.wantsSection(section.name) {
			continue
		}
		fmt.Fprintf(b.progress, "section %s\n", section.name)
		if err := section.run(b, ctx); err != nil {
			return fmt.Errorf("section %s: %w", section.name, err)
		}
		if b.baseline != nil && !section.byTurns {
			if err := b.measureBaseline(ctx, section.run); err != nil {
				return fmt.Errorf("section %s of the baseline: %w", section.name, err)
			}
		}
		if err := b.printStatements(ctx); err != nil {
			return err
		}
	}
	if b.wantsSection("memory") {
		b.reportLoadedMemory()
	}
	return nil
}
