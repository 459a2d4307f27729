package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/procession-dev/procession/events/dispatch"
	"github.com/procession-dev/procession/events/webhook"
	"github.com/procession-dev/procession/internal/sandbox"
	"github.com/procession-dev/procession/test/kit/browsertest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// asProgram makes the test binary behave as the program itself, so that tests
// can run it as a process of its own and kill it.
const asProgram = "PROCESSION_TEST_AS_PROGRAM"

// webhookStep is how long each step of the repetition of webhooks lasts in a
// program that is a test's, if not as usual.
const webhookStep = "PROCESSION_TEST_WEBHOOK_STEP"

func delayOfWebhooks() dispatch.Delay {
	step, err := time.ParseDuration(os.Getenv(webhookStep))
	if err != nil {
		return webhook.NextDelay
	}
	return func(attempt int, _ float64, _ time.Duration) (time.Duration, bool) {
		return step, attempt < webhook.Attempts
	}
}

// run carries out the command that args name, as the program does.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	return runCommand(ctx, newRoot(webhook.NextDelay), args, stdout, stderr)
}

// setParallel sets the default of -parallel to two tests for each processor. Most of their time the tests of this
// package wait for other programs.
func setParallel() {
	const parallel = "test.parallel"
	flag.Parse()
	isSet := false
	flag.Visit(func(f *flag.Flag) { isSet = isSet || f.Name == parallel })
	if !isSet {
		// The flag exists, and takes any number.
		_ = flag.Set(parallel, strconv.Itoa(2*runtime.GOMAXPROCS(0)))
	}
}

func TestMain(m *testing.M) {
	if code, child := sandbox.Serve(os.Args, childTasks()); child {
		os.Exit(code)
	}
	if os.Getenv(asProgram) != "" {
		os.Exit(runProgram(delayOfWebhooks()))
	}
	if os.Getenv(asJQ) != "" {
		if err := filtered(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	setParallel()
	code := pgtest.Main(m)
	browsertest.Close()
	removeBuilt()
	os.Exit(code)
}
