// Command procession is the process orchestration service, and the tool to
// operate it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/assistance/extract"
	"github.com/procession-dev/procession/cli"
	"github.com/procession-dev/procession/events/dispatch"
	"github.com/procession-dev/procession/events/webhook"
	"github.com/procession-dev/procession/form/pdfworker"
	"github.com/procession-dev/procession/internal/sandbox"
)

func main() {
	if code, child := sandbox.Serve(os.Args, childTasks()); child {
		os.Exit(code)
	}
	os.Exit(execute(webhook.NextDelay))
}

// childTasks returns what the program does in child processes of its own.
func childTasks() map[string]sandbox.Task {
	return map[string]sandbox.Task{extract.TaskName: extract.Task, pdfworker.TaskName: pdfworker.Task}
}

// execute carries out the command that the program was called for and returns the
// exit code.
func execute(delay dispatch.Delay) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal ends the program at once, however long draining takes.
	context.AfterFunc(ctx, stop)
	err := carryOut(ctx, newRoot(delay), os.Args[1:], os.Stdout, os.Stderr)
	if err == nil {
		return 0
	}
	if !errors.Is(err, cli.ErrDifferences) {
		fmt.Fprintln(os.Stderr, "procession:", err)
	}
	return exitCode(err)
}

// carryOut carries out the command that args name and returns when it is done or,
// for those that serve, when ctx ends.
func carryOut(ctx context.Context, root *cobra.Command, args []string, stdout, stderr io.Writer) error {
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	return root.ExecuteContext(ctx)
}
