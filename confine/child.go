package confine

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
)

// Argument is the first argument of a program that is started as a child.
const Argument = "confined"

// program is the name of a task in the arguments when the child executes another program.
const program = "--"

// Exit codes of a child: it could not set its limits, it reached its limit of processor
// time, its task failed.
const (
	exitRefused = 125
	exitTime    = 124
	exitFailed  = 1
)

// A Task is the work of a child that runs this program. It reads from in and writes to out.
type Task func(ctx context.Context, in io.Reader, out io.Writer) error

// Serve runs a task if args are those of a child, and returns the exit code for the
// process; otherwise child is false. A program must call it before anything else.
func Serve(args []string, tasks map[string]Task) (code int, child bool) {
	if len(args) < 2 || args[1] != Argument {
		return 0, false
	}
	task, err := begin(args[2:], tasks)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitRefused, true
	}
	if err := task(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitFailed, true
	}
	return 0, true
}

// begin sets the limits and returns the task. It does not return if it executes another
// program.
func begin(args []string, tasks map[string]Task) (Task, error) {
	if len(args) < 2 {
		return nil, fmt.Errorf("usage: %s LIMITS TASK", Argument)
	}
	limits, err := parseLimits(args[0])
	if err != nil {
		return nil, err
	}
	if err := restrict(limits, args[1] == program); err != nil {
		return nil, fmt.Errorf("restricting the child: %w", err)
	}
	if args[1] == program {
		return nil, become(args[2:])
	}
	task, ok := tasks[args[1]]
	if !ok {
		return nil, fmt.Errorf("there is no task %q", args[1])
	}
	// Below the kernel's limit, so that the garbage collector frees memory first.
	debug.SetMemoryLimit(limits.Memory * 3 / 4)
	runtime.GOMAXPROCS(1)
	return task, nil
}
