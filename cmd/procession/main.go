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
	os.Exit(runProgram(webhook.NextDelay))
}

// childTasks returns the functions that run in child processes of the program.
func childTasks() map[string]sandbox.Task {
	return map[string]sandbox.Task{extract.TaskName: extract.Task, pdfworker.TaskName: pdfworker.Task}
}

// runProgram runs the command of the arguments and returns its exit code.
func runProgram(delay dispatch.Delay) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal ends the program at once, however long draining takes.
	context.AfterFunc(ctx, stop)
	err := runCommand(ctx, newRoot(delay), os.Args[1:], os.Stdout, os.Stderr)
	if err == nil {
		return 0
	}
	if !errors.Is(err, cli.ErrDifferences) {
		fmt.Fprintln(os.Stderr, "procession:", err)
	}
	return exitCode(err)
}

// runCommand runs the command named by args until it is done or ctx ends.
func runCommand(ctx context.Context, root *cobra.Command, args []string, stdout, stderr io.Writer) error {
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	return root.ExecuteContext(ctx)
}
